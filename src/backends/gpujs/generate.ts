/**
 * Verified IR to a kernel of gpu.js: one thread values one candidate, in enclosures (`single-precision/`). Nothing of
 * the user's source reaches the text: only value numbers, operations of the op table and numbers.
 *
 * A number is two variables, `v<id>` and its bound `e<id>`; a truth value is two, `y<id>` and `n<id>`, certainly true
 * and certainly false. Every operation is a call of a function that `single-precision/operations.ts` has written, one
 * for each form of operands: gpu.js's time grows with the square of the variables in a function. Branches and loops
 * stay what they are; where a bound leaves open which way a candidate goes, it is in doubt, and its bound is infinite
 * in the end. gpu.js knows neither endless loops nor arrays of one thread nor statements that leave a kernel, so that
 * `StatementWriter`, whose languages have them, is no help here.
 *
 * Arguments of the kernel: `points` [2 dimension, width], coordinates and their bounds, and `table`: infinity, and what
 * tables of the program hold. It returns the results, each with its bound: [2 results, width].
 */
import { addForms, constantForm, formRange, largestCount, type CountedIndex } from '../../ir/index-form.js';
import { outputArrayOf } from '../../ir/types.js';
import type { ForNode, IfNode, IndexForm, Instruction, IrFunction, LoopNode, Region, ValueId } from '../../ir/types.js';
import { distanceOf, Enclosures, singleOf, WHOLE, type Enclosure, type Truth } from '../single-precision/enclosures.js';
import type { Flag, Num } from '../single-precision/lanes.js';
import { Operations, type Value } from '../single-precision/operations.js';
import { ownFunctionsIn, textFunction, type TextFunction } from './own-functions.js';
import { TextLanes } from '../single-precision/text-lanes.js';
import { ALL_THERE, GpujsDialect, INFINITY, literal, type ModeFunctions } from './dialect.js';

export interface GeneratedKernel {
  readonly source: string;
  readonly functions: readonly TextFunction[];
  readonly table: Float32Array;
  /** No loop has more turns. */
  readonly turns: number;
}

/** Of loops that are not counted, together: candidates that stay longer are in doubt. */
const MAX_TURNS = 1_000;

/**
 * `most`: statements of the kernel.
 * @throws {RangeError} for a program that does not fit.
 */
export function generateKernel(fn: IrFunction, functions: ModeFunctions, most: number): GeneratedKernel {
  // What a loop or an array hands on is taken for whole until something else is found: then all is written once more.
  const fractional = new Set<string>();
  for (;;) {
    const before = fractional.size;
    const kernel = new KernelWriter(fn, functions, most, fractional).kernel();
    if (fractional.size === before) return kernel;
  }
}

/** Where a part of a function's result is: a number, an operand, or what a function returns. */
type Part = Num<string> | boolean;

/** The parts of the result of an operation. */
type Operation = Readonly<Record<string, Part>>;

class KernelWriter {
  private lines: string[] = [];
  private count = 0;
  private turns = 1;
  private readonly numbers: Enclosure<string>[] = [];
  private readonly truths: Truth<string>[] = [];
  private readonly loops: CountedIndex[] = [];
  private readonly operations = new Map<string, Operation>();
  private readonly functions: TextFunction[] = [];
  private readonly table: number[] = [Infinity];
  /** Where the values of a table begin in `table`, and where their bounds do; null: all are exact. */
  private readonly tables = new Map<
    number,
    { readonly at: number; readonly errorsAt: number | null; readonly whole: boolean }
  >();
  private readonly constants = new Enclosures<string>(new TextLanes(new GpujsDialect(ALL_THERE)));

  constructor(
    private readonly fn: IrFunction,
    private readonly modeFunctions: ModeFunctions,
    private readonly most: number,
    private readonly fractional: Set<string>,
  ) {}

