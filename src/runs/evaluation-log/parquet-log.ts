/**
 * Rows as an Apache Parquet file: columns of plain values, not compressed, none of them optional, one page for each column
 * of a row group. The file can be read once it is closed, because its description comes last.
 * Source: https://parquet.apache.org/docs/file-format/ and parquet.thrift of parquet-format 2.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Reading } from '../../model/reading.js';
import { coordinateNames, valueNames } from './columns.js';
import { ThriftWriter } from './thrift-writer.js';

const MAGIC = Buffer.from('PAR1');
/** Of a row group, where rows are short; memory that a log takes. */
const GROUP_BYTES = 4 * 1024 ** 2;
/** A row group describes each of its columns, in some 60 bytes. */
const LEAST_ROWS = 256;
const MOST_ROWS = 1 << 16;

/** Numbers of parquet.thrift. */
const TYPE = { boolean: 0, int64: 2, double: 5, byteArray: 6 } as const;
const REQUIRED = 0;
const UTF8 = 0;
const ENCODING = { plain: 0, rle: 3 } as const;
const UNCOMPRESSED = 0;
const DATA_PAGE = 0;

interface Column {
  readonly name: string;
  readonly type: number;
}

interface Chunk {
  readonly offset: number;
  readonly bytes: number;
}

interface Group {
  readonly rows: number;
  readonly chunks: readonly Chunk[];
}

export class ParquetLog {
  private readonly descriptor: number;
  private readonly columns: readonly Column[];
  private readonly capacity: number;
  private readonly evaluations: BigInt64Array;
  private readonly readings: Reading[] = [];
  private readonly failed: Uint8Array;
  /** Column by column, [objectives + dimension, capacity]. */
  private readonly numbers: Float64Array;
  private readonly width: number;
  private readonly groups: Group[] = [];
  private rows = 0;
  private written = 0;

  constructor(
    file: string,
    dimension: number,
    private readonly objectives: number,
  ) {
    const names = [...valueNames(objectives), ...coordinateNames(dimension)];
    this.width = names.length;
    this.columns = [
      { name: 'evaluation', type: TYPE.int64 },
      { name: 'reading', type: TYPE.byteArray },
      { name: 'failed', type: TYPE.boolean },
      ...names.map((name) => ({ name, type: TYPE.double })),
    ];
    this.capacity = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(GROUP_BYTES / (8 * (this.width + 2)))));
    this.evaluations = new BigInt64Array(this.capacity);
    this.failed = new Uint8Array(this.capacity);
    this.numbers = new Float64Array(this.width * this.capacity);
    this.descriptor = openSync(file, 'w');
    this.write(MAGIC);
  }

  add(
    evaluation: number,
    reading: Reading,
    failed: boolean,
    values: Float64Array | null,
    valuesAt: number,
    x: Float64Array | null,
    xAt: number,
  ): void {
    const { rows, numbers, capacity, objectives, width } = this;
    this.evaluations[rows] = BigInt(evaluation);
    this.readings[rows] = reading;
    this.failed[rows] = failed ? 1 : 0;
    for (let k = 0; k < objectives; k++) numbers[k * capacity + rows] = values === null ? NaN : values[valuesAt + k];
    for (let j = objectives; j < width; j++) numbers[j * capacity + rows] = x === null ? NaN : x[xAt + j - objectives];
    this.rows++;
    if (this.rows === capacity) this.flush();
  }

  close(): void {
    try {
      if (this.rows > 0) this.flush();
      const footer = this.describe();
      const length = Buffer.alloc(4);
      length.writeUInt32LE(footer.length);
      this.write(footer);
      this.write(length);
      this.write(MAGIC);
    } finally {
      closeSync(this.descriptor);
    }
  }

  private flush(): void {
    const { rows, capacity } = this;
    const pages = [
      bytesOf(this.evaluations.subarray(0, rows)),
      this.readingsPage(),
      this.failedPage(),
      ...Array.from({ length: this.width }, (_, j) =>
        bytesOf(this.numbers.subarray(j * capacity, j * capacity + rows)),
      ),
    ];
    const chunks = pages.map((page): Chunk => {
      const offset = this.written;
      this.write(pageHeader(page.length, rows));
      this.write(page);
      return { offset, bytes: this.written - offset };
    });
    this.groups.push({ rows, chunks });
    this.rows = 0;
  }

  /** Each text after its length. */
  private readingsPage(): Buffer {
    const texts = this.readings.slice(0, this.rows);
    const page = Buffer.alloc(texts.reduce((sum, text) => sum + 4 + text.length, 0));
    let at = 0;
    for (const text of texts) {
      at = page.writeUInt32LE(text.length, at);
      at += page.write(text, at, 'latin1');
    }
    return page;
  }

  /** One bit each, the lowest first. */
  private failedPage(): Buffer {
    const page = Buffer.alloc(Math.ceil(this.rows / 8));
    for (let i = 0; i < this.rows; i++) page[i >> 3] |= this.failed[i] << (i & 7);
    return page;
  }

  /** `FileMetaData` */
  private describe(): Buffer {
    const { columns, groups } = this;
    const out = new ThriftWriter();
    out.i32(1, 1);
    out.list(2, [null, ...columns], (column) => {
      if (column === null) {
        out.text(4, 'run');
        out.i32(5, columns.length);
        return;
      }
      out.i32(1, column.type);
      out.i32(3, REQUIRED);
      out.text(4, column.name);
      if (column.type === TYPE.byteArray) out.i32(6, UTF8);
    });
    out.i64(
      3,
      groups.reduce((sum, { rows }) => sum + rows, 0),
    );
    out.list(4, groups, ({ rows, chunks }) => {
      out.list(1, chunks, ({ offset, bytes }, i) => {
        out.i64(2, offset);
        out.struct(3, () => {
          out.i32(1, columns[i].type);
          out.i32s(2, [ENCODING.plain]);
          out.texts(3, [columns[i].name]);
          out.i32(4, UNCOMPRESSED);
          out.i64(5, rows);
          out.i64(6, bytes);
          out.i64(7, bytes);
          out.i64(9, offset);
        });
      });
      out.i64(
        2,
        chunks.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      out.i64(3, rows);
    });
    out.text(6, 'extremum');
    return out.end();
  }

  private write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
    this.written += bytes.length;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: BigInt64Array | Float64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function pageHeader(bytes: number, rows: number): Buffer {
  const out = new ThriftWriter();
  out.i32(1, DATA_PAGE);
  out.i32(2, bytes);
  out.i32(3, bytes);
  out.struct(5, () => {
    out.i32(1, rows);
    out.i32(2, ENCODING.plain);
    out.i32(3, ENCODING.rle);
    out.i32(4, ENCODING.rle);
  });
  return out.end();
}
