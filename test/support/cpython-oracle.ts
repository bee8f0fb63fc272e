/** Runs `cpython-oracle.py`: what CPython and NumPy on this machine compute. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ObjectiveSource } from '../../src/model/objective.js';

export type OracleResult =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'error'; readonly type: string; readonly message: string };

export interface OracleJob {
  readonly source: ObjectiveSource;
  readonly points: readonly (readonly number[])[];
}

export interface OracleAnswers {
  /** Minor version of the Python 3 that answered. */
  readonly pythonMinor: number;
  /** One row per job, one entry per point. */
  readonly results: readonly (readonly OracleResult[])[];
}

export function askOracle(
  python: string,
  jobs: readonly OracleJob[],
  env: NodeJS.ProcessEnv = process.env,
): OracleAnswers {
  const script = fileURLToPath(new URL('./cpython-oracle.py', import.meta.url));
  const input = JSON.stringify({
    jobs: jobs.map(({ source, points }) => ({
      code: source.code,
      entry: source.entry,
      argument: source.argument,
      points: points.map((p) => p.map(toHex)),
    })),
  });
  const run = spawnSync(python, [script], { input, env, encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120_000 });
  if (run.status !== 0) throw new Error(`the oracle failed (${run.signal ?? run.status}): ${run.stderr}`);
  const { version, results } = JSON.parse(run.stdout) as {
    version: [number, number, number];
    results: ([string, string] | [string, string, string])[][];
  };
  return {
    pythonMinor: version[1],
    results: results.map((rows) =>
      rows.map((row) =>
        row[0] === 'value'
          ? { kind: 'value', value: fromHex(row[1]) }
          : { kind: 'error', type: row[1], message: row[2] ?? '' },
      ),
    ),
  };
}

const view = new DataView(new ArrayBuffer(8));

/** Python's float.hex() form. */
export function toHex(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n === 1n ? '-' : '';
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0');
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${exponent === 0 ? -1022 : exponent - 1023}`;
}

export function fromHex(text: string): number {
  if (text === 'nan') return NaN;
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  const match = /^(-?)0x([01])\.([0-9a-f]*)p([+-]?\d+)$/.exec(text);
  if (match === null) throw new Error(`no hexadecimal float: ${text}`);
  const digits = match[3].padEnd(13, '0');
  const mantissa = Number(match[2]) + Number(BigInt(`0x${digits}`)) / 2 ** 52;
  const exponent = Number(match[4]);
  // Two steps, so that denormals are exact.
  const half = Math.trunc(exponent / 2);
  const value = mantissa * 2 ** half * 2 ** (exponent - half);
  return match[1] === '-' ? -value : value;
}

const ordered = (value: number): bigint => {
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
};

/** Representable numbers between two values; 0 for equal ones and for two NaNs. */
export function ulpDistance(a: number, b: number): number {
  if (Object.is(a, b) || a === b) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const difference = ordered(a) - ordered(b);
  return Number(difference < 0n ? -difference : difference);
}