  kernel(): GeneratedKernel {
    const { fn } = this;
    this.emit(`const ${INFINITY} = table[0];`, 'let doubt = 0;', 'let turns = 0;');
    fn.arrays.forEach((array, k) => {
      if (array.kind === 'local') {
        for (let at = 0; at < array.length; at++) this.emit(`let a${k}_${at} = 0;`, `let b${k}_${at} = 0;`);
      } else if (array.kind === 'table') this.addTable(k, array.values);
    });
    this.region(fn.body);
    this.finish();
    const source = ['function (points, table) {', ...this.lines, '}'].join('\n');
    const own = ownFunctionsIn(this.functions.map((each) => each.source).join('\n'));
    const functions = [...own, ...this.functions];
    return { source, functions, table: Float32Array.from(this.table), turns: this.turns };
  }

  private finish(): void {
    const { fn } = this;
    const output = outputArrayOf(fn);
    const results = [this.numbers[fn.body.yields[0]]];
    for (let at = 0; at < (output?.length ?? 0); at++) results.push(this.elementOf(output!.array, at));
    this.emit('let result = 0;');
    results.forEach(({ value, error }, k) => {
      this.emit(`if (this.thread.y === ${2 * k}) { result = ${text(value)}; }`);
      this.emit(
        `if (this.thread.y === ${2 * k + 1}) { result = ${text(error)}; if (doubt > 0.5) { result = ${INFINITY}; } }`,
      );
    });
    this.emit('return result;');
  }

  private emit(...lines: readonly string[]): void {
    this.count += lines.length;
    if (this.count > this.most) throw new RangeError(`its kernel has more than ${this.most} statements`);
    this.lines.push(...lines);
  }

  /** What `body` emits, which is not yet in the text. */
  private captured(body: () => void): readonly string[] {
    const before = this.lines;
    this.lines = [];
    body();
    const inside = this.lines;
    this.lines = before;
    return inside;
  }

  private region(region: Region): void {
    for (const node of region.body) {
      switch (node.kind) {
        case 'op':
          this.instruction(node);
          break;
        case 'if':
          this.ifNode(node);
          break;
        case 'for':
          this.forNode(node);
          break;
        case 'loop':
          this.loopNode(node);
          break;
      }
    }
  }

  private instruction(node: Instruction): void {
    const { op, args, imm, result } = node;
    switch (op) {
      case 'const':
        this.numbers[result] = this.constants.constant(imm);
        return;
      case 'bconst':
        this.truths[result] = this.constants.truth(imm !== 0);
        return;
      case 'x':
        this.numbers[result] = this.coordinate(result, constantForm(imm));
        return;
      case 'ordinal':
        this.numbers[result] = this.ordinal(result, node.at!);
        return;
      case 'load':
        this.numbers[result] = this.load(node);
        return;
      case 'store':
        this.store(node);
        return;
      case 'check':
        this.doubtUnless(this.truths[args[0]].no);
        return;
      default:
        this.put(result, this.applied(node));
    }
  }

  /** Calls the functions of an operation. */
  private applied({ op, args, result: id }: Instruction): Value<string> {
    const operands = args.map((arg) => this.valueOf(arg));
    const actual = new Map<string, Num<string>>();
    const symbols = operands.map((operand, k) => symbolOf(operand, k, op, actual));
    const key = `${op} ${symbols.map(shapeOf).join(' ')}`;
    let operation = this.operations.get(key);
    if (operation === undefined) {
      operation = this.operation(op, symbols, [...actual.keys()], this.fn.types[id] === 'bool');
      this.operations.set(key, operation);
    }
    const parts = operation;
    const called = (part: string, name: string): Part => {
      const found = parts[part];
      if (typeof found !== 'string') return found;
      const operand = actual.get(found);
      if (operand !== undefined) return operand;
      this.emit(`const ${name} = ${found}(${[...[...actual.values()].map(text), INFINITY].join(', ')});`);
      return name;
    };
    if (this.fn.types[id] === 'bool') {
      return { yes: called('yes', `y${id}`) as Flag<string>, no: called('no', `n${id}`) as Flag<string> };
    }
    return {
      value: called('value', `v${id}`) as Num<string>,
      error: called('error', `e${id}`) as Num<string>,
      whole: parts['whole'] === true,
    };
  }

