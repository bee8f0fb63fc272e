/**
 * Reads the text form that `printer.ts` writes. One statement a line; `#` starts a comment; blank lines are free.
 *
 *   function  = 'function' string 'dimension' integer '{' { array } region '}'
 *   array     = 'array' name ( 'candidate' | 'table' '(' [ number { ',' number } ] ')' | ( 'local' | 'output' ) integer
 *   ) region    = { statement } 'yield' [ values ]
 *   statement = value '=' op [ values ] [ immediate ] [ form ] [ 'line' integer ]
 *             | 'store' value name form
 *             | 'check' value status 'line' integer
 *             | [ values '=' ] 'if' value '{' region '}' 'else' '{' region '}'
 *             | [ values '=' ] 'loop' '(' [ value '=' value { ',' value '=' value } ] ')' 'fuel' integer
 *               [ 'line' integer ] '{' region '}'
 *             | [ values '=' ] 'for' value form '(' [ value '=' value { ',' value '=' value } ] ')' '{' region '}'
 *   form      = '[' integer { integer '*' value } ']'      name = 'a' integer, numbered from 0
 *   value     = 'v' integer        immediate = number | 'nan' | 'inf' | '-inf' | 'true' | 'false' | name
 *
 * Types follow from the op table and are not written. The parser checks only form; `verifyIr` checks the rules.
 */
import type { OpName } from './ops.js';
import { isAngleOp, OPS } from './ops.js';
import type { IndexForm, IndexTerm, IrArray, IrFunction, IrNode, Region, ValueId } from './types.js';
import type { IrType } from './ops.js';
import { LaneStatus } from './types.js';

const TOKEN = /"(?:[^"\\]|\\.)*"|[(){}[\],=*]|[^\s(){}[\],=*"]+/g;

interface Line {
  readonly number: number;
  readonly tokens: readonly string[];
}

