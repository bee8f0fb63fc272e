/** Looks for the best setting: which one comes next, what is known already, and when it is enough. */
import { dominates, frontsOf } from '../../../pareto/dominance.js';
import type { Direction } from '../../../model/objective.js';
import type { SolveContext } from '../../problem-type.js';
import { NotFitted } from '../learners/learner.js';
import type { Point, Space } from '../search-space/space.js';
import { shuffledRows } from '../validation/folds.js';
import { nextByParzen, unseenAtRandom } from './tree-parzen.js';

export const SAMPLERS = ['auto', 'random', 'grid', 'tpe', 'gp', 'cmaes'] as const;
export type Sampler = (typeof SAMPLERS)[number];

/** The result of a setting. */
export interface Valued {
  /** By objective, in their natural units. */
  readonly values: readonly number[];
  /** By fold, of the first objective; empty where there are none. */
  readonly byFold: readonly number[];
}

export interface Trial extends Valued {
  readonly point: Point;
  /** Why there is no value. */
  readonly failure?: string;
  /** Resource that it was given, with multi-fidelity; absent: the whole. */
  readonly resource?: number;
}

export interface Task {
  readonly space: Space;
  readonly directions: readonly Direction[];
  /** All settings that may be taken, where they are a list. */
  readonly pool: readonly Point[] | null;
  /** @throws {NotFitted} where the setting has no value */
  value(point: Point, resource?: number): Valued;
  readonly target?: number | undefined;
  readonly patience?: number | undefined;
}

export type Ending = 'exhausted' | 'budget' | 'target' | 'patience' | 'over';

/** Trials that are ranked where there are several objectives. */
const LATE = 300;

/** Trials of one run: they are kept. */
export const MOST_TRIALS = 100_000;

/** Thrown through the engine's strategies, which know budgets only. */
class Enough extends Error {
  constructor(readonly ending: Ending) {
    super(ending);
  }
}

/** Thrown by slow work once the run is over. */
export class Over extends Error {}

/** All trials of a search. A setting is tried once; asked again it is told what is known. */
export class Trials {
  readonly all: Trial[] = [];
  private readonly known = new Map<string, Trial>();
  /** Trials with the whole resource, from best to worst by the first objective. */
  private readonly sorted: Trial[] = [];
  private sinceBest = 0;
  private best: Trial | null = null;

  constructor(
    private readonly task: Task,
    private readonly context: SolveContext,
  ) {}

  isSeen(point: Point, resource?: number): boolean {
    return this.known.has(this.keyOf(point, resource));
  }

  private keyOf(point: Point, resource: number | undefined): string {
    return `${this.task.space.keyOf(point)}${resource === undefined ? '' : ` at ${resource}`}`;
  }

