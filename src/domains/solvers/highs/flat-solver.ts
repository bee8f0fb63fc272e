/** HiGHS in the thread of the caller, for programmes in models of their own. */
import type { HighsCallbackMap, Highs, Model, ModelData } from 'highs';
import { NO_CONFLICT, type FlatProgram, type FlatSolution } from './flat-program.js';

/** HiGHS falls back to 1e-7, its own default, where it cannot hold the first. */
const TOLERANCES = [1e-9, 1e-7] as const;
/** HiGHS drops coefficients up to 1e-9 otherwise. */
const SMALLEST_COEFFICIENT = 1e-12;

export const STATUS = { optimal: 7, infeasible: 8, unboundedOrInfeasible: 9, unbounded: 10 } as const;

export interface FlatRun {
  readonly status: number;
  readonly values: Float64Array;
  readonly rowDuals: Float64Array;
  readonly reducedCosts: Float64Array;
  readonly bound: number;
  readonly nodes: number;
  readonly iterations: number;
}

interface RunOptions {
  readonly gap?: number;
  readonly callbacks?: HighsCallbackMap;
  readonly options?: Readonly<Record<string, number | string | boolean>>;
}

/** Programmes in models of their own, so that nothing of one is left to the next. */
export class FlatSolver {
  readonly tolerances: readonly number[];

  constructor(
    private readonly highs: Highs,
    tolerance: number | undefined,
  ) {
    this.tolerances = tolerance === undefined ? TOLERANCES : [tolerance];
  }

  get callbackTypes(): Highs['constants']['callbackType'] {
    return this.highs.constants.callbackType;
  }

  /** Solves with the finest tolerance that HiGHS can hold: otherwise it says that it does not know. */
  run(program: FlatProgram, { gap, callbacks, options = {} }: RunOptions = {}): FlatRun {
    let run: FlatRun | undefined;
    for (const tolerance of this.tolerances) {
      for (const presolve of ['choose', 'off']) {
        run = this.withModel(program, tolerance, (model) => {
          model.options.set({ presolve, ...options });
          if (gap !== undefined) model.options.set({ mip_rel_gap: gap, mip_abs_gap: gap === 0 ? 0 : 1e-6 });
          const { modelStatus } = model.run(callbacks);
          const { colValue, rowDual, colDual } = model.getSolution();
          return {
            status: modelStatus,
            values: colValue,
            rowDuals: rowDual,
            reducedCosts: colDual,
            bound: infoOf(model, 'mip_dual_bound'),
            nodes: Math.max(0, infoOf(model, 'mip_node_count')),
            iterations: ['simplex_iteration_count', 'qp_iteration_count', 'ipm_iteration_count'].reduce(
              (sum, name) => sum + Math.max(0, infoOf(model, name)),
              0,
            ),
          };
        });
        if (CONCLUSIVE.has(run.status)) return run;
      }
    }
    if (run?.status === STATUS.unboundedOrInfeasible) return run;
    throw new Error(`HiGHS ended with model status ${run?.status}`);
  }

  /** Whether any point satisfies rows, bounds and integrality. */
  isFeasible(program: FlatProgram): boolean {
    const { status } = this.run({ ...program, hessian: null, cost: new Float64Array(program.cost.length) });
    return status === STATUS.optimal;
  }

  withModel<T>(program: FlatProgram, tolerance: number, use: (model: Model) => T): T {
    const model = this.highs.createModel();
    try {
      model.options.set({
        output_flag: false,
        random_seed: 0,
        primal_feasibility_tolerance: tolerance,
        dual_feasibility_tolerance: tolerance,
        mip_feasibility_tolerance: tolerance,
        small_matrix_value: SMALLEST_COEFFICIENT,
        qp_regularization_value: 0,
      });
      model.passModel(dataOf(program));
      return use(model);
    } finally {
      model.dispose();
    }
  }
}

const CONCLUSIVE: ReadonlySet<number> = new Set([STATUS.optimal, STATUS.infeasible, STATUS.unbounded]);

const infoOf = (model: Model, name: string): number => Number(model.info.get(name));

function dataOf({ cost, lower, upper, integrality, rowLower, rowUpper, matrix, hessian }: FlatProgram): ModelData {
  const numCols = cost.length;
  const numRows = rowLower.length;
  return {
    numCols,
    numRows,
    colCost: cost,
    colLower: lower,
    colUpper: upper,
    rowLower,
    rowUpper,
    matrix: { format: 'csr', numRows, numCols, ...matrix },
    ...(integrality === null ? {} : { integrality }),
    ...(hessian === null ? {} : { hessian: { format: 'triangular', dimension: numCols, ...hessian } }),
  };
}

export const none = (status: FlatSolution['status'], { nodes, iterations }: FlatRun): FlatSolution => ({
  status,
  values: null,
  rowDuals: null,
  reducedCosts: null,
  bound: null,
  nodes,
  iterations,
  conflict: NO_CONFLICT,
});

/** Within the bounds, and no negative zero. */
export const clamped = (values: Float64Array, { lower, upper }: FlatProgram): Float64Array =>
  values.map((value, j) => Math.min(Math.max(value, lower[j] ?? 0), upper[j] ?? 0) + 0);
