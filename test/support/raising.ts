/** Compares which exceptions statements raise: CPython against compiled code. */
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { interpretAll } from './compiled-backends.js';
import { askOracle } from './cpython-oracle.js';
import { programOf, type Statement } from './raising-statements.js';

/** Where `x` is used: both signs, a zero, integers. */
const POINTS = [
  [1.5, 2.5],
  [0, -3],
  [2, 1],
];

export interface RaisingReport {
  /** How many raise at some point in CPython, and how many of those are compiled. */
  readonly raising: number;
  readonly compiled: number;
  readonly wrong: readonly string[];
}

export function compareRaising(python: string, statements: readonly Statement[]): RaisingReport {
  const wrong: string[] = [];
  const jobs = statements.flatMap((statement) => {
    try {
      const { source } = analyzeUpload(programOf(statement), 'f');
      // A syntax error.
      return source === null ? [] : [{ statement, source, points: POINTS }];
    } catch (error) {
      wrong.push(`${shown(statement)}: internal error: ${String(error)}`);
      return [];
    }
  });
  const { pythonMinor, results } = askOracle(python, jobs);
  let raising = 0;
  let compiled = 0;
  jobs.forEach(({ statement, source }, k) => {
    const raises = results[k].some((r) => r.kind === 'error' || r.value !== -1);
    if (raises) raising++;
    const { ir } = compileObjective(source, { dimension: 2, pythonMinor });
    if (ir === null) return;
    if (raises) compiled++;
    const { status, values } = interpretAll(ir, POINTS);
    const differs = POINTS.findIndex((_, p) => {
      const theirs = results[k][p];
      return status[p] === 0 && !(theirs.kind === 'value' && Object.is(theirs.value, values[p]));
    });
    if (differs < 0) return;
    const theirs = results[k][differs];
    const expected = theirs.kind === 'value' ? theirs.value : `${theirs.type}: ${theirs.message}`;
    wrong.push(`${shown(statement)} at [${POINTS[differs].join(', ')}]: ${values[differs]}, CPython ${expected}`);
  });
  return { raising, compiled, wrong };
}

const shown = ({ text, hasNumPy }: Statement): string => `${hasNumPy ? 'NumPy: ' : ''}${text.replaceAll('\n', '\\n')}`;
