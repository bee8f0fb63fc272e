/** One programme, solved by HiGHS in the thread of the caller: blocks. Start reading at `solveFlat`. */
import type { HighsCallbackMap, Highs } from 'highs';
import { infeasible } from './conflict.js';
import { dot, timesMatrix, type FlatJob, type FlatProgram, type FlatSolution } from './flat-program.js';
import { clamped, FlatSolver, none, STATUS } from './flat-solver.js';
import { solveQuadratic } from './quadratic.js';

/** An integer column is that close to an integer. */
const INTEGRALITY = 1e-6;

/** `values`: null where only the bound is news. */
type OnIncumbent = (values: Float64Array | null, bound: number) => void;

/** @throws {Error} where HiGHS has no answer, which its thread may not survive */
export function solveFlat(highs: Highs, job: FlatJob, onIncumbent: OnIncumbent): FlatSolution {
  const { program, options } = job;
  const solver = new FlatSolver(highs, options.tolerance);
  if (program.hessian !== null) return solveQuadratic(solver, program);
  return program.integrality === null
    ? solveContinuous(solver, program)
    : solveInteger(solver, program, options.gap ?? 0, onIncumbent);
}

function solveContinuous(solver: FlatSolver, program: FlatProgram): FlatSolution {
  const run = solver.run(program);
  if (run.status === STATUS.optimal) {
    const { rowDuals, reducedCosts, iterations } = run;
    const values = clamped(run.values, program);
    return {
      ...none('optimal', run),
      values,
      rowDuals,
      reducedCosts,
      bound: dot(program.cost, values),
      iterations,
    };
  }
  const isUnbounded = run.status !== STATUS.infeasible && solver.isFeasible(program);
  return isUnbounded ? none('unbounded', run) : infeasible(solver, program, run);
}

function solveInteger(solver: FlatSolver, program: FlatProgram, gap: number, onIncumbent: OnIncumbent): FlatSolution {
  const { mipImprovingSolution, mipLogging } = solver.callbackTypes;
  const callbacks: HighsCallbackMap = {
    [mipImprovingSolution]: ({ data }: { data: { mip_solution?: Float64Array; mip_dual_bound?: number } }) => {
      onIncumbent(data.mip_solution ?? null, data.mip_dual_bound ?? -Infinity);
    },
    [mipLogging]: ({ data }: { data: { mip_dual_bound?: number } }) => {
      onIncumbent(null, data.mip_dual_bound ?? -Infinity);
    },
  };
  const run = solver.run(program, { gap, callbacks });
  if (run.status === STATUS.optimal) {
    return { ...none('optimal', run), values: settled(solver, program, run.values), bound: run.bound };
  }
  // What HiGHS calls unbounded is the relaxation.
  const isUnbounded = run.status !== STATUS.infeasible && solver.isFeasible(program);
  return isUnbounded ? none('unbounded', run) : infeasible(solver, program, run);
}

/** Integer columns are integers, and the others are solved for once more beside them. */
function settled(solver: FlatSolver, program: FlatProgram, values: Float64Array): Float64Array {
  const { integrality, matrix, rowLower, rowUpper } = program;
  const rounded = clamped(values, program);
  let moved = 0;
  for (let j = 0; j < rounded.length; j++) {
    if (integrality?.[j] !== 1) continue;
    const whole = Math.round(rounded[j] ?? 0);
    moved = Math.max(moved, Math.abs(whole - (rounded[j] ?? 0)));
    rounded[j] = whole;
  }
  if (moved > INTEGRALITY) throw new Error(`HiGHS left an integer column ${moved} away from an integer`);
  if (moved === 0 || integrality === null || integrality.every((flag) => flag === 1)) return rounded;
  const rows = timesMatrix(matrix, rounded);
  const holds = rows.every((value, i) => {
    const room = 1e-9 * (1 + Math.abs(value));
    return value >= (rowLower[i] ?? 0) - room && value <= (rowUpper[i] ?? 0) + room;
  });
  if (holds) return rounded;
  const fixed = (bound: Float64Array): Float64Array =>
    bound.map((limit, j) => (integrality[j] === 1 ? (rounded[j] ?? 0) : limit));
  const beside = { ...program, integrality: null, lower: fixed(program.lower), upper: fixed(program.upper) };
  const again = solver.run(beside);
  if (again.status !== STATUS.optimal) throw new Error('the integer solution of HiGHS holds within its tolerance only');
  return clamped(again.values, beside);
}