  /** Writes an operation on operands of one form. */
  private operation(
    op: Instruction['op'],
    symbols: readonly Value<string>[],
    parameters: readonly string[],
    isTruth: boolean,
  ): Operation {
    const lanes = new TextLanes(new GpujsDialect(this.modeFunctions));
    const operations = new Operations(new Enclosures(lanes));
    const found = isTruth ? operations.truth(op, symbols) : operations.number(op, symbols);
    const number = this.operations.size;
    const parts = (Object.entries(found) as [string, Part][]).map(([part, is]): [string, Part] => {
      if (typeof is !== 'string' || parameters.includes(is)) return [part, is];
      const name = `${op}${number}${part}`;
      this.functions.push(textFunction(name, [...parameters, INFINITY], lanes.body(is), is));
      return [part, name];
    });
    return Object.fromEntries(parts);
  }

  private ifNode(node: IfNode): void {
    const { yes, no } = this.truths[node.condition];
    if (yes === true || no === true) {
      const side = yes === true ? node.then : node.otherwise;
      this.region(side);
      node.results.forEach((id, k) => this.put(id, this.valueOf(side.yields[k])));
      return;
    }
    const then = this.captured(() => this.region(node.then));
    const otherwise = this.captured(() => {
      this.doubtUnless(no);
      this.region(node.otherwise);
    });
    const [atThen, atOtherwise]: [string[], string[]] = [[], []];
    node.results.forEach((id, k) => {
      const [a, b] = [this.valueOf(node.then.yields[k]), this.valueOf(node.otherwise.yields[k])];
      this.put(
        id,
        this.variables(id, a, (part, name) => {
          const [x, y] = [partOf(a, part), partOf(b, part)];
          // The same number on both sides is one still.
          if (x === y && typeof x === 'number') return x;
          this.emit(`let ${name} = 0;`);
          atThen.push(`${name} = ${text(x)};`);
          atOtherwise.push(`${name} = ${text(y)};`);
          return name;
        }),
      );
      if (!('yes' in a)) this.numbers[id] = { ...this.numbers[id], whole: a.whole && (b as Enclosure<string>).whole };
    });
    this.emit(`if (${test(yes)}) {`);
    this.lines.push(...then);
    this.emit(...atThen, '} else {');
    this.lines.push(...otherwise);
    this.emit(...atOtherwise, '}');
  }

  private forNode(node: ForNode): void {
    const { index, count } = node;
    const turns = largestCount(node, this.loops);
    if (turns === 0) {
      node.results.forEach((id, k) => this.put(id, this.valueOf(node.initial[k])));
      return;
    }
    this.start(node, turns);
    this.emit(`let i${index} = 0;`, `for (let c${index} = 0; c${index} < ${turns}; c${index}++) {`);
    if (count.terms.length > 0) this.emit(`if (i${index} >= ${form(count)}) { break; }`);
    this.loops.push(node);
    this.region(node.body);
    this.loops.pop();
    this.next(node, node.body.yields);
    this.emit(`i${index} = i${index} + 1;`, '}');
    this.end(node);
  }

  private loopNode(node: LoopNode): void {
    const [again, ...next] = node.body.yields;
    const turns = Math.min(node.fuel, MAX_TURNS);
    this.start(node, turns);
    const name = `${this.count}`;
    this.emit(`let open${name} = 1;`, `for (let w${name} = 0; w${name} < ${turns}; w${name}++) {`);
    this.region(node.body);
    // It may be one of the params, which change.
    const { yes, no } = this.truths[again];
    this.emit(`const again${name} = ${text(yes)};`, `const leaves${name} = ${text(no)};`);
    this.next(node, next);
    this.emit(`if (0.5 > again${name}) {`);
    this.doubtUnless(`leaves${name}`);
    this.emit(`open${name} = 0;`, 'break;', '}');
    this.emit('turns = turns + 1;', `if (turns >= ${MAX_TURNS}) { break; }`, '}');
    this.emit(`if (open${name} > 0.5) { doubt = 1; }`);
    this.end(node);
  }

