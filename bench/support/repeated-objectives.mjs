/**
 * Objectives that people run again and again with other data: those of test/fixtures/objectives/ that are real problems
 * with numbers in module-level lists, and the same with each of these numbers changed a little.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Rng } from '../../dist/common/rng.js';

const FOLDER = fileURLToPath(new URL('../../test/fixtures/objectives/', import.meta.url));
const MAX_DIMENSION = 12;
/** Numbers that make data. */
const LEAST_NUMBERS = 4;
const FLOAT = /(?<![\w.])\d+\.\d+(?:e-?\d+)?/g;

/** `{name, code, dimension, bounds}` of each, in the order of the manifest. */
export function repeatedObjectives() {
  const manifest = JSON.parse(fs.readFileSync(`${FOLDER}manifest.json`, 'utf8'));
  return manifest.flatMap(({ file, kind, tier, purity, dimensions, bounds }) => {
    const possible = dimensions.filter((n) => n >= 2 && n <= MAX_DIMENSION);
    if (kind !== 'real-world' || tier !== 'compiled' || purity !== 'pure' || possible.length === 0) return [];
    const code = fs.readFileSync(`${FOLDER}${file}`, 'utf8');
    const count = statementsOf(code).filter(isData).join('').match(FLOAT)?.length ?? 0;
    if (count < LEAST_NUMBERS) return [];
    const dimension = possible[possible.length >> 1];
    const box = Array.isArray(bounds[0]) ? bounds.slice(0, dimension) : Array.from({ length: dimension }, () => bounds);
    return [{ name: file.replace('.py', ''), code, dimension, bounds: box }];
  });
}

/** The code with its data multiplied by 1 + `change` N(0, 1), another time each `time`. */
export function withOtherData({ name, code }, change, time) {
  const rng = Rng.create(time).split(name);
  return statementsOf(code)
    .map((statement) => {
      if (!isData(statement)) return statement;
      return statement.replace(FLOAT, (text) => String(+(Number(text) * (1 + change * rng.normal())).toPrecision(9)));
    })
    .join('');
}

const isData = (statement) => /^\w[\w, ]* = /.test(statement) && /[[(]/.test(statement);

/** Lines, those within brackets together; each with its line end. */
function statementsOf(code) {
  const statements = [];
  let depth = 0;
  for (const line of code.split(/(?<=\n)/)) {
    if (depth > 0) statements[statements.length - 1] += line;
    else statements.push(line);
    const plain = line.replace(/#.*|"[^"]*"|'[^']*'/g, '');
    depth = Math.max(0, depth + (plain.match(/[[({]/g)?.length ?? 0) - (plain.match(/[\])}]/g)?.length ?? 0));
  }
  return statements;
}
