/**
 * The programs that the engine makes from an objective, as cases for kernels: gradients, bounds over boxes and the
 * rest.
 */
import type { Kernel } from '../../../src/backends/backend.js';
import { openProgram } from '../../../src/evaluation/derived-programs.js';
import type { IrFunction } from '../../../src/ir/types.js';
import { isOfBox, switchCount, type DerivedReading } from '../../../src/model/reading.js';
import { seededRandom } from '../random-ir.js';
import type { Case } from './against-interpreter.js';
import type { KernelProgram } from './kernel-programs.js';

const READINGS: readonly DerivedReading[] = [
  'gradient',
  'bounds',
  'terms',
  'residuals',
  'tangents',
  'envelope',
  'switches',
];
const ROWS = 12;

/** Ends the opening, once the program is known. */
class Derived extends Error {
  constructor(readonly program: IrFunction) {
    super();
  }
}

/** Of each reading that the engine can make of the program, and of no more than `mostValues`, a case. */
export async function derivedCases({ name, fn, bounds }: KernelProgram, mostValues: number): Promise<Case[]> {
  const box = {
    lower: Float64Array.from(bounds, ([low]) => low),
    upper: Float64Array.from(bounds, ([, high]) => high),
  };
  const keep = (program: IrFunction): Promise<Kernel> => Promise.reject(new Derived(program));
  const readable = openProgram(fn, 'minimize', box, keep);
  const cases: Case[] = [];
  for (const reading of READINGS) {
    if (readable.resultLength(reading) === null) continue;
    const program = await Promise.resolve()
      .then(() => readable.open(reading))
      .then(
        () => null,
        (error: unknown) => (error instanceof Derived ? error.program : Promise.reject(error as Error)),
      );
    if (program === null || program.types.length > mostValues) continue;
    const results = readable.resultLength(reading)!;
    cases.push({ name: `${name}, ${reading}`, fn: program, batches: [rowsOf(reading, bounds, results)] });
  }
  return cases;
}

/** Rows as the reading wants them (`model/reading.ts`), inside of the bounds. */
function rowsOf(reading: DerivedReading, bounds: KernelProgram['bounds'], results: number): Float64Array {
  const random = seededRandom(ROWS);
  const point = (): number[] => bounds.map(([low, high]) => low + random() * (high - low));
  const row = (): number[] => {
    const [x, other] = [point(), point()];
    if (reading === 'tangents') return [...x, ...other.map(() => 2 * random() - 1)];
    if (reading === 'switches') return switchRow(x, results, random);
    if (!isOfBox(reading)) return x;
    return [...x.map((each, k) => Math.min(each, other[k])), ...x.map((each, k) => Math.max(each, other[k]))];
  };
  return Float64Array.from(Array.from({ length: ROWS }, row).flat());
}

/** Without shifts: the weights that a search gives, one for the value or one for a switch. */
function switchRow(x: readonly number[], results: number, random: () => number): number[] {
  const m = switchCount(x.length, results);
  const wanted = Math.floor(random() * (m + 1));
  return [...x, ...new Array<number>(m).fill(0), ...Array.from({ length: m + 1 }, (_, j) => +(j === wanted))];
}
