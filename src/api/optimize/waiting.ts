/** Waits for a new run: answers with the ended run, or as it is when the client has waited as long as it wanted. */
import { ExtremumError } from '../../common/errors.js';
import type { RunRecord } from '../../model/run-record.js';
import { isFinished } from '../../model/run-status.js';
import { deletedSince } from '../../runs/run-removal.js';
import type { ApiParts } from '../parts.js';
import type { ReplyTo } from '../route.js';
import { representRun, runAnswer, type RunAnswer } from './answer.js';
import { parsePrefer } from './prefer.js';

export const WAITING_HEADERS = {
  Prefer: {
    description: '`wait=N` (seconds, default 60, at most 300) or `respond-async`; what cannot be read is ignored',
  },
};

export const WAITING_ANSWERS = {
  200: {
    description: 'The run has ended',
    schema: runAnswer,
    headers: { 'Preference-Applied': 'What was preferred' },
  },
  201: {
    description: 'The run goes on',
    schema: runAnswer,
    headers: { Location: 'Its path', 'Preference-Applied': 'What was preferred' },
  },
};

export const noSuchRun = (): ExtremumError => new ExtremumError('not_found', 'There is no such optimization.');

export function found(run: RunRecord | null): RunRecord {
  if (run === null) throw noSuchRun();
  return run;
}

/** Where records come from, and the path before their links. */
type Answering = Pick<ApiParts, 'runs' | 'prefix'>;

export async function represent({ runs, prefix }: Answering, run: RunRecord, isListed = false): Promise<RunAnswer> {
  const [comparison, deletedParents] = await Promise.all([runs.comparison(run), runs.deletedParents(run)]);
  return representRun(run, comparison, isListed, deletedParents, prefix);
}

export async function waitFor(
  answering: Answering,
  submitted: RunRecord,
  prefer: string | undefined,
): Promise<ReplyTo<typeof WAITING_ANSWERS>> {
  const { accountId, id } = submitted;
  const waiting = parsePrefer(prefer);
  const applied: Record<string, string> = waiting.applied === null ? {} : { 'Preference-Applied': waiting.applied };
  const run = waiting.seconds > 0 ? await answering.runs.wait(accountId, id, waiting.seconds) : submitted;
  if (run === null) throw deletedSince(id);
  if (isFinished(run.status)) return { status: 200, headers: applied, body: await represent(answering, run) };
  const headers = { ...applied, Location: `/v1/optimize/${id}` };
  return { status: 201, headers, body: await represent(answering, run) };
}
