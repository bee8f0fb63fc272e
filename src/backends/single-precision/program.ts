/**
 * A program over all lanes at once, in enclosures. Both sides of an `if` are evaluated and one is chosen per lane; a
 * `for` is run by the host, because its index is the same on all lanes; a `loop` runs until its last lane has left.
 * Programs that take the bits of a double apart do not fit, nor do `gamma` and `lgamma`, which no place has.
 *
 * A lane on which a check fires, or may fire, or of which nobody knows whether it leaves a loop, gets an infinite
 * bound: only double precision says what happens there.
 */
import { evaluateForm, largestCount, turnsOf, type CountedIndex } from '../../ir/index-form.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, LoopNode, Region, ValueId } from '../../ir/types.js';
import { outputArrayOf } from '../../ir/types.js';
import { Enclosures, type Enclosure, type Truth } from './enclosures.js';
import type { Flag, Lanes } from './lanes.js';
import { Operations, type Value } from './operations.js';

/** Operations of a program with all turns of its counted loops, and one of the others. */
export function workOf(fn: IrFunction): number {
  const elements = fn.arrays.reduce((sum, array) => sum + (array.kind === 'local' ? array.length : 0), 0);
  const count = (region: Region, loops: readonly CountedIndex[]): number =>
    region.body.reduce((sum, node) => {
      switch (node.kind) {
        case 'op':
          return sum + turnsOf(loops);
        case 'if':
          return sum + count(node.then, loops) + count(node.otherwise, loops);
        case 'for':
          if (largestCount(node, loops) === 0) return sum;
          // Each turn looks through the arrays for what it may free.
          return sum + turnsOf([...loops, node]) * elements + count(node.body, [...loops, node]);
        case 'loop':
          return sum + elements + count(node.body, loops);
      }
    }, 0);
  return count(fn.body, []);
}

/**
 * The value, then the elements of the output array. `turns`: of all loops that are not counted, together; lanes that
 * are inside of one after so many are in doubt.
 * @throws {RangeError} for a program that does not fit; `lanes` says what it lacks.
 */
export function evaluateProgram<V>(fn: IrFunction, lanes: Lanes<V>, turns: number): readonly Enclosure<V>[] {
  return new Program(fn, lanes, turns).run();
}

type Elements<V> = readonly Enclosure<V>[];

/**
 * What statements change: all of it is replaced, never written to, so that the sides of an `if` start from the same.
 */
interface State<V> {
  /** Local arrays by number; others have no elements here. */
  readonly arrays: readonly Elements<V>[];
  /** A check has fired, or may have. */
  readonly doubt: Flag<V>;
}

class Program<V> {
  private readonly on: Enclosures<V>;
  private readonly operations: Operations<V>;
  private readonly numbers: Enclosure<V>[] = [];
  private readonly truths: Truth<V>[] = [];
  private readonly indices: number[] = [];
  private state: State<V>;

  constructor(
    private readonly fn: IrFunction,
    private readonly lanes: Lanes<V>,
    private turnsLeft: number,
  ) {
    this.on = new Enclosures(lanes);
    this.operations = new Operations(this.on);
    const zero = this.on.constant(0);
    const arrays = fn.arrays.map((array) =>
      array.kind === 'local' ? new Array<Enclosure<V>>(array.length).fill(zero) : [],
    );
    this.state = { arrays, doubt: false };
  }

  run(): readonly Enclosure<V>[] {
    const { fn } = this;
    this.region(fn.body, true);
    const output = outputArrayOf(fn);
    const results = [this.numbers[fn.body.yields[0]], ...(output === null ? [] : this.state.arrays[output.array])];
    const { doubt } = this.state;
    return results.map((result) => ({ ...result, error: this.on.where(doubt, Infinity, result.error) }));
  }

  /** `reached`: lanes that run it, or may. */
  private region(region: Region, reached: Flag<V>): void {
    for (const node of region.body) {
      switch (node.kind) {
        case 'op':
          this.instruction(node, reached);
          break;
        case 'if':
          this.ifNode(node, reached);
          break;
        case 'for':
          this.forNode(node, reached);
          break;
        case 'loop':
          this.loopNode(node, reached);
          break;
      }
    }
  }

  private ifNode(node: IfNode, reached: Flag<V>): void {
    const { on } = this;
    const condition = this.truths[node.condition];
    const before = this.state;
    this.region(node.then, on.both(reached, on.invert(condition.no)));
    const then = this.state;
    this.state = { ...before, doubt: then.doubt };
    this.region(node.otherwise, on.both(reached, on.invert(condition.yes)));
    this.state = { ...this.state, arrays: this.chosenArrays(condition, then.arrays, this.state.arrays) };
    const [yes, no] = [this.valuesOf(node.then.yields), this.valuesOf(node.otherwise.yields)];
    node.results.forEach((id, k) => this.put(id, this.choose(condition, yes[k], no[k])));
  }

