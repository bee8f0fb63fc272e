/**
 * The rows that COCO's logger would write for one run, in the format `bbob-new2`: when the best value passes a level
 * (`.dat`) and at certain evaluation counts (`.tdat`). `coco-files.ts` puts the runs together to files.
 */

/** Levels of f - fopt: five in a decade, none below 10^(-40/5) = 1e-8. */
const LOWEST_LEVEL = -40;
/** Up to here a row shows x too. */
const SHOWN_DIMENSION = 6;

/** C's `%.<digits>e`: at least two digits of exponent. */
export function exponential(value: number, digits: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const [mantissa, exponent] = value.toExponential(digits).split('e') as [string, string];
  const minus = Object.is(value, -0) ? '-' : '';
  return `${minus}${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** C's `%+.<digits>e`. */
export function signedExponential(value: number, digits: number): string {
  const text = exponential(value, digits);
  return text.startsWith('-') || text === 'nan' ? text : `+${text}`;
}

/** Evaluation counts of `.tdat` rows: floor(10^(e/20)) and n {1, 2, 5} 10^e, ascending, without repetition. */
export function* evaluationTriggers(dimension: number): Generator<number, never> {
  let step = 0;
  let decade = 1;
  let digit = 0;
  let last = 0;
  for (;;) {
    // 10^(e/20) of whole decades must not fall below the power of ten.
    const byStep = Math.floor(step % 20 === 0 ? Number(`1e${step / 20}`) : Math.pow(10, step / 20));
    const byDimension = dimension * [1, 2, 5][digit] * decade;
    if (byStep <= byDimension) step++;
    if (byDimension <= byStep) {
      digit = (digit + 1) % 3;
      if (digit === 0) decade *= 10;
    }
    const next = Math.min(byStep, byDimension);
    if (next > last) yield (last = next);
  }
}

export class CocoLog {
  readonly dat: string[] = [];
  readonly tdat: string[] = [];
  private evaluations = 0;
  private bestDelta = Infinity;
  private bestValue = Infinity;
  private level = Infinity;
  private readonly triggers: Generator<number, never>;
  private nextTrigger: number;
  private readonly x: Float64Array;
  private value = NaN;
  private datRow = 0;
  private tdatRow = 0;

  constructor(private readonly dimension: number) {
    this.triggers = evaluationTriggers(dimension);
    this.nextTrigger = this.triggers.next().value;
    this.x = new Float64Array(dimension);
  }

  /** `delta`: f - fopt without noise; `value`: what the strategy saw; x: `candidates[start ...]`. */
  add(delta: number, value: number, candidates: Float64Array, start: number): void {
    this.evaluations++;
    for (let i = 0; i < this.dimension; i++) this.x[i] = candidates[start + i]!;
    this.value = value;
    if (value < this.bestValue) this.bestValue = value;
    if (delta < this.bestDelta) {
      this.bestDelta = Math.max(0, delta);
      const level = Math.max(LOWEST_LEVEL, Math.ceil(5 * Math.log10(this.bestDelta)));
      if (level < this.level) {
        this.level = level;
        this.writeDat();
      }
    }
    if (this.evaluations === 1 && this.datRow === 0) this.writeDat();
    if (this.evaluations === this.nextTrigger) {
      this.nextTrigger = this.triggers.next().value;
      this.writeTdat();
    }
  }

  /** Adds the row of the last evaluation where it is missing. */
  finish(): void {
    if (this.evaluations === 0) return;
    if (this.datRow < this.evaluations) this.writeDat();
    if (this.tdatRow < this.evaluations) this.writeTdat();
  }

  private writeDat(): void {
    this.dat.push(this.row());
    this.datRow = this.evaluations;
  }

  private writeTdat(): void {
    this.tdat.push(this.row());
    this.tdatRow = this.evaluations;
  }

  private row(): string {
    const { value, x } = this;
    const numbers = [
      signedExponential(this.bestDelta, 9),
      signedExponential(value, 9),
      signedExponential(this.bestValue, 9),
    ];
    if (this.dimension <= SHOWN_DIMENSION) for (const v of x) numbers.push(signedExponential(v, 4));
    return `${this.evaluations} 0 ${numbers.join(' ')}`;
  }
}
