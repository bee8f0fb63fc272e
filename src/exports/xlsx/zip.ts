/**
 * A ZIP archive as a stream: entries are deflated as they come, so their sizes and checksums follow them (data
 * descriptors, APPNOTE.TXT 4.3.9) and are repeated in the directory at the end. Without ZIP64: at most 4 GiB in all.
 * The same entries give the same bytes: times are 1980-01-01.
 */
import { Readable, pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** ASCII. */
  readonly path: string;
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

const DEFLATED = 8;
const DESCRIPTOR_FOLLOWS = 8;
const VERSION = 20;
const FIRST_OF_JANUARY_1980 = 0x21;
const MAX_UINT32 = 0xffffffff;

interface Written {
  readonly path: Buffer;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

/** @throws {RangeError} past 4 GiB. */
export async function* zip(entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const all: Written[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const path = Buffer.from(entry.path, 'ascii');
    const start = offset;
    let crc = 0;
    let size = 0;
    let packedSize = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of entry.content) {
        crc = crc32(piece, crc);
        size += piece.length;
        yield piece;
      }
    };
    const header = localHeader(path);
    offset += header.length;
    yield header;
    // A failure of the content destroys the deflater, so it is thrown by the loop.
    const deflated = pipeline(Readable.from(counted(), { objectMode: true }), createDeflateRaw(), () => {});
    for await (const piece of deflated as AsyncIterable<Buffer>) {
      packedSize += piece.length;
      yield piece;
    }
    offset += packedSize + 16;
    if (Math.max(offset, size) > MAX_UINT32) throw new RangeError('A ZIP archive without ZIP64 ends at 4 GiB.');
    yield descriptor(crc, packedSize, size);
    all.push({ path, crc, packedSize, size, offset: start });
  }
  yield directory(all, offset);
}

/** Fields of 2 and 4 bytes, little endian. */
function fields(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const buffer = Buffer.alloc(values.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of values) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

const localHeader = (path: Buffer): Buffer =>
  Buffer.concat([
    fields([4, 0x04034b50], [2, VERSION], [2, DESCRIPTOR_FOLLOWS], [2, DEFLATED], [2, 0], [2, FIRST_OF_JANUARY_1980]),
    fields([4, 0], [4, 0], [4, 0], [2, path.length], [2, 0]),
    path,
  ]);

const descriptor = (crc: number, packedSize: number, size: number): Buffer =>
  fields([4, 0x08074b50], [4, crc], [4, packedSize], [4, size]);

function directory(all: readonly Written[], offset: number): Buffer {
  const headers = all.map(({ path, crc, packedSize, size, offset: at }) =>
    Buffer.concat([
      fields([4, 0x02014b50], [2, VERSION], [2, VERSION], [2, DESCRIPTOR_FOLLOWS], [2, DEFLATED], [2, 0]),
      fields([2, FIRST_OF_JANUARY_1980], [4, crc], [4, packedSize], [4, size], [2, path.length], [2, 0], [2, 0]),
      fields([2, 0], [2, 0], [4, 0], [4, at]),
      path,
    ]),
  );
  const length = headers.reduce((sum, header) => sum + header.length, 0);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, all.length],
    [2, all.length],
    [4, length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...headers, end]);
}
