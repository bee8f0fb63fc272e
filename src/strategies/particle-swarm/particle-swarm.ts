/**
 * One run of a particle swarm after SPSO-2011 (README.md has the sources and what differs from it). All particles move
 * at once: a step is one batch. With x the particle, p its personal best, l the best one it was informed of, and v its
 * velocity,
 *
 *     G = x + c ((p - x) + (l - x)) / 3       or x + c (p - x) / 2 where l is p
 *     v <- w v + s - x, x <- x + v            s: random in the sphere around G through x
 *
 * so that nothing depends on the directions of the coordinates.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { decodeStart, encodeStart, firstPopulation, type PopulationStart } from '../search/first-population.js';
import type { Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { ATTRACTION, INERTIA, INFORMED, firstSwarmSize, swarmSize } from './parameters.js';
import { SwarmShape, type ShapeSnapshot } from './swarm-shape.js';

const TOL_FUN = 1e-12;
/** Steps with equal personal bests, or without a better one, after which it is over. */
const FLAT_STEPS = 10;
const SILENT_STEPS = 50;

interface Snapshot {
  readonly firstEvaluation: number;
  readonly evaluations: number;
  readonly firstSize: number;
  readonly size: number;
  /** [...fitness, ...positions, ...velocities, ...personalBests] */
  readonly particles: string;
  /** Whom each particle informs; null when that is to be drawn anew. */
  readonly informed: readonly number[] | null;
  readonly shape: ShapeSnapshot;
  readonly flat: number;
  readonly silent: number;
  readonly tolerance: number;
  readonly reason: StrategyStop | null;
  /** Until the first swarm is there. */
  readonly start: string | null;
}

export class ParticleSwarm implements Search {
  private readonly firstEvaluation: number;
  /** That the reduction of the swarm is spread over. */
  private readonly evaluations: number;
  private readonly firstSize: number;
  private size: number;
  /** [size, n], allocated for the first swarm, as all below. */
  private readonly positions: Float64Array;
  private readonly velocities: Float64Array;
  private readonly personalBests: Float64Array;
  /** Fitness of the personal bests. */
  private readonly fitness: Float64Array;
  /** [size, INFORMED] */
  private readonly informed: Int32Array;
  private isInformedAnew: boolean;
  private readonly shape: SwarmShape;
  private flat: number;
  private silent: number;
  private tolerance: number;
  private reason: StrategyStop | null;

  /** Arrays of the step under way: this one and those below. */
  private readonly nextPositions: Float64Array;
  private readonly nextVelocities: Float64Array;
  /** Which particle's personal best each one follows. */
  private readonly leaders: Int32Array;
  private readonly pull: Float64Array;
  private readonly scratch: Float64Array;
  /** 0, 1, 2, ... */
  private readonly rows: Int32Array;

