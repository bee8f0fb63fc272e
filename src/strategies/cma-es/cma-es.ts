/**
 * CMA-ES with box bounds and BIPOP restarts as an ask/tell strategy. This file holds the life cycle: partial tells,
 * incumbent, restarts, snapshots. The search itself is `cma-run.ts`; start reading there. Origin, papers and our
 * deviations: README.md beside this file.
 */
import { Rng, type RngSnapshot } from '../../common/rng.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { BestSoFar, type Incumbent } from '../../model/best-so-far.js';
import { partOf, type CandidateBatch } from '../../model/candidate-batch.js';
import type { Strategy, StrategyProblem, StrategySnapshot, StrategyStop } from '../strategy.js';
import { CmaRun, type CmaRunSnapshot } from './cma-run.js';
import {
  countEvaluations,
  firstRun,
  initialRestartState,
  isOverLimit,
  nextRun,
  type RestartState,
} from './restarts.js';

export const NAME = 'cma-es';
const SNAPSHOT_VERSION = 3;

interface CmaEsSnapshot extends StrategySnapshot {
  readonly rng: RngSnapshot;
  readonly run: CmaRunSnapshot;
  readonly restarts: RestartState;
  readonly stopReason: StrategyStop | null;
  /** Fitness of the rows of the current generation told so far. */
  readonly told: string;
  readonly toldCount: number;
  /** [fitness, ...solution]; fitness is +Infinity before the first finite one. */
  readonly best: string;
}

export class CmaEs implements Strategy {
  readonly name = NAME;
  private readonly n: number;
  private readonly rng: Rng;
  private run: CmaRun;
  private restarts = initialRestartState;
  private stopReason: StrategyStop | null = null;
  private fitness: Float64Array;
  /** Rows of the open generation whose fitness is known. */
  private toldCount = 0;
  /** Whether the run holds a sampled generation that is not wholly told. */
  private isOpen = false;
  private readonly best: BestSoFar;

  constructor(
    private readonly problem: StrategyProblem,
    snapshot?: CmaEsSnapshot,
  ) {
    const { bounds } = problem;
    this.n = bounds.lower.length;
    this.best = new BestSoFar(this.n, snapshot?.best);
    if (snapshot === undefined) {
      this.rng = Rng.create(problem.seed).split(NAME);
      const mean = problem.initialSolution ? Float64Array.from(problem.initialSolution) : this.centre();
      this.run = new CmaRun(bounds, {
        ...firstRun(this.n, problem.sideBySide),
        mean,
        evaluateMean: problem.initialSolution !== undefined,
        inTiles: true,
      });
      this.fitness = new Float64Array(this.run.parameters.lambda);
      return;
    }
    this.rng = Rng.restore(snapshot.rng);
    this.run = CmaRun.restore(bounds, snapshot.run, true);
    this.restarts = snapshot.restarts;
    this.stopReason = snapshot.stopReason;
    this.fitness = new Float64Array(this.run.parameters.lambda);
    this.fitness.set(decodeFloats(snapshot.told, snapshot.toldCount));
    this.toldCount = snapshot.toldCount;
    this.isOpen = snapshot.run.population !== undefined;
  }

  ask(): CandidateBatch {
    if (!this.isOpen) {
      if (this.stopReason !== null) this.restart();
      this.run.sample(this.rng);
      this.isOpen = true;
    }
    const { candidates, layout, dimension } = this.run.x;
    const count = this.run.parameters.lambda;
    const all: CandidateBatch = { candidates, layout, dimension, count, bearsGaps: true };
    return this.toldCount === 0 ? all : partOf(all, this.toldCount);
  }

  tell(fitness: Float64Array): void {
    const count = fitness.length;
    const expected = this.isOpen ? this.run.parameters.lambda - this.toldCount : 0;
    if (count === 0 || count > expected) {
      throw new RangeError(`tell: ${count} fitness values for ${expected} open candidates`);
    }
    for (let k = 0; k < count; k++) {
      if (!(fitness[k] > -Infinity))
        throw new RangeError(`tell: fitness[${k}] is ${fitness[k]}; a failed evaluation is +Infinity`);
    }
    const { x, parameters } = this.run;
    for (let k = 0; k < count; k++) {
      const value = fitness[k];
      this.fitness[this.toldCount + k] = value;
      this.best.offerOf(value, x, this.toldCount + k);
    }
    this.toldCount += count;
    if (this.toldCount < parameters.lambda) return;
    this.toldCount = 0;
    this.isOpen = false;
    this.restarts = countEvaluations(this.restarts, parameters.lambda);
    this.stopReason = this.run.learn(this.fitness, this.best.fitness);
    if (this.stopReason === null && isOverLimit(this.restarts)) this.stopReason = 'stalled';
  }

  stop(): StrategyStop | null {
    return this.stopReason;
  }

  incumbent(): Incumbent | null {
    return this.best.incumbent();
  }

  /** @throws {RangeError} the snapshot is of another version. */
  static restore(problem: StrategyProblem, snapshot: StrategySnapshot): CmaEs {
    if (snapshot.version !== SNAPSHOT_VERSION) {
      throw new RangeError(`${NAME}: snapshot version ${snapshot.version}, expected ${SNAPSHOT_VERSION}`);
    }
    return new CmaEs(problem, snapshot as CmaEsSnapshot);
  }

  snapshot(): StrategySnapshot {
    const snapshot: CmaEsSnapshot = {
      version: SNAPSHOT_VERSION,
      rng: this.rng.snapshot(),
      run: this.run.snapshot(this.isOpen),
      restarts: this.restarts,
      stopReason: this.stopReason,
      told: encodeFloats(this.fitness.subarray(0, this.toldCount)),
      toldCount: this.toldCount,
      best: this.best.encode(),
    };
    return snapshot;
  }

  private restart(): void {
    const [state, plan] = nextRun(this.restarts, this.n, this.rng, this.problem.sideBySide);
    this.restarts = state;
    this.stopReason = null;
    this.run = new CmaRun(this.problem.bounds, {
      ...plan,
      mean: this.randomPoint(),
      evaluateMean: false,
      inTiles: true,
    });
    if (this.fitness.length < plan.lambda) this.fitness = new Float64Array(plan.lambda);
  }

  private centre(): Float64Array {
    const { lower, upper } = this.problem.bounds;
    return lower.map((low, i) => Math.min(upper[i], Math.max(low, low / 2 + upper[i] / 2)));
  }

  private randomPoint(): Float64Array {
    const { lower, upper } = this.problem.bounds;
    return lower.map((low, i) => {
      const u = this.rng.uniform();
      return Math.min(upper[i], Math.max(low, (1 - u) * low + u * upper[i]));
    });
  }
}
