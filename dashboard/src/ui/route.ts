/** Pages have addresses behind `#`: the service knows only one, and what is behind `#` is in no log. */
import { signal } from './signal.js';

export interface Place {
  /** `['runs', 'opt_1']` */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function read(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    query: new URLSearchParams(search),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal<Place>(read());
addEventListener('hashchange', () => place.set(read()));

export const goTo = (hash: string): void => void (location.hash = hash);

/** Changes the address without a step of the history: of what is typed. */
export function replaceWith(hash: string): void {
  history.replaceState(null, '', hash);
  place.set(read());
}
