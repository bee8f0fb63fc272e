/** Rows as text. Each number is the shortest that reads back to the same bits. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Reading } from '../../model/reading.js';
import { coordinateNames, valueNames } from './columns.js';

const PIECE_CHARACTERS = 1 << 16;

export class CsvLog {
  private readonly descriptor: number;
  private text: string;

  constructor(
    file: string,
    private readonly dimension: number,
    private readonly objectives: number,
  ) {
    this.descriptor = openSync(file, 'w');
    const names = [...valueNames(objectives), ...coordinateNames(dimension)];
    this.text = `evaluation,reading,failed,${names.join(',')}\n`;
  }

  add(
    evaluation: number,
    reading: Reading,
    failed: boolean,
    values: Float64Array | null,
    valuesAt: number,
    x: Float64Array | null,
  ): void {
    let row = `${evaluation},${reading},${failed}`;
    for (let k = 0; k < this.objectives; k++) row += `,${values === null ? '' : textOf(values[valuesAt + k])}`;
    for (let j = 0; j < this.dimension; j++) row += `,${x === null ? '' : textOf(x[j])}`;
    this.text += `${row}\n`;
    if (this.text.length >= PIECE_CHARACTERS) this.flush();
  }

  close(): void {
    try {
      this.flush();
    } finally {
      closeSync(this.descriptor);
    }
  }

  private flush(): void {
    const bytes = Buffer.from(this.text);
    this.text = '';
    for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
  }
}

function textOf(value: number): string {
  if (value !== value) return '';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  return Object.is(value, -0) ? '-0.0' : String(value);
}
