/** Uploaded functions: checked, stored, evaluated. The work on the source happens in worker threads. */
import { createHash } from 'node:crypto';
import { ExtremumError } from '../common/errors.js';
import { FairLimit } from '../common/fair-limit.js';
import type { IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { failureFrom } from '../common/thread-call.js';
import type { Diagnostic } from '../frontend/syntax/diagnostic.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import type { FunctionRecord } from '../model/function-record.js';
import type { EvaluationLimits, ObjectiveSource, Statelessness } from '../model/objective.js';
import type { Page, PageRequest } from '../model/page.js';
import type { Misreading } from '../model/verification.js';
import type { FunctionStore } from '../storage/contract/functions.js';
import type { RunMetrics } from './metrics.js';
import { misreadNotRunnable, notRunnable } from '../evaluation/placement-words.js';
import type { PythonHost } from './python-host.js';
import { QUICK_LIMITS, type WorkerPools } from './worker-pools.js';
import type { EvaluationResult, FunctionEvaluation } from './worker-protocol.js';

/** More would not be read, and a record must stay small. */
const KEPT_REASONS = 20;
const REASON_CHARACTERS = 500;
/**
 * A source that hangs while it is loaded is to fail with that as its reason, not by the time limit of the whole call.
 */
const EVALUATE_LOAD_MS = 20_000;

const COMPILED: Statelessness = { value: true, reason: 'compiled code keeps nothing between calls' };

interface FunctionServiceParts {
  readonly store: FunctionStore;
  readonly pools: WorkerPools;
  readonly python: PythonHost;
  readonly ids: IdSource;
  readonly metrics: RunMetrics;
  readonly logger: Logger;
  /** Whether CPython confirms values of compiled code. */
  readonly verify: boolean;
}

interface Upload {
  readonly name: string;
  readonly code: string;
  readonly language: string;
  /** Whether the objective is in population form (`ObjectiveSource.vectorized`); absent: to be found out. */
  readonly vectorized?: boolean;
  /** Whether calls are free of each other (`ObjectiveSource.stateless`); absent: to be found out. */
  readonly stateless?: boolean;
  /** See `ObjectiveSource.evaluationLimits`. */
  readonly evaluationLimits?: EvaluationLimits;
}

export class FunctionService {
  private readonly parts: FunctionServiceParts;
  /** Each starts a process that looks at the text of an upload. */
  private readonly judging = new FairLimit(QUICK_LIMITS);

  constructor(parts: FunctionServiceParts) {
    this.parts = parts;
  }

  /** @throws {ExtremumError} `invalid_request` on `code`, with every finding and its place. */
  async upload(accountId: string, upload: Upload, ids = this.parts.ids): Promise<FunctionRecord> {
    const { python } = this.parts;
    const result = await this.parts.pools.analyze(accountId, {
      code: upload.code,
      name: upload.name,
      vectorized: upload.vectorized,
      pythonMinor: python.pythonMinor,
      interpreter: await python.facts(upload.code),
    });
    this.parts.metrics.measured(result.measures ?? {});
    if (result.kind === 'failed') throw failureFrom(result.error);
    const { errors, source, vectorized, compiled, results, reasons } = result.analysis;
    if (source === null || errors.length > 0) {
      throw new ExtremumError('invalid_request', refusal(upload.code, errors), { field: 'code' });
    }
    const { stateless, evaluationLimits } = upload;
    const objective = {
      ...source,
      ...(vectorized ? { vectorized } : {}),
      ...(stateless === undefined ? {} : { stateless }),
      ...(evaluationLimits === undefined ? {} : { evaluationLimits }),
    };
    const judged = compiled && stateless === undefined ? COMPILED : await this.judge(accountId, objective);
    const { id, createdAt } = ids.next('func');
    const record: FunctionRecord = {
      id,
      accountId,
      name: upload.name,
      language: upload.language,
      source: objective,
      sha256: createHash('sha256').update(upload.code).digest('hex'),
      compilation: {
        compiled,
        reasons: reasons.slice(0, KEPT_REASONS).map((reason) => ({ ...reason, message: cut(reason.message) })),
        notes: result.notes?.slice(0, KEPT_REASONS),
        stateless: judged,
      },
      objectives: compiled ? results : undefined,
      analysis: result.program,
      shape: result.shape,
      createdAt,
    };
    await this.parts.store.saveFunction(record);
    const misread = await this.parts.store.findMisreading(accountId, record.sha256);
    return misread === null ? record : { ...record, misread };
  }

  /** Where too many wait, nobody looks: no upload fails for that. */
  private judge(accountId: string, objective: ObjectiveSource): Promise<Statelessness> {
    if (objective.stateless !== undefined) return this.parts.python.judge(objective);
    return this.judging
      .run(accountId, () => this.parts.python.judge(objective), objective.code.length)
      .catch((error: unknown) => {
        if (!(error instanceof ExtremumError)) throw error;
        return { value: null, reason: 'nobody has looked at the text: too many uploads waited for that' };
      });
  }

  find(accountId: string, id: string): Promise<FunctionRecord | null> {
    return this.parts.store.findFunction(accountId, id);
  }

  list(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    return this.parts.store.listFunctions(accountId, page);
  }

  remove(accountId: string, id: string): Promise<boolean> {
    return this.parts.store.deleteFunction(accountId, id);
  }

  /**
   * Refuses early what could only fail: a source that needs CPython where there is none.
   * @throws {ExtremumError} `unavailable`, saying what to install.
   */
  async requireRunnable(record: FunctionRecord, dimension: number): Promise<void> {
    const { python, pools } = this.parts;
    if (python.availability.available) return;
    if (record.misread !== undefined) {
      throw new ExtremumError('unavailable', misreadNotRunnable(record.misread, python.availability.reason));
    }
    if (record.compilation.compiled) return;
    // The upload was tried with other dimensions; this one may still compile.
    const { source } = record;
    const { pythonMinor } = python;
    if (await pools.compiles(record.accountId, { source, dimension, pythonMinor, interpreter: null })) return;
    const [reason] = record.compilation.reasons;
    throw new ExtremumError('unavailable', notRunnable(reason, python.availability.reason));
  }

  /**
   * `points` are of one length, at least one of them. `objectives`: how many numbers the function gives; absent: it is
   * found out.
   * @throws {ExtremumError} `invalid_request` where it is known to give another number, and no CPython is there to show
   * what it gives.
   */
  async evaluate(
    record: FunctionRecord,
    points: readonly (readonly number[])[],
    objectives?: number,
  ): Promise<FunctionEvaluation> {
    const { objectives: known } = record;
    const expected = objectives ?? known ?? 1;
    if (known !== undefined && expected !== known && !this.parts.python.availability.available) {
      const message = `\`objectives\` must be ${known}, as many numbers as the function returns, not ${expected}.`;
      throw new ExtremumError('invalid_request', message, { field: 'objectives' });
    }
    const result = await this.evaluateAs(record, points, expected);
    const isMisfit = ({ errors }: FunctionEvaluation, k: number): boolean => errors[k]?.type === 'NonNumericResult';
    const misfits = points.flatMap((_, k) => (isMisfit(result, k) ? [k] : []));
    if (objectives !== undefined || misfits.length === 0 || result.errors.includes(null)) return result;
    for (let other = 1; other <= MAX_OBJECTIVES; other++) {
      if (other === expected) continue;
      // Any of them may fit, in whatever order they are given.
      const again = await this.evaluateAs(record, points, other);
      if (misfits.some((k) => !isMisfit(again, k))) return again;
    }
    return result;
  }

  private async evaluateAs(
    record: FunctionRecord,
    points: readonly (readonly number[])[],
    objectives: number,
  ): Promise<FunctionEvaluation> {
    const source = objectives === 1 ? record.source : { ...record.source, results: objectives };
    const dimension = points[0]?.length ?? 0;
    const candidates = new Float64Array(points.length * dimension);
    points.forEach((point, i) => candidates.set(point, i * dimension));
    const { pools, python, metrics, logger, store } = this.parts;
    const { pythonMinor } = python;
    const { accountId, sha256 } = record;
    const interpreter = await python.facts(source.code);
    const job = { source, dimension, candidates, count: points.length, pythonMinor, interpreter };
    const attempt = async (misread: Misreading | null): Promise<EvaluationResult> => {
      const isMisread = misread !== null;
      const { verify } = this.parts;
      const wanted = { loadWithinMs: EVALUATE_LOAD_MS, owner: accountId, verify, pythonMinor, isMisread };
      const offer = python.offer(source, dimension, wanted);
      try {
        const result = await pools.evaluate(accountId, {
          ...job,
          python: offer.access,
          unchecked: offer.unchecked,
          misread,
        });
        metrics.measured(result.measures ?? {});
        return result;
      } finally {
        void offer.withdraw();
      }
    };
    let result = await attempt(record.misread ?? null);
    if (result.kind === 'misread') {
      const { misreading } = result;
      await store.saveMisreading(accountId, sha256, misreading);
      metrics.misread('evaluation');
      logger.warn({ function: record.id, ...misreading }, 'compiled code misreads a function');
      result = await attempt(misreading);
    }
    if (result.kind === 'failed') throw failureFrom(result.error);
    if (result.kind === 'misread') throw new Error('CPython misreads nothing');
    if (result.checkDefect !== undefined) logger.error({ stack: result.checkDefect }, 'a check of values failed');
    const [reason] = result.notCompiled;
    if (reason?.kind !== undefined) metrics.fellBack(reason.kind);
    metrics.verified(result.verified);
    return result;
  }
}

const cut = (message: string): string =>
  message.length <= REASON_CHARACTERS ? message : `${message.slice(0, REASON_CHARACTERS - 1)}…`;

/** Each finding with line, column and the offending line, as far as a person reads on. */
function refusal(code: string, errors: readonly Diagnostic[]): string {
  if (errors.length === 0) return 'The source was not accepted.';
  const lines = code.split(/\r\n|\r|\n/);
  const shown = errors.slice(0, 5).map(({ message, line, column }) => {
    const text = (lines[line - 1] ?? '').slice(0, 200);
    const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
    return `Line ${line}, column ${column}: ${sentence}${text.trim() === '' ? '' : ` In: ${text}`}`;
  });
  const more = errors.length > shown.length ? [`And ${errors.length - shown.length} more.`] : [];
  return [...shown, ...more].join('\n');
}
