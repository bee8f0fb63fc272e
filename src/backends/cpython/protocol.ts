/**
 * Frames between the service and a Python worker: `u32 length, u8 type, payload`, little-endian. What a worker sends is
 * hostile once uploaded code runs in it: every length, number and text is checked here, and a breach is an error that
 * ends the worker. A forged frame that passes can only falsify the results of the run whose code forged it.
 * Layouts must stay equal to python/worker.py.
 */
import { randomBytes } from 'node:crypto';
import { EVALUATION_FAILED } from '../backend.js';
import { resultsIn, type ObjectiveSource } from '../../model/objective.js';
import type { EvaluationFailure } from '../../model/objective.js';

const HEADER_BYTES = 5;
const NONCE_BYTES = 16;
export const PROGRESS_BYTES = 4096;

export const FrameType = {
  ...{ load: 1, evaluate: 2, ask: 3, judge: 4 },
  ...{ hello: 10, loaded: 11, loadFailed: 12, results: 13, facts: 14 },
} as const;

const MESSAGE_LIMIT = 500;
const TYPE_LIMIT = 100;
/** Hello, loaded, loadFailed. */
const SHORT_FRAME_BYTES = 16 * 1024;
/** One failure as escaped JSON, at most. */
const FAILURE_BYTES = 8 * 1024;
const MOST_FAILURES = 200;
const RESULTS_HEAD_BYTES = NONCE_BYTES + 12;

export class ProtocolBreach extends Error {}

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

/** Cuts a byte stream into frames. `limitBytes` bounds what is buffered; a frame that announces more is a breach. */
export class FrameReader {
  limitBytes = SHORT_FRAME_BYTES;
  private pending: Buffer = Buffer.alloc(0);

  *read(chunk: Buffer): Generator<Frame> {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (this.pending.length >= HEADER_BYTES) {
      const length = this.pending.readUInt32LE(0);
      if (length > this.limitBytes)
        throw new ProtocolBreach(`a frame of ${length} bytes, at most ${this.limitBytes} are allowed`);
      if (this.pending.length < HEADER_BYTES + length) return;
      const frame = {
        type: this.pending.readUInt8(4),
        payload: this.pending.subarray(HEADER_BYTES, HEADER_BYTES + length),
      };
      this.pending = this.pending.subarray(HEADER_BYTES + length);
      yield frame;
    }
  }
}

/** Largest frame that may answer a request of `count` candidates with `width` values each. */
export const resultsLimit = (count: number, width: number, outputBytes: number): number =>
  RESULTS_HEAD_BYTES + (8 * width + 1) * count + outputBytes;

export const newNonce = (): Buffer => randomBytes(NONCE_BYTES);

function header(type: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES);
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt8(type, 4);
  return bytes;
}

/**
 * The kind of argument that a process gives the objective. `given`: as the source says; `read`: as the process itself
 * reads the text, where it can tell; `checked`: as `read`, and where it cannot tell a candidate fails as
 * `DOUBTFUL_ARGUMENT` if the other kind gives another value.
 */
export type ArgumentChoice = 'given' | 'read' | 'checked';

/** The worker is told to send an answer before its failures could outgrow `outputBytes`. */
export function loadRequest(
  nonce: Buffer,
  source: ObjectiveSource,
  dimension: number,
  { outputBytes, memoryBytes: memory }: { readonly outputBytes: number; readonly memoryBytes: number },
  kind: ArgumentChoice,
): Buffer {
  const { code, entry, argument, vectorized = false } = source;
  const failures = Math.max(1, Math.min(MOST_FAILURES, Math.floor(outputBytes / FAILURE_BYTES)));
  const results = resultsIn(source);
  const wanted = { code, entry, argument, kind, vectorized, results, dimension, failures, memory };
  const body = Buffer.from(JSON.stringify(wanted));
  return Buffer.concat([header(FrameType.load, NONCE_BYTES + body.length), nonce, body]);
}

/**
 * Names that a module is asked for: as attributes, and as what is imported from it, which may be a module inside of it.
 */
export interface ModuleQuestion {
  readonly members: readonly string[];
  readonly parts: readonly string[];
}

export type ModuleQuestions = ReadonlyMap<string, ModuleQuestion>;

