/**
 * The set of problems outside BBOB (docs/guides/problem-set.md): `problems.json` says of each its bounds, source and
 * best known value; `problems/<group>/<name>.py` is the program, as somebody would upload it.
 *
 * A classical function has as many instances as are asked for: instance k puts another box around another optimum, so
 * that no search wins by trying zeros or ones. Any other problem is one program; its instances differ in the solver's
 * seed.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Rng } from '../../dist/common/rng.js';

export const GROUPS = ['classical', 'designs', 'fits', 'integers', 'noisy'];
export const SETS = ['visible', 'held-out', 'all'];

const text = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');

export const readTable = () => JSON.parse(text('problems.json'));

/** @param set one of SETS: held-out problems are for the end of a piece of work */
export function problemsOf(set) {
  return readTable().filter(({ heldOut }) => set === 'all' || heldOut === (set === 'held-out'));
}

/** Of 31 bits, from words. */
export const seedOf = (...words) => createHash('sha256').update(words.join(' ')).digest().readUInt32LE(0) >>> 1;

/**
 * @returns `code` with an objective `f`, `bounds`, the best known `value` and the point `at` which it is reached
 */
export function instanceOf(problem, instance) {
  const { name, group, bounds, moves, best } = problem;
  const code = text(`problems/${group}/${name}.py`);
  const rng = Rng.create(seedOf('instance', name, instance));
  if (moves === 'turn') return turned(code, bounds, best, rng);
  if (moves === 'stretch') return stretched(code, bounds, best, rng);
  return { code, bounds, value: best.value, at: best.at };
}

const list = (values) => `[${values.map((v) => (Number.isInteger(v) ? `${v}.0` : String(v))).join(', ')}]`;
const table = (rows) => `[\n${rows.map((row) => `    ${list(row)},\n`).join('')}]`;

/** The function of the file under the name `plain`, then `f`. */
const withPlain = (code, rest) => `${code.replace(/^def f\(/m, 'def plain(').replace(/^f = /m, 'plain = ')}\n${rest}`;

/** Sides up to four times longer or shorter, anywhere. */
function otherBox(bounds, rng) {
  return bounds.map(([low, high]) => {
    const width = (high - low) * 4 ** (2 * rng.uniform() - 1);
    const lower = low + (high - low) * (2 * rng.uniform() - 1);
    return [lower, lower + width];
  });
}

/**
 * For a function whose least value in the box is its least value anywhere: rotated in the unit box, each side
 * stretched, the optimum at a place that is drawn from the inner 60 % of each side.
 */
function turned(code, bounds, best, rng) {
  const box = otherBox(bounds, rng);
  const at = box.map(([low, high]) => low + (0.2 + 0.6 * rng.uniform()) * (high - low));
  const widths = bounds.map(([low, high]) => high - low);
  const turn = rotation(bounds.length, rng).map((row, i) =>
    row.map((v, j) => (v * widths[i]) / (box[j][1] - box[j][0])),
  );
  const isNumpy = /^import numpy/m.test(code);
  const constant = (name, value) => `${name} = ${isNumpy ? `np.array(${value})` : value}\n`;
  const body = isNumpy
    ? '    return plain(AT + TURN @ (x - CENTRE))\n'
    : '    moved = [v - c for v, c in zip(x, CENTRE)]\n' +
      '    return plain([a + sum(t * m for t, m in zip(row, moved)) for a, row in zip(AT, TURN)])\n';
  const rest =
    constant('AT', list(best.at)) +
    constant('CENTRE', list(at)) +
    constant('TURN', table(turn)) +
    `\ndef f(x):\n${body}`;
  return { code: withPlain(code, rest), bounds: box, value: best.value, at };
}

/** For a function that is lower outside: only sides are stretched and moved. */
function stretched(code, bounds, best, rng) {
  const box = otherBox(bounds, rng);
  const factors = bounds.map(([low, high], i) => (high - low) / (box[i][1] - box[i][0]));
  const lower = list(bounds.map(([low]) => low));
  const from = list(box.map(([low]) => low));
  const isNumpy = /^import numpy/m.test(code);
  const rest = isNumpy
    ? `LOWER = np.array(${lower})\nFROM = np.array(${from})\nFACTORS = np.array(${list(factors)})\n` +
      '\ndef f(x):\n    return plain(LOWER + FACTORS * (x - FROM))\n'
    : `LOWER = ${lower}\nFROM = ${from}\nFACTORS = ${list(factors)}\n` +
      '\ndef f(x):\n    return plain([a + s * (v - b) for a, s, v, b in zip(LOWER, FACTORS, x, FROM)])\n';
  // Rounding must not put a point of the border outside.
  const at = best.at.map((v, i) =>
    Math.min(box[i][1], Math.max(box[i][0], box[i][0] + (v - bounds[i][0]) / factors[i])),
  );
  return { code: withPlain(code, rest), bounds: box, value: best.value, at };
}

/** Random, by Gram and Schmidt's method on normal numbers. */
function rotation(n, rng) {
  const rows = [];
  while (rows.length < n) {
    let row = Array.from({ length: n }, () => rng.normal());
    for (const other of rows) {
      const along = other.reduce((sum, v, j) => sum + v * row[j], 0);
      row = row.map((v, j) => v - along * other[j]);
    }
    const length = Math.hypot(...row);
    if (length > 1e-3) rows.push(row.map((v) => v / length));
  }
  return rows;
}