  /** @throws {Enough} */
  try(point: Point, resource?: number): Trial {
    const { context } = this;
    const key = this.keyOf(point, resource);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.all.length >= Math.min(context.maxEvaluations, MOST_TRIALS)) throw new Enough('budget');
    if (context.isOver()) throw new Enough('over');
    const trial: Trial = { point, ...this.valueOf(point, resource), resource };
    this.known.set(key, trial);
    this.all.push(trial);
    this.note(trial);
    return trial;
  }

  private valueOf(point: Point, resource: number | undefined): Valued & { readonly failure?: string } {
    try {
      const valued = this.task.value(point, resource);
      if (valued.values.every(Number.isFinite)) return valued;
      return { values: [], byFold: [], failure: 'the metric has no value for these predictions' };
    } catch (error) {
      if (error instanceof NotFitted) return { values: [], byFold: [], failure: error.message };
      if (error instanceof Over) throw new Enough('over');
      throw error;
    }
  }

  private note(trial: Trial): void {
    const { target, patience, directions } = this.task;
    // Partial trainings are no answers.
    if (trial.resource !== undefined) return;
    this.insert(trial);
    if (trial.failure === undefined && (this.best === null || this.lossOf(trial) < this.lossOf(this.best))) {
      this.best = trial;
      this.sinceBest = 0;
      this.context.improved(this.all.length, trial.values[0], [...trial.point]);
    } else this.sinceBest++;
    if (directions.length > 1 || this.best === null) return;
    const [value] = this.best.values;
    if (target !== undefined && (directions[0] === 'minimize' ? value <= target : value >= target)) {
      throw new Enough('target');
    }
    if (patience !== undefined && this.sinceBest >= patience) throw new Enough('patience');
  }

  /** Value to be small, of one objective, by default the first. */
  lossOf({ values, failure }: Trial, objective = 0): number {
    if (failure !== undefined) return Infinity;
    return this.task.directions[objective] === 'minimize' ? values[objective] : -values[objective];
  }

  /** Trials from best to worst. One objective: by its value; several: by fronts of the latest trials and the front. */
  ranked(): readonly Trial[] {
    if (this.task.directions.length === 1) return this.sorted;
    const late = this.all.slice(-LATE).filter(({ resource }) => resource === undefined);
    const valued = [...new Set([...this.front(), ...late.filter(({ failure }) => failure === undefined)])];
    const fronts = frontsOf(this.lossesOf(valued), valued.length, this.task.directions.length);
    const order = valued.map((_, i) => i).sort((a, b) => fronts[a] - fronts[b] || a - b);
    return [...order.map((i) => valued[i]), ...late.filter(({ failure }) => failure !== undefined)];
  }

  private lossesOf(trials: readonly Trial[]): Float64Array {
    return Float64Array.from(trials.flatMap((trial) => trial.values.map((_, k) => this.lossOf(trial, k))));
  }

  private insert(trial: Trial): void {
    const loss = this.lossOf(trial);
    let [from, to] = [0, this.sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.lossOf(this.sorted[middle]) <= loss) from = middle + 1;
      else to = middle;
    }
    this.sorted.splice(from, 0, trial);
  }

  /** Trials of the whole that no other one beats in every objective, by the first one; of equal ones the first. */
  front(): Trial[] {
    const k = this.task.directions.length;
    const valued = this.sorted.filter(({ failure }) => failure === undefined);
    if (k === 1) return valued.slice(0, 1);
    const front: Trial[] = [];
    for (const trial of valued) {
      const losses = this.lossesOf([trial]);
      const isBeaten = front.some((other) => {
        const pair = Float64Array.of(...this.lossesOf([other]), ...losses);
        return dominates(pair, 0, 1, k) || losses.every((loss, i) => loss === pair[i]);
      });
      if (isBeaten) continue;
      // Equal in the first objective, it may beat those before it.
      const kept = front.filter((other) => !dominates(Float64Array.of(...losses, ...this.lossesOf([other])), 0, 1, k));
      front.splice(0, front.length, ...kept, trial);
    }
    return front;
  }
}

/** Runs until it is enough; says why it was. */
async function untilEnough(work: () => void | Promise<void>): Promise<Ending> {
  try {
    await work();
    return 'exhausted';
  } catch (error) {
    if (error instanceof Enough) return error.ending;
    throw error;
  }
}

export const tryAll = (trials: Trials, points: Iterable<Point>): Promise<Ending> =>
  untilEnough(() => {
    for (const point of points) trials.try(point);
  });

export const searchAtRandom = (task: Task, trials: Trials, context: SolveContext): Promise<Ending> =>
  untilEnough(() => {
    const rng = context.rng('random');
    if (task.pool !== null) {
      for (const i of shuffledRows(task.pool.length, rng)) trials.try(task.pool[i]);
      return;
    }
    for (;;) {
      const point = unseenAtRandom(task.space, (one) => trials.isSeen(one), null, rng);
      if (point === null) return;
      trials.try(point);
    }
  });

export const searchByParzen = (task: Task, trials: Trials, context: SolveContext): Promise<Ending> =>
  untilEnough(() => {
    const rng = context.rng('tpe');
    for (;;) {
      const point = nextByParzen(
        task.space,
        trials.ranked(),
        { isSeen: (one) => trials.isSeen(one), pool: task.pool },
        rng,
      );
      if (point === null) return;
      trials.try(point);
    }
  });

