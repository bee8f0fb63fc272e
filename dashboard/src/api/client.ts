/** Requests to the service that the page came from, and whether it answers. */
import { signal } from '../ui/signal.js';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | undefined,
  ) {
    super(message);
  }
}

/** `away`: the last request got no answer. `back`: it did, after one that got none. */
export const connection = signal<'up' | 'away' | 'back'>('up');
/** Called when the service no longer knows the session. */
export const sessionEnded = signal<number>(0);

let csrfToken = '';
export const setCsrfToken = (token: string): void => void (csrfToken = token);

const PROBE_MS = 1_500;
const TELL_BACK_MS = 6_000;
let probing: ReturnType<typeof setTimeout> | null = null;

function noteAway(): void {
  connection.set('away');
  probing ??= setTimeout(() => {
    probing = null;
    void probe();
  }, PROBE_MS);
}

/** Finds out whether the service answers. */
export async function probe(): Promise<void> {
  try {
    await fetch('/livez');
    noteAnswer();
  } catch {
    noteAway();
  }
}

function noteAnswer(): void {
  if (connection.get() !== 'away') return;
  connection.set('back');
  setTimeout(() => connection.get() === 'back' && connection.set('up'), TELL_BACK_MS);
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

async function send(method: Method, path: string, body?: unknown, headers: HeadersInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    noteAway();
    throw new ApiError(0, 'away', 'The service does not answer.', undefined);
  }
  noteAnswer();
  if (response.ok) return response;
  const told = (await response.json().catch(() => null)) as {
    error?: { code?: string; message?: string; field?: string };
  } | null;
  if (response.status === 401 && path !== '/dashboard/session') sessionEnded.set(sessionEnded.get() + 1);
  throw new ApiError(
    response.status,
    told?.error?.code ?? 'unknown',
    told?.error?.message ?? `The service answered ${response.status}.`,
    told?.error?.field,
  );
}

async function json<T>(method: Method, path: string, body?: unknown, headers?: HeadersInit): Promise<T> {
  const response = await send(method, path, body, headers);
  const text = await response.text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

export const get = <T>(path: string): Promise<T> => json('GET', path);
export const post = <T>(path: string, body: unknown = {}, headers?: HeadersInit): Promise<T> =>
  json('POST', path, body, headers);
export const patch = <T>(path: string, body: unknown): Promise<T> => json('PATCH', path, body);
export const remove = <T = null>(path: string): Promise<T> => json('DELETE', path);

/** A query string of what is not undefined or empty. */
export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
