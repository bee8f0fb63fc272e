import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr, seededRandom } from '../../../test/support/random-ir.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm, formOf } from '../../ir/index-form.js';
import { OPS, type MathOpName } from '../../ir/ops.js';
import type { IrFunction } from '../../ir/types.js';
import { createOutput, createOutputWithLines } from '../backend.js';
import type { NativeAddon, ProgramHandle } from './addon.js';
import { loadAddon } from './addon.js';
import { encodeProgram } from './encode.js';
import { NativeBackend } from './native-backend.js';
import { BREAK_EVEN_EVALUATIONS, NativeCodeTier } from './native-code.js';

const loaded = loadAddon();
const addon = loaded.addon as NativeAddon;
const targets = loaded.addon === null ? [] : loaded.addon.targets().filter((target) => target !== 'scalar');
const reason =
  loaded.addon === null ? ` (${loaded.reason})` : targets.length === 0 ? ' (no native code for this CPU)' : '';

/** How many random programs; more by hand: EXTREMUM_RANDOM_PROGRAMS=20000 */
const RANDOM_PROGRAMS = Number(process.env['EXTREMUM_RANDOM_PROGRAMS'] ?? 100);

function sphere(dimension: number): IrFunction {
  const b = new IrBuilder('sphere', dimension);
  let sum = b.const(0);
  for (let i = 0; i < dimension; i++) sum = b.op('add', sum, b.op('mul', b.x(i), b.x(i)));
  return b.finish(sum);
}

const load = (fn: IrFunction, target: string): ProgramHandle => {
  const { words, constants } = encodeProgram(fn);
  return addon.load(words, constants, target);
};

/** Per step; 0: as many as suit. */
const VECTORS = [0, 1, 2, 4];

function resultsOf(handle: ProgramHandle, candidates: Float64Array, count: number) {
  const output = createOutputWithLines(count);
  const { values, status, lines } = output;
  expect(addon.evaluate(handle, candidates, count, values, status, lines, false, 1, null)).toBe(0);
  return output;
}

function results(handle: ProgramHandle, candidates: Float64Array, count: number) {
  const { values, status, lines } = resultsOf(handle, candidates, count);
  const bytes = ({ buffer, byteOffset, byteLength }: Float64Array | Uint8Array | Int32Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  return Buffer.concat([values, status, lines].map(bytes));
}

/** Native code on every target, with every number of vectors: the bits of the virtual machine. */
function expectBitsOfVm(fn: IrFunction, candidates: Float64Array, count: number): void {
  for (const target of targets) {
    const expected = results(load(fn, target), candidates, count);
    for (const vectors of VECTORS) {
      const handle = load(fn, target);
      const tier = new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, vectors);
      expect(results(handle, candidates, count).equals(expected), `${vectors}, ${target}`).toBe(true);
      expect(tier.facts()!.trust).toBe('trusted');
    }
  }
}

const open = (fn: IrFunction, options: ConstructorParameters<typeof NativeBackend>[0]) =>
  new NativeBackend({ threads: 1, offload: false, ...options }).open({
    source: { code: '', entry: null, argument: 'list' },
    dimension: fn.dimension,
    ir: fn,
  });

async function evaluate(kernel: Awaited<ReturnType<typeof open>>, dimension: number, count: number) {
  const output = createOutput(count);
  await kernel.evaluate({ candidates: new Float64Array(count * dimension).fill(2), count, dimension }, output);
  return output.values;
}