  private choose(condition: Truth<V>, yes: Value<V>, no: Value<V>): Value<V> {
    return this.lanes.scope(() => {
      if ('yes' in yes || 'yes' in no) return this.operations.chosen(condition, yes as Truth<V>, no as Truth<V>);
      return this.on.select(condition, yes, no);
    });
  }

  private chosenArrays(
    condition: Truth<V>,
    yes: readonly Elements<V>[],
    no: readonly Elements<V>[],
  ): readonly Elements<V>[] {
    const select = (a: Enclosure<V>, b: Enclosure<V>) => this.lanes.scope(() => this.on.select(condition, a, b));
    return no.map((elements, k) =>
      elements === yes[k] ? elements : elements.map((element, at) => select(yes[k][at], element)),
    );
  }

  private loopNode(node: LoopNode, reached: Flag<V>): void {
    const { on } = this;
    const [again, ...next] = node.body.yields;
    this.assign(node.params, node.initial);
    let inside = reached;
    for (let turn = 1; this.isAnywhere(inside); turn++) {
      const mayGoOn = turn < node.fuel && this.turnsLeft-- > 0;
      const end = this.lanes.scope(() => {
        const before = this.state;
        this.region(node.body, inside);
        const { yes, no } = this.truths[again];
        const goesOn = mayGoOn ? on.both(inside, yes) : false;
        const isUnknown = on.both(inside, on.invert(mayGoOn ? on.either(yes, no) : no));
        const isInside: Truth<V> = { yes: inside, no: on.invert(inside) };
        const stays = this.valuesOf(node.params);
        const values = this.valuesOf(next).map((value, k) => this.choose(isInside, value, stays[k]));
        const arrays = this.chosenArrays(isInside, this.state.arrays, before.arrays);
        return { inside: goesOn, values, state: { arrays, doubt: on.either(this.state.doubt, isUnknown) } };
      });
      ({ inside, state: this.state } = end);
      node.params.forEach((id, k) => this.put(id, end.values[k]));
    }
    this.assign(node.results, node.params);
  }

  private isAnywhere(flag: Flag<V>): boolean {
    return typeof flag === 'boolean' ? flag : this.lanes.isAnywhere(flag);
  }

  private forNode(node: ForNode, reached: Flag<V>): void {
    const count = this.form(node.count);
    this.assign(node.params, node.initial);
    for (let index = 0; index < count; index++) {
      this.indices[node.index] = index;
      const end = this.lanes.scope(() => {
        this.region(node.body, reached);
        return { values: this.valuesOf(node.body.yields), state: this.state };
      });
      ({ state: this.state } = end);
      node.params.forEach((id, k) => this.put(id, end.values[k]));
    }
    this.assign(node.results, node.params);
  }

  private assign(targets: readonly ValueId[], sources: readonly ValueId[]): void {
    const values = this.valuesOf(sources);
    targets.forEach((id, k) => this.put(id, values[k]));
  }

  private valuesOf(ids: readonly ValueId[]): readonly Value<V>[] {
    return ids.map((id) => (this.fn.types[id] === 'bool' ? this.truths[id] : this.numbers[id]));
  }

  private put(id: ValueId, value: Value<V>): void {
    if (this.fn.types[id] === 'bool') this.truths[id] = value as Truth<V>;
    else this.numbers[id] = value as Enclosure<V>;
  }

  private form(form: IndexForm): number {
    return evaluateForm(form, this.indices);
  }

  private instruction(node: Instruction, reached: Flag<V>): void {
    const { on } = this;
    if (node.op === 'check') {
      const possible = on.both(reached, on.invert(this.truths[node.args[0]].no));
      this.state = { ...this.state, doubt: on.either(this.state.doubt, possible) };
    } else if (node.op === 'store') {
      const elements = [...this.state.arrays[node.imm]];
      elements[this.form(node.at!)] = this.numbers[node.args[0]];
      this.state = { ...this.state, arrays: this.state.arrays.map((other, k) => (k === node.imm ? elements : other)) };
    } else if (this.fn.types[node.result] === 'bool') {
      this.truths[node.result] = this.lanes.scope(() => this.truth(node));
    } else this.numbers[node.result] = this.lanes.scope(() => this.number(node));
  }

  private truth({ op, args, imm }: Instruction): Truth<V> {
    if (op === 'bconst') return this.on.truth(imm !== 0);
    return this.operations.truth(op, this.valuesOf(args));
  }

  private number({ op, args, imm, at }: Instruction): Enclosure<V> {
    const { on } = this;
    switch (op) {
      case 'const':
        return on.constant(imm);
      case 'x':
        return on.coordinate(imm);
      case 'ordinal':
        return on.constant(this.form(at!));
      case 'load':
        return this.element(imm, this.form(at!));
      default:
        return this.operations.number(op, this.valuesOf(args));
    }
  }

  private element(array: number, at: number): Enclosure<V> {
    const info = this.fn.arrays[array];
    if (info.kind === 'candidate') return this.on.coordinate(at);
    return info.kind === 'table' ? this.on.constant(info.values[at]) : this.state.arrays[array][at];
  }
}
