/**
 * Random but valid IR programs and candidates, for comparing passes and backends with the interpreter. Everything
 * depends on the seed alone. Results that the op table leaves unspecified are never made visible: `scale` gets an
 * exponent in range, and operations on bits never see a NaN.
 */
import { IrBuilder } from '../../src/ir/builder.js';
import { addForms, constantForm, formOf, scaleForm } from '../../src/ir/index-form.js';
import type { LeafOpName, OpInfo, OpName } from '../../src/ir/ops.js';
import { isAngleOp, OPS, OP_NAMES, TRIG_QUICK_ARGUMENT } from '../../src/ir/ops.js';
import type { IndexForm, IrFunction, ValueId } from '../../src/ir/types.js';
import { LaneStatus } from '../../src/ir/types.js';

export interface RandomIrOptions {
  /** Length of a candidate; default 1 to 4. */
  readonly dimension?: number;
  /** Statements of the outermost region; default 30. Nested regions get a third. */
  readonly statements?: number;
  /** Operations of the mathematics library; default true. */
  readonly math?: boolean;
  /** `if` and `loop`; default true. */
  readonly control?: boolean;
  /** `for` with loads and stores; default false. */
  readonly counted?: boolean;
  /** `check` and loops that may run out of fuel; default true. */
  readonly checks?: boolean;
}

/** Values at which arithmetic and the library have special or boundary results. */
export const SPECIAL_VALUES: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  2,
  -2,
  3,
  -3,
  1.5,
  -2.5,
  0.1,
  10,
  -10,
  1e-3,
  100,
  Math.PI,
  -Math.PI / 2,
  Math.E,
  NaN,
  Infinity,
  -Infinity,
  Number.MIN_VALUE,
  -Number.MIN_VALUE,
  2 ** -1022,
  -(2 ** -1022),
  2.2250738585072009e-308,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.EPSILON,
  1 + Number.EPSILON,
  1 - Number.EPSILON / 2,
  1e300,
  -1e300,
  1e-300,
  -1e-300,
  2 ** 52,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 + 2,
  4503599627370497.5,
  709.782712893384,
  709.7827128933841,
  -745.1332191019411,
  -745.1332191019412,
  -708.4,
  411775,
  -411774.9999999999,
  1e22,
  0.7071067811865476,
  2 ** 31,
  2 ** 32,
  -(2 ** 31) - 0.5,
];

/** mulberry32: uniform in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A special value, an ordinary number or one of random magnitude. */
export function randomNumber(random: () => number): number {
  const kind = random();
  if (kind < 0.3) return SPECIAL_VALUES[Math.floor(random() * SPECIAL_VALUES.length)];
  if (kind < 0.8) return (random() - 0.5) * 10;
  if (kind < 0.9) return Math.round((random() - 0.5) * 20);
  return (random() < 0.5 ? -1 : 1) * (1 + random()) * 2 ** Math.floor(random() * 2100 - 1075);
}

/** Row-major `[count, dimension]`. */
export function randomCandidates(seed: number, count: number, dimension: number): Float64Array {
  const random = seededRandom(seed);
  return Float64Array.from({ length: count * dimension }, () => randomNumber(random));
}

/**
 * Values with a magnitude up to 411,775, infinities and NaN: angles of which the builder is told that they are quick.
 */
export function quickAngle(b: IrBuilder, value: ValueId): ValueId {
  const magnitude = b.op('abs', value);
  const isFar = b.op(
    'and',
    b.op('lt', b.const(TRIG_QUICK_ARGUMENT), magnitude),
    b.op('lt', magnitude, b.const(Infinity)),
  );
  const angle = b.op('select', isFar, b.const(-2.5), value);
  b.knowQuick(angle);
  return angle;
}

export function randomIr(seed: number, options: RandomIrOptions = {}): IrFunction {
  return new Generator(seed, options).function();
}

type ValueOp = Exclude<OpName, LeafOpName | 'store' | 'check'>;

class Generator {
  private readonly random: () => number;
  private readonly builder: IrBuilder;
  private readonly dimension: number;
  private readonly ops: readonly ValueOp[];
  private readonly options: Required<Omit<RandomIrOptions, 'dimension'>>;
  /** Values visible at the current place. */
  private numbers: ValueId[] = [];
  private truths: ValueId[] = [];
  private line = 0;
  /** Of the `for`s around the current place, with how many rounds they make at most. */
  private readonly indices: { readonly index: ValueId; readonly size: number }[] = [];

  constructor(seed: number, options: RandomIrOptions) {
    this.random = seededRandom(seed);
    this.options = { statements: 30, math: true, control: true, counted: false, checks: true, ...options };
    this.dimension = options.dimension ?? 1 + this.below(4);
    this.builder = new IrBuilder(`random-${seed}`, this.dimension);
    this.ops = OP_NAMES.filter((name): name is ValueOp => {
      const info: OpInfo = OPS[name];
      return (
        info.args.length > 0 &&
        info.kind !== 'effect' &&
        info.kind !== 'memory' &&
        (info.kind === 'primitive' || this.options.math)
      );
    });
  }

