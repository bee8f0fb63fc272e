/** The function that an experiment calls in its worker threads. */
import { replyOf, type Reply } from '../common/thread-call.js';
import { strategies } from '../planner/registry.js';
import { carryOutRun, type RunConditions, type RunKey, type RunRecord } from './benchmark-run.js';

export interface BenchmarkJob {
  readonly key: RunKey;
  readonly conditions: RunConditions;
}

export default ({ key, conditions }: BenchmarkJob): Promise<Reply<RunRecord>> =>
  replyOf(() => carryOutRun(key, conditions, strategies));
