import { fileURLToPath } from 'node:url';

/**
 * Path of a compiled module, `relative` to the source root without extension (e.g. `runs/run-worker`). Worker threads
 * run plain JavaScript, so they load from `dist/` also when the caller itself runs from TypeScript (as tests do).
 */
export function distEntry(relative: string): string {
  return fileURLToPath(new URL(`../../dist/${relative}.js`, import.meta.url));
}

/** The repository's (or installed package's) root folder. */
export function packageRoot(): string {
  return fileURLToPath(new URL('../..', import.meta.url));
}
