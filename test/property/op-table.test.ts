/**
 * Walks the op table: what a row states, and what intervals and gradients make of it, against values of the operation.
 * A new operation is covered by its row alone; a row that is wrong fails here.
 */
import { describe, expect, it } from 'vitest';
import { IrBuilder } from '../../src/ir/builder.js';
import { evaluateOp, interpret } from '../../src/ir/interpreter.js';
import { intervalOf } from '../../src/ir/intervals.js';
import {
  isMathOp,
  isNumberOp,
  OP_NAMES,
  opInfo,
  type MathOpName,
  type NumberOpName,
  type OpInfo,
} from '../../src/ir/ops.js';
import { differentiate } from '../../src/passes/gradient/differentiate.js';
import { intervalProgram } from '../../src/passes/interval/interval-program.js';
import {
  contains,
  enclosureOf1,
  enclosureOf2,
  enclosureOfCall,
  type BinaryOp,
  type Enclosure,
  type UnaryOp,
} from '../../src/verification/enclosure.js';
import { seededRandom } from '../support/random-ir.js';

const NUMBER_OPS = OP_NAMES.filter(isNumberOp);
const arityOf = (op: NumberOpName): number => opInfo(op).args.length;
const at = (op: NumberOpName, args: readonly number[]): number => evaluateOp(op, args);
const replaced = (args: readonly number[], k: number, value: number): number[] =>
  args.map((arg, j) => (j === k ? value : arg));

/** Places at which functions have ends, kinks, poles, jumps and extremes. */
const PLACES = [0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2, -3, Math.PI / 2, -Math.PI / 2, Math.PI];
/** Of every magnitude. */
const NUMBERS = [
  ...PLACES.flatMap((a) => [a, a * (1 + 2 ** -40), a + 1e-9]),
  ...[-1e300, -1e5, -700, -30, -0.1, -1e-9, -1e-300, -0, 1e-300, 1e-9, 0.1, 3, 30, 700, 1e5, 1e300],
].sort((a, b) => a - b);
const ALL_NUMBERS = [-Infinity, ...NUMBERS, Infinity];

function tuples(values: readonly number[], count: number): number[][] {
  return count === 1 ? values.map((a) => [a]) : values.flatMap((a) => tuples(values, count - 1).map((b) => [a, ...b]));
}

/** Points of ordinary size; the exponent of `scale` is whole, a divisor is 1 at least. */
function ordinaryPoints(op: NumberOpName, count: number): number[][] {
  const random = seededRandom(7 + OP_NAMES.indexOf(op));
  const [from, to] = opInfo(op).domain ?? [-4, 4];
  const [low, high] = [Math.max(from, -4), Math.min(to, 4)];
  return Array.from({ length: count }, () =>
    opInfo(op).args.map((_, k) => {
      const a = low + (0.001 + 0.998 * random()) * (high - low);
      if (op === 'scale' && k === 1) return Math.round(a);
      return op === 'fmod' && k === 1 ? a + Math.sign(a) : a;
    }),
  );
}

function programOf(op: NumberOpName) {
  const b = new IrBuilder(op, arityOf(op));
  return b.finish(b.op(op, ...opInfo(op).args.map((_, k) => b.x(k))));
}

/**
 * The derivative by central differences, extrapolated to a step of 0, and how far that may be off; NaN: there is none.
 * Source: Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4 (1982).
 */
function numericSlope(f: (a: number) => number, a: number): { readonly slope: number; readonly error: number } {
  const SHRINK = 1.4;
  let [slope, error] = [NaN, Infinity];
  let before: number[] = [];
  for (let row = 0, h = 0.1; row < 20; row++, h /= SHRINK) {
    const now = [(f(a + h) - f(a - h)) / (2 * h)];
    let factor = 1;
    for (let k = 1; k <= row; k++) {
      factor *= SHRINK * SHRINK;
      now.push((now[k - 1] * factor - before[k - 1]) / (factor - 1));
      const off = Math.max(Math.abs(now[k] - now[k - 1]), Math.abs(now[k] - before[k - 1]));
      if (off < error) [slope, error] = [now[k], off];
    }
    before = now;
  }
  return { slope, error };
}

