/**
 * The living definition of the IR: one lane at a time, slow and plain. Code generators are tested against it by
 * equality of value bits, status and failing line. Operations of the mathematics library are evaluated by
 * interpreting their expansion, so that this file defines their bits too.
 */
import { MATH_LIBRARY } from './math/index.js';
import { isMathOp, type MathOpName, type OpName, type PrimitiveOpName } from './ops.js';
import { PRIMITIVES } from './primitives.js';
import { evaluateForm } from './index-form.js';
import type { ForNode, IndexForm, IrArray, IrFunction, IrNode, LoopNode, Region, ValueId } from './types.js';
import { LaneStatus, outputArrayOf } from './types.js';

interface LaneResult {
  /** NaN where `status` is not `Ok`; a NaN is the canonical one. */
  readonly value: number;
  readonly status: LaneStatus;
  /** Source line of the check (or loop) that flagged the lane; 0 where `status` is `Ok` or the line is unknown. */
  readonly line: number;
  /** Elements of the function's output array; absent: it has none, or the lane is flagged. */
  readonly outputs?: Float64Array;
}

/** Set once, by the first check that fires; evaluation stops there. */
interface Flag {
  status: LaneStatus;
  line: number;
}

interface Frame {
  readonly x: ArrayLike<number>;
  /** By value id; booleans are 0 and 1. */
  readonly values: number[];
  /** By array number. */
  readonly arrays: readonly ArrayLike<number>[];
  readonly flag: Flag;
}

/**
 * Evaluates `fn` for one candidate.
 *
 * Shapes: `x` [fn.dimension].
 */
export function interpret(fn: IrFunction, x: ArrayLike<number>): LaneResult {
  const frame: Frame = {
    x,
    values: new Array<number>(fn.types.length),
    arrays: fn.arrays.map((array) => elementsOf(array, x)),
    flag: { status: LaneStatus.Ok, line: 0 },
  };
  if (!runRegion(fn.body, frame)) return { value: NaN, status: frame.flag.status, line: frame.flag.line };
  const result = frame.values[fn.body.yields[0]];
  const lane = { value: Number.isNaN(result) ? NaN : result, status: LaneStatus.Ok, line: 0 };
  const output = outputArrayOf(fn);
  return output === null ? lane : { ...lane, outputs: frame.arrays[output.array] as Float64Array };
}

function elementsOf(array: IrArray, x: ArrayLike<number>): ArrayLike<number> {
  switch (array.kind) {
    case 'candidate':
      return x;
    case 'table':
      return array.values;
    case 'local':
      return new Float64Array(array.length);
  }
}

/** The value of one operation on known arguments, with the interpreter's own arithmetic. */
export function evaluateOp(op: PrimitiveOpName | MathOpName, args: readonly number[]): number {
  if (isMathOp(op)) {
    const value = functionOf(op)(args[0], args[1]);
    return Number.isNaN(value) ? NaN : value;
  }
  return PRIMITIVES[op](args[0], args[1], args[2]);
}

type MathFunction = (a: number, b: number) => number;

/** A function of the mathematics library: its calls so far, until there are enough to translate it. */
interface Tape {
  calls: number;
  run: MathFunction;
}

const tapes = new Map<MathOpName, Tape>();

/** Calls after which a function is translated to JavaScript: tables at module level have thousands of numbers. */
const TRANSLATED_AFTER = 64;

function functionOf(op: MathOpName): MathFunction {
  let tape = tapes.get(op);
  if (tape === undefined) {
    tape = { calls: 0, run: stepwise(op) };
    tapes.set(op, tape);
  }
  if (++tape.calls === TRANSLATED_AFTER) tape.run = translated(op) ?? tape.run;
  return tape.run;
}

/** Step by step, through the table of primitives. */
function stepwise(op: MathOpName): MathFunction {
  const fn = MATH_LIBRARY[op];
  const values = new Array<number>(fn.types.length).fill(0);
  const [result] = fn.body.yields;
  return (a, b) => {
    runSteps(fn.body, values, a, b);
    return values[result];
  };
}

/** A region of an expansion, which has no nodes but operations and `if`. */
function runSteps(region: Region, values: number[], a: number, b: number): void {
  for (const node of region.body) {
    if (node.kind === 'if') {
      const side = values[node.condition] !== 0 ? node.then : node.otherwise;
      runSteps(side, values, a, b);
      assign(node.results, side.yields, 0, values);
      continue;
    }
    if (node.kind !== 'op') throw new Error('an expansion of the mathematics library has no loop');
    const { op: step, args, imm, result: to } = node;
    if (step === 'const' || step === 'bconst') values[to] = imm;
    else if (step === 'x') values[to] = imm === 0 ? a : b;
    else values[to] = PRIMITIVES[step as PrimitiveOpName](values[args[0]], values[args[1]], values[args[2]]);
  }
}

/** Arithmetic that JavaScript has operators for. */
const OPERATORS: Partial<Record<OpName, string>> = { add: '+', sub: '-', mul: '*', div: '/' };

