/**
 * Forward-mode differentiation: from a function of x [n] with an output array [m], one of x and a direction v, [2n],
 * with the same value that delivers the derivatives of the outputs along v instead of the outputs. For v = e_j they are
 * column j of the Jacobian; a batch of n rows gives all of it.
 *
 * Every value is followed by its own derivative, so a loop carries twice as many values and a local array has a twin.
 * Slopes are those of reverse mode (`gradient/derivatives.ts`), run the other way: both are linear.
 */
import { IrBuilder, type ArrayId } from '../../ir/builder.js';
import { addForms, constantForm } from '../../ir/index-form.js';
import { outputArrayOf, type ForNode, type IfNode, type Instruction, type IrFunction } from '../../ir/types.js';
import type { LoopNode, Region, ValueId } from '../../ir/types.js';
import { findVaried } from '../gradient/activity.js';
import { Copier } from '../copier.js';
import { contribution, differentiableArgs } from '../gradient/derivatives.js';

/**
 * Cost: O(nodes).
 *
 * @throws {Error} when the function has no output array
 */
export function tangents(fn: IrFunction): IrFunction {
  return new TangentCopier(fn).run();
}

class TangentCopier extends Copier {
  private readonly varied: ReturnType<typeof findVaried>;
  /** By old number; absent: 0. */
  private readonly slopes: (ValueId | undefined)[] = [];
  /** By old number. */
  private readonly twins: (ArrayId | undefined)[] = [];
  private readonly output: number;

  constructor(fn: IrFunction) {
    super(new IrBuilder(fn.name, 2 * fn.dimension), fn);
    const output = outputArrayOf(fn);
    if (output === null) throw new Error('tangents: the function has no outputs');
    this.output = output.array;
    this.varied = findVaried(fn);
  }

  run(): IrFunction {
    const { b, fn } = this;
    fn.arrays.forEach((array, k) => {
      if (k === this.output) this.twins[k] = b.outputArray(array.kind === 'local' ? array.length : 0);
      else if (array.kind === 'local' && this.varied.arrays[k]) this.twins[k] = b.localArray(array.length);
    });
    this.nodes(fn.body);
    return b.finish(this.of(fn.body.yields[0]));
  }

  private slopeOf(id: ValueId): ValueId {
    return this.slopes[id] ?? this.b.const(0);
  }

  /** The ids that have slopes, of those given. */
  private variedOf(ids: readonly ValueId[]): ValueId[] {
    return ids.filter((id) => this.varied.values[id]);
  }

  private setSlopes(ids: readonly ValueId[], slopes: readonly ValueId[]): void {
    ids.forEach((id, k) => (this.slopes[id] = slopes[k]));
  }

  protected override instruction(node: Instruction): void {
    super.instruction(node);
    const { b, fn } = this;
    if (node.op === 'store') {
      const twin = this.twins[node.imm];
      if (twin !== undefined) b.store(twin, this.form(node.at!), this.slopeOf(node.args[0]));
      return;
    }
    if (node.result < 0 || !this.varied.values[node.result]) return;
    this.slopes[node.result] = this.slope(node, fn.dimension);
  }

  private slope(node: Instruction, n: number): ValueId {
    const { b, fn } = this;
    if (node.op === 'x') return b.x(n + node.imm);
    if (node.op === 'load') {
      const at = this.form(node.at!);
      const twin = this.twins[node.imm];
      if (twin !== undefined) return b.load(twin, at);
      if (fn.arrays[node.imm].kind !== 'candidate') return b.const(0);
      return b.load(b.candidate(), addForms(at, constantForm(n)));
    }
    let sum: ValueId | null = null;
    for (const k of differentiableArgs(node.op)) {
      const adjoint = this.slopes[node.args[k]];
      if (adjoint === undefined) continue;
      const part = contribution(
        node.op,
        {
          b,
          adjoint,
          arg: (at) => this.of(node.args[at]),
          result: () => this.of(node.result),
          times: (slope) => {
            const grown = b.op('mul', adjoint, slope);
            if (b.constantOf(adjoint) !== undefined) return grown;
            return b.op('select', b.op('eq', adjoint, b.const(0)), b.const(0), grown);
          },
          product: (amount, by) => b.op('mul', amount, by),
          negated: (amount) => b.op('neg', amount),
          number: (amount) => amount,
          amount: (value) => value,
        },
        k,
      );
      sum = sum === null ? part : b.op('add', sum, part);
    }
    return sum ?? b.const(0);
  }

  protected override branches(node: IfNode): void {
    const slopes = node.results.map((id, k) => (this.varied.values[id] ? k : -1)).filter((k) => k >= 0);
    const region = (part: Region) => (): readonly ValueId[] => {
      this.nodes(part);
      return [...part.yields.map((id) => this.of(id)), ...slopes.map((k) => this.slopeOf(part.yields[k]))];
    };
    const results = this.b.if(this.of(node.condition), region(node.then), region(node.otherwise));
    this.define(node.results, results);
    this.setSlopes(
      slopes.map((k) => node.results[k]),
      results.slice(node.results.length),
    );
  }

  /** Numbers of the params that have slopes. */
  private carried(node: ForNode | LoopNode): number[] {
    return node.params.map((_, k) => k).filter((k) => this.variedOf([node.params[k], node.results[k]]).length > 0);
  }

  protected override counted(node: ForNode): void {
    const slopes = this.carried(node);
    const count = node.params.length;
    const initial = [...node.initial.map((id) => this.of(id)), ...slopes.map((k) => this.slopeOf(node.initial[k]))];
    const results = this.b.for(this.form(node.count), initial, (index, params) => {
      this.define([node.index, ...node.params], [index, ...params.slice(0, count)]);
      this.setSlopes(
        slopes.map((k) => node.params[k]),
        params.slice(count),
      );
      this.nodes(node.body);
      const { yields } = node.body;
      return [...yields.map((id) => this.of(id)), ...slopes.map((k) => this.slopeOf(yields[k]))];
    });
    this.hand(node, slopes, results);
  }

  protected override loop(node: LoopNode): void {
    const slopes = this.carried(node);
    const count = node.params.length;
    const initial = [...node.initial.map((id) => this.of(id)), ...slopes.map((k) => this.slopeOf(node.initial[k]))];
    const results = this.b.loop(initial, node.fuel, node.line, (params) => {
      this.define(node.params, params.slice(0, count));
      this.setSlopes(
        slopes.map((k) => node.params[k]),
        params.slice(count),
      );
      this.nodes(node.body);
      const { yields } = node.body;
      return [...yields.map((id) => this.of(id)), ...slopes.map((k) => this.slopeOf(yields[k + 1]))];
    });
    this.hand(node, slopes, results);
  }

  private hand(node: ForNode | LoopNode, slopes: readonly number[], results: readonly ValueId[]): void {
    this.define(node.results, results);
    this.setSlopes(
      slopes.map((k) => node.results[k]),
      results.slice(node.results.length),
    );
  }
}