  function(): IrFunction {
    for (let k = 0; k < this.dimension; k++) this.numbers.push(this.builder.x(k));
    this.truths.push(this.builder.op('lt', this.number(), this.number()));
    this.statements(this.options.statements, 2);
    return this.builder.finish(this.random() < 0.25 ? this.rawResult() : this.readableResult());
  }

  /** A sum or product of several values as they are: infinities, zeros and most often NaN. */
  private rawResult(): ValueId {
    let result = this.number();
    for (let k = 0; k < 2; k++) result = this.builder.op(this.random() < 0.5 ? 'add' : 'mul', result, this.number());
    return result;
  }

  /**
   * A sum over many values with what would hide the others, NaN and huge numbers, replaced: most of the program
   * matters.
   */
  private readableResult(): ValueId {
    const b = this.builder;
    let result = b.const(0);
    for (let k = 0; k < 8; k++) {
      const value = this.number();
      const ordinary = b.op('lt', b.op('abs', value), b.const(1e9));
      result = b.op('add', result, b.op('select', ordinary, value, b.const(k)));
    }
    return result;
  }

  private statements(count: number, depth: number): void {
    for (let k = 0; k < count; k++) this.statement(depth);
  }

  private statement(depth: number): void {
    const { control, counted, checks } = this.options;
    const kind = this.random();
    this.line++;
    if (checks && kind < 0.02) this.check();
    else if (counted && depth > 0 && kind > 0.93) this.for(depth);
    else if (control && depth > 0 && kind < 0.1) this.if(depth);
    else if (control && depth > 0 && kind < 0.15) this.loop(depth);
    else this.operation();
  }

  /** Rarely true, or few lanes would live. */
  private check(): void {
    const rare = this.builder.op('lt', this.builder.const(8), this.number());
    const condition = this.random() < 0.7 ? this.builder.op('and', rare, this.truth()) : rare;
    const codes = Object.values(LaneStatus).filter((code) => code !== LaneStatus.Ok);
    this.builder.check(condition, codes[this.below(codes.length)], this.line);
  }

  private operation(): void {
    const op = this.ops[this.below(this.ops.length)];
    const info: OpInfo = OPS[op];
    const args = info.args.map((type) => (type === 'bool' ? this.truth() : this.number()));
    if (op === 'scale') args[1] = this.clampedInteger(args[1]);
    if (op === 'mantissa' || op === 'high') args[0] = this.withoutNaN(args[0]);
    if (isAngleOp(op) && this.random() < 0.5) args[0] = quickAngle(this.builder, args[0]);
    let result = this.builder.op(op, ...args);
    if (info.result === 'f64' && this.random() < 0.3) result = this.withoutNaN(result);
    (info.result === 'bool' ? this.truths : this.numbers).push(result);
  }

  private clampedInteger(value: ValueId): ValueId {
    const b = this.builder;
    const integer = b.op('rint', value);
    const inside = b.op('le', b.op('abs', integer), b.const(2044));
    return b.op('select', inside, integer, b.const(-3));
  }

  private withoutNaN(value: ValueId): ValueId {
    const b = this.builder;
    return b.op('select', b.op('eq', value, value), value, b.const(1.25));
  }

  private if(depth: number): void {
    const kinds = this.kinds(3);
    const results = this.builder.if(
      this.truth(),
      () => this.nested(kinds, depth),
      () => this.nested(kinds, depth),
    );
    this.keep(results, kinds);
  }

  /** Counts to a small bound and may stop earlier; the counter is the first param. */
  private loop(depth: number): void {
    const b = this.builder;
    const kinds = this.kinds(3);
    const bound = this.below(5);
    const initial = [b.const(0), ...kinds.map((kind) => this.pick(kind))];
    const fuel = this.options.checks && this.random() < 0.06 ? 1 + this.below(4) : 20;
    const results = b.loop(initial, fuel, this.line, (params) =>
      this.scoped(() => {
        this.keep(params, ['f64', ...kinds]);
        this.statements(Math.ceil(this.options.statements / 3), depth - 1);
        const next = b.op('add', params[0], b.const(1));
        const more = b.op('lt', next, b.const(bound));
        const again = this.random() < 0.4 ? b.op('and', more, this.truth()) : more;
        return [again, next, ...kinds.map((kind) => this.pick(kind))];
      }),
    );
    this.keep(results, ['f64', ...kinds]);
  }

