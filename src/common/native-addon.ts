/**
 * The file of the native addon, and whether it is there. A first start serves before it is built, so an addon that is
 * missing is looked for again whenever somebody asks; one that was loaded stays, and so does one that does not load.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from './dist-entry.js';

/** `scripts/build-native.mjs` puts it there in one step, when it has loaded it once. */
const FILE = join(packageRoot(), 'build', 'Release', 'extremum.node');
/** Holds the number of the process that builds it. */
const BUILDING = join(packageRoot(), 'build', 'native.building');

type Loaded = { readonly exports: object } | { readonly exports: null; readonly reason: string };

let loaded: Loaded | undefined;

/** What it exports, or why it cannot be used. Loaded once per thread. Never throws. */
export function nativeAddon(): Loaded {
  if (loaded !== undefined) return loaded;
  if (!existsSync(FILE)) return { exports: null, reason: whyMissing() };
  try {
    loaded = { exports: createRequire(import.meta.url)(FILE) as object };
  } catch (error) {
    loaded = { exports: null, reason: `the native addon does not load: ${(error as Error).message}` };
  }
  return loaded;
}

const whyMissing = (): string =>
  isBeingBuilt()
    ? 'the native addon is being built and takes over as soon as it is there'
    : 'the native addon is not built (npm run build needs a C++ compiler)';

function isBeingBuilt(): boolean {
  try {
    process.kill(Number(readFileSync(BUILDING, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}
