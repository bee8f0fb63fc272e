/** The real service in this process: real store in a temporary folder, real worker threads, port 0. */
import { rmSync } from 'node:fs';
import { parseConfig } from '../../src/config.js';
import type { ThreadFaults } from '../../src/runs/worker-pools.js';
import { startService, type Service } from '../../src/main.js';
import { dataFolder } from './data-folder.js';

// Answers are checked by expectations, field by field; a schema here would only repeat them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: send none. */
  readonly key?: string | null;
  /** The answer's body is its text. Absent: it is JSON. */
  readonly isText?: boolean;
}

export interface TestService {
  readonly url: string;
  readonly key: string;
  readonly dataDir: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  upload(code: string, name?: string): Promise<string>;
  dashboardLink(key: string): string;
  /** Stops the service; the folder stays. */
  stop(): Promise<void>;
  /** Stops where it runs, and removes the folder. */
  cleanUp(): Promise<void>;
}

/** The sum of squares, which is bounded by 0 at once: a run that meets it ends with a proof. */
export const BOWL = 'def bowl(x):\n    return sum(v * v for v in x)\n';
/** The same, written so that its bounds are wide: runs go on. */
export const SPHERE = 'def sphere(x):\n    return sum(v * (v + 1) - v for v in x)\n';

export interface TestServiceOptions {
  readonly dataDir?: string;
  /** Of an earlier start of the same folder. */
  readonly key?: string;
  readonly flags?: readonly string[];
  /** What is wrong in its worker threads; checks wait for CPython unless this says otherwise. */
  readonly faults?: ThreadFaults;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? dataFolder('extremum-e2e-');
  const flags = [
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--log-level',
    'silent',
    '--workers',
    '2',
    ...(options.flags ?? []),
  ];
  const service: Service = await startService(parseConfig({}, flags), { checksWait: true, ...options.faults });
  const key = options.key ?? service.bootstrapKey ?? '';

  const call: TestService['call'] = async (method, path, { body, headers, key: own, isText = false } = {}) => {
    const used = own === undefined ? key : own;
    const response = await fetch(service.url + path, {
      method,
      headers: {
        ...(used === null ? {} : { authorization: `Bearer ${used}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: isText ? text : text === '' ? null : JSON.parse(text),
    };
  };

  return {
    url: service.url,
    key,
    dataDir,
    call,
    async upload(code, name = 'f') {
      const answer = await call('POST', '/v1/functions', { body: { name, code, language: 'python' } });
      if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
      return String(answer.body.id);
    },
    dashboardLink: (of) => service.dashboardLink(of),
    stop: () => service.close(),
    async cleanUp() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
