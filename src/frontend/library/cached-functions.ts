/**
 * `functools.lru_cache` and `cache`. A call is inlined as if there were no cache; that is right where equal keys give
 * equal results, and nobody can tell one result from another that is equal. All else is CPython's.
 */
import { LaneStatus } from '../../ir/types.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import { alternativesOf } from '../values/structure.js';
import {
  Unsupported,
  type AnyValue,
  type Call,
  type Cell,
  type Held,
  type ScalarKind,
  type TupleValue,
  type Value,
} from '../values/values.js';
import { builtin } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';

type Position = Call['position'];

const UNHASHABLE: ReadonlySet<string> = new Set(['list', 'dict', 'ndarray']);
const DEFINITIONS: ReadonlySet<string> = new Set(['function', 'builtin', 'module', 'type', 'class']);

/** Not a named one, which equals others, and no range or view of a dict. */
const isPlainTuple = (value: Held): value is TupleValue =>
  value.tag === 'tuple' && (value.range ?? value.isCurrent ?? value.fields) === undefined;

/** What cannot change, and what no program can tell from another that is equal. */
function isConstant(value: Held): boolean {
  if (value.tag === 'choice') return alternativesOf(value).every((alternative) => isConstant(alternative.value));
  if (isPlainTuple(value)) return value.items.every(isConstant);
  return value.tag === 'scalar' || value.tag === 'string' || value.tag === 'none';
}

export function cached(ev: LibraryMachine, fn: Value, position: Position): Value {
  if (fn.tag !== 'function' && fn.tag !== 'builtin') throw new Unsupported('a cache of this', position);
  const keys = new Keys(ev, position);
  const surroundings = new Surroundings(ev, position);
  return builtin(`${fn.name} with a cache`, (call) => {
    for (const [name, value] of [...call.args.entries(), ...call.keywords]) {
      if (UNHASHABLE.has(value.tag) || (value.tag === 'set' && !value.isFrozenSet))
        return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      keys.add(value, `${name}`);
    }
    const { result, hasEffects } = ev.cells.withEffects(() => surroundings.watch(() => ev.calls.call(fn, call)));
    if (hasEffects) throw new Unsupported('a cached function with effects of its own', call.position);
    if (!isConstant(result)) throw new Unsupported('a cached function whose result can be changed', call.position);
    return result;
  });
}

/**
 * The arguments of all calls. Numbers of one value are one key, whatever their kinds and the sign of a zero; which of
 * them the function saw first, only CPython knows.
 */
class Keys {
  private readonly kinds = new Map<string, ScalarKind>();

  constructor(
    private readonly ev: LibraryMachine,
    private readonly position: Position,
  ) {}

  add(value: AnyValue, place: string): void {
    const { ops } = this.ev;
    if (isPlainTuple(value)) value.items.forEach((item, k) => this.add(item, `${place}.${k}`));
    else if (value.tag === 'scalar') {
      for (const kind of ops.possibleKinds(value)) {
        if ((this.kinds.get(place) ?? kind) !== kind)
          throw new Unsupported('a cached function of numbers of several kinds', this.position);
        this.kinds.set(place, kind);
      }
      if (value.kind !== 'float' && value.kind !== 'npfloat') return;
      if (Object.is(value.known, -0)) throw new Unsupported('a cached function of -0.0', this.position);
      if (value.known === undefined) ops.check(ops.isZero(value), LaneStatus.Untranslated);
    } else if (value.tag !== 'string' && value.tag !== 'none')
      throw new Unsupported('a cached function of anything but numbers, text and tuples of them', this.position);
  }
}

/** The variables, elements and attributes of others that the function reads: they must hold the same at every call. */
class Surroundings {
  private readonly values = new Map<Cell, Held | undefined>();
  private readonly isOfModule: boolean;
  private areElementsUnchanged: (() => boolean) | undefined;

  constructor(
    private readonly ev: LibraryMachine,
    private readonly position: Position,
  ) {
    this.isOfModule = ev.loading;
  }

  watch<T>(call: () => T): T {
    const { cells } = this.ev;
    const began = cells.now;
    this.ev.work.step(this.position, this.values.size / COPIES_PER_STEP);
    for (const cell of this.values.keys()) this.require(cell);
    // Its own variables are made later.
    return cells.watchReads((cell) => {
      if (cell.born < began) this.require(cell);
    }, call);
  }

  private require(cell: Cell): void {
    const { cells } = this.ev;
    const { value } = cell;
    if (!this.values.has(cell)) this.values.set(cell, value);
    if (this.values.get(cell) !== value) this.refuse();
    if (value === undefined || DEFINITIONS.has(value.tag)) return;
    if (!cells.isSettled(cell)) this.refuse();
    if (isConstant(value)) return;
    this.areElementsUnchanged ??= this.isOfModule ? () => cells.areElementsAsLoaded : cells.watchElements();
    if (cells.isInLoop || !this.areElementsUnchanged()) this.refuse();
  }

  private refuse(): never {
    throw new Unsupported('a cached function that reads what may change', this.position);
  }
}