  /**
   * A counted loop, perhaps in another one whose index its count depends on. It fills a local array from the candidate,
   * a table and the values so far; a second loop reads it, so that no element is read before it was stored.
   */
  private for(depth: number): void {
    const b = this.builder;
    const length = 1 + this.below(5);
    const outerIndex = this.indices.at(-1);
    const isTriangular = outerIndex !== undefined && this.random() < 0.5;
    const count: IndexForm = isTriangular
      ? { offset: this.random() < 0.5 ? 1 : 0, terms: [{ index: outerIndex.index, scale: 1 }] }
      : constantForm(length);
    const size = isTriangular ? outerIndex.size + 1 : length;
    const array = b.localArray(2 * size + 3);
    const table = b.table(Float64Array.from({ length: size + 1 }, () => randomNumber(this.random)));
    // Every element once, so that none is unspecified.
    b.for(constantForm(2 * size + 3), [], (index) => {
      b.store(array, formOf(index), this.number());
      return [];
    });
    const kinds = this.kinds(3);
    const results = b.for(
      count,
      kinds.map((kind) => this.pick(kind)),
      (index, params) =>
        this.scoped(() => {
          this.indices.push({ index, size });
          this.keep(params, kinds);
          const here = formOf(index);
          this.numbers.push(b.ordinal(addForms(scaleForm(here, -2), constantForm(this.below(3)))));
          this.numbers.push(b.load(table, addForms(here, constantForm(this.below(2)))));
          if (size <= this.dimension) this.numbers.push(b.load(b.candidate(), here));
          if (outerIndex !== undefined && outerIndex.size + size <= this.dimension + 1) {
            this.numbers.push(b.load(b.candidate(), addForms(here, formOf(outerIndex.index))));
          }
          this.numbers.push(b.load(array, addForms(scaleForm(here, 2), constantForm(this.below(3)))));
          this.statements(Math.ceil(this.options.statements / 3), depth - 1);
          b.store(array, addForms(here, constantForm(this.below(3))), this.number());
          if (this.random() < 0.5) b.store(array, scaleForm(here, 2), this.number());
          this.indices.pop();
          return kinds.map((kind) => this.pick(kind));
        }),
    );
    this.keep(results, kinds);
    this.numbers.push(b.load(array, constantForm(this.below(2 * size + 3))));
  }

  private nested(kinds: readonly ('f64' | 'bool')[], depth: number): ValueId[] {
    return this.scoped(() => {
      this.statements(this.below(1 + Math.ceil(this.options.statements / 3)), depth - 1);
      return kinds.map((kind) => this.pick(kind));
    });
  }

  private scoped<T>(build: () => T): T {
    const outer = [this.numbers, this.truths] as const;
    this.numbers = [...outer[0]];
    this.truths = [...outer[1]];
    try {
      return build();
    } finally {
      [this.numbers, this.truths] = outer;
    }
  }

  private keep(ids: readonly ValueId[], kinds: readonly ('f64' | 'bool')[]): void {
    ids.forEach((id, k) => (kinds[k] === 'bool' ? this.truths : this.numbers).push(id));
  }

  private kinds(most: number): ('f64' | 'bool')[] {
    return Array.from({ length: this.below(most + 1) }, () => (this.random() < 0.75 ? 'f64' : 'bool'));
  }

  private pick(kind: 'f64' | 'bool'): ValueId {
    return kind === 'bool' ? this.truth() : this.number();
  }

  /** Recent values are more likely, so that chains grow. */
  private number(): ValueId {
    if (this.random() < 0.12) return this.builder.const(randomNumber(this.random));
    return this.recent(this.numbers);
  }

  private truth(): ValueId {
    if (this.random() < 0.05) return this.builder.bool(this.random() < 0.5);
    return this.recent(this.truths);
  }

  private recent(ids: readonly ValueId[]): ValueId {
    const back = Math.floor(ids.length * this.random() ** 2);
    return ids[ids.length - 1 - back];
  }

  private below(bound: number): number {
    return Math.floor(this.random() * bound);
  }
}

/** Three coordinates: sines of sums and products, some of them carried through a loop. */
export function smoothIr(seed: number): IrFunction {
  const b = new IrBuilder('smooth', 3);
  const values = [b.x(0), b.x(1), b.x(2), b.const(0.5)];
  let state = seed;
  const pick = (): ValueId => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return values[(state >>> 16) % values.length];
  };
  for (let k = 0; k < 12; k++) {
    const [p, q] = [pick(), pick()];
    const kind = (state >>> 8) % 4;
    if (kind === 0) values.push(b.op('sin', b.op('add', p, q)));
    else if (kind === 1) values.push(b.op('cos', b.op('mul', p, q)));
    else if (kind === 2) values.push(b.op('div', p, b.op('add', b.const(2), b.op('mul', q, q))));
    else {
      values.push(
        ...b.for(constantForm(4), [p], (index, [carried]) => [
          b.op('sin', b.op('add', b.op('mul', carried, q), b.ordinal(formOf(index)))),
        ]),
      );
    }
  }
  return b.finish(values.slice(4).reduce((sum, value) => b.op('add', sum, value)));
}
