import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './dist-entry.js';

/** Version of the package. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
