/** The user's own objective on the command line: its file, its bounds, and what is wrong with them, shown in place. */
import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { ExtremumError } from '../common/errors.js';
import { ConfigError } from '../config.js';
import type { Diagnostic } from '../frontend/syntax/diagnostic.js';
import { objectiveOf, type LocalRuns } from '../local-runs.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { Flags } from './flags.js';
import { printable } from './text-safety.js';

export const MAX_DIMENSION = 10_000;
/** As of an upload to the service. */
export const MAX_SOURCE_BYTES = 256 * 1024;
/** Room for more than 10,000 coordinates with all digits, which take some 500 KB. */
const MAX_BOUNDS_BYTES = 4 * 1024 * 1024;
const PART_BYTES = 64 * 1024;
/** Columns of a source line that are shown; of a longer one, the part around the caret. */
const EXCERPT_WIDTH = 100;

export const BOUNDS_HELP = `  --bounds BOUNDS       LOW:HIGH for each coordinate, joined by commas; LOW:HIGHxN for N alike; or LOW,HIGH xN, joined by
                        semicolons; or JSON, [[-5, 5], [0, 1]]; or @FILE with any of these, also in lines`;

/** @throws {ConfigError} */
export function parseBounds(text: string): (readonly [number, number])[] {
  const pairs = text.trimStart().startsWith('[') ? boundsFromJson(text) : boundsFromLines(text);
  if (pairs === null || pairs.length === 0) {
    const rule =
      'it must be LOW:HIGH for each coordinate, as 0:1,10:20 or -5:5x10, or "LOW,HIGH xN", as "-5,5 x10", or JSON, as [[0, 1], [10, 20]]';
    throw new ConfigError(`--bounds is ${JSON.stringify(cut(text))}; ${rule}.`);
  }
  if (pairs.length > MAX_DIMENSION) {
    throw new ConfigError(`--bounds has ${pairs.length} coordinates; at most ${MAX_DIMENSION} are possible.`);
  }
  pairs.forEach(([low, high], i) => {
    if (low < high && Number.isFinite(high - low)) return;
    throw new ConfigError(`--bounds: coordinate ${i + 1} has ${low}:${high}; the lower bound must be below the upper.`);
  });
  return pairs;
}

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text);

function boundsFromJson(text: string): (readonly [number, number])[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const isPair = (pair: unknown): pair is [number, number] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((v) => typeof v === 'number');
  return Array.isArray(parsed) && parsed.every(isPair) ? parsed : null;
}

function boundsFromLines(text: string): (readonly [number, number])[] | null {
  const all: (readonly [number, number])[] = [];
  for (const line of text.split(/\r?\n/)) {
    const pairs = boundsFromShorthand(line);
    if (pairs === null) return null;
    for (const pair of pairs) all.push(pair);
  }
  return all;
}

function boundsFromShorthand(text: string): (readonly [number, number])[] | null {
  // With colons, commas part coordinates; without, they part the two ends, and semicolons coordinates.
  const [separator, between] = text.includes(':') ? [',', ':'] : [';', ','];
  const pattern = new RegExp(
    `^\\s*([^${between}\\s]+)\\s*${between}\\s*([^${between}\\sx]+)\\s*(?:x\\s*(\\d{1,6}))?\\s*$`,
  );
  const pairs: (readonly [number, number])[] = [];
  for (const part of text.split(separator)) {
    const match = pattern.exec(part);
    const [low, high, times] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3] ?? 1)];
    if (match === null || !Number.isFinite(low) || !Number.isFinite(high) || times > MAX_DIMENSION) return null;
    for (let i = 0; i < times; i++) pairs.push([low, high]);
    if (pairs.length > MAX_DIMENSION) break;
  }
  return pairs;
}

/** @throws {ConfigError} */
export function readBounds(flags: Flags): (readonly [number, number])[] {
  const text = flags.value('bounds');
  if (text === undefined) throw new ConfigError('--bounds is needed, as --bounds=-5:5x10 or --bounds 0:1,10:20.');
  if (!text.startsWith('@')) return parseBounds(text);
  const file = text.slice(1);
  try {
    return parseBounds(new TextDecoder().decode(readBytes(file, MAX_BOUNDS_BYTES)).trim());
  } catch (cause) {
    if (cause instanceof ConfigError) throw new ConfigError(`${printable(file)}: ${cause.message}`);
    throw new ConfigError(`--bounds: ${printable(file)} cannot be read: ${whyNotRead(cause)}.`);
  }
}

/** @throws {ConfigError} */
export function readSource(file: string): string {
  try {
    return new TextDecoder().decode(readBytes(file, MAX_SOURCE_BYTES));
  } catch (cause) {
    throw new ConfigError(`${printable(file)} cannot be read: ${whyNotRead(cause)}.`);
  }
}

/**
 * Also of a pipe; never more than `limit`, whatever the file is.
 * @throws what the system says; {RangeError} where there is more
 */
export function readBytes(file: string, limit: number): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const part = new Uint8Array(PART_BYTES);
    const parts: Uint8Array[] = [];
    let size = 0;
    for (let read = -1; read !== 0;) {
      read = readSync(descriptor, part, 0, part.length, null);
      size += read;
      if (size > limit) throw new RangeError(`it has more than ${limit} bytes`);
      parts.push(part.slice(0, read));
    }
    return Buffer.concat(parts);
  } finally {
    closeSync(descriptor);
  }
}

/** Says, for people, why `readBytes` threw. */
export function whyNotRead(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'this user may not read it';
    default:
      return message;
  }
}

/**
 * The objective in the text of `file`; `name` must be it where it is given.
 * @throws {ExtremumError} `objective_rejected`, the message with the place, its line and a caret below.
 */
export async function loadObjective(
  local: LocalRuns,
  file: string,
  code: string,
  name: string | undefined,
): Promise<ObjectiveSource> {
  const analysis = await local.analyze(code, name ?? path.basename(file, '.py'));
  try {
    return objectiveOf(analysis, name);
  } catch (error) {
    if (!(error instanceof ExtremumError)) throw error;
    const [first] = analysis.errors;
    const message = first === undefined ? `${printable(file)}: ${error.message}` : placed(file, code, first);
    throw new ExtremumError(error.code, message, { cause: error });
  }
}

/** `FILE:LINE:COLUMN: message`, with the line and a caret below where the source has one there. */
export function placed(file: string, code: string, { line, column, message }: Omit<Diagnostic, 'kind'>): string {
  return [printable(`${file}:${line}:${column}: ${message}`), ...excerpt(code, line, column)].join('\n');
}

/** The source line and a line with a caret under `column` (from 1); nothing where there is no such line. */
export function excerpt(code: string, line: number, column: number): string[] {
  const text = code.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || text.trim() === '') return [];
  const at = Math.min(Math.max(column - 1, 0), text.length);
  const from = at < EXCERPT_WIDTH - 10 ? 0 : at - EXCERPT_WIDTH / 2;
  const shown = printable(text.slice(from, from + EXCERPT_WIDTH));
  // A tab stays one, so that the caret is where the terminal puts the character.
  const padding = shown.slice(0, at - from).replace(/[^\t]/g, ' ');
  return [`    ${shown}`, `    ${padding}^`];
}
