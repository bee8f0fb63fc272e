/** One line that shows how far the work is, on a terminal only. */
import { takesEscapes, type TerminalStream } from './terminal.js';

const WIDTH = 30;
const INTERVAL_MS = 100;

interface ProgressBar {
  show(done: number, total: number): void;
  /** Removes the line. */
  clear(): void;
}

export function createProgressBar(stream: TerminalStream, what: string, now: () => number): ProgressBar {
  if (!takesEscapes(stream, process.env)) return { show: () => {}, clear: () => {} };
  let start: { readonly at: number; readonly done: number } | null = null;
  let shownAt = -Infinity;
  return {
    show(done, total) {
      start ??= { at: now(), done };
      if (now() - shownAt < INTERVAL_MS && done < total) return;
      shownAt = now();
      const elapsed = now() - start.at;
      const left = done > start.done ? (elapsed / (done - start.done)) * (total - done) : null;
      const rest = left === null ? '' : `, ${durationText(left)} left`;
      stream.write(`\r\x1b[K${barText(done, total)} ${done}/${total} ${what}${rest}`);
    },
    clear() {
      if (start !== null) stream.write('\r\x1b[K');
    },
  };
}

export function barText(done: number, total: number, width = WIDTH): string {
  const filled = Math.floor(Math.min(1, total === 0 ? 1 : done / total) * width);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
}

export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
