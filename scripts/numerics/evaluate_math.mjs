/**
 * Runs the mathematics library for measure_ulp.py; needs `npx tsc -p tsconfig.json` beforehand.
 *
 * Usage: node scripts/numerics/evaluate_math.mjs --count           prints the number of operations of each expansion
 *        node scripts/numerics/evaluate_math.mjs <request.json>    [{ "name": "sin", "args": path, "out": path }, ...],
 *                                                                  files of float64: rows of arguments, then results
 * IR_DIST: another folder than dist/ir.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const dist = process.env.IR_DIST ?? new URL('../../dist/ir/', import.meta.url).pathname;
const load = (file) => import(pathToFileURL(`${dist}/${file}`).href);
const { interpretBatch } = await load('interpreter.js');
const { MATH_LIBRARY } = await load('math/index.js');

if (process.argv[2] === '--count') {
  const isWork = (node) => node.kind === 'op' && node.op !== 'const' && node.op !== 'x';
  const count = (fn) => fn.body.body.filter(isWork).length;
  const names = Object.keys(MATH_LIBRARY).filter((name) => !name.endsWith('_quick'));
  const quick = names.map((name) => `${name} ${count(MATH_LIBRARY[`${name}_quick`] ?? MATH_LIBRARY[name])}`);
  const rare = names.flatMap((name) => {
    const last = MATH_LIBRARY[name].body.body.at(-1);
    return last.kind === 'if' ? `${name} ${last.then.body.filter(isWork).length}` : [];
  });
  console.log(`${quick.join(', ')}. For rare arguments besides: ${rare.join(', ')}.`);
  process.exit();
}

for (const { name, args, out } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const fn = MATH_LIBRARY[name];
  const bytes = readFileSync(args);
  const candidates = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const count = candidates.length / fn.dimension;
  const output = { values: new Float64Array(count), status: new Uint8Array(count) };
  interpretBatch(fn, { candidates, count, dimension: fn.dimension }, output);
  writeFileSync(out, output.values);
}