describe.skipIf(reason !== '')(`native code${reason}`, () => {
  it('gives the bits of the virtual machine on random programs', () => {
    let trusted = 0;
    for (let seed = 1; seed <= RANDOM_PROGRAMS; seed++) {
      const fn = randomIr(seed, { statements: 10 + ((seed * 7) % 120), checks: seed % 3 === 0 });
      const count = 100;
      const candidates = randomCandidates(seed, count, fn.dimension);
      for (const target of targets) {
        const expected = results(load(fn, target), candidates, count);
        const handle = load(fn, target);
        const tier = new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, VECTORS[seed % 4]);
        expect(tier.facts(), `program ${seed} on ${target}: ${tier.describe()}`).not.toBeNull();
        expect(results(handle, candidates, count).equals(expected), `program ${seed} on ${target}`).toBe(true);
        expect(tier.facts()!.trust, `program ${seed} on ${target}`).not.toBe('rejected');
        if (tier.facts()!.trust === 'trusted') trusted++;
      }
    }
    // Where every group has a flag nothing can be compared.
    expect(trusted).toBeGreaterThan(RANDOM_PROGRAMS * targets.length * 0.7);
  });

  const NO_LOGARITHMS = [0, -0, -1, 5e-324, 2 ** -1022 - 5e-324, Infinity, -Infinity, -1e-310];
  const EXPONENTS = [Infinity, -Infinity, 708.1, -709.5, 709.8, -744, -746, 1e300];
  it.each([
    ['sin', 411_775, [Infinity, -Infinity, 411_776, -1e300]],
    ['cos', 411_775, [Infinity, -Infinity, 411_776, -1e300]],
    ['tan', 411_775, [Infinity, -Infinity, 411_776, -1e300]],
    ['exp', 708, EXPONENTS],
    ['exp2', -1021, [...EXPONENTS, 1022, -1022, -1023, 1024, -1074, -1075]],
    ['log', 2 ** -1022, NO_LOGARITHMS],
    ['log2', 1e308, NO_LOGARITHMS],
    ['log10', 2 ** -1022, NO_LOGARITHMS],
    ['pow', 1e50, [...NO_LOGARITHMS, -2, 1e300, 1e-200]],
  ] as const)('finds a rare argument of %s beside any other number', async (name, usual, arguments_) => {
    const [rare, others] = [Float64Array.from(arguments_), Float64Array.of(1, usual, NaN, NaN)];
    // By their bits: JavaScript may make a signalling NaN a quiet one.
    const [rareBits, otherBits] = [new BigUint64Array(rare.buffer), new BigUint64Array(others.buffer)];
    otherBits[3] = 0x7ff0000000000001n;
    // In each tile one rare argument, and another number in the same lane of another vector.
    const count = 64 * rare.length * others.length * 16;
    const candidates = new Float64Array(count).fill(1);
    const bits = new BigUint64Array(candidates.buffer);
    for (let tile = 0; tile < count / 64; tile++) {
      const [lane, one, other] = [tile % 8, (tile >> 4) % 4, (tile >> 6) % 4];
      bits[64 * tile + 8 * one + lane] = otherBits[tile % others.length];
      bits[64 * tile + 8 * other + lane] = rareBits[(tile >> 2) % rare.length];
    }
    const b = new IrBuilder(name, 1);
    expectBitsOfVm(b.finish(name === 'pow' ? b.op(name, b.x(0), b.const(5.5)) : b.op(name, b.x(0))), candidates, count);
  });

  it('divides as the processor does: close to the middle of two numbers, and for all exponents', () => {
    // 1 / d is about as close to the middle of two numbers as it can be: d * m is 2^105 to 2^107, and at most 12 off.
    const DIVISORS = [
      2 ** 53 - 1, 5333668948692012, 7199155462287987, 6888815267806129, 4968900245471746, 6004707877890728,
      7244878070303447, 6583997076838894, 7440678027627698, 7098856424846001, 4700825669683864, 7291093645301492,
    ];
    const LIMITS = [0, -0, 1, -1, 2 ** -501, 2 ** 502, 2 ** -1022, 5e-324, 1.7e308, Infinity, -Infinity, NaN];
    const random = seededRandom(22);
    const pick = (from: readonly number[]): number => from[Math.floor(random() * from.length)];
    const power = (): number => (random() < 0.5 ? -1 : 1) * 2 ** Math.floor((random() - 0.5) * 900);
    const hard = (): number => (random() < 0.1 ? pick(LIMITS) : pick(DIVISORS) * power());
    const count = 8192;
    // The first coordinate chooses one of six quotients.
    const candidates = Float64Array.from({ length: 9 * count }, (_, k) =>
      k % 9 === 0 ? Math.floor(k / 9) % 6 : k % 2 === 0 ? hard() : (1 + random()) * power(),
    );
    const b = new IrBuilder('quotients', 9);
    const quotients = [1, 3, 5, 7].map((k) => b.op('div', b.x(k), b.x(k + 1)));
    quotients.push(b.op('div', b.const(1), b.x(2)), b.op('div', b.const(3.7), b.x(4)));
    const fn = b.finish(
      quotients.reduceRight((rest, quotient, k) => b.op('select', b.op('lt', b.x(0), b.const(k + 1)), quotient, rest)),
    );
    const expected = Array.from({ length: count }, (_, i) => {
      const x = (k: number): number => candidates[9 * i + k];
      const chosen = x(0);
      return chosen < 4 ? x(2 * chosen + 1) / x(2 * chosen + 2) : chosen === 4 ? 1 / x(2) : 3.7 / x(4);
    });
    for (const target of targets) {
      for (const vectors of VECTORS) {
        const handle = load(fn, target);
        const tier = new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, vectors);
        const { values } = resultsOf(handle, candidates, count);
        expect(Array.from(values), `${vectors}, ${target}`).toEqual(expected);
        expect(tier.facts()!.trust).toBe('trusted');
      }
    }
  });

  it('gives the bits of the virtual machine for powers whose base, exponent or result is at a limit', () => {
    const LIMITS = [0, -0, 1, -1, 3, -3, 0.5, 5e-324, -1e-310, 2 ** -1022, 1e308, 1000, -1022, Infinity, -Infinity, NaN];
    const count = 4096;
    const random = seededRandom(21);
    const limit = () => LIMITS[Math.floor(random() * LIMITS.length)];
    // log2 of the result is about 1000.
    const large = (base: number) => ((random() < 0.5 ? 1000 : -1000) / Math.log2(base)) * (0.99 + random() / 50);
    const candidates = Float64Array.from(
      Array.from({ length: count }, (_, k) => {
        const base = 2 + random() * 10 ** (k % 30);
        return k % 3 === 0 ? [limit(), limit()] : [base, k % 3 === 1 ? large(base) : random() * 4];
      }).flat(),
    );
    const b = new IrBuilder('pow', 2);
    expectBitsOfVm(b.finish(b.op('pow', b.x(0), b.x(1))), candidates, count);
  });

  it('gives the bits of the virtual machine about every eighth of a turn, and for the smallest angles', () => {
    const near = new Float64Array(1);
    const bits = new BigInt64Array(near.buffer);
    const count = 8192;
    const random = seededRandom(20);
    const candidates = Float64Array.from({ length: count }, (_, k) => {
      near[0] = k % 8 === 0 ? 0 : (Math.PI / 4) * Math.floor(random() * 2 ** (1 + (k % 20)));
      bits[0] += BigInt(k % 7) - (near[0] === 0 ? 0n : 3n);
      return k % 2 === 0 ? near[0] : -near[0];
    });
    for (const target of targets) {
      for (const name of ['sin', 'cos', 'tan'] as const) {
        const b = new IrBuilder(name, 1);
        const fn = b.finish(b.op(name, b.x(0)));
        for (const vectors of VECTORS) {
          const handle = load(fn, target);
          const tier = new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, vectors);
          for (const rows of [1, 3, 31, 64, 65, 100, count]) {
            const expected = results(load(fn, target), candidates, rows);
            expect(results(handle, candidates, rows).equals(expected), `${name}, ${vectors}, ${rows}, ${target}`).toBe(true);
          }
          expect(tier.facts()!.trust).toBe('trusted');
        }
      }
    }
  });

  /** Compares with the virtual machine, for each number of vectors. The rows are given as bits. */
  function expectBits(name: string, fn: IrFunction, rows: BigUint64Array<ArrayBuffer>): void {
    const candidates = new Float64Array(rows.buffer);
    const count = candidates.length / fn.dimension;
    for (const target of targets) {
      const expected = results(load(fn, target), candidates, count);
      for (const vectors of VECTORS) {
        const handle = load(fn, target);
        const tier = new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, vectors);
        expect(results(handle, candidates, count).equals(expected), `${name}, ${vectors}, ${target}`).toBe(true);
        expect(tier.facts()!.trust, `${name}, ${vectors}, ${target}`).toBe('trusted');
      }
    }
  }
  const bitsOf = (...numbers: number[]) => [...new BigUint64Array(Float64Array.from(numbers).buffer)];
  /** A quiet NaN with a sign and a payload, and a signalling one. */
  const NAN_BITS = [0xfff8000000000abcn, 0x7ff0000000000001n];

  it('takes the smaller and the larger of all pairs of special numbers, also where the comparison is used again', () => {
    const special = [...bitsOf(0, -0, 1, -1, 5e-324, Infinity, -Infinity, NaN), ...NAN_BITS];
    // Twice: what is a pair in one vector first is so in another then.
    const rows = new BigUint64Array(2 * 2 * special.length ** 2 + 6);
    for (let k = 0; k < rows.length / 2; k++) {
      rows[2 * k] = special[k % special.length];
      rows[2 * k + 1] = special[Math.floor(k / special.length) % special.length];
    }
    const program = (make: (b: IrBuilder, x: number, y: number) => number) => {
      const b = new IrBuilder('extremes', 2);
      return b.finish(make(b, b.x(0), b.x(1)));
    };
    for (const op of ['lt', 'le'] as const) {
      for (const [first, second] of [
        [0, 1],
        [1, 0],
      ]) {
        const chosen = (b: IrBuilder, x: number, y: number) => {
          const operands = [x, y];
          return b.op('select', b.op(op, x, y), operands[first], operands[second]);
        };
        const told = (b: IrBuilder, value: number) =>
          b.op('add', value, b.op('select', b.op('signbit', value), b.const(0.5), b.const(0.25)));
        const name = `${op} ${first}`;
        expectBits(name, program(chosen), rows);
        expectBits(`${name}, its sign`, program((b, x, y) => told(b, chosen(b, x, y))), rows);
        const both = (b: IrBuilder, x: number, y: number) => b.op('sub', chosen(b, x, y), chosen(b, y, x));
        expectBits(`${name}, both ways`, program(both), rows);
        const again = (b: IrBuilder, x: number, y: number) =>
          b.op('mul', chosen(b, x, y), b.op('select', b.op(op, x, y), b.const(3), b.const(7)));
        expectBits(`${name}, used again`, program(again), rows);
        const constant = (b: IrBuilder, x: number) => chosen(b, chosen(b, x, b.const(1)), b.const(-0));
        expectBits(`${name}, constants`, program(constant), rows);
      }
    }
  });

  it('compares under the mask of another comparison, also where either is used again', () => {
    const rows = new BigUint64Array(randomCandidates(5, 260, 3).buffer as ArrayBuffer);
    for (const first of ['lt', 'le', 'eq', 'ne'] as const) {
      for (const second of ['lt', 'le', 'eq', 'ne'] as const) {
        for (const join of ['and', 'or', 'xor'] as const) {
          for (const again of [-1, 0, 1, 2]) {
            const b = new IrBuilder('masks', 3);
            const [x, y, z] = [b.x(0), b.x(1), b.x(2)];
            const compared = [b.op(first, x, y), b.op(second, b.const(0.5), z)];
            const third = b.op('lt', b.op('mul', x, z), y);
            const joined = b.op('and', b.op(join, compared[0], compared[1]), third);
            const value = b.op('select', joined, b.op('add', x, y), z);
            const also = again < 0 ? x : b.op('select', [...compared, third][again], x, b.const(3));
            expectBits(`${first} ${join} ${second} ${again}`, b.finish(b.op('sub', value, also)), rows);
          }
        }
      }
    }
  });

  it('joins a mask with itself', () => {
    const rows = new BigUint64Array(randomCandidates(6, 130, 2).buffer as ArrayBuffer);
    for (const isAnd of [true, false]) {
      const b = new IrBuilder('joined', 2);
      const [first, second] = [b.op('lt', b.x(0), b.const(0)), b.op('ne', b.x(1), b.const(1))];
      const joined = isAnd ? b.op('bselect', first, second, first) : b.op('bselect', first, first, second);
      expectBits(`and: ${isAnd}`, b.finish(b.op('select', joined, b.x(0), b.x(1))), rows);
    }
  });

  it('takes no extreme of numbers that changed after they were compared', () => {
    const b = new IrBuilder('changed', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const [, last] = b.for(constantForm(5), [x, y], (_, [p, q]) => {
      const isLess = b.op('lt', p, q);
      const sum = b.op('add', p, q);
      return [sum, b.op('select', isLess, b.op('sub', p, q), b.op('select', b.op('lt', sum, q), q, sum))];
    });
    expectBits('changed', b.finish(last), new BigUint64Array(randomCandidates(3, 130, 2).buffer as ArrayBuffer));
  });

  it('makes every NaN the canonical one, wherever it is among other values', () => {
    const b = new IrBuilder('same', 1);
    const fn = b.finish(b.x(0));
    const rows = new BigUint64Array(64 * 64 + 5).fill(bitsOf(1.5)[0]);
    for (let tile = 0; tile < 64; tile++) rows[64 * tile + tile] = NAN_BITS[tile % 2];
    rows[64 * 64 + 2] = NAN_BITS[0];
    expectBits('one NaN', fn, rows);
    expectBits('many', fn, rows.map((bits, k) => (k % 3 === 0 ? NAN_BITS[k % 2] : bits)));
  });

  it('keeps constants from group to group, also where values of a loop change places', () => {
    const candidates = Float64Array.from({ length: 2 * 300 }, (_, k) => k - 250);
    for (const constants of [1, 2, 4, 9, 40]) {
      for (const loop of ['a sum goes into two places', 'three go round', 'none'] as const) {
        const b = new IrBuilder('constants', 2);
        const add = (...terms: readonly number[]) => terms.reduce((a, c) => b.op('add', a, c));
        const plus = (value: number) =>
          Array.from({ length: constants }, (_, k) => k + 1.5).reduce((sum, c) => b.op('sub', b.const(c), sum), value);
        const [x, y] = [b.x(0), b.x(1)];
        const values =
          loop === 'none'
            ? [plus(x), y]
            : b.for(constantForm(3), [x, y, x], (_, [p, q, r]) => {
                const both = plus(r);
                return loop === 'three go round' ? [q, both, p] : [both, both, p];
              });
        // A NaN in some groups.
        const rooted = b.op('sqrt', b.op('add', x, b.const(150)));
        for (const result of [add(...values), add(...values, rooted)]) {
          const fn = b.finish(result);
          expectBitsOfVm(fn, candidates, 300);
        }
      }
    }
  });

  it('keeps what a loop without a round leaves alone, in each round of the loop around it', () => {
    const candidates = randomCandidates(9, 200, 2);
    for (const rounds of [0, 1, 2, 'as many as the outer one has made'] as const) {
      const b = new IrBuilder('loops', 2);
      const [, , sum] = b.for(constantForm(4), [b.x(0), b.x(1), b.const(0)], (outer, [first, second, total]) => {
        const count = typeof rounds === 'number' ? constantForm(rounds) : formOf(outer);
        const [left] = b.for(count, [first], () => [b.op('mul', second, b.const(2))]);
        return [second, b.op('sub', second, b.const(1)), b.op('add', total, left)];
      });
      expectBitsOfVm(b.finish(sum), candidates, 200);
    }
  });

  it('takes over after enough evaluations, and not before', async () => {
    const kernel = await open(sphere(3), { tier: 'auto' });
    await evaluate(kernel, 3, BREAK_EVEN_EVALUATIONS);
    expect(kernel.device).toMatch(/, virtual machine$/);
    expect([...(await evaluate(kernel, 3, 100))]).toEqual(new Array(100).fill(12));
    expect(kernel.device).toMatch(/, native code$/);
    await kernel.close();
  });

  it('is there at once when enough evaluations are planned', async () => {
    const kernel = await open(sphere(3), { plannedEvaluations: BREAK_EVEN_EVALUATIONS });
    expect(kernel.device).toMatch(/, native code$/);
    await kernel.close();
  });

  describe('is made for the rows that are asked for', () => {
    /** Called with so many rows until there is code: after how many calls, and how many vectors it works on. */
    function callsOf(fn: IrFunction, rows: number): { calls: number; vectors: number } {
      const tier = new NativeCodeTier(addon, load(fn, targets[0]), encodeProgram(fn), targets[0], 'auto');
      let calls = 0;
      for (; tier.facts() === null; calls++) tier.consider(rows);
      return { calls, vectors: tier.facts()!.vectors };
    }

    it('sooner than many rows where every call has one', () => {
      // Each operation waits for the one before.
      const b = new IrBuilder('chain', 1);
      let value = b.x(0);
      for (let k = 0; k < 20; k++) value = b.op('div', b.const(2), b.op('add', value, b.const(1)));
      const fn = b.finish(value);
      const many = callsOf(fn, 100);
      const one = callsOf(fn, 1);
      expect(many.calls).toBe(BREAK_EVEN_EVALUATIONS / 100 + 1);
      // Two where candidates go by way of memory, as on Intel's processors with AVX-512.
      expect([2, 4]).toContain(many.vectors);
      expect(one.calls).toBeLessThan(BREAK_EVEN_EVALUATIONS / 10);
      expect(one.vectors).toBe(1);
      expect(callsOf(fn, targets[0] === 'avx512' ? 16 : 8).vectors).toBe(2);
    });

    it('sooner where counted loops make an evaluation longer than the program', () => {
      const b = new IrBuilder('long', 1000);
      const [sum] = b.for(constantForm(1000), [b.const(0)], (index, [total]) => [
        b.op('add', total, b.op('sqrt', b.load(b.candidate(), formOf(index)))),
      ]);
      expect(callsOf(b.finish(sum), 1).calls).toBeLessThan(5);
    });
  });

  it('is never made for the tier vm', async () => {
    const kernel = await open(sphere(3), { tier: 'vm', plannedEvaluations: 1e9 });
    await evaluate(kernel, 3, BREAK_EVEN_EVALUATIONS + 1);
    await evaluate(kernel, 3, 1);
    expect(kernel.device).toMatch(/, virtual machine$/);
    await kernel.close();
  });

  describe('with fused operations', () => {
    const rosenbrock = (dimension: number): IrFunction => {
      const b = new IrBuilder('rosenbrock', dimension);
      let sum = b.const(0);
      for (let i = 0; i + 1 < dimension; i++) {
        const [x, y] = [b.x(i), b.x(i + 1)];
        const [u, v] = [b.op('sub', y, b.op('mul', x, x)), b.op('sub', b.const(1), x)];
        sum = b.op('add', sum, b.op('add', b.op('mul', b.const(100), b.op('mul', u, u)), b.op('mul', v, v)));
      }
      return b.finish(sum);
    };

    it('gives nearly the values of the virtual machine', async () => {
      const random = seededRandom(5);
      const [count, dimension] = [1000, 30];
      const candidates = Float64Array.from({ length: count * dimension }, () => random() * 4 - 2);
      const [exact, fused] = [createOutput(count), createOutput(count)];
      for (const [math, output] of [['exact', exact], ['fast', fused]] as const) {
        const kernel = await open(rosenbrock(dimension), { tier: 'native-code', math });
        await kernel.evaluate({ candidates, count, dimension }, output);
        expect(kernel.device).toContain(math === 'fast' ? 'native code with fused operations' : 'native code');
        await kernel.close();
      }
      let different = 0;
      for (let i = 0; i < count; i++) {
        expect(Math.abs(fused.values[i] - exact.values[i])).toBeLessThanOrEqual(1e-13 * exact.values[i]);
        if (fused.values[i] !== exact.values[i]) different++;
      }
      // The processor may lack them.
      if (different === 0) expect(targets[0]).toBe('avx2');
    });

    it('adds products to a sum one after the other, whichever way round, and loses none', async () => {
      const [count, dimension] = [256, 8];
      const random = seededRandom(11);
      const candidates = Float64Array.from({ length: count * dimension }, () => random() * 4 - 2);
      let [tried, different] = [0, 0];
      for (const outer of ['x + sum', 'sum + x', 'x - sum', 'sum - x'] as const) {
        for (const inner of ['add', 'sub'] as const) {
          for (const shared of ['nothing', 'x', 'a product', 'the sum'] as const) {
            const b = new IrBuilder('chain', dimension);
            let total = b.op('mul', b.x(0), b.x(dimension - 1));
            let rest = b.x(1);
            for (let i = 0; i + 3 < dimension; i++) {
              const product = b.op('mul', b.x(i), b.x(i + 1));
              const sum = b.op(inner, product, b.op('mul', b.x(i + 2), b.x(i + 3)));
              const before = total;
              const op = outer.includes('+') ? 'add' : 'sub';
              total = outer.startsWith('x') ? b.op(op, total, sum) : b.op(op, sum, total);
              if (shared === 'x') rest = b.op('sub', rest, before);
              if (shared === 'a product') rest = b.op('add', rest, product);
              if (shared === 'the sum') rest = b.op('sub', rest, sum);
            }
            const fn = b.finish(b.op('add', total, rest));
            const [exact, fused] = [createOutput(count), createOutput(count)];
            for (const [math, output] of [['exact', exact], ['fast', fused]] as const) {
              const kernel = await open(fn, { tier: 'native-code', math });
              await kernel.evaluate({ candidates, count, dimension }, output);
              await kernel.close();
            }
            for (let i = 0; i < count; i++, tried++) {
              // No sum here is beyond 200.
              const name = `${outer}, ${inner}, ${shared} is used again`;
              expect(Math.abs(fused.values[i] - exact.values[i]), name).toBeLessThanOrEqual(1e-12);
              if (fused.values[i] !== exact.values[i]) different++;
            }
          }
        }
      }
      if (different < tried / 10) expect(targets[0]).toBe('avx2');
    });

    it('keeps sines and cosines within [-1, 1] around their extremes', async () => {
      const random = seededRandom(3);
      const count = 20_000;
      // Multiples of pi / 2, and numbers beside them, down to the closest.
      const candidates = Float64Array.from({ length: count }, (_, i) => {
        const extreme = (Math.floor(random() * 2000) - 1000) * (Math.PI / 2);
        return i % 4 === 0 ? extreme : extreme + (random() - 0.5) * 2 ** -(20 + 30 * random());
      });
      for (const target of targets) {
        for (const name of ['sin', 'cos'] as const) {
          const b = new IrBuilder(name, 1);
          const kernel = await open(b.finish(b.op(name, b.x(0))), { tier: 'native-code', math: 'fast', target });
          const output = createOutput(count);
          await kernel.evaluate({ candidates, count, dimension: 1 }, output);
          expect(Math.max(...output.values.map(Math.abs))).toBe(1);
          await kernel.evaluate({ candidates: new Float64Array(1), count: 1, dimension: 1 }, output);
          expect(output.values[0]).toBe(name === 'cos' ? 1 : 0);
          await kernel.close();
        }
      }
    });

    it('gives an angle the same sine whether or not a NaN is beside it', () => {
      const random = seededRandom(5);
      const count = 4096;
      const angles = Float64Array.from({ length: count }, () => (random() - 0.5) * 1000);
      const mixed = angles.map((angle, k) => (k % 8 === 0 ? NaN : angle));
      for (const target of targets) {
        for (const name of ['sin', 'cos'] as const) {
          const b = new IrBuilder(name, 1);
          const fn = b.finish(b.op(name, b.x(0)));
          const handle = load(fn, target);
          expect(new NativeCodeTier(addon, handle, encodeProgram(fn), target, 'native-code', 0, 1, 'fast').facts()).not.toBeNull();
          const [alone, beside] = [angles, mixed].map((all) => new Float64Array(results(handle, all, count).buffer, 0, count));
          for (let k = 0; k < count; k++) if (k % 8 !== 0) expect(beside[k], `${name}, ${target}`).toBe(alone[k]);
        }
      }
    });

    /** `fn` by `fast` native code, on every target. */
    async function fastValues(fn: IrFunction, candidates: Float64Array): Promise<readonly Float64Array[]> {
      const count = candidates.length / fn.dimension;
      return Promise.all(
        targets.map(async (target) => {
          const kernel = await open(fn, { tier: 'native-code', math: 'fast', target });
          const output = createOutput(count);
          await kernel.evaluate({ candidates, count, dimension: fn.dimension }, output);
          expect(kernel.device).toContain('native code with fused operations');
          await kernel.close();
          return output.values;
        }),
      );
    }

    /** |x|^n = integer * 2^scale, for a normal x. */
    function exactPower(x: number, n: number): { integer: bigint; scale: number } {
      const [bits] = new BigUint64Array(Float64Array.of(x).buffer);
      const exponent = Number((bits >> 52n) & 0x7ffn) - 1075;
      return { integer: ((bits & 0xfffffffffffffn) | (1n << 52n)) ** BigInt(n), scale: exponent * n };
    }

    it.each([5, 6])('multiplies x ** %d out, within 3.5 units in the last place', async (n) => {
      const random = seededRandom(n);
      const b = new IrBuilder('power', 1);
      const fn = b.finish(b.op('pow', b.x(0), b.const(n)));
      // Also around the roots of powers of two, where a unit of the power is small beside those of its factors.
      const numbers = Float64Array.from({ length: 6_000 }, (_, k) => {
        const near = k % 2 ? 2 ** (Math.floor(random() * 60 - 30) / n) * (1 - random() * 2 ** -(10 + 40 * random())) : 0;
        return (k % 3 ? 1 : -1) * (near || 2 ** (random() * 300 - 150) * (1 + random()));
      });
      for (const values of await fastValues(fn, numbers)) {
        values.forEach((value, k) => {
          const { integer, scale } = exactPower(numbers[k], n);
          const found = exactPower(value, 1);
          const unit = found.scale;
          // In units in the last place, times 1,024.
          const shifted = (number: bigint, by: number) => (by >= 0 ? number << BigInt(by) : number >> BigInt(-by));
          const off = shifted(found.integer, found.scale - unit + 10) - shifted(integer, scale - unit + 10);
          expect(Math.abs(Number(off)), `${numbers[k]} ** ${n}`).toBeLessThanOrEqual(3.5 * 1024);
          expect(Math.sign(value)).toBe(n % 2 ? Math.sign(numbers[k]) : 1);
        });
      }
      const special = Float64Array.of(0, -0, Infinity, -Infinity, NaN, 1, -1, 10, -3, 1e200, -1e200, 1e-200, -1e-200, 5e-324);
      for (const values of await fastValues(fn, special)) {
        expect(Array.from(values)).toEqual(Array.from(special, (x) => x ** n));
      }
    });

    it('divides as the processor does, but for the last bit of few quotients', async () => {
      const random = seededRandom(17);
      const count = 20_000;
      // So many that some leave the divider; the first number says which one counts.
      const pairs = [[1, 2], [3, 4], [5, 6], [2, 5], [null, 4], [6, 1], [4, 3], [null, 1]] as const;
      const b = new IrBuilder('quotients', 7);
      const quotients = pairs.map(([n, d]) => b.op('div', n === null ? b.const(1) : b.x(n), b.x(d)));
      const choose = (chosen: number, quotient: number, k: number) =>
        b.op('select', b.op('eq', b.x(0), b.const(k)), quotient, chosen);
      const fn = b.finish(quotients.reduce(choose, quotients[0]));
      const expected = (row: Float64Array) => {
        const [n, d] = pairs[row[0]];
        return (n === null ? 1 : row[n]) / row[d];
      };
      const compare = async (candidates: Float64Array, most: number) => {
        for (let row = 0; row < candidates.length / 7; row++) candidates[7 * row] = row % pairs.length;
        for (const values of await fastValues(fn, candidates)) {
          let different = 0;
          values.forEach((value, k) => {
            const quotient = expected(candidates.subarray(7 * k, 7 * k + 7));
            if (Object.is(value, quotient)) return;
            different++;
            expect(Math.abs(value - quotient)).toBeLessThanOrEqual(Math.abs(quotient) * 2 ** -52);
          });
          expect(different).toBeLessThanOrEqual(most);
        }
      };
      const usual = () => (random() - 0.5) * 2 ** (random() * 40);
      await compare(Float64Array.from({ length: 7 * count }, usual), count / 1000);
      // Exact quotients.
      const whole = () => Math.ceil(random() * 1000) * (random() < 0.5 ? -1 : 1);
      const exact = Array.from({ length: count }, (_, k) => {
        const [n, d] = pairs[k % pairs.length];
        const row = Array.from({ length: 7 }, usual);
        row[d] = n === null ? 2 ** Math.floor(random() * 100) : whole();
        if (n !== null) row[n] = row[d] * whole();
        return row;
      });
      await compare(Float64Array.from(exact.flat()), 0);
      const ends = [0, -0, 1, -3, Infinity, -Infinity, NaN, 5e-324, 1e-310, 2 ** -600, 2 ** 600, 1.7e308, -1.7e308];
      const anything = () => (random() < 0.2 ? usual() : ends[Math.floor(random() * ends.length)]);
      await compare(Float64Array.from({ length: 7 * count }, anything), count / 100);
    });

    it('takes powers of two into other factors, and divides by constants, with the bits of exact code', async () => {
      const random = seededRandom(23);
      const candidates = Float64Array.from({ length: 4_000 }, () => (random() - 0.5) * 2 ** (random() * 80 - 40));
      for (const [inner, outer] of [[0.5, 3], [0.7, 4], [-2, 0.1], [2 ** -60, 2 ** -60], [2 ** 60, 1e15], [0.25, 4]]) {
        const b = new IrBuilder('scaled', 1);
        const scaled = b.op('mul', b.const(inner), b.x(0));
        const product = b.op('mul', scaled, b.const(outer));
        const fn = b.finish(b.op('div', b.op('div', product, b.const(763)), scaled));
        for (const values of await fastValues(fn, candidates)) {
          const expected = candidates.map((x) => (inner * x * outer) / 763 / (inner * x));
          expect(Array.from(values), `${inner}, ${outer}`).toEqual(Array.from(expected));
        }
      }
      const b = new IrBuilder('seventh', 1);
      const ends = Float64Array.of(0, -0, Infinity, -Infinity, NaN, 5e-324, 1e-310, -1e-300, 1.7e308, 7, 49);
      for (const values of await fastValues(b.finish(b.op('div', b.x(0), b.const(49))), ends)) {
        values.forEach((value, k) => {
          const quotient = ends[k] / 49;
          if (Object.is(value, quotient)) return;
          expect(Math.abs(ends[k])).toBeLessThan(2 ** -767);
          expect(Math.abs(value - quotient)).toBeLessThanOrEqual(Math.max(5e-324, Math.abs(quotient) * 2 ** -52));
        });
      }
    });

    it('keeps every function within 4 units in the last place', async () => {
      const folder = new URL('../../../test/golden/numerics/', import.meta.url);
      const { functions } = JSON.parse(readFileSync(new URL('reference.json', folder), 'utf8')) as {
        functions: { name: MathOpName; points: number }[];
      };
      const bytes = readFileSync(new URL('reference.bin', folder));
      const table = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      let offset = 0;
      for (const { name, points } of functions) {
        const dimension = OPS[name].args.length;
        const rows = table.subarray(offset, (offset += points * (dimension + 1)));
        const candidates = Float64Array.from({ length: points * dimension }, (_, i) => {
          const row = Math.floor(i / dimension);
          return rows[row * (dimension + 1) + (i % dimension)];
        });
        const b = new IrBuilder(name, dimension);
        const fn = b.finish(b.op(name, ...Array.from({ length: dimension }, (_, k) => b.x(k))));
        const output = createOutput(points);
        const kernel = await open(fn, { tier: 'native-code', math: 'fast' });
        await kernel.evaluate({ candidates, count: points, dimension }, output);
        expect(kernel.device, name).toContain('native code with fused operations');
        await kernel.close();
        for (let row = 0; row < points; row++) {
          const wanted = rows[row * (dimension + 1) + dimension];
          const unit = Math.max(2 ** (Math.floor(Math.log2(Math.abs(wanted))) - 52), Number.MIN_VALUE);
          const distance = Math.abs(output.values[row] - wanted) / unit;
          expect(distance, `${name}(${candidates.slice(row * dimension, (row + 1) * dimension).join(', ')})`).toBeLessThanOrEqual(4);
        }
      }
    });
  });

  it('says why a program stays with the virtual machine', async () => {
    const b = new IrBuilder('long', 2);
    let value = b.x(0);
    for (let i = 0; i < 120_000; i++) value = b.op(i % 2 ? 'add' : 'mul', value, b.x(1));
    const kernel = await open(b.finish(value), { tier: 'native-code' });
    expect(kernel.device).toMatch(/, virtual machine \(the native code would be too large\)$/);
    await kernel.close();
  });

  it('is dropped when it does not give the bits of the virtual machine', () => {
    const b = new IrBuilder('sine', 1);
    const { words, constants } = encodeProgram(b.finish(b.op('sin', b.x(0))));
    const handle = addon.load(words, constants, targets[0]);
    // A library in which every function adds 1.
    const wrong = new IrBuilder('wrong', 1);
    const other = encodeProgram(wrong.finish(wrong.op('add', wrong.x(0), wrong.const(1))));
    const functions = addon.opcodes().map(() => addon.load(other.words, other.constants, targets[0]));
    expect(addon.compile(handle, functions, targets[0], 0, false, 0)).toBeNull();
    expect(addon.nativeCode(handle)).toMatchObject({ trust: 'unchecked' });
    const [values, status] = [new Float64Array(50), new Uint8Array(50)];
    addon.evaluate(handle, new Float64Array(50), 50, values, status, null, false, 1, null);
    expect(addon.nativeCode(handle)).toMatchObject({ trust: 'rejected' });
    expect([...values]).toEqual(new Array(50).fill(0));
  });

  it('refuses arguments that are not what they should be', () => {
    const handle = load(sphere(2), targets[0]);
    const call = (...args: unknown[]) => (addon.compile as (...args: unknown[]) => unknown)(...args);
    expect(() => call()).toThrow(TypeError);
    expect(() => call({}, [], targets[0], 0, false, 0)).toThrow('not a program handle');
    expect(() => call(handle, [1], targets[0], 0, false, 0)).toThrow('not a program handle');
    expect(() => call(handle, [], targets[0], 5, false, 0)).toThrow('vectors');
    expect(call(handle, [], 'pdp11', 0, false, 0)).toBe('no native code for pdp11');
    expect(call(handle, [], targets[0], 0, false, 0)).toBeNull();
    expect(call(handle, [], targets[0], 0, false, 0)).toBe('the program has native code already');
    expect(() => (addon.nativeCode as (value: unknown) => unknown)(7)).toThrow('not a program handle');
  });
});
