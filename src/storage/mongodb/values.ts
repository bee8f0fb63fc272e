/**
 * Values as fields of documents. BSON has rules of its own for keys and numbers, so what is never searched is the text
 * of ../codec.ts, and compressed where that pays: documents stay far below the limit of 16 MiB.
 */
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { Binary } from 'mongodb';
import type { PageRequest } from '../../model/page.js';
import { decode } from '../../common/codec.js';
import { Limit } from '../../common/limit.js';
import { SharedTurns } from '../../common/loop-turns.js';

/** Encoded text, as it is or (Binary) compressed. */
export type Packed = string | Binary;

/** Below, packing costs a request more than it saves: a record is read far more often than it is written. */
const COMPRESS_FROM_CHARACTERS = 16_384;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export async function pack(text: string): Promise<Packed> {
  return text.length < COMPRESS_FROM_CHARACTERS ? text : new Binary(await compress(text));
}

/** Compressed values that are held expanded at a time: as many as there are threads that expand. */
const expansions = new Limit(4);
const turns = new SharedTurns();

export async function unpack<T>(packed: Packed): Promise<T> {
  if (typeof packed === 'string') return decode<T>(packed);
  return expansions.run(async () => {
    const bytes = await expand(packed.value());
    return turns.run(() => [decode<T>(bytes.toString()), bytes.length]);
  });
}

/** Off the event loop. */
export function compress(content: string | Uint8Array): Promise<Buffer> {
  return deflate(content, { level: constants.Z_BEST_SPEED });
}

export function expand(bytes: Uint8Array): Promise<Buffer> {
  return inflate(bytes);
}

/** The options of a list, newest first. */
export const window = ({ limit, offset }: PageRequest) => ({ sort: { _id: -1 }, skip: offset, limit }) as const;

export const idOf = ({ _id }: { readonly _id: string }): string => _id;
