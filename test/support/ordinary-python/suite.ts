/** Objectives made of CPython's own tests, as far as an interpreter here has them; see `suite.py`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OrdinaryProgram } from './program.js';

interface Line {
  readonly missing?: string;
  readonly name: string;
  readonly code: string;
  readonly exact: boolean;
}

/** Of the first interpreter that has the tests. @throws where none has, with what is missing. */
export function suitePrograms(python: string): readonly OrdinaryProgram[] {
  const script = fileURLToPath(new URL('suite.py', import.meta.url));
  let missing = '';
  for (const command of [python, 'python3']) {
    const { stdout } = spawnSync(command, [script], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const lines = (stdout ?? '').split('\n').filter((line) => line !== '');
    const parsed = lines.map((line) => JSON.parse(line) as Line);
    const programs = parsed.filter((line) => line.missing === undefined);
    if (programs.length > 0) return programs.map(programOf);
    missing = parsed[0]?.missing ?? missing;
  }
  throw new Error(`CPython's tests are not there: ${missing}`);
}

const programOf = ({ code, exact }: Line): OrdinaryProgram => ({
  ...{ code, dimensions: [1], argument: null, isExact: exact, features: [] },
});
