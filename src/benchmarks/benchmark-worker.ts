/** The function that an experiment calls in its worker threads. */
import { replyOf, type Reply } from '../common/thread-call.js';
import { strategies } from '../planner/all-strategies.js';
import { carryOutRun, type RunConditions, type RunKey, type BenchmarkRun } from './benchmark-run.js';

export interface BenchmarkJob {
  readonly key: RunKey;
  readonly conditions: RunConditions;
}

export default ({ key, conditions }: BenchmarkJob): Promise<Reply<BenchmarkRun>> =>
  replyOf(() => carryOutRun(key, conditions, strategies));