describe('the slope by the rule is that of the values', () => {
  for (const op of NUMBER_OPS) {
    // A whole number has no neighbours.
    const args = op === 'scale' ? [0] : opInfo(op).args.map((_, k) => k);
    it(op, () => {
      const gradient = differentiate(programOf(op));
      const compared = args.map(() => 0);
      // Numbers of 26 bits are 2^-26 apart.
      const finest = op === 'high' ? 1e-3 : 1e-8;
      for (const x of ordinaryPoints(op, 120)) {
        const { outputs } = interpret(gradient, x);
        for (const k of args) {
          const { slope, error } = numericSlope((a) => at(op, replaced(x, k, a)), x[k]);
          const size = 1 + Math.abs(slope);
          if (!(error < 1e-4 * size)) continue;
          compared[k]++;
          const distance = Math.abs(outputs![k] - slope);
          expect(distance, `${op}(${x.join(', ')}), argument ${k}: ${outputs![k]}, not ${slope}`).toBeLessThanOrEqual(
            finest * size + 10 * error,
          );
        }
      }
      for (const count of compared) expect(count).toBeGreaterThanOrEqual(20);
    });
  }
});

describe('intervals hold the values of their points', () => {
  const enclosed = (op: NumberOpName, [a, b]: readonly Enclosure[]): Enclosure => {
    if (isMathOp(op)) return enclosureOfCall(op, a, b ?? { lo: 0, hi: 0, nan: false });
    return b === undefined ? enclosureOf1(op as UnaryOp, a) : enclosureOf2(op as BinaryOp, a, b, false);
  };
  for (const op of NUMBER_OPS) {
    it(op, () => {
      const random = seededRandom(3 + OP_NAMES.indexOf(op));
      const pick = (): number => NUMBERS[Math.floor(random() * NUMBERS.length)];
      const program = intervalProgram(programOf(op));
      const wrong: string[] = [];
      for (let k = 0; k < 400; k++) {
        const box = opInfo(op).args.map((_, j) => {
          const ends = [pick(), random() < 0.3 ? pick() : 8 * (random() - 0.5)].sort((p, q) => p - q);
          return op === 'scale' && j === 1 ? [3, 3] : ends;
        });
        const intervals = box.map(([lo, hi]) => ({ lo, hi, nan: false }));
        const known = intervalOf(op, intervals, false);
        const wide = enclosed(op, intervals);
        const lane = interpret(program, [...box.map(([lo]) => lo), ...box.map(([, hi]) => hi)]);
        for (let j = 0; j < 8; j++) {
          const x = box.map(([lo, hi]) => [lo, hi, Math.min(hi, Math.max(lo, lo + random() * (hi - lo)))][j % 3]);
          const value = at(op, x);
          const isKnown = Number.isNaN(value) ? known.nan : known.lo <= value && value <= known.hi;
          // The front end flags what has no remainder.
          const hasNone = op === 'fmod' && Number.isNaN(value);
          const isEnclosed = hasNone || contains(wide, value) || (value === 0 && contains(wide, -value));
          const isBound = Number.isNaN(value) || (lane.value <= value && value <= lane.outputs![0]);
          if (isKnown && isEnclosed && isBound) continue;
          const found = [known.lo, known.hi, wide.lo, wide.hi, lane.value, lane.outputs![0]];
          wrong.push(`${op}(${x.join(', ')}) = ${value}, not in ${found.join(', ')}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  }
});

describe('a row states what is so', () => {
  /** Unary operations whose row has the trait. */
  const having = <T extends keyof OpInfo>(trait: T, arity: number | null = 1) =>
    NUMBER_OPS.filter((op) => opInfo(op)[trait] !== undefined && (arity === null || arityOf(op) === arity)).map(
      (op) => [op, opInfo(op)[trait]!] as const,
    );
  const inDomain = (op: NumberOpName, values: readonly number[]): number[] => {
    const [from, to] = opInfo(op).domain ?? [-Infinity, Infinity];
    return values.filter((a) => from <= a && a <= to);
  };

  it('monotony and domain: numbers inside, in their order; none outside', () => {
    for (const [op, monotony] of having('monotony')) {
      if (monotony === 'mirrored') continue;
      const inside = inDomain(op, ALL_NUMBERS);
      for (const a of ALL_NUMBERS) expect(Number.isNaN(at(op, [a])), `${op}(${a})`).toBe(!inside.includes(a));
      const ordered = inside.map((a) => at(op, [a]));
      if (monotony === 'decreases') ordered.reverse();
      const slack = (value: number): number => 2 ** -51 * opInfo(op).ulp * Math.min(Math.abs(value), 1e300);
      for (let k = 1; k < ordered.length; k++) {
        const isInOrder = ordered[k - 1] === ordered[k] || ordered[k - 1] <= ordered[k] + slack(ordered[k]);
        expect(isInOrder, `${op}: ${ordered[k - 1]}, then ${ordered[k]}`).toBe(true);
      }
      const [low] = inDomain(op, [-0.9, 1]);
      const rises = Array.from({ length: 9 }, (_, k) => at(op, [low + (k + 1) / 10]) - at(op, [low + k / 10]));
      const isStrict = rises.every((rise) => (monotony === 'decreases' ? rise < 0 : rise > 0));
      expect(isStrict, `${op} is strict`).toBe(true);
    }
  });

  it('monotony: mirrored', () => {
    for (const [op, monotony] of having('monotony', null)) {
      if (monotony !== 'mirrored') continue;
      const wrong = tuples(NUMBERS, arityOf(op)).filter((x) =>
        x.some((a, k) => {
          const value = at(op, x);
          return at(op, replaced(x, k, -a)) !== value || !(at(op, replaced(x, k, 1.5 * a)) >= value);
        }),
      );
      expect(wrong, op).toEqual([]);
      expect(at(op, new Array<number>(arityOf(op)).fill(1))).toBeLessThan(
        at(op, new Array<number>(arityOf(op)).fill(2)),
      );
    }
  });

  it('curvature', () => {
    for (const [op, curvature] of having('curvature', null)) {
      const sign = curvature === 'convex' ? 1 : -1;
      const points = ordinaryPoints(op, 300);
      let bent = 0;
      for (let k = 1; k < points.length; k++) {
        const [p, q] = [points[k - 1], points[k]];
        const middle = p.map((a, j) => (a + q[j]) / 2);
        const sag = sign * ((at(op, p) + at(op, q)) / 2 - at(op, middle));
        expect(sag, `${op} between ${p.join(', ')} and ${q.join(', ')}`).toBeGreaterThanOrEqual(-1e-12);
        if (sag > 1e-6) bent++;
      }
      expect(bent, op).toBeGreaterThan(20);
    }
  });

  it('least', () => {
    for (const [op, least] of having('least')) {
      const values = inDomain(op, ALL_NUMBERS).map((a) => at(op, [a]));
      for (const value of values) expect(value, op).toBeGreaterThanOrEqual(least);
      expect(Math.min(...values), `nothing of ${op} comes close`).toBeLessThan(least + 1e-3);
    }
  });

  it('zero', () => {
    for (const [op, zero] of having('zero')) {
      expect(opInfo(op).monotony, op).toBe('increases');
      for (const a of inDomain(op, [...ALL_NUMBERS, zero, zero + 2 ** -52, zero - 2 ** -53])) {
        expect(Math.sign(at(op, [a])) + 0, `${op}(${a})`).toBe(Math.sign(a - zero) + 0);
      }
    }
  });

  it('period', () => {
    for (const [op, period] of having('period')) {
      for (const a of [-1.2, -0.7, 0.3, 0.9, 1.1]) {
        expect(at(op, [a + period]), `${op}(${a})`).toBeCloseTo(at(op, [a]), 9);
        expect(Math.abs(at(op, [a + period / 2]) - at(op, [a])), `${op}(${a})`).toBeGreaterThan(0.1);
      }
    }
  });

  it('slope', () => {
    for (const [op, slope] of having('slope', null)) {
      const gradient = differentiate(programOf(op));
      const wrong: string[] = [];
      const points = tuples(
        NUMBERS.filter((a) => Math.abs(a) <= 700),
        arityOf(op),
      );
      for (const x of [...points, ...ordinaryPoints(op, 100)]) {
        const { value, outputs } = interpret(gradient, x);
        const isIn = (own: number): boolean =>
          slope === 'itself' ? own === value : slope === 'finite' || (own >= slope[0] && own <= slope[1]);
        if (!outputs!.every((own) => Number.isFinite(own) && isIn(own)))
          wrong.push(`${op}(${x.join(', ')}): ${outputs}`);
      }
      expect(wrong).toEqual([]);
    }
  });

  it('whether a NaN shows', () => {
    const ops = OP_NAMES.filter((op) => opInfo(op).args.length > 0 && opInfo(op).args.every((type) => type === 'f64'));
    for (const op of ops.filter((name) => opInfo(name).result !== 'none')) {
      const { args, seesNaN = false } = opInfo(op);
      const results = tuples(ALL_NUMBERS, args.length).flatMap((x) =>
        x.map((_, k) => evaluateOp(op as MathOpName, replaced(x, k, NaN))),
      );
      // `high` makes an infinity of a NaN that JavaScript does not make.
      expect(results.some((value) => !Number.isNaN(value)) || op === 'high', op).toBe(seesNaN);
    }
  });

  /** How a function goes on to one side of a place: what it is there less its value, over the distance. */
  interface Side {
    readonly slope: number;
    /** The slope settles, so that the function neither jumps nor is infinitely steep. */
    readonly isSettled: boolean;
    readonly jump: number;
  }

  function sideOf(f: (a: number) => number, a: number, direction: 1 | -1): Side | null {
    const value = f(a);
    const [near, far] = [1e-7, 1e-5].map((h) => (f(a + direction * h) - value) / (direction * h));
    if (Number.isNaN(near) || Number.isNaN(far)) return null;
    return { slope: near, isSettled: Math.abs(near - far) < 1e-3 * (1 + Math.abs(near)), jump: Math.abs(near * 1e-7) };
  }

  /** What is not smooth about a function at a place. */
  function breakAt(f: (a: number) => number, a: number): 'kink' | 'jump' | 'steep' | null {
    if (!Number.isFinite(f(a))) {
      const isPole = Number.isFinite(f(a - 1e-7)) && Number.isFinite(f(a + 1e-7));
      return isPole ? 'steep' : null;
    }
    const sides = [sideOf(f, a, -1), sideOf(f, a, 1)].filter((side) => side !== null);
    if (sides.some(({ jump }) => jump > 0.1 && jump < 1e3)) return 'jump';
    if (sides.some(({ isSettled }) => !isSettled)) return 'steep';
    if (sides.length < 2) return null;
    return Math.abs(sides[0].slope - sides[1].slope) < 1e-3 * (1 + Math.abs(sides[0].slope)) ? null : 'kink';
  }

  for (const op of NUMBER_OPS) {
    const { smooth, period } = opInfo(op);
    it(`${op} is smooth ${smooth}`, () => {
      const places = op === 'scale' ? PLACES.map((a) => [a, 3]) : tuples(PLACES, arityOf(op));
      const breaks = places.flatMap((x) =>
        x.flatMap((_, k) => {
          const kind = op === 'scale' && k === 1 ? null : breakAt((a) => at(op, replaced(x, k, a)), x[k]);
          return kind === null ? [] : [{ x, kind }];
        }),
      );
      const text = JSON.stringify(breaks.slice(0, 3));
      if (smooth !== 'everywhere') expect(breaks.length, 'breaks').toBeGreaterThan(0);
      switch (smooth) {
        case 'everywhere':
          return expect(breaks).toEqual([]);
        case 'either side of zero':
          return expect(
            breaks.every(({ x: [a], kind }) => a === 0 && kind === 'kink'),
            text,
          ).toBe(true);
        case 'off zero':
          return expect(
            breaks.every(({ x: [a], kind }) => a === 0 && kind === 'steep'),
            text,
          ).toBe(true);
        case 'above zero':
          return expect(
            breaks.every(({ x: [a] }) => a <= 0),
            text,
          ).toBe(true);
        case 'between poles':
          return expect(
            breaks.every(({ x: [a] }) => Math.cos((2 * Math.PI * a) / period!) < -0.999),
            text,
          ).toBe(true);
        case 'steps':
          expect(
            breaks.some(({ kind }) => kind === 'jump'),
            text,
          ).toBe(true);
          return expect(
            breaks.every(({ kind }) => kind === 'jump' || arityOf(op) > 1),
            text,
          ).toBe(true);
        case 'elsewhere':
        case 'bits':
        case undefined:
          return undefined;
      }
    });
  }
});