/** Calls for each evaluation that is left, of a strategy that asks for known settings only. */
const CALLS = 20;

/** By a strategy of the engine, over coordinates from 0 to 1. Settings that it asks for again cost nothing. */
export async function searchByEngine(
  task: Task,
  trials: Trials,
  context: SolveContext,
  strategy: string,
): Promise<Ending> {
  const { space, directions, pool } = task;
  const nearest = pool === null ? null : nearestIn(space, pool);
  const ending = await untilEnough(async () => {
    await context.search({
      bounds: Array.from({ length: space.dimension }, () => [0, 1] as const),
      direction: directions[0],
      maxEvaluations: Math.min(context.maxEvaluations, MOST_TRIALS) * CALLS,
      seed: context.seed,
      strategy,
      evaluate(x) {
        const trial = trials.try(nearest === null ? space.decode(x) : nearest(x));
        return trial.failure === undefined ? trial.values[0] : NaN;
      },
    });
  });
  // It came to rest: what is left of the budget goes elsewhere.
  return ending === 'exhausted' ? searchByParzen(task, trials, context) : ending;
}

function nearestIn(space: Space, pool: readonly Point[]): (x: Float64Array) => Point {
  const encoded = pool.map((point) => space.encode(point));
  return (x) => {
    let best = 0;
    let least = Infinity;
    for (const [i, at] of encoded.entries()) {
      let sum = 0;
      for (let j = 0; j < x.length && sum < least; j++) sum += (at[j] - x[j]) ** 2;
      if (sum < least) [best, least] = [i, sum];
    }
    return pool[best];
  };
}

/** How much of the resource the settings of each round get, from little to all: `null` is all. */
export interface Halving {
  readonly levels: readonly (number | null)[];
  /** One of so many goes on. */
  readonly eta: number;
}

/** n / eta^k by divisions, which every processor rounds alike. */
export const dividedBy = (n: number, eta: number, k: number): number => (k === 0 ? n : dividedBy(n / eta, eta, k - 1));

/** Successive halving: many settings with little of the resource, the best of them with more. */
export const searchByHalving = (
  task: Task,
  trials: Trials,
  context: SolveContext,
  { levels, eta }: Halving,
): Promise<Ending> =>
  untilEnough(() => {
    const rng = context.rng('halving');
    const [first] = levels;
    for (;;) {
      const left = Math.min(context.maxEvaluations, MOST_TRIALS) - trials.all.length;
      const going = (n: number, k: number): number => Math.max(1, Math.floor(dividedBy(n, eta, k) + 1e-9));
      const cost = (n: number): number => levels.reduce<number>((sum, _, k) => sum + going(n, k), 0);
      // As many as the rest of the budget takes to the end.
      let wanted = 1;
      while (wanted < MOST_AT_ONCE && cost(wanted + 1) <= left) wanted++;
      let points: Point[] = [];
      const drawn = new Set<string>();
      const isSeen = (point: Point): boolean =>
        trials.isSeen(point, first ?? undefined) || trials.isSeen(point) || drawn.has(task.space.keyOf(point));
      while (points.length < wanted) {
        const point = unseenAtRandom(task.space, isSeen, task.pool, rng);
        if (point === null) break;
        drawn.add(task.space.keyOf(point));
        points.push(point);
      }
      if (points.length === 0) return;
      const before = trials.all.length;
      for (const [k, level] of levels.entries()) {
        // With little left, the whole of one setting is worth more than a part of it.
        if (level !== null && left < levels.length) continue;
        const round = points.map((point) => trials.try(point, level ?? undefined));
        const best = round.sort((a, b) => trials.lossOf(a) - trials.lossOf(b) || 0).map(({ point }) => point);
        points = best.slice(0, going(wanted, k + 1));
      }
      // A round of settings that are all known would come again.
      if (trials.all.length === before) return;
    }
  });

const MOST_AT_ONCE = 729;