export function askRequest(nonce: Buffer, wanted: ModuleQuestions): Buffer {
  const questions = [...wanted].map(([path, { members, parts }]) => [path, [members, parts]]);
  const body = Buffer.from(JSON.stringify(Object.fromEntries(questions)));
  return Buffer.concat([header(FrameType.ask, NONCE_BYTES + body.length), nonce, body]);
}

/** Answers to `askRequest`. */
export const FACTS_BYTES = 4 * 1024 * 1024;

/** One module's answer about itself. */
export type ModuleAnswer =
  | { readonly raises: string }
  /** `isClosed`: it has no other names; `parts`: those asked for that are modules inside of it. */
  | {
      readonly raises: null;
      readonly names: readonly string[];
      readonly isClosed: boolean;
      readonly parts: readonly string[];
    };

export function parseFacts(frame: Frame, nonce: Buffer): ReadonlyMap<string, ModuleAnswer> {
  if (frame.type !== FrameType.facts) throw new ProtocolBreach(`frame type ${frame.type} for facts`);
  const found = Object.entries(parseObject(afterNonce(frame.payload, nonce)));
  return new Map(found.map(([name, facts]) => [name, moduleAnswer(facts)]));
}

function moduleAnswer(facts: unknown): ModuleAnswer {
  if (typeof facts !== 'object' || facts === null) throw new ProtocolBreach('malformed facts');
  const { raises, names, closed, parts } = facts as Record<string, unknown>;
  if (typeof raises === 'string') return { raises: raises.slice(0, TYPE_LIMIT) };
  if (!isListOfNames(names) || !isListOfNames(parts)) throw new ProtocolBreach('malformed facts');
  return { raises: null, names, isClosed: closed === true, parts };
}

const isListOfNames = (list: unknown): list is readonly string[] =>
  Array.isArray(list) && list.every((name) => typeof name === 'string');

/** Copies `rows` (row-major, `count` rows), so that the caller's array is free at once. */
export function evaluateRequest(sequence: number, count: number, rows: Float64Array): Buffer {
  const numbers = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32LE(sequence, 0);
  head.writeUInt32LE(count, 4);
  return Buffer.concat([header(FrameType.evaluate, 8 + numbers.length), head, numbers]);
}

export interface Hello {
  readonly python: string;
  readonly numpy: string | null;
  /** Level of confinement that the launcher reached, e.g. `landlock=7 seccomp=2 uid=65534`. */
  readonly sandbox: string;
  /** The limits in force, which a hard limit of the host may have lowered; null: none. */
  readonly memoryBytes: number | null;
  readonly cpuSeconds: number | null;
}

export function parseHello(frame: Frame): Hello {
  const { python, numpy, sandbox, memory, cpu } = parseObject(frame.payload);
  if (frame.type !== FrameType.hello || typeof python !== 'string' || typeof sandbox !== 'string')
    throw new ProtocolBreach('no greeting');
  return {
    python,
    numpy: typeof numpy === 'string' ? numpy : null,
    sandbox,
    memoryBytes: limitOf(memory),
    cpuSeconds: limitOf(cpu),
  };
}

/** RLIM_INFINITY comes as -1. */
const limitOf = (value: unknown): number | null => (isInteger(value, 0, Number.MAX_SAFE_INTEGER) ? value : null);

/** `stateful`: words on what may outlive a call; null: nothing does, as far as the text shows. */
export type Loaded = { readonly stateful: string | null } | { readonly problem: EvaluationFailure };

export function parseLoaded(frame: Frame, nonce: Buffer): Loaded {
  const body = afterNonce(frame.payload, nonce);
  if (frame.type === FrameType.loaded) return { stateful: statefulOf(parseObject(body)) };
  if (frame.type !== FrameType.loadFailed) throw new ProtocolBreach(`frame type ${frame.type} while loading`);
  const { type, message, line } = parseObject(body);
  return { problem: failure(type, message, line) };
}

/** Asks whether calls are free of each other, instead of `loadRequest`. */
export function judgeRequest(nonce: Buffer, { code, entry }: ObjectiveSource): Buffer {
  const body = Buffer.from(JSON.stringify({ code, entry }));
  return Buffer.concat([header(FrameType.judge, NONCE_BYTES + body.length), nonce, body]);
}