/** The statements of a region of an expansion. */
function statementsOf({ body }: Region): string {
  const statement = (node: IrNode): string => {
    if (node.kind === 'if') {
      const side = (region: Region) =>
        `{ ${statementsOf(region)} ${node.results.map((id, k) => `v${id} = v${region.yields[k]};`).join(' ')} }`;
      const declared = node.results.map((id) => `let v${id};`).join(' ');
      return `${declared} if (v${node.condition}) ${side(node.then)} else ${side(node.otherwise)}`;
    }
    if (node.kind !== 'op') throw new Error('an expansion of the mathematics library has no loop');
    const { op: step, args, imm, result } = node;
    const operands = args.map((id) => `v${id}`);
    const value = (): string => {
      if (step === 'const' || step === 'bconst') return Object.is(imm, -0) ? '-0' : String(imm);
      if (step === 'x') return imm === 0 ? 'a' : 'b';
      const operator = OPERATORS[step];
      return operator === undefined ? `${step}(${operands.join(', ')})` : operands.join(operator);
    };
    return `const v${result} = ${value()};`;
  };
  return body.map(statement).join('\n');
}

/** The same as one JavaScript function; null where this process may not generate code from text. */
function translated(op: MathOpName): MathFunction | null {
  const { body } = MATH_LIBRARY[op];
  const text = `'use strict';
const { ${Object.keys(PRIMITIVES).join(', ')} } = primitives;
return (a, b) => { ${statementsOf(body)} return v${body.yields[0]}; };`;
  try {
    return new Function('primitives', text)(PRIMITIVES) as MathFunction;
  } catch (error) {
    if (error instanceof EvalError) return null;
    throw error;
  }
}

/** A batch in the layout of the backends: row-major `[count, dimension]`. */
interface LaneBatch {
  readonly candidates: ArrayLike<number>;
  readonly count: number;
  readonly dimension: number;
}

/** Each at least `count` long; the first `count` entries are written. */
interface LaneOutput {
  readonly values: Float64Array;
  readonly status: Uint8Array;
}

/** Evaluates every row of `batch`. */
export function interpretBatch(fn: IrFunction, batch: LaneBatch, output: LaneOutput): void {
  const x = new Float64Array(batch.dimension);
  for (let i = 0; i < batch.count; i++) {
    for (let j = 0; j < batch.dimension; j++) x[j] = batch.candidates[i * batch.dimension + j];
    const lane = interpret(fn, x);
    output.values[i] = lane.value;
    output.status[i] = lane.status;
  }
}

/** False when the lane was flagged. */
function runRegion(region: Region, frame: Frame): boolean {
  for (const node of region.body) if (!runNode(node, frame)) return false;
  return true;
}

function runNode(node: IrNode, frame: Frame): boolean {
  const { values } = frame;
  switch (node.kind) {
    case 'if': {
      const region = values[node.condition] !== 0 ? node.then : node.otherwise;
      if (!runRegion(region, frame)) return false;
      assign(node.results, region.yields, 0, values);
      return true;
    }
    case 'loop':
      return runLoop(node, frame);
    case 'for':
      return runFor(node, frame);
    case 'op':
      switch (node.op) {
        case 'const':
        case 'bconst':
          values[node.result] = node.imm;
          return true;
        case 'x':
          values[node.result] = frame.x[node.imm];
          return true;
        case 'load':
          values[node.result] = frame.arrays[node.imm][evaluateForm(node.at as IndexForm, values)];
          return true;
        case 'store':
          (frame.arrays[node.imm] as Float64Array)[evaluateForm(node.at as IndexForm, values)] = values[node.args[0]];
          return true;
        case 'ordinal':
          values[node.result] = evaluateForm(node.at as IndexForm, values);
          return true;
        case 'check':
          if (values[node.args[0]] === 0) return true;
          frame.flag.status = node.imm as LaneStatus;
          frame.flag.line = node.line;
          return false;
        default: {
          const [a, b, c] = node.args;
          values[node.result] = isMathOp(node.op)
            ? evaluateOp(
                node.op,
                node.args.map((id) => values[id]),
              )
            : PRIMITIVES[node.op](values[a], values[b], values[c]);
          return true;
        }
      }
  }
}

function runLoop(node: LoopNode, frame: Frame): boolean {
  const { values } = frame;
  assign(node.params, node.initial, 0, values);
  for (let done = 1; ; done++) {
    if (!runRegion(node.body, frame)) return false;
    const again = values[node.body.yields[0]] !== 0;
    assign(node.params, node.body.yields, 1, values);
    if (!again) break;
    if (done >= node.fuel) {
      frame.flag.status = LaneStatus.FuelExhausted;
      frame.flag.line = node.line;
      return false;
    }
  }
  assign(node.results, node.params, 0, values);
  return true;
}

function runFor(node: ForNode, frame: Frame): boolean {
  const { values } = frame;
  const count = evaluateForm(node.count, values);
  assign(node.params, node.initial, 0, values);
  for (let index = 0; index < count; index++) {
    values[node.index] = index;
    if (!runRegion(node.body, frame)) return false;
    assign(node.params, node.body.yields, 0, values);
  }
  assign(node.results, node.params, 0, values);
  return true;
}

/** `targets[k] = sources[offset + k]`, all at once: a param may be the next value of another. */
function assign(targets: readonly ValueId[], sources: readonly ValueId[], offset: number, values: number[]): void {
  const read = targets.map((_, k) => values[sources[offset + k]]);
  targets.forEach((id, k) => (values[id] = read[k]));
}
