/**
 * Thrift's compact protocol, as far as the description of a Parquet file needs it. Fields of a struct are written in the
 * order of their numbers, which rise.
 * Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
const TYPE = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

export class ThriftWriter {
  private readonly bytes: number[] = [];
  /** Number of the latest field of each struct that is open. */
  private readonly latest: number[] = [0];

  i32(field: number, value: number): void {
    this.field(field, TYPE.i32);
    this.zigzag(value);
  }

  /** Up to 2^52. */
  i64(field: number, value: number): void {
    this.field(field, TYPE.i64);
    this.zigzag(value);
  }

  text(field: number, value: string): void {
    this.field(field, TYPE.binary);
    this.binary(value);
  }

  struct(field: number, fields: () => void): void {
    this.field(field, TYPE.struct);
    this.open(fields);
  }

  /** Of structs. */
  list<T>(field: number, items: readonly T[], fields: (item: T, index: number) => void): void {
    this.listHead(field, items.length, TYPE.struct);
    items.forEach((item, i) => this.open(() => fields(item, i)));
  }

  i32s(field: number, values: readonly number[]): void {
    this.listHead(field, values.length, TYPE.i32);
    for (const value of values) this.zigzag(value);
  }

  texts(field: number, values: readonly string[]): void {
    this.listHead(field, values.length, TYPE.binary);
    for (const value of values) this.binary(value);
  }

  /** Of the outermost struct. */
  end(): Buffer {
    this.bytes.push(0);
    return Buffer.from(this.bytes);
  }

  private open(fields: () => void): void {
    this.latest.push(0);
    fields();
    this.latest.pop();
    this.bytes.push(0);
  }

  private field(number: number, type: number): void {
    const top = this.latest.length - 1;
    this.bytes.push(((number - this.latest[top]) << 4) | type);
    this.latest[top] = number;
  }

  private listHead(field: number, length: number, type: number): void {
    this.field(field, TYPE.list);
    if (length < 15) {
      this.bytes.push((length << 4) | type);
      return;
    }
    this.bytes.push(0xf0 | type);
    this.varint(length);
  }

  private binary(value: string): void {
    const bytes = Buffer.from(value);
    this.varint(bytes.length);
    for (const byte of bytes) this.bytes.push(byte);
  }

  private zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  private varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.bytes.push((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.bytes.push(rest);
  }
}
