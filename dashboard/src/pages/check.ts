/**
 * The check of code while it is typed. The service checks what is uploaded, so that is what happens: what is not used
 * in the end is deleted again.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, post, remove } from '../api/client.js';
import type { FunctionSummary } from '../api/types.js';
import type { Mark } from './editor.js';

const PAUSE_MS = 700;

export type Check =
  | { readonly kind: 'none' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'good'; readonly found: FunctionSummary }
  | { readonly kind: 'bad'; readonly message: string };

export interface Checked {
  readonly check: Check;
  /** Identifier of the function as it stands; from then on it stays. */
  keep(): Promise<string>;
}

export function useCheck(name: string, code: string): Checked {
  const [check, setCheck] = useState<Check>({ kind: 'none' });
  const uploaded = useRef<{ id: string; name: string; code: string } | null>(null);

  const forget = (): void => {
    if (uploaded.current !== null) remove(`/v1/functions/${uploaded.current.id}`).catch(() => {});
    uploaded.current = null;
  };
  const upload = async (): Promise<FunctionSummary> => {
    const found = await post<FunctionSummary>('/v1/functions', { name, code, language: 'python' });
    forget();
    uploaded.current = { id: found.id, name, code };
    return found;
  };

  useEffect(() => {
    if (code.trim() === '' || name.trim() === '') return setCheck({ kind: 'none' });
    let isOld = false;
    setCheck({ kind: 'checking' });
    const timer = setTimeout(() => {
      upload().then(
        (found) => !isOld && setCheck({ kind: 'good', found }),
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
          if (!isOld) setCheck({ kind: 'bad', message: error.message });
        },
      );
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [name, code]);
  useEffect(() => forget, []);

  return {
    check,
    async keep() {
      const own = uploaded.current;
      const id = own?.name === name && own.code === code ? own.id : (await upload()).id;
      uploaded.current = null;
      return id;
    },
  };
}

/** What is said of lines. */
export function marksOf(check: Check): readonly Mark[] {
  if (check.kind === 'bad') {
    const told = [...check.message.matchAll(/Line (\d+), column \d+: ([^\n]*)/g)];
    return told.map(([, line, message]) => ({ line: Number(line), message, kind: 'bad' }));
  }
  if (check.kind !== 'good') return [];
  return check.found.compilation.reasons.map(({ line, message }) => ({ line, message, kind: 'warn' }));
}
