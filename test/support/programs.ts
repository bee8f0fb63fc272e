/** Programs that tests may check files with, where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';

/** Why it cannot be used; empty where it can. For the title of a skipped test. */
export function missingProgram(command: string, debianPackage: string): string {
  const { error } = spawnSync(command, ['--version'], { stdio: 'ignore', timeout: 20_000 });
  return error === undefined ? '' : `needs ${command} (Debian: apt-get install ${debianPackage})`;
}

/** Its output. Throws where it ends with another code than 0. */
export const run = (command: string, given: readonly string[]): string =>
  execFileSync(command, given, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] });
