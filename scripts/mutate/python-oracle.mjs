/** A CPython process that answers requests of `oracle.py`, one after the other. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = path.join(path.dirname(fileURLToPath(import.meta.url)), 'oracle.py');
const view = new DataView(new ArrayBuffer(8));

/** Python's `float.hex()`. */
export function toHex(value) {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0');
  const lead = exponent === 0 ? `0x0.${fraction}p-1022` : `0x1.${fraction}p${exponent - 1023}`;
  return bits >> 63n === 1n ? `-${lead}` : lead;
}

export function fromHex(text) {
  if (text === 'nan') return NaN;
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  const [, sign, lead, digits, power] = /^(-?)0x([01])\.?([0-9a-f]*)p([+-]?\d+)$/.exec(text);
  const mantissa = Number(lead) + Number(BigInt(`0x${digits.padEnd(13, '0')}`)) / 2 ** 52;
  const half = Math.trunc(Number(power) / 2);
  const value = mantissa * 2 ** half * 2 ** (Number(power) - half);
  return sign === '-' ? -value : value;
}

export class PythonOracle {
  constructor(python) {
    this.process = spawn(python, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    this.last = Promise.resolve();
  }

  /**
   * `kind`: as `ArgumentChoice` of the service's processes. One answer for each point: `{values: [number]}` or
   * `{failure: {type, message, line}}`.
   */
  ask({ code, entry, argument }, points, kind = 'given') {
    const turn = this.last.then(async () => {
      const request = { code, entry, argument, kind, points: points.map((p) => Array.from(p, toHex)) };
      this.process.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await this.lines.next();
      if (done) throw new Error('the CPython process has ended');
      const { answers, error } = JSON.parse(value);
      const failure = ([type, message, line]) => ({ failure: { type, message, line } });
      if (error !== undefined) return points.map(() => failure(error));
      return answers.map(([kind, ...rest]) => (kind === 'value' ? { values: [fromHex(rest[0])] } : failure(rest)));
    });
    this.last = turn.catch(() => {});
    return turn;
  }

  close() {
    this.process.stdin.end();
  }
}
