/** The objectives under `test/fixtures/objectives/` and CPython's opinion of them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface ObjectiveFixture {
  readonly file: string;
  readonly dimensions: readonly number[];
  /** One pair for every coordinate, or one pair per coordinate. */
  readonly bounds: readonly [number, number] | readonly (readonly [number, number])[];
  readonly features: readonly string[];
  readonly minimum?: number;
  readonly minimizer?: number | readonly number[];
}

export const objectiveFolder = fileURLToPath(new URL('../fixtures/objectives/', import.meta.url));

export function loadObjectiveFixtures(): readonly ObjectiveFixture[] {
  return JSON.parse(readFileSync(`${objectiveFolder}manifest.json`, 'utf8')) as ObjectiveFixture[];
}

export function boundsFor(fixture: ObjectiveFixture, dimension: number): (readonly [number, number])[] {
  const first = fixture.bounds[0];
  if (typeof first === 'number') {
    const pair = fixture.bounds as readonly [number, number];
    return Array.from({ length: dimension }, () => pair);
  }
  return [...(fixture.bounds as readonly (readonly [number, number])[])];
}

export interface PythonJob {
  readonly path: string;
  readonly entry?: string;
  readonly points: readonly (readonly number[])[];
}

export interface PythonAnswer {
  /** Exactly the float that CPython computed; null where it raised. */
  readonly values: readonly (number | null)[];
  /** `Type: message`; null where a value was returned. */
  readonly errors: readonly (string | null)[];
}

/** Evaluates in one CPython process (start-up about 0.15 s with NumPy). JSON carries neither infinities nor NaN in points. */
export function evaluateInPython(python: string, jobs: readonly PythonJob[]): readonly PythonAnswer[] {
  const script = fileURLToPath(new URL('./evaluate_objectives.py', import.meta.url));
  const run = spawnSync(python, [script], {
    input: JSON.stringify(jobs),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (run.status !== 0) throw new Error(`${python} ended with ${run.status ?? run.signal}: ${run.stderr}`);
  const answers = JSON.parse(run.stdout) as { values: (string | null)[]; errors: (string | null)[] }[];
  return answers.map(({ values, errors }) => ({ values: values.map(parseRepr), errors }));
}

function parseRepr(text: string | null): number | null {
  if (text === null) return null;
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  return text === 'nan' ? NaN : Number(text);
}
