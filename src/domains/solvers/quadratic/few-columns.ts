/**
 * Branch and bound where only few columns may differ from 0, or none may be small: best-first over relaxations that fix
 * columns at 0 or force them in. Each relaxation's largest free column is the one to branch on.
 * Source of the branching: Bienstock 1996; Bertsimas and Shioda 2009.
 */
export interface Relaxation {
  /** Value to be small. No point with these columns at 0 and in has a smaller value. */
  readonly value: number;
  /** Weights of the columns that are counted. */
  readonly weights: readonly number[];
}

export type Membership = 'free' | 'out' | 'in';

interface FewColumns {
  readonly columns: number;
  readonly most: number;
  /** Least size of a column that is not 0. */
  readonly least: number;
  /** Columns that may not be 0. */
  readonly required: readonly boolean[];
  /** Null: infeasible. Columns that are `in` have their least size as a limit. */
  relax(membership: readonly Membership[]): Promise<Relaxation | null>;
  /** Relative difference of values at which a node is not worth its branches. */
  readonly gap: number;
  /** Once it says so, relaxations may end by throwing, and the best so far is the result. */
  isOver(): boolean;
  improved(relaxation: Relaxation): void;
}

interface FewColumnsResult {
  /** Null: there is none, or the time was up before one was found. */
  readonly best: Relaxation | null;
  readonly bound: number;
  readonly nodes: number;
}

interface Node extends Relaxation {
  readonly membership: readonly Membership[];
}

/** Smaller weights are 0. */
const ZERO = 1e-9;

export async function branchOverColumns(problem: FewColumns): Promise<FewColumnsResult> {
  const { columns, most, least, required, gap } = problem;
  let best: Relaxation | null = null;
  let nodes = 0;
  /** Least value of the unexplored part. */
  let leftAt = Infinity;
  const open: Node[] = [];
  const isWorthIt = (value: number): boolean => best === null || value < best.value - gap * Math.abs(best.value);
  const holds = ({ weights }: Relaxation): boolean => {
    const held = weights.filter((weight) => Math.abs(weight) > ZERO);
    return held.length <= most && held.every((weight) => Math.abs(weight) >= least - ZERO);
  };
  const keep = (relaxation: Relaxation): void => {
    if (best !== null && relaxation.value >= best.value) return;
    best = relaxation;
    problem.improved(relaxation);
  };
  const look = async (membership: readonly Membership[]): Promise<void> => {
    const isFull = membership.filter((one) => one === 'in').length >= most;
    const settled = isFull ? membership.map((one) => (one === 'free' ? 'out' : one)) : membership;
    if (settled.filter((one) => one === 'in').length > most) return;
    nodes++;
    const relaxation = await problem.relax(settled);
    if (relaxation === null) return;
    if (!isWorthIt(relaxation.value)) leftAt = Math.min(leftAt, relaxation.value);
    else if (holds(relaxation)) keep(relaxation);
    else open.push({ ...relaxation, membership: settled });
  };
  /** The largest columns of a relaxation, as many as may be held, and no other. */
  const round = async ({ membership, weights }: Node): Promise<void> => {
    const order = weights
      .map((weight, j) => ({ size: membership[j] === 'in' ? Infinity : Math.abs(weight), j }))
      .filter(({ size, j }) => membership[j] !== 'out' && size > ZERO)
      .sort((a, b) => b.size - a.size || a.j - b.j);
    const chosen = new Set(order.slice(0, most).map(({ j }) => j));
    for (;;) {
      const only = weights.map((_, j): Membership => (!chosen.has(j) ? 'out' : least > 0 ? 'in' : 'free'));
      const relaxation = await problem.relax(only);
      if (relaxation !== null) return holds(relaxation) ? keep(relaxation) : undefined;
      // Their least sizes may be too much together.
      const last = order.findLast(({ j, size }) => chosen.has(j) && size < Infinity);
      if (least === 0 || last === undefined) return;
      chosen.delete(last.j);
    }
  };

  /** False: nothing that is left is worth exploring. */
  const explore = async (node: Node): Promise<boolean> => {
    if (isWorthIt(node.value)) await round(node);
    if (!isWorthIt(node.value)) {
      leftAt = Math.min(leftAt, node.value);
      return false;
    }
    let branch = -1;
    for (const [j, weight] of node.weights.entries()) {
      const isCandidate = node.membership[j] === 'free' && Math.abs(weight) > ZERO;
      if (isCandidate && (branch < 0 || Math.abs(weight) > Math.abs(node.weights[branch] ?? 0))) branch = j;
    }
    if (branch < 0) leftAt = Math.min(leftAt, node.value);
    else
      for (const way of ['in', 'out'] as const) await look(node.membership.map((one, j) => (j === branch ? way : one)));
    return true;
  };

  await look(Array.from({ length: columns }, (_, j) => (required[j] === true ? 'in' : 'free')));
  while (open.length > 0 && !problem.isOver()) {
    let at = 0;
    for (const [i, node] of open.entries()) if (node.value < (open[at]?.value ?? 0)) at = i;
    const [node] = open.splice(at, 1);
    if (node === undefined) break;
    try {
      if (!(await explore(node))) break;
    } catch (error) {
      // A relaxation ends by throwing once it is over: what was found by then is the answer.
      if (!problem.isOver() || best === null) throw error;
      leftAt = Math.min(leftAt, node.value);
    }
  }
  const found = best as Relaxation | null;
  const bound = Math.min(found?.value ?? Infinity, leftAt, ...open.map(({ value }) => value));
  return { best: found, bound, nodes };
}