/** @throws {Error} naming the line and what was expected there. */
export function parseIr(text: string): IrFunction {
  const lines: Line[] = [];
  text.split('\n').forEach((raw, index) => {
    const source = raw.trimStart().startsWith('function') ? raw : raw.replace(/#.*$/, '');
    const tokens = raw.trimStart().startsWith('#') ? [] : (source.match(TOKEN) ?? []);
    if (tokens.length > 0) lines.push({ number: index + 1, tokens });
  });
  return new Parser(lines).function();
}

class Parser {
  private readonly types: IrType[] = [];
  private row = 0;
  private column = 0;

  constructor(private readonly lines: readonly Line[]) {}

  function(): IrFunction {
    this.expect('function');
    const quoted = this.take('a quoted name');
    if (!quoted.startsWith('"')) this.fail(`expected a quoted name, found ${quoted}`);
    const name = JSON.parse(quoted) as string;
    this.expect('dimension');
    const dimension = this.integer();
    this.expect('{');
    this.endLine();
    const arrays: IrArray[] = [];
    while (this.peek() === 'array') arrays.push(this.array(arrays.length));
    const body = this.region();
    this.expect('}');
    this.endLine();
    if (this.row < this.lines.length) this.fail('text after the end of the function');
    return { name, dimension, body, types: this.types, arrays };
  }

  private array(number: number): IrArray {
    this.expect('array');
    this.expect(`a${number}`);
    const kind = this.take('the kind of the array');
    let array: IrArray;
    if (kind === 'candidate') array = { kind };
    else if (kind === 'local') array = { kind, length: this.integer() };
    else if (kind === 'output') array = { kind: 'local', length: this.integer(), isOutput: true };
    else if (kind === 'table') array = { kind, values: this.table() };
    else this.fail(`expected candidate, table or local, found ${kind}`);
    this.endLine();
    return array;
  }

  private table(): Float64Array {
    const values: number[] = [];
    this.expect('(');
    while (this.peek() !== ')') {
      if (values.length > 0) this.expect(',');
      values.push(this.number());
    }
    this.expect(')');
    return Float64Array.from(values);
  }

  private form(): IndexForm {
    this.expect('[');
    const offset = this.integer();
    const terms: IndexTerm[] = [];
    while (this.peek() !== ']') {
      const scale = this.integer();
      this.expect('*');
      terms.push({ index: this.value(), scale });
    }
    this.expect(']');
    return { offset, terms };
  }

  /** Up to and including its `yield` line. */
  private region(): Region {
    const body: IrNode[] = [];
    while (this.peek() !== 'yield') {
      if (this.peek() === '}') this.fail('expected yield, found }');
      body.push(this.statement());
    }
    this.expect('yield');
    const yields = this.values();
    this.endLine();
    return { body, yields };
  }

  private statement(): IrNode {
    const results = this.isValue() ? this.values() : [];
    if (results.length > 0) this.expect('=');
    const head = this.take('an operation');
    if (head === 'if') return this.ifNode(results);
    if (head === 'loop') return this.loopNode(results);
    if (head === 'for') return this.forNode(results);
    if (!Object.hasOwn(OPS, head)) this.fail(`unknown operation ${head}`);
    return this.instruction(head as OpName, results);
  }

  private instruction(op: OpName, results: readonly ValueId[]): IrNode {
    const info = OPS[op];
    if (results.length !== (info.result === 'none' ? 0 : 1)) this.fail(`${op} has ${results.length} results here`);
    const args = this.values();
    let imm = 0;
    if (op === 'const') imm = this.number();
    else if (op === 'bconst') imm = this.truth();
    else if (op === 'x') imm = this.integer();
    else if (op === 'check') imm = this.status();
    else if (op === 'load' || op === 'store') imm = this.arrayNumber();
    else if (isAngleOp(op)) imm = this.optionalWord('quick') ? 1 : 0;
    const at = info.kind === 'memory' ? { at: this.form() } : {};
    const line = this.optionalLine();
    this.endLine();
    const result = results.length === 0 ? -1 : results[0];
    if (info.result !== 'none') this.types[result] = info.result;
    return { kind: 'op', op, args, result, imm, ...at, line };
  }

  private ifNode(results: readonly ValueId[]): IrNode {
    const condition = this.value();
    this.expect('{');
    this.endLine();
    const then = this.region();
    this.expect('}');
    this.expect('else');
    this.expect('{');
    this.endLine();
    const otherwise = this.region();
    this.expect('}');
    this.endLine();
    results.forEach((id, k) => (this.types[id] = this.typeOf(then.yields[k])));
    return { kind: 'if', condition, then, otherwise, results };
  }

  private loopNode(results: readonly ValueId[]): IrNode {
    const { params, initial } = this.carried(results);
    this.expect('fuel');
    const fuel = this.integer();
    const line = this.optionalLine();
    this.expect('{');
    this.endLine();
    const body = this.region();
    this.expect('}');
    this.endLine();
    return { kind: 'loop', initial, params, body, results, fuel, line };
  }

  private forNode(results: readonly ValueId[]): IrNode {
    const index = this.value();
    this.types[index] = 'index';
    const count = this.form();
    const { params, initial } = this.carried(results);
    this.expect('{');
    this.endLine();
    const body = this.region();
    this.expect('}');
    this.endLine();
    return { kind: 'for', index, count, initial, params, body, results };
  }

  /** Params with their initial values, in parentheses. */
  private carried(results: readonly ValueId[]): { params: ValueId[]; initial: ValueId[] } {
    this.expect('(');
    const params: ValueId[] = [];
    const initial: ValueId[] = [];
    while (this.peek() !== ')') {
      if (params.length > 0) this.expect(',');
      params.push(this.value());
      this.expect('=');
      initial.push(this.value());
    }
    this.expect(')');
    params.forEach((id, k) => (this.types[id] = this.typeOf(initial[k])));
    results.forEach((id, k) => (this.types[id] = this.typeOf(initial[k])));
    return { params, initial };
  }

  private arrayNumber(): number {
    const token = this.take('an array');
    return /^a\d+$/.test(token) ? Number(token.slice(1)) : this.fail(`expected an array, found ${token}`);
  }

  private typeOf(id: ValueId | undefined): IrType {
    const type = id === undefined ? undefined : this.types[id];
    return type ?? this.fail(`v${id} is used before its definition`);
  }

  private values(): ValueId[] {
    const ids: ValueId[] = [];
    while (this.isValue()) {
      ids.push(this.value());
      if (this.peek() !== ',') break;
      this.expect(',');
    }
    return ids;
  }

  private isValue(): boolean {
    return /^v\d+$/.test(this.peek() ?? '');
  }

  private value(): ValueId {
    const token = this.take('a value');
    return /^v\d+$/.test(token) ? Number(token.slice(1)) : this.fail(`expected a value, found ${token}`);
  }

  private integer(): number {
    const token = this.take('an integer');
    return /^-?\d+$/.test(token) ? Number(token) : this.fail(`expected an integer, found ${token}`);
  }

  private number(): number {
    const token = this.take('a number');
    if (token === 'nan') return NaN;
    if (token === 'inf') return Infinity;
    if (token === '-inf') return -Infinity;
    return /^-?\d/.test(token) && !Number.isNaN(Number(token)) ? Number(token) : this.fail(`not a number: ${token}`);
  }

  private truth(): number {
    const token = this.take('true or false');
    return token === 'true' ? 1 : token === 'false' ? 0 : this.fail(`expected true or false, found ${token}`);
  }

  private status(): number {
    const token = this.take('a lane status');
    return Object.hasOwn(LaneStatus, token)
      ? LaneStatus[token as keyof typeof LaneStatus]
      : this.fail(`unknown lane status ${token}`);
  }

  private optionalWord(word: string): boolean {
    if (this.peek() !== word) return false;
    this.expect(word);
    return true;
  }

  private optionalLine(): number {
    if (this.peek() !== 'line') return 0;
    this.expect('line');
    return this.integer();
  }

  private peek(): string | undefined {
    if (this.row >= this.lines.length) this.fail('the text ends early');
    return this.lines[this.row].tokens[this.column];
  }

  private take(expected: string): string {
    const token = this.peek() ?? this.fail(`expected ${expected} before the end of the line`);
    this.column++;
    return token;
  }

  private expect(token: string): void {
    const found = this.take(`"${token}"`);
    if (found !== token) this.fail(`expected "${token}", found ${found}`);
  }

  private endLine(): void {
    const rest = this.peek();
    if (rest !== undefined) this.fail(`unexpected ${rest}`);
    this.row++;
    this.column = 0;
  }

  private fail(message: string): never {
    const last = this.lines.length === 0 ? 1 : this.lines[Math.min(this.row, this.lines.length - 1)].number;
    throw new Error(`IR text, line ${last}: ${message}`);
  }
}
