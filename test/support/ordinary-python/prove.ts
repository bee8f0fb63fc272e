/** Proofs of runs held against CPython: no point of the box may contradict what a run says of it. */
import type { Comparer } from './compare.js';
import { fromHex, toHex } from '../cpython-oracle.js';

export interface Proof {
  readonly code: string;
  readonly seed: number;
  readonly bounds: readonly (readonly [number, number])[];
  readonly direction: 'minimize' | 'maximize';
}

export interface ProofResult {
  /** Whether there was a bound or an `optimal` to be held against CPython. */
  readonly isProven: boolean;
  readonly ending: string;
  /** What contradicts it; null: nothing. */
  readonly wrong: string | null;
}

interface Run {
  readonly notCompiled?: string;
  readonly crash?: string;
  readonly argument: 'list' | 'ndarray';
  readonly terminationReason: string;
  readonly bestSolution: readonly string[] | null;
  readonly bestFitness: string | null;
  readonly bound: string | null;
  readonly status: string | null;
}

interface Scan {
  readonly best: string | null;
  readonly point: readonly string[] | null;
  readonly solution: readonly string[] | null;
  readonly values: number;
}

const POINTS = 10_000;

export async function prove(comparer: Comparer, proof: Proof, isExact: boolean, budget = 300): Promise<ProofResult> {
  const { code, bounds, direction, seed } = proof;
  const run = (await comparer.run({ op: 'prove', code, name: 'f', bounds, direction, seed, budget })) as Run & {
    lost?: string;
  };
  if (run.lost !== undefined) return { isProven: false, ending: run.lost, wrong: `the run: ${run.lost}` };
  if (run.crash !== undefined) return { isProven: false, ending: 'crash', wrong: run.crash };
  if (run.notCompiled !== undefined) return { isProven: false, ending: 'not compiled', wrong: null };
  const solution = run.bestSolution?.map((v) => toHex(Number(v))) ?? null;
  const scan = (await comparer.scan({
    ...{ id: 0, code, entry: 'f', calls: [], seconds: 20 },
    scan: {
      argument: run.argument,
      bounds,
      count: run.bound === null && run.status !== 'optimal' ? 0 : POINTS,
      seed,
      solution,
      sign: direction === 'maximize' ? -1 : 1,
    },
  })) as Scan & { lost?: string };
  if (scan.lost !== undefined) return { isProven: false, ending: 'no time in CPython', wrong: null };
  const ending = run.terminationReason;
  const isProven = run.bound !== null || ending === 'optimal';
  const at = solution === null ? '' : ` at [${run.bestSolution!.join(', ')}]`;
  const fitness = run.bestFitness === null ? null : Number(run.bestFitness);
  const close = (a: number, b: number): boolean =>
    Object.is(a, b) || a === b || (!isExact && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)));
  if (scan.solution !== null && fitness !== null) {
    const [kind, text] = scan.solution;
    if (kind !== 'value' || !close(fitness, fromHex(text))) {
      const theirs = kind === 'value' ? String(fromHex(text)) : `${text}: ${scan.solution[2]}`;
      return { isProven, ending, wrong: `ends ${ending} with ${fitness}${at}, CPython ${theirs}` };
    }
  }
  if (!isProven || scan.best === null) return { isProven, ending, wrong: null };
  const sign = direction === 'maximize' ? -1 : 1;
  const least = sign * fromHex(scan.best);
  const bound = sign * Number(run.bound ?? (ending === 'optimal' ? fitness! : -Infinity));
  const slack = Math.max(1e-8, 1e-9 * Math.abs(bound));
  if (least < bound - slack) {
    const where = scan.point!.map((t) => fromHex(t)).join(', ');
    return {
      isProven,
      ending,
      wrong: `ends ${ending} with ${fitness}${at}, bound ${sign * bound}; CPython has ${sign * least} at [${where}]`,
    };
  }
  return { isProven, ending, wrong: null };
}
