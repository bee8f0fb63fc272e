/** A benchmark problem as the engine's evaluation kernel, with the bookkeeping of the measure. */
import type { EvaluationOutput, Kernel } from '../backends/backend.js';
import { exp } from '../common/float.js';
import { Rng } from '../common/rng.js';
import { inRows, type CandidateBatch } from '../model/candidate-batch.js';
import { CocoLog } from './coco-log.js';
import { TargetHits } from './measure.js';
import type { BenchmarkProblem } from './problem.js';

interface NoiseSettings {
  /** Standard deviation of the multiplicative noise; 0: none. */
  readonly level: number;
  readonly seed: number;
}

export class ObjectiveKernel implements Kernel {
  readonly backend = 'benchmark';
  readonly device = 'this thread';
  readonly hits = new TargetHits();
  readonly log: CocoLog;
  private readonly noise: Rng | null;

  /** With noise, the strategy sees fopt + (f - fopt) exp(level N(0, 1)); the measure sees f. */
  constructor(
    private readonly problem: BenchmarkProblem,
    private readonly settings: NoiseSettings,
  ) {
    this.log = new CocoLog(problem.dimension);
    this.noise = settings.level > 0 ? Rng.create(settings.seed).split('benchmark noise') : null;
  }

  evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    const { candidates, count, dimension } = inRows(batch);
    const { problem, noise, hits } = this;
    for (let k = 0; k < count; k++) {
      const clean = problem.evaluate(candidates, k * dimension);
      const delta = clean - problem.optimalValue;
      const factor = noise === null ? 1 : exp(this.settings.level * noise.normal());
      const seen = noise === null ? clean : problem.optimalValue + delta * factor;
      if (!hits.isFinished) {
        hits.add(delta);
        this.log.add(delta, seen, candidates, k * dimension);
      }
      output.values[k] = seen;
      output.status[k] = 0;
    }
    output.failures.length = 0;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