  private start(node: ForNode | LoopNode, turns: number): void {
    this.turns = Math.max(this.turns, turns);
    node.params.forEach((id, k) => {
      const initial = this.valueOf(node.initial[k]);
      const value = this.variables(id, initial, (part, name) => {
        this.emit(`let ${name} = ${text(partOf(initial, part))};`);
        return name;
      });
      this.put(id, 'yes' in value ? value : { ...value, whole: value.whole && !this.fractional.has(`v${id}`) });
    });
  }

  /** A param may be another's next value: all are read before any changes. */
  private next({ params }: ForNode | LoopNode, next: readonly ValueId[]): void {
    const assignments: string[] = [];
    params.forEach((id, k) => {
      const [value, param] = [this.valueOf(next[k]), this.valueOf(id)];
      this.variables(id, value, (part, name) => {
        this.emit(`const next_${name} = ${text(partOf(value, part))};`);
        assignments.push(`${name} = next_${name};`);
        return name;
      });
      if (!('yes' in param) && param.whole && !(value as Enclosure<string>).whole) this.fractional.add(`v${id}`);
    });
    this.emit(...assignments);
  }

  private end(node: ForNode | LoopNode): void {
    node.results.forEach((id, k) => this.put(id, this.valueOf(node.params[k])));
  }

  /** A value of the kind of `like`, whose parts `make` says. */
  private variables(
    id: ValueId,
    like: Value<string>,
    make: (part: string, name: string) => Num<string>,
  ): Value<string> {
    if ('yes' in like) return { yes: make('yes', `y${id}`) as string, no: make('no', `n${id}`) as string };
    return { value: make('value', `v${id}`), error: make('error', `e${id}`), whole: like.whole };
  }

  private doubtUnless(certain: Flag<string>): void {
    if (certain === false) this.emit('doubt = 1;');
    else if (certain !== true) this.emit(`if (0.5 > ${certain}) { doubt = 1; }`);
  }

  private coordinate(id: ValueId, at: IndexForm): Enclosure<string> {
    const errorAt = addForms(at, constantForm(this.fn.dimension));
    this.emit(`const v${id} = points[${form(at)}][this.thread.x];`);
    this.emit(`const e${id} = points[${form(errorAt)}][this.thread.x];`);
    return { value: `v${id}`, error: `e${id}`, whole: false };
  }

  private ordinal(id: ValueId, at: IndexForm): Enclosure<string> {
    if (at.terms.length === 0) return this.constants.constant(at.offset);
    const { min, max } = formRange(at, this.loops);
    if (!(max < WHOLE && min > -WHOLE)) throw new RangeError('an index is too large');
    this.emit(`const v${id} = ${form(at)};`);
    return { value: `v${id}`, error: 0, whole: true };
  }

  private load({ imm, at, result: id }: Instruction): Enclosure<string> {
    const array = this.fn.arrays[imm];
    if (array.kind === 'candidate') return this.coordinate(id, at!);
    if (array.kind === 'table') {
      if (at!.terms.length === 0) return this.constants.constant(array.values[at!.offset]);
      const { at: first, errorsAt, whole } = this.tables.get(imm)!;
      this.emit(`const v${id} = table[${form(addForms(at!, constantForm(first)))}];`);
      if (errorsAt !== null) this.emit(`const e${id} = table[${form(addForms(at!, constantForm(errorsAt)))}];`);
      return { value: `v${id}`, error: errorsAt === null ? 0 : `e${id}`, whole };
    }
    // A copy: elements change.
    this.emit(`let v${id} = 0;`, `let e${id} = 0;`);
    this.atElement(imm, at!, (value, error) => this.emit(`v${id} = ${value};`, `e${id} = ${error};`));
    return { ...this.elementOf(imm, 0), value: `v${id}`, error: `e${id}` };
  }

  private store({ args, imm, at }: Instruction): void {
    const { value, error, whole } = this.numbers[args[0]];
    if (!whole) this.fractional.add(`a${imm}`);
    this.atElement(imm, at!, (element, bound) =>
      this.emit(`${element} = ${text(value)};`, `${bound} = ${text(error)};`),
    );
  }

  private elementOf(array: number, at: number): Enclosure<string> {
    return { value: `a${array}_${at}`, error: `b${array}_${at}`, whole: !this.fractional.has(`a${array}`) };
  }

