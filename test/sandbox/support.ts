/** What the tests of the CPython backend share: which interpreter, one-line evaluation, why a machine skips them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach } from 'vitest';
import { createOutput, type Backend, type EvaluationOutput } from '../../src/backends/backend.js';
import {
  createCPythonBackend,
  launcherFile,
  type CPythonBackend,
  type CPythonOptions,
} from '../../src/backends/cpython/cpython-backend.js';
import { probePython } from '../../src/backends/cpython/interpreter.js';
import { packageRoot } from '../../src/common/dist-entry.js';
import type { ObjectiveSource } from '../../src/model/objective.js';

/** EXTREMUM_TEST_PYTHON, else Debian's interpreter when it has NumPy, else whatever `python3` is. */
async function chooseInterpreter(): Promise<string> {
  const wanted = process.env['EXTREMUM_TEST_PYTHON'];
  if (wanted !== undefined && wanted !== '') return wanted;
  const system = await probePython('/usr/bin/python3');
  return system.available && system.numpy !== null ? '/usr/bin/python3' : 'python3';
}

execFileSync(process.execPath, [path.join(packageRoot(), 'scripts/build-launcher.mjs')], { stdio: 'inherit' });

export const python = await chooseInterpreter();
export const interpreter = await probePython(python);

/** Null where the tests can run. A sandbox that does not work although all is there is a failure, not a skip. */
export const missing: string | null = !interpreter.available
  ? interpreter.reason
  : fs.existsSync(launcherFile())
    ? null
    : 'the launcher is not built: no Linux or no C compiler';

export const hasNumpy = interpreter.available && interpreter.numpy !== null;
export const hasScipy = interpreter.available && interpreter.scipy !== null;
export const withoutNumpy = `${python} has no NumPy`;
export const withoutScipy = `${python} has no SciPy`;

/** To be called in a `describe`: skips its tests, with the reason, where uploaded code cannot run. */
export function skipWithoutSandbox(): void {
  beforeEach((context) => context.skip(missing !== null, missing ?? ''));
}

export function makeBackend(options: Partial<CPythonOptions> = {}): CPythonBackend {
  return createCPythonBackend({ python, spares: 1, ...options });
}

export function objective(code: string, rest: Partial<ObjectiveSource> & { dimension?: number } = {}) {
  const { dimension = 1, ...source } = rest;
  return { source: { code, entry: 'f', argument: 'list' as const, ...source }, dimension, ir: null };
}

/** Evaluates `rows` of a one-off kernel. */
export async function evaluate(
  backend: Backend,
  code: string,
  rows: readonly (readonly number[])[] = [[0]],
  rest: Partial<ObjectiveSource> = {},
): Promise<EvaluationOutput> {
  const dimension = rows[0].length;
  const kernel = await backend.open(objective(code, { ...rest, dimension }));
  try {
    const output = createOutput(rows.length);
    const candidates = Float64Array.from(rows.flat());
    await kernel.evaluate({ candidates, count: rows.length, dimension }, output);
    return output;
  } finally {
    await kernel.close();
  }
}

/** Whether a process exists and has not ended (a zombie has). */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean, timeoutMs = 5_000): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** All processes below `ancestor`, nearest first. */
export function descendantsOf(ancestor: number): number[] {
  const parents = new Map<number, number>();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      parents.set(Number(name), Number(/^PPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]));
    } catch {
      // it ended meanwhile
    }
  }
  const found: number[] = [];
  let generation = [ancestor];
  while (generation.length > 0) {
    generation = [...parents].filter(([, parent]) => generation.includes(parent)).map(([pid]) => pid);
    found.push(...generation);
  }
  return found;
}
