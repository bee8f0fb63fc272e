/**
 * Random numbers that are always the same: those of generators with a seed, whose streams Python and NumPy promise
 * never to change (`random`, `numpy.random.seed` and `RandomState`). Objectives make their data of them while they are
 * loaded, or seed in each call. Draws from a generator that lasts from call to call differ each time, and so do those
 * without a seed.
 */
import type { Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import {
  NONE,
  RollFailure,
  Unsupported,
  float,
  int,
  isIntKind,
  known,
  type Call,
  type Cell,
  type ClassValue,
  type InstanceValue,
  type Scalar,
  type Value,
} from '../values/values.js';
import { builtin, flag, named, required } from './arguments.js';
import { table, type Table } from '../values/table.js';

const WITHOUT_SEED = 'random numbers without a seed: the same x would give other results';
const LASTING = 'random numbers of a generator that lasts from call to call: the same x would give other results';

const N = 624;
const M = 397;
/** Words that one generator may give. */
const MOST_WORDS = 2_000_000;

/** The Mersenne twister MT19937 (Matsumoto and Nishimura 1998): its words by their number. */
class Words {
  private readonly state: Uint32Array;
  private readonly words: number[] = [];

  private constructor(state: Uint32Array) {
    this.state = state;
  }

  /** `init_genrand`, as NumPy seeds with one number. */
  static ofNumber(seed: number): Words {
    return new Words(stateOf(seed));
  }

  /** `init_by_array`, as Python seeds. */
  static ofArray(key: readonly number[]): Words {
    const state = stateOf(19650218);
    let [i, j] = [1, 0];
    const next = (): void => {
      i++;
      if (i < N) return;
      state[0] = state[N - 1];
      i = 1;
    };
    const before = (): number => state[i - 1] ^ (state[i - 1] >>> 30);
    for (let k = Math.max(N, key.length); k > 0; k--) {
      state[i] = (state[i] ^ Math.imul(before(), 1664525)) + key[j] + j;
      next();
      j = (j + 1) % key.length;
    }
    for (let k = N - 1; k > 0; k--) {
      state[i] = (state[i] ^ Math.imul(before(), 1566083941)) - i;
      next();
    }
    state[0] = 0x80000000;
    return new Words(state);
  }

  at(index: number): number {
    while (this.words.length <= index) this.more();
    return this.words[index];
  }

  private more(): void {
    const { state } = this;
    for (let k = 0; k < N; k++) {
      const y = (state[k] & 0x80000000) | (state[(k + 1) % N] & 0x7fffffff);
      state[k] = state[(k + M) % N] ^ (y >>> 1) ^ ((y & 1) === 0 ? 0 : 0x9908b0df);
    }
    for (let y of state) {
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      this.words.push((y ^ (y >>> 18)) >>> 0);
    }
  }
}

function stateOf(seed: number): Uint32Array {
  const state = new Uint32Array(N);
  state[0] = seed;
  for (let k = 1; k < N; k++) state[k] = Math.imul(state[k - 1] ^ (state[k - 1] >>> 30), 1812433253) + k;
  return state;
}

/**
 * A generator at work: how many words it has given, and the second of a pair of normal numbers, lie in cells, as
 * branches and loops that are evaluated more than once take them back.
 */
class Generator {
  constructor(
    readonly ev: LibraryMachine,
    private readonly words: Words,
    private readonly isFrozen: boolean,
    private readonly index: Cell,
    private readonly spare: Cell,
  ) {}

  private word(at: Position): number {
    const { ev } = this;
    const index = ev.cells.readCell(this.index, at);
    if (index.tag !== 'scalar' || index.known === undefined)
      throw new RollFailure('random numbers, of which x says how many are drawn', at);
    if (this.isFrozen && !ev.loading) throw new Unsupported(LASTING, at);
    if (index.known >= MOST_WORDS) throw new Unsupported('too many random numbers', at, 'limit');
    ev.work.step(at);
    ev.cells.write(this.index, int(index.known + 1));
    return this.words.at(index.known);
  }

  double(at: Position): number {
    const [a, b] = [this.word(at) >>> 5, this.word(at) >>> 6];
    return (a * 67108864 + b) / 9007199254740992;
  }

  /** A whole number from 0 to `most`, as NumPy draws it. */
  masked(most: number, at: Position): number {
    if (most === 0) return 0;
    if (most > 0xffffffff) throw new Unsupported('random whole numbers of such a range', at);
    const mask = most === 0xffffffff ? most : 2 ** (32 - Math.clz32(most)) - 1;
    for (;;) {
      const value = (this.word(at) & mask) >>> 0;
      if (value <= most) return value;
    }
  }

  /** A whole number below `count`, as Python draws it. */
  below(count: number, at: Position): number {
    const bits = 32 - Math.clz32(count);
    if (!(count >= 1 && count <= 0xffffffff)) throw new Unsupported('random whole numbers of such a range', at);
    for (;;) {
      const value = this.word(at) >>> (32 - bits);
      if (value < count) return value;
    }
  }

  /** NumPy's: the polar method. */
  polar(at: Position): Scalar {
    return this.pair(at, () => {
      for (;;) {
        const x = 2 * this.double(at) - 1;
        const y = 2 * this.double(at) - 1;
        const square = x * x + y * y;
        if (square >= 1 || square === 0) continue;
        const { ops } = this.ev;
        const log = ops.math('log', 'npfloat', float(square));
        const scaled = ops.binary('/', ops.binary('*', float(-2), log, at), float(square), at);
        const factor = ops.sqrt(scaled, 'npfloat');
        return [ops.binary('*', factor, float(y), at), ops.binary('*', factor, float(x), at)];
      }
    });
  }

  /** Python's: a radius and an angle. */
  circular(at: Position): Scalar {
    return this.pair(at, () => {
      const { ops } = this.ev;
      const angle = float(this.double(at) * (2 * Math.PI));
      const log = ops.math('log', 'npfloat', float(1 - this.double(at)));
      const radius = ops.sqrt(ops.binary('*', float(-2), log, at), 'npfloat');
      const part = (op: 'cos' | 'sin'): Scalar => ops.binary('*', ops.math(op, 'npfloat', angle), radius, at);
      return [part('cos'), part('sin')];
    });
  }

  private pair(at: Position, draw: () => readonly [Scalar, Scalar]): Scalar {
    const { ev } = this;
    const spare = ev.cells.readCell(this.spare, at);
    if (spare.tag === 'scalar') {
      if (this.isFrozen && !ev.loading) throw new Unsupported(LASTING, at);
      ev.cells.write(this.spare, NONE);
      return spare;
    }
    const [first, second] = draw();
    ev.cells.write(this.spare, second);
    return first;
  }
}

type Method = (generator: Generator, call: Call) => Value;

function number(value: Value | undefined, fallback: number, call: Call): number {
  if (value === undefined) return fallback;
  if (value.tag !== 'scalar' || value.known === undefined)
    throw new Unsupported('random numbers whose range depends on x, or is no number', call.position);
  return value.known;
}

function whole(value: Value | undefined, call: Call): number {
  const found = number(value, NaN, call);
  if (!Number.isSafeInteger(found) || value?.tag !== 'scalar' || !isIntKind(value.kind))
    throw new Unsupported('random whole numbers of such a range', call.position);
  return found;
}

/** One number of Python's, or an array of them. */
function sized(
  { ev }: Generator,
  size: Value | undefined,
  kind: 'npfloat' | 'npint',
  draw: () => Scalar,
  call: Call,
): Value {
  if (size === undefined || size.tag === 'none') return ev.ops.retag(draw(), kind === 'npfloat' ? 'float' : 'int');
  const shape = (size.tag === 'scalar' ? [size] : ev.sequences.iterate(size, call.position)).map((n) =>
    ev.items.staticInt(n, call.position, 'a shape'),
  );
  const count = shape.reduce((a, b) => a * b, 1);
  if (!(count >= 0 && count <= MOST_WORDS)) throw new Unsupported('random numbers of this shape', call.position);
  const items = Array.from({ length: count }, draw);
  return ev.arrays.make(shape, kind, items);
}

const uniform = (size: (call: Call) => Value | undefined): Method => {
  return (generator, call) =>
    sized(generator, size(call), 'npfloat', () => known('npfloat', generator.double(call.position)), call);
};

/** The dimensions as arguments of their own. */
const dimensions = (call: Call): Value | undefined =>
  call.args.length === 0 ? undefined : { tag: 'tuple', items: call.args };

const scaled = (generator: Generator, z: Scalar, location: number, scale: number, { position }: Call): Scalar => {
  const { ops } = generator.ev;
  return ops.binary('+', known('npfloat', location), ops.binary('*', known('npfloat', scale), z, position), position);
};

/** Elements in a random order, from the last to the first. */
function shuffled<T>(items: readonly T[], draw: (most: number) => number): T[] {
  const result = [...items];
  for (let k = result.length - 1; k > 0; k--) {
    const j = draw(k);
    [result[k], result[j]] = [result[j], result[k]];
  }
  return result;
}

function vector(generator: Generator, value: Value, call: Call): readonly Scalar[] {
  const { ev } = generator;
  const array = ev.arrays.toArray(value, call.position);
  if (array.shape.length !== 1) throw new Unsupported('a random choice of rows', call.position);
  return ev.arrays.items(array);
}

const range = (ev: LibraryMachine, count: number, position: Position): Scalar[] =>
  ev.work.array(position, count, (k) => known('npint', k));

const NUMPY: Table<Method> = table({
  rand: uniform(dimensions),
  random: uniform((call) => named('random', call, ['size']).size),
  random_sample: uniform((call) => named('random_sample', call, ['size']).size),
  randn: (generator, call) => sized(generator, dimensions(call), 'npfloat', () => generator.polar(call.position), call),
  standard_normal: (generator, call) => {
    const { size } = named('standard_normal', call, ['size']);
    return sized(generator, size, 'npfloat', () => generator.polar(call.position), call);
  },
  normal: (generator, call) => {
    const { loc, scale, size } = named('normal', call, ['loc', 'scale', 'size']);
    const [location, spread] = [number(loc, 0, call), number(scale, 1, call)];
    if (!(spread >= 0)) throw new Unsupported('normal() of such a scale', call.position);
    const draw = (): Scalar => scaled(generator, generator.polar(call.position), location, spread, call);
    return sized(generator, size, 'npfloat', draw, call);
  },
  uniform: (generator, call) => {
    const { low, high, size } = named('uniform', call, ['low', 'high', 'size']);
    const [from, to] = [number(low, 0, call), number(high, 1, call)];
    if (!Number.isFinite(to - from)) throw new Unsupported('uniform() of such a range', call.position);
    const draw = (): Scalar => known('npfloat', from + (to - from) * generator.double(call.position));
    return sized(generator, size, 'npfloat', draw, call);
  },
  randint: (generator, call) => {
    const { low, high, size } = named('randint', call, ['low', 'high', 'size']);
    const hasBoth = high !== undefined && high.tag !== 'none';
    const [from, to] = hasBoth ? [whole(low, call), whole(high, call)] : [0, whole(low, call)];
    if (from >= to) throw new Unsupported('randint() of such a range', call.position);
    const draw = (): Scalar => known('npint', from + generator.masked(to - 1 - from, call.position));
    return sized(generator, size, 'npint', draw, call);
  },
  permutation: (generator, call) => {
    const { x } = named('permutation', call, ['x']);
    const value = required('permutation', x, call);
    const items =
      value.tag === 'scalar' ? range(generator.ev, whole(value, call), call.position) : vector(generator, value, call);
    const kind = generator.ev.arrays.toArray(value, call.position).kind;
    const order = shuffled(items, (most) => generator.masked(most, call.position));
    return generator.ev.arrays.make([order.length], value.tag === 'scalar' ? 'npint' : kind, order);
  },
  shuffle: (generator, call) => {
    const value = required('shuffle', call.args[0], call);
    const { ev } = generator;
    if (value.tag === 'list') return reordered(generator, value, (most) => generator.masked(most, call.position), call);
    if (value.tag !== 'ndarray' || value.frozen !== ev.loading || value.bulk !== undefined)
      throw new Unsupported('shuffle() of this', call.position);
    const items = shuffled(vector(generator, value, call), (most) => generator.masked(most, call.position));
    value.cells.forEach((cell, k) => ev.cells.write(cell, items[k]));
    return NONE;
  },
  choice: (generator, call) => {
    const { a, size, replace } = named('choice', call, ['a', 'size', 'replace']);
    const value = required('choice', a, call);
    const { ev } = generator;
    const isCount = value.tag === 'scalar';
    const items = isCount ? range(generator.ev, whole(value, call), call.position) : vector(generator, value, call);
    const kind = isCount ? 'npint' : ev.arrays.toArray(value, call.position).kind;
    if (items.length === 0 || kind === 'npbool') throw new Unsupported('choice() of this', call.position);
    const one = (): Scalar => items[generator.masked(items.length - 1, call.position)];
    if (flag(replace, true, call)) {
      // One element of an array is a number of NumPy's.
      if (size === undefined || size.tag === 'none') return isCount ? ev.ops.retag(one(), 'int') : one();
      return sized(generator, size, kind, one, call);
    }
    const count = whole(size, call);
    if (!(count >= 0 && count <= items.length)) throw new Unsupported('choice() of too many', call.position);
    const order = shuffled(items, (most) => generator.masked(most, call.position)).slice(0, count);
    return ev.arrays.make([count], kind, order);
  },
} satisfies Record<string, Method>);

function reordered(
  { ev }: Generator,
  list: Extract<Value, { tag: 'list' }>,
  draw: (most: number) => number,
  call: Call,
): Value {
  if (list.frozen !== ev.loading) throw new Unsupported('shuffle() of a list that lasts', call.position);
  const items = shuffled(ev.sequences.iterateAny(list, call.position), draw);
  ev.cells.restructure(
    list,
    items.map((item) => ev.cells.cell(item)),
    call.position,
  );
  return NONE;
}

const plain = (value: Scalar, { ev }: Generator): Scalar => ev.ops.retag(value, 'float');

const PYTHON: Table<Method> = table({
  random: (generator, call) => float(generator.double(call.position)),
  uniform: (generator, call) => {
    const { a, b } = named('random.uniform', call, ['a', 'b']);
    const [from, to] = [number(a, NaN, call), number(b, NaN, call)];
    return float(from + (to - from) * generator.double(call.position));
  },
  randint: (generator, call) => {
    const { a, b } = named('random.randint', call, ['a', 'b']);
    const [from, to] = [whole(a, call), whole(b, call)];
    return int(from + generator.below(to - from + 1, call.position));
  },
  randrange: (generator, call) => {
    const { start, stop } = named('random.randrange', call, ['start', 'stop']);
    const [from, to] = stop === undefined ? [0, whole(start, call)] : [whole(start, call), whole(stop, call)];
    return int(from + generator.below(to - from, call.position));
  },
  gauss: (generator, call) => {
    const { mu, sigma } = named('random.gauss', call, ['mu', 'sigma']);
    const [location, spread] = [number(mu, 0, call), number(sigma, 1, call)];
    return plain(scaled(generator, generator.circular(call.position), location, spread, call), generator);
  },
  choice: (generator, call) => {
    const { ev } = generator;
    const items = ev.sequences.iterate(required('random.choice', call.args[0], call), call.position);
    return items[generator.below(items.length, call.position)];
  },
  shuffle: (generator, call) => {
    const value = required('random.shuffle', call.args[0], call);
    if (value.tag !== 'list') throw new Unsupported('random.shuffle() of this', call.position);
    return reordered(generator, value, (most) => generator.below(most + 1, call.position), call);
  },
} satisfies Record<string, Method>);

const LIBRARIES = {
  numpy: { methods: NUMPY, type: 'RandomState', module: 'numpy.random' },
  python: { methods: PYTHON, type: 'Random', module: 'random' },
} as const;
type Library = keyof typeof LIBRARIES;

/** Words that a seed gives; seeds of other types than whole numbers are for CPython. */
function wordsOf(library: Library, seed: Value | undefined, call: Call): Words {
  const value = seed?.tag === 'scalar' && (seed.kind === 'int' || seed.kind === 'npint') ? seed.known : undefined;
  if (value === undefined) {
    const isNone = seed === undefined || seed.tag === 'none';
    throw new Unsupported(isNone ? WITHOUT_SEED : 'a seed that is no known whole number', call.position);
  }
  if (library === 'numpy') {
    if (value < 0 || value > 0xffffffff) throw new Unsupported('a seed beyond 32 bits', call.position);
    return Words.ofNumber(value);
  }
  const size = Math.abs(value);
  return Words.ofArray(size > 0xffffffff ? [size >>> 0, Math.floor(size / 2 ** 32)] : [size]);
}

/** The generators that `np.random.rand()` and `random.random()` draw from. */
export class RandomNumbers {
  /** Absent: without a seed. */
  private readonly current: Readonly<Record<Library, Cell>>;
  private loaded: Readonly<Record<Library, Cell['value']>> | null = null;

  constructor(private readonly ev: LibraryMachine) {
    this.current = { numpy: ev.cells.cell(NONE), python: ev.cells.cell(NONE) };
  }

  endLoading(): void {
    this.loaded = { numpy: this.current.numpy.value, python: this.current.python.value };
  }

  /** Each call finds what loading the module has left, or what calls before it have: from that nothing is drawn. */
  restart(): void {
    if (this.loaded === null) return;
    this.current.numpy.value = this.loaded.numpy;
    this.current.python.value = this.loaded.python;
  }

  member(library: Library, name: string): Value | undefined {
    const { methods, type, module } = LIBRARIES[library];
    if (name === 'seed') {
      return builtin(`${module}.seed`, (call) => {
        const [seed] = call.args;
        if (call.args.length > 1 || call.keywords.size > 0)
          throw new Unsupported(`${module}.seed() with these arguments`, call.position);
        this.ev.cells.write(this.current[library], this.make(library, wordsOf(library, seed, call)));
        return NONE;
      });
    }
    if (name === type) {
      return builtin(`${module}.${type}`, (call) => {
        const { seed } = named(type, call, ['seed']);
        return this.make(library, wordsOf(library, seed, call));
      });
    }
    if (methods[name] === undefined) return undefined;
    return builtin(`${module}.${name}`, (call) => {
      const generator = this.ev.cells.readCell(this.current[library], call.position);
      if (generator.tag !== 'instance') throw new Unsupported(WITHOUT_SEED, call.position);
      return this.ev.calls.called(generator.cls.members.get(name)!.value as Value, call);
    });
  }

  private make(library: Library, words: Words): InstanceValue {
    const { ev } = this;
    const { methods, type } = LIBRARIES[library];
    const members = new Map<string, Cell>();
    const cls: ClassValue = {
      ...{ tag: 'class', name: type, bases: [], members, annotated: [] },
      // Of a library: it has more methods than are written here.
      ...{ position: { line: 0, column: 0 }, born: ev.cells.now },
    };
    const made = ev.cells.instance(cls);
    const index = ev.cells.cell(int(0));
    const spare = ev.cells.cell(NONE);
    made.attributes.set('_index', index).set('_spare', spare);
    const generator = new Generator(ev, words, made.frozen, index, spare);
    for (const [name, method] of Object.entries(methods))
      members.set(name, ev.cells.cell(builtin(`${type}.${name}`, (call) => method!(generator, call))));
    for (const name of ['__copy__', '__deepcopy__'])
      members.set(
        name,
        ev.cells.cell(
          builtin(name, (call) => {
            throw new Unsupported('a copy of a generator of random numbers', call.position);
          }),
        ),
      );
    return made;
  }
}
