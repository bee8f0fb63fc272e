/** Follows a run by the stream of its events, and passes on what is heard as progress. */
import { isFinished } from '../../model/run-status.js';
import type { RunAnswer } from '../optimize/answer.js';
import type { ToolContext } from './context.js';

/**
 * The record of the run when it has ended, when `seconds` are over, or when the request is taken back; then the run is
 * cancelled, if `isOwn`.
 */
export async function followed(
  run: RunAnswer,
  seconds: number,
  isOwn: boolean,
  context: ToolContext,
): Promise<RunAnswer> {
  const { calls, caller, signal } = context;
  const params = { id: run.id };
  if (!isFinished(run.status) && seconds > 0) {
    // At once: the client may drop what comes together with the result of a short run.
    context.progress({ evaluations: 0, total: run.max_evaluations, message: `${run.id} ${run.status}` });
    const timeIsUp = AbortSignal.timeout(seconds * 1000);
    const { stream } = await calls.call(caller, 'streamEvents', { params });
    if (stream !== undefined) await pass(run, stream(AbortSignal.any([signal, timeIsUp])), context);
    if (signal.aborted && isOwn && context.isTakenBack()) {
      const cancelled = await calls.call(caller, 'cancelOptimization', { params }).catch(() => null);
      if (cancelled !== null) return cancelled.body as RunAnswer;
    }
  }
  return (await calls.call(caller, 'getOptimization', { params })).body as RunAnswer;
}

async function pass(run: RunAnswer, events: AsyncIterable<string>, { progress, signal }: ToolContext): Promise<void> {
  let evaluations = 0;
  for await (const event of events) {
    if (signal.aborted) return;
    const heard = read(event);
    if (heard === null) continue;
    evaluations = Math.max(evaluations, heard.evaluations ?? 0);
    progress({ evaluations, total: run.max_evaluations, message: heard.message });
  }
}

/** An event of the stream in words; null for one that says nothing of the course. */
function read(event: string): { readonly evaluations?: number; readonly message: string } | null {
  const name = /^event: (.*)$/m.exec(event)?.[1];
  const data = /^data: (.*)$/m.exec(event)?.[1];
  if (name === undefined || data === undefined) return null;
  const parsed = JSON.parse(data) as Record<string, unknown>;
  const facts = (parsed['data'] ?? parsed) as Record<string, unknown>;
  const evaluations = typeof facts['evaluations'] === 'number' ? facts['evaluations'] : undefined;
  if (name === 'progress') {
    const best = facts['best_fitness'];
    return { evaluations, message: `${evaluations} evaluations, best value ${String(best)}` };
  }
  if (name === 'strategy.changed')
    return { evaluations, message: `${String(facts['from'])} -> ${String(facts['to'])}: ${String(facts['reason'])}` };
  return { evaluations, message: name };
}