  /**
   * Emits what `access` does with the element of a local array: a thread's variables have no index, so that it is
   * looked for.
   */
  private atElement(array: number, at: IndexForm, access: (value: string, error: string) => void): void {
    const { min, max } = formRange(at, this.loops);
    const leaf = (element: number) => access(`a${array}_${element}`, `b${array}_${element}`);
    if (at.terms.length === 0) {
      leaf(at.offset);
      return;
    }
    const index = `at${this.count}`;
    this.emit(`const ${index} = ${form(at)};`);
    const search = (low: number, high: number): void => {
      if (low === high) {
        leaf(low);
        return;
      }
      const middle = Math.ceil((low + high) / 2);
      this.emit(`if (${index} < ${middle}) {`);
      search(low, middle - 1);
      this.emit('} else {');
      search(middle, high);
      this.emit('}');
    };
    const { length } = this.fn.arrays[array] as { readonly length: number };
    search(Math.max(0, min), Math.min(length - 1, max));
  }

  private addTable(array: number, values: Float64Array): void {
    const append = (numbers: Float64Array): number => {
      const at = this.table.length;
      for (const number of numbers) this.table.push(number);
      return at;
    };
    const at = append(values.map(singleOf));
    const errors = values.map(distanceOf);
    const errorsAt = errors.every((error) => error === 0) ? null : append(errors);
    this.tables.set(array, { at, errorsAt, whole: values.every(Number.isInteger) });
  }

  private valueOf(id: ValueId): Value<string> {
    return this.fn.types[id] === 'bool' ? this.truths[id] : this.numbers[id];
  }

  private put(id: ValueId, value: Value<string>): void {
    if ('yes' in value) this.truths[id] = value;
    else this.numbers[id] = value;
  }
}

/** Exponents are looked at when an operation is written, other numbers are not. */
const isLiteral = (op: Instruction['op'], k: number): boolean => op === 'pow' && k === 1;

/** Operand `k` as a function of its operation sees it. `actual`: what its parameters are. */
function symbolOf(
  operand: Value<string>,
  k: number,
  op: Instruction['op'],
  actual: Map<string, Num<string>>,
): Value<string> {
  if ('yes' in operand) {
    const flag = (is: Flag<string>, name: string): Flag<string> => {
      if (typeof is === 'boolean') return is;
      actual.set(name, is);
      return name;
    };
    return { yes: flag(operand.yes, `y${k}`), no: flag(operand.no, `n${k}`) };
  }
  const { value, error, whole } = operand;
  if (isLiteral(op, k) && typeof value === 'number' && error === 0) return operand;
  actual.set(`v${k}`, value);
  if (error !== 0) actual.set(`e${k}`, error);
  return { value: `v${k}`, error: error === 0 ? 0 : `e${k}`, whole };
}

const shapeOf = (symbol: Value<string>): string => Object.values(symbol).join(',');

const partOf = (value: Value<string>, part: string): Part => (value as unknown as Readonly<Record<string, Part>>)[part];

/** As the whole of an expression. */
function text(part: Part): string {
  if (typeof part === 'boolean') return part ? '1' : '0';
  return typeof part === 'number' ? literal(part) : part;
}

const test = (flag: Flag<string>): string => (typeof flag === 'boolean' ? `${text(flag)} > 0.5` : `${flag} > 0.5`);

/** Indices are numbers `i<id>`. */
function form({ offset, terms }: IndexForm): string {
  const product = ({ index, scale }: IndexForm['terms'][number]): string =>
    Math.abs(scale) === 1 ? `i${index}` : `${Math.abs(scale)} * i${index}`;
  const [added, taken] = [terms.filter(({ scale }) => scale > 0), terms.filter(({ scale }) => scale < 0)];
  const sum = [...added.map(product), ...(offset > 0 || (added.length === 0 && offset === 0) ? [String(offset)] : [])];
  const start = sum.length === 0 ? '0' : sum.join(' + ');
  return [start, ...taken.map(product), ...(offset < 0 ? [String(-offset)] : [])].join(' - ');
}
