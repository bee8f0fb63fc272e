/**
 * Shows that gradients are right: those of all compiled objective fixtures against central differences with 80 digits,
 * at a random point of their box.
 *
 *   python3 -m venv /tmp/gradients && /tmp/gradients/bin/pip install mpmath==1.3.0
 *   node scripts/check-gradients.mjs /tmp/gradients/bin/python
 *
 * Prints the share of components within 1e-12 and every objective with one that is not; fails where a gradient is off
 * by more than 1e-9 of its largest component. Functions that lose digits themselves cannot have better gradients.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './support/paths.mjs';

const load = (file) => import(path.join(root, 'dist', file));
const { analyzeUpload, compileObjective } = await load('frontend/compile.js');
const { interpret } = await load('ir/interpreter.js');
const { differentiate } = await load('passes/gradient/differentiate.js');
const { optimizeIr } = await load('passes/pipeline.js');

const MAX_DIMENSION = 30;
const TRIES = 20;
const folder = path.join(root, 'test', 'fixtures', 'objectives');
const [python] = process.argv.slice(2);
if (python === undefined) {
  console.error('Usage: node scripts/check-gradients.mjs PYTHON');
  process.exit(2);
}

/** As Python's float.fromhex reads it: every bit. */
function hex(value) {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n === 1n ? '-' : '';
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const digits = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0');
  return exponent === 0 ? `${sign}0x0.${digits}p-1022` : `${sign}0x1.${digits}p${exponent - 1023}`;
}

function encode(program, facts) {
  const withText = (key, value) => {
    if (value instanceof Float64Array) return Array.from(value, hex);
    return value?.op === 'const' ? { ...value, imm: hex(value.imm) } : value;
  };
  return JSON.stringify({ ...program, ...facts }, withText);
}

function* programs() {
  let state = 12_345;
  const uniform = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  for (const fixture of JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))) {
    if (fixture.tier !== 'compiled') continue;
    const { source, vectorized } = analyzeUpload(readFileSync(path.join(folder, fixture.file), 'utf8'), 'objective');
    for (const dimension of fixture.dimensions.filter((n) => n <= MAX_DIMENSION)) {
      const { ir } = compileObjective(source, { dimension, pythonMinor: 11, vectorized });
      if (ir === null) continue;
      const program = optimizeIr(ir);
      const gradient = optimizeIr(differentiate(program));
      const { bounds } = fixture;
      const bound = (k) => (Array.isArray(bounds[0]) ? bounds[k] : bounds);
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const x = Array.from({ length: dimension }, (_, k) => bound(k)[0] + uniform() * (bound(k)[1] - bound(k)[0]));
        const lane = interpret(gradient, x);
        if (lane.status !== 0 || !Number.isFinite(lane.value)) continue;
        const facts = {
          name: `${fixture.file}, n = ${dimension}`,
          point: x.map(hex),
          gradient: Array.from(lane.outputs, hex),
        };
        yield encode(program, facts);
        break;
      }
    }
  }
}

const child = spawn(python, [path.join(root, 'scripts', 'support', 'check_gradients.py')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => child.on('close', resolve));
const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
let [checked, components, within, wrong] = [0, 0, 0, 0];
for (const program of programs()) {
  if (!child.stdin.write(`${program}\n`)) await new Promise((resolve) => child.stdin.once('drain', resolve));
  const { value: line } = await answers.next();
  const { name, errors, largest, flagged } = JSON.parse(line);
  if (flagged) continue;
  checked++;
  components += errors.length;
  const far = errors.filter((error) => !(error <= 1e-12));
  within += errors.length - far.length;
  if (far.length > 0)
    console.log(`${name}: ${far.length} of ${errors.length}, up to ${Math.max(...far).toExponential(1)}`);
  if (!(largest <= 1e-9)) {
    wrong++;
    console.log(`  WRONG: ${largest} of the largest component`);
  }
}
child.stdin.end();
const code = await ended;
console.log(
  `${checked} programs, ${components} partial derivatives, ${within} within 1e-12 of 80 digits, ${wrong} programs wrong`,
);
process.exitCode = code === 0 && wrong === 0 && checked > 0 ? 0 : 1;
