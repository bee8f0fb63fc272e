/** Which rows and bounds of an infeasible programme contradict each other. */
import { NO_CONFLICT, type Conflict, type FlatProgram, type FlatSolution, type Sparse } from './flat-program.js';
import { none, STATUS, type FlatRun, type FlatSolver } from './flat-solver.js';

/** Irreducible, from a dual ray or an elastic programme. */
const IIS_STRATEGY = 1 | 2 | 4;
/** Larger programmes of HiGHS' own search are told without a conflict: it solves one programme for each row. */
const MAX_IIS_ENTRIES = 200_000;
/**
 * Limits for a contradiction with the rows' integrality: one search over integers for each row, of so many nodes at
 * most.
 */
const MAX_FILTERED_ROWS = 60;
const MAX_FILTER_NODES = 200;

export const infeasible = (solver: FlatSolver, program: FlatProgram, run: FlatRun): FlatSolution => ({
  ...none('infeasible', run),
  conflict: conflictOf(solver, program),
});

function conflictOf(solver: FlatSolver, program: FlatProgram): Conflict {
  const crossed = program.lower.findIndex((lower, j) => lower > (program.upper[j] ?? 0));
  if (crossed >= 0) return { rows: [], columns: [crossed] };
  const { integrality } = program;
  if (integrality !== null && solver.isFeasible({ ...program, integrality: null })) {
    return program.rowLower.length <= MAX_FILTERED_ROWS ? filtered(solver, program) : NO_CONFLICT;
  }
  return program.matrix.values.length <= MAX_IIS_ENTRIES ? irreducible(solver, program) : NO_CONFLICT;
}

function irreducible(solver: FlatSolver, program: FlatProgram): Conflict {
  const linear = { ...program, hessian: null, integrality: null, cost: new Float64Array(program.cost.length) };
  return solver.withModel(linear, solver.tolerances.at(-1) ?? 0, (model) => {
    model.options.set({ iis_strategy: IIS_STRATEGY });
    model.run();
    const { rowIndex, colIndex, colBound } = model.getIis();
    const isBound = (k: number): boolean => (colBound[k] ?? 0) > 1;
    return { rows: [...rowIndex], columns: [...colIndex].filter((_, k) => isBound(k)) };
  });
}

/** Leaves out one row after another: one without which the rest still cannot hold is no part of the conflict. */
function filtered(solver: FlatSolver, program: FlatProgram): Conflict {
  let kept = program.rowLower.reduce<number[]>((rows, _, i) => [...rows, i], []);
  for (let i = program.rowLower.length - 1; i >= 0; i--) {
    const rest = kept.filter((row) => row !== i);
    const without = { ...ofRows(program, rest), cost: new Float64Array(program.cost.length) };
    const { status } = solver.withModel(without, solver.tolerances.at(-1) ?? 0, (model) => {
      model.options.set({ mip_max_nodes: MAX_FILTER_NODES });
      return { status: model.run().modelStatus };
    });
    if (status === STATUS.infeasible) kept = rest;
  }
  return { rows: kept, columns: [] };
}

const ofRows = (program: FlatProgram, rows: readonly number[]): FlatProgram => ({
  ...program,
  rowLower: Float64Array.from(rows, (i) => program.rowLower[i] ?? 0),
  rowUpper: Float64Array.from(rows, (i) => program.rowUpper[i] ?? 0),
  matrix: groupsOf(program.matrix, rows),
});

function groupsOf({ starts, indices, values }: Sparse, groups: readonly number[]): Sparse {
  const at = groups.flatMap((i) => {
    const first = starts[i] ?? 0;
    return Array.from({ length: (starts[i + 1] ?? 0) - first }, (_, k) => first + k);
  });
  const ends = new Int32Array(groups.length + 1);
  for (const [k, i] of groups.entries()) ends[k + 1] = (ends[k] ?? 0) + (starts[i + 1] ?? 0) - (starts[i] ?? 0);
  return {
    starts: ends,
    indices: Int32Array.from(at, (k) => indices[k] ?? 0),
    values: Float64Array.from(at, (k) => values[k] ?? 0),
  };
}
