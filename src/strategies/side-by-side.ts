/**
 * A strategy whose candidates are valued side by side: what it asks for is filled up to a multiple of the places that
 * there are, and it learns from the rest. Which candidates these are follows from the seed and from what was told, in
 * the order in which candidates were asked for: results may arrive in any.
 */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { inRows, type CandidateBatch } from '../model/candidate-batch.js';
import { extraPoint, extraRng } from './extra-points.js';
import type { Strategy, StrategyFactory, StrategyProblem, StrategySnapshot } from './strategy.js';

const SNAPSHOT_VERSION = 1;

interface Snapshot extends StrategySnapshot {
  readonly inner: StrategySnapshot;
  readonly serial: number;
  readonly isOpen: boolean;
  /** Rows that the strategy itself asked for are open. */
  readonly isOwnOpen: boolean;
  readonly extras: string;
  readonly extraCount: number;
}

class SideBySide implements Strategy {
  readonly name: string;
  private readonly n: number;
  private readonly width: number;
  /** Points so far that the strategy did not ask for. */
  private serial = 0;
  /** Whether the batch that was asked for is not wholly told. */
  private isOpen = false;
  /** [extraCount, n]: those of the open batch that are not told, behind the strategy's own. */
  private extras: Float64Array = new Float64Array(0);
  /** Rows of the open batch that are the strategy's own. */
  private own = 0;

  constructor(
    private readonly problem: StrategyProblem,
    private readonly inner: Strategy,
    snapshot?: Snapshot,
  ) {
    this.name = inner.name;
    this.n = problem.bounds.lower.length;
    this.width = problem.sideBySide ?? 1;
    if (snapshot === undefined) return;
    this.serial = snapshot.serial;
    this.isOpen = snapshot.isOpen;
    this.extras = decodeFloats(snapshot.extras, snapshot.extraCount * this.n);
    if (snapshot.isOwnOpen) this.own = inner.ask().count;
  }

  ask(): CandidateBatch {
    if (this.isOpen && this.own === 0) return this.batch(null);
    const asked = this.inner.ask();
    this.own = asked.count;
    if (!this.isOpen) {
      this.isOpen = true;
      this.extras =
        this.inner.learn === undefined
          ? new Float64Array(0)
          : this.morePoints(asked, wide(asked.count, this.width) - asked.count);
    }
    return this.extras.length === 0 ? asked : this.batch(asked);
  }

  tell(fitness: Float64Array): void {
    const { n, inner, extras } = this;
    const open = this.isOpen ? this.own + extras.length / n : 0;
    if (fitness.length === 0 || fitness.length > open) {
      throw new RangeError(`tell: ${fitness.length} fitness values for ${open} open candidates`);
    }
    const own = Math.min(this.own, fitness.length);
    if (own > 0) inner.tell(fitness.subarray(0, own));
    this.own -= own;
    const others = fitness.subarray(own);
    others.forEach((value, k) => {
      if (Number.isFinite(value)) inner.learn?.(extras.slice(k * n, (k + 1) * n), value);
    });
    this.extras = extras.slice(others.length * n);
    this.isOpen = this.own > 0 || this.extras.length > 0;
  }

  stop: Strategy['stop'] = () => (this.isOpen ? null : this.inner.stop());
  incumbent: Strategy['incumbent'] = () => this.inner.incumbent();
  phases: NonNullable<Strategy['phases']> = () => this.inner.phases?.() ?? [];
  change: NonNullable<Strategy['change']> = () => this.inner.change?.() ?? null;
  planning: NonNullable<Strategy['planning']> = () => this.inner.planning?.() ?? null;
  certificate: NonNullable<Strategy['certificate']> = () => this.inner.certificate?.() ?? null;

  snapshot(): StrategySnapshot {
    const snapshot: Snapshot = {
      version: SNAPSHOT_VERSION,
      inner: this.inner.snapshot(),
      serial: this.serial,
      isOpen: this.isOpen,
      isOwnOpen: this.own > 0,
      extras: encodeFloats(this.extras),
      extraCount: this.extras.length / this.n,
    };
    return snapshot;
  }

  static restore(factory: StrategyFactory, problem: StrategyProblem, snapshot: StrategySnapshot): SideBySide {
    if (snapshot.version !== SNAPSHOT_VERSION) {
      throw new RangeError(`${factory.name}: snapshot version ${snapshot.version}, expected ${SNAPSHOT_VERSION}`);
    }
    const saved = snapshot as Snapshot;
    return new SideBySide(problem, factory.restore(problem, saved.inner), saved);
  }

  private morePoints(asked: CandidateBatch, count: number): Float64Array {
    const { n, inner, problem } = this;
    const points = new Float64Array(count * n);
    if (count === 0) return points;
    const { candidates } = inRows(asked);
    const there = new Set(
      Array.from({ length: asked.count }, (_, k) => candidates.subarray(k * n, (k + 1) * n).join()),
    );
    for (let at = 0; at < points.length; at += n) {
      const serial = this.serial++;
      const best = inner.incumbent()?.solution ?? null;
      const made = inner.another?.(extraRng(problem, serial)) ?? null;
      const point = made === null || there.has(made.join()) ? extraPoint(problem, serial, best) : made;
      there.add(point.join());
      points.set(point, at);
    }
    return points;
  }

  private batch(asked: CandidateBatch | null): CandidateBatch {
    const { n, extras } = this;
    const count = asked?.count ?? 0;
    const candidates = new Float64Array(count * n + extras.length);
    if (asked !== null) candidates.set(inRows(asked).candidates.subarray(0, count * n));
    candidates.set(extras, count * n);
    return { candidates, count: count + extras.length / n, dimension: n };
  }
}

/** The strategy, which asks for a multiple of `StrategyProblem.sideBySide` candidates where that is above 1. */
export function sideBySide(factory: StrategyFactory): StrategyFactory {
  const isWide = ({ sideBySide: width = 1, objectives = 1 }: StrategyProblem): boolean => width > 1 && objectives === 1;
  return {
    name: factory.name,
    capabilities: factory.capabilities,
    create: (problem) => {
      const inner = factory.create(problem);
      return isWide(problem) ? new SideBySide(problem, inner) : inner;
    },
    restore: (problem, snapshot) =>
      isWide(problem) ? SideBySide.restore(factory, problem, snapshot) : factory.restore(problem, snapshot),
  };
}

/** The next multiple of `width`, for populations that are valued side by side. */
export const wide = (count: number, width = 1): number => Math.ceil(count / width) * width;
