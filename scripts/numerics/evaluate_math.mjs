// Evaluates operations of the mathematics library for measure_ulp.py. Needs `npx tsc -p tsconfig.json` beforehand.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const dist = process.env.IR_DIST ?? new URL('../../dist/ir/', import.meta.url).pathname;
const load = (file) => import(pathToFileURL(`${dist}/${file}`).href);
const { interpretBatch } = await load('interpreter.js');
const { MATH_LIBRARY } = await load('math/index.js');

for (const { name, args, out } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  const fn = MATH_LIBRARY[name];
  const bytes = readFileSync(args);
  const candidates = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const count = candidates.length / fn.dimension;
  const output = { values: new Float64Array(count), status: new Uint8Array(count) };
  interpretBatch(fn, { candidates, count, dimension: fn.dimension }, output);
  writeFileSync(out, output.values);
}
