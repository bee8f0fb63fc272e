/** What a page shows of the service: loaded, and loaded anew while somebody looks. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, connection } from '../api/client.js';
import { useSignal } from './signal.js';

export interface Loaded<T> {
  /** The latest; it stays while the next is loaded, or cannot be. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
}

/** @param everyMs Absent: once for each `key`. */
export function useLoad<T>(key: string, load: () => Promise<T>, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError }>({ key });
  const latest = useRef({ key, load, serial: 0 });
  latest.current.key = key;
  latest.current.load = load;

  const reload = useCallback((): Promise<void> => {
    const serial = ++latest.current.serial;
    const { key: asked } = latest.current;
    // What was asked for before something else was is not shown after it.
    const isLatest = (): boolean => serial === latest.current.serial;
    return latest.current.load().then(
      (data) => isLatest() && setState({ key: asked, data }),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (isLatest())
          setState((before) => ({ key: asked, data: before.key === asked ? before.data : undefined, error }));
      },
    ) as Promise<void>;
  }, []);

  const isAway = useSignal(connection) === 'away';
  useEffect(() => {
    if (!isAway) void reload();
  }, [key, isAway, reload]);

  useEffect(() => {
    if (everyMs === undefined) return;
    let timer: ReturnType<typeof setTimeout>;
    const tick = (): void => {
      timer = setTimeout(() => {
        if (document.hidden || connection.get() === 'away') tick();
        else void reload().then(tick, tick);
      }, everyMs);
    };
    tick();
    return () => clearTimeout(timer);
  }, [everyMs, key, reload]);

  const isOwn = state.key === key;
  return {
    data: isOwn ? state.data : undefined,
    error: isOwn ? state.error : undefined,
    reload: () => void reload(),
  };
}
