/**
 * Random search: candidates drawn uniformly from the box, whatever their values are. It is the baseline that every
 * other search has to beat, so it never ends and never learns. What it asks for depends on the seed alone.
 */
import { randomPoint } from '../search/points.js';
import type { Points, Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';

/** Candidates that are evaluated at once: enough for several threads, few enough for short budgets. */
const BATCH = 32;

export class RandomSearch implements Search {
  constructor(private readonly context: SearchContext) {}

  *step(): Step {
    const { n, archive, start } = this.context;
    const batch: Points = { points: new Float64Array(BATCH * n), count: BATCH };
    for (let k = 0; k < BATCH; k++) batch.points.set(randomPoint(this.context), k * n);
    if (archive.evaluations === 0 && start !== undefined) batch.points.set(start);
    yield batch;
  }

  end(): null {
    return null;
  }

  /** The generator is all of its state, and that is kept with the archive. */
  snapshot(): SearchSnapshot {
    return {};
  }
}