  constructor(
    private readonly context: SearchContext,
    private readonly start: PopulationStart | null,
    snapshot?: SearchSnapshot,
  ) {
    const { n, archive, budget } = context;
    const s = snapshot as unknown as Snapshot | undefined;
    this.firstEvaluation = s?.firstEvaluation ?? archive.evaluations;
    this.evaluations = s?.evaluations ?? Math.max(1, budget - archive.evaluations);
    const capacity = (this.firstSize = s?.firstSize ?? firstSwarmSize(n, this.evaluations));
    this.size = s?.size ?? 0;
    this.positions = new Float64Array(capacity * n);
    this.velocities = new Float64Array(capacity * n);
    this.personalBests = new Float64Array(capacity * n);
    this.fitness = new Float64Array(capacity);
    this.informed = Int32Array.from({ length: capacity * INFORMED }, (_, k) => s?.informed?.[k] ?? 0);
    this.isInformedAnew = (s?.informed ?? null) === null;
    this.shape = new SwarmShape(n, s?.shape);
    this.flat = s?.flat ?? 0;
    this.silent = s?.silent ?? 0;
    this.tolerance = s?.tolerance ?? TOL_FUN;
    this.reason = s?.reason ?? null;
    this.nextPositions = new Float64Array(capacity * n);
    this.nextVelocities = new Float64Array(capacity * n);
    this.leaders = new Int32Array(capacity);
    this.pull = new Float64Array(n);
    this.scratch = new Float64Array(n);
    this.rows = Int32Array.from({ length: capacity }, (_, k) => k);
    if (s === undefined) return;
    const { size } = s;
    const values = decodeFloats(s.particles, size + 3 * size * n);
    this.fitness.set(values.subarray(0, size));
    [this.positions, this.velocities, this.personalBests].forEach((matrix, k) =>
      matrix.set(values.subarray(size + k * size * n, size + (k + 1) * size * n)),
    );
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  /** One move of all particles. */
  *step(): Step {
    if (this.size === 0) {
      yield* this.begin();
      return;
    }
    this.move();
    const answer = yield { points: this.nextPositions, count: this.size, bearsGaps: true };
    this.remember(answer);
    this.judge();
    this.shape.learn(this.personalBests, this.rows, this.size);
    this.shrink();
  }

  private *begin(): Step {
    const { n, rng } = this.context;
    const { positions, personalBests, velocities, fitness, firstSize } = this;
    yield* firstPopulation(this.context, this.start, firstSize, positions, fitness);
    personalBests.set(positions);
    // Into a random point of the box: no particle begins by leaving it.
    for (let e = 0; e < firstSize * n; e++) velocities[e] = rng.uniform() - positions[e];
    this.size = firstSize;
    const sorted = fitness.slice().sort();
    // An objective with tiny values is not cut off.
    const spread = sorted[firstSize >> 1] - sorted[0];
    if (spread > 0 && spread < 1) this.tolerance = TOL_FUN * spread;
  }

  /** The next positions and velocities. */
  private move(): void {
    const { n, rng } = this.context;
    const { size, positions, velocities, personalBests, nextPositions, nextVelocities, leaders } = this;
    const { shape, pull, scratch } = this;
    this.chooseLeaders();
    for (let k = 0; k < size; k++) {
      const row = k * n;
      const leader = leaders[k] * n;
      const weight = leaders[k] === k ? ATTRACTION / 2 : ATTRACTION / 3;
      const social = leaders[k] === k ? 0 : weight;
      let length = 0;
      let direction = 0;
      rng.fillNormals(nextPositions, row, n);
      for (let i = 0; i < n; i++) {
        const x = positions[row + i];
        const toCentre = weight * (personalBests[row + i] - x) + social * (personalBests[leader + i] - x);
        pull[i] = toCentre;
        length += toCentre * toCentre;
        const normal = nextPositions[row + i];
        direction += normal * normal;
      }
      if (shape.isKnown) {
        length = shape.squaredLength(pull, scratch);
        shape.colour(nextPositions, row);
      }
      // Uniform in the radius, not in the volume: denser towards the centre.
      const radius = rng.uniform() * Math.sqrt(length / direction);
      for (let i = 0; i < n; i++) {
        const x = positions[row + i];
        let velocity = INERTIA * velocities[row + i] + pull[i] + radius * nextPositions[row + i];
        let next = x + velocity;
        // At the bound a particle loses its velocity across it.
        if (!(next >= 0 && next <= 1)) {
          next = next > 1 ? 1 : 0;
          velocity = 0;
        }
        nextPositions[row + i] = next;
        nextVelocities[row + i] = velocity;
      }
    }
  }

  /**
   * Each particle follows the best one that informs it, or itself. Whom particles inform is drawn here, before the
   * answer is there: a step that is run again draws the same.
   */
  private chooseLeaders(): void {
    const { rng } = this.context;
    const { size, fitness, informed, leaders } = this;
    if (this.isInformedAnew) {
      for (let k = 0; k < size * INFORMED; k++) informed[k] = rng.below(size);
    }
    for (let k = 0; k < size; k++) leaders[k] = k;
    for (let k = 0; k < size; k++) {
      for (let j = k * INFORMED; j < (k + 1) * INFORMED; j++) {
        const other = informed[j];
        if (fitness[k] < fitness[leaders[other]]) leaders[other] = k;
      }
    }
  }

  /** Takes the new positions in; whom particles inform is drawn anew unless the best of all got better. */
  private remember(answer: Float64Array): void {
    const { n } = this.context;
    const { size, positions, velocities, personalBests, fitness, nextPositions, nextVelocities } = this;
    const before = this.lowest();
    let successes = 0;
    for (let k = 0; k < size; k++) {
      const value = answer[k];
      const row = k * n;
      const isBest = value <= fitness[k];
      for (let i = row; i < row + n; i++) {
        positions[i] = nextPositions[i]!;
        velocities[i] = nextVelocities[i]!;
        if (isBest) personalBests[i] = nextPositions[i]!;
      }
      if (value < fitness[k]) successes++;
      if (isBest) fitness[k] = value;
    }
    this.isInformedAnew = !(this.lowest() < before);
    this.silent = successes > 0 ? 0 : this.silent + 1;
  }

  private lowest(): number {
    let lowest = Infinity;
    for (let k = 0; k < this.size; k++) if (this.fitness[k] < lowest) lowest = this.fitness[k]!;
    return lowest;
  }

  private highest(): number {
    let at = 0;
    for (let k = 1; k < this.size; k++) if (this.fitness[k] > this.fitness[at]) at = k;
    return at;
  }

  private judge(): void {
    const best = this.lowest();
    const isFlat = this.fitness[this.highest()] - best <= Math.max(this.tolerance, 1e-15 * Math.abs(best));
    this.flat = isFlat ? this.flat + 1 : 0;
    if (this.flat >= FLAT_STEPS) this.reason = 'tolFun';
    else if (this.silent >= SILENT_STEPS) this.reason = 'stalled';
  }

  /** The particles with the worst personal bests leave. */
  private shrink(): void {
    const { n, archive } = this.context;
    const { positions, velocities, personalBests, fitness } = this;
    const progress = Math.min(1, (archive.evaluations - this.firstEvaluation) / this.evaluations);
    const wanted = swarmSize(this.firstSize, progress);
    if (wanted < this.size) this.isInformedAnew = true;
    while (this.size > wanted) {
      const gone = this.highest();
      const last = --this.size;
      for (const matrix of [positions, velocities, personalBests])
        matrix.copyWithin(gone * n, last * n, (last + 1) * n);
      fitness[gone] = fitness[last]!;
    }
  }

  snapshot(): SearchSnapshot {
    const { n } = this.context;
    const { size } = this;
    const particles = new Float64Array(size + 3 * size * n);
    particles.set(this.fitness.subarray(0, size));
    [this.positions, this.velocities, this.personalBests].forEach((matrix, k) =>
      particles.set(matrix.subarray(0, size * n), size + k * size * n),
    );
    const snapshot: Snapshot = {
      firstEvaluation: this.firstEvaluation,
      evaluations: this.evaluations,
      firstSize: this.firstSize,
      size,
      particles: encodeFloats(particles),
      informed: this.isInformedAnew ? null : Array.from(this.informed.subarray(0, size * INFORMED)),
      shape: this.shape.snapshot(),
      flat: this.flat,
      silent: this.silent,
      tolerance: this.tolerance,
      reason: this.reason,
      start: size === 0 ? encodeStart(this.start) : null,
    };
    return { ...snapshot };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): ParticleSwarm {
    const { start } = snapshot as unknown as Snapshot;
    return new ParticleSwarm(context, decodeStart(start, context.n), snapshot);
  }
}