export function parseJudgement(frame: Frame, nonce: Buffer): string | null {
  if (frame.type !== FrameType.facts) throw new ProtocolBreach(`frame type ${frame.type} for a judgement`);
  return statefulOf(parseObject(afterNonce(frame.payload, nonce)));
}

function statefulOf({ stateful }: Record<string, unknown>): string | null {
  if (stateful === null) return null;
  if (typeof stateful !== 'string') throw new ProtocolBreach('no judgement');
  return stateful.slice(0, MESSAGE_LIMIT);
}

export interface Results {
  readonly start: number;
  readonly count: number;
  /** [count, width]; NaN where the evaluation failed. */
  readonly values: Float64Array;
  readonly status: Uint8Array;
  readonly failures: readonly (EvaluationFailure & { readonly index: number })[];
}

export interface Expected {
  readonly nonce: Buffer;
  readonly sequence: number;
  /** First row that was not answered yet. */
  readonly start: number;
  /** Rows of the request. */
  readonly count: number;
  /** Values of a row. */
  readonly width: number;
}

export function parseResults(frame: Frame, expected: Expected): Results {
  if (frame.type !== FrameType.results) throw new ProtocolBreach(`frame type ${frame.type} while evaluating`);
  const body = afterNonce(frame.payload, expected.nonce);
  if (body.length < 12) throw new ProtocolBreach('a short results frame');
  const [sequence, start, count] = [body.readUInt32LE(0), body.readUInt32LE(4), body.readUInt32LE(8)];
  if (sequence !== expected.sequence || start !== expected.start || count < 1 || count > expected.count - start)
    throw new ProtocolBreach('results that were not asked for');
  const { width } = expected;
  const statusAt = 12 + 8 * count * width;
  if (body.length < statusAt + count) throw new ProtocolBreach('a short results frame');
  const values = new Float64Array(count * width);
  for (let k = 0; k < values.length; k++) values[k] = body.readDoubleLE(12 + 8 * k);
  const status = Uint8Array.from(body.subarray(statusAt, statusAt + count));
  const failures = parseFailures(body.subarray(statusAt + count), start, count);
  checkStatus(values, status, failures, start, width);
  return { start, count, values, status, failures };
}

function checkStatus(
  values: Float64Array,
  status: Uint8Array,
  failures: Results['failures'],
  start: number,
  width: number,
): void {
  const failed = new Set(failures.map(({ index }) => index - start));
  if (failed.size !== failures.length) throw new ProtocolBreach('two failures of one candidate');
  for (let row = 0; row < status.length; row++) {
    const isFailed = failed.has(row);
    if (status[row] !== (isFailed ? EVALUATION_FAILED : 0)) throw new ProtocolBreach('a status without its failure');
    const own = values.subarray(row * width, (row + 1) * width);
    if (isFailed) own.fill(NaN);
    else if (own.some(Number.isNaN)) throw new ProtocolBreach('NaN as a value');
  }
}

function parseFailures(body: Buffer, start: number, count: number): Results['failures'] {
  const list = parseJson(body);
  if (!Array.isArray(list)) throw new ProtocolBreach('failures are no list');
  return list.map((entry: unknown) => {
    if (!Array.isArray(entry) || entry.length !== 4) throw new ProtocolBreach('a malformed failure');
    const [index, type, message, line] = entry as unknown[];
    if (!isInteger(index, start, start + count - 1)) throw new ProtocolBreach('a failure of another candidate');
    return { index, ...failure(type, message, line) };
  });
}

function failure(type: unknown, message: unknown, line: unknown): EvaluationFailure {
  if (typeof type !== 'string' || typeof message !== 'string' || !isInteger(line, 0, 2 ** 31))
    throw new ProtocolBreach('a malformed failure');
  return { type: type.slice(0, TYPE_LIMIT), message: message.slice(0, MESSAGE_LIMIT), line };
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function afterNonce(payload: Buffer, nonce: Buffer): Buffer {
  if (!payload.subarray(0, NONCE_BYTES).equals(nonce)) throw new ProtocolBreach('a frame without the nonce');
  return payload.subarray(NONCE_BYTES);
}

function parseObject(body: Buffer): Record<string, unknown> {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProtocolBreach('no JSON object');
  return value as Record<string, unknown>;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProtocolBreach('malformed JSON');
  }
}
