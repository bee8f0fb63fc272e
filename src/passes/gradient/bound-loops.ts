/**
 * Loops that go on as long as a condition holds become counted ones, which can be run backwards: of at most `turns`
 * turns, each under the condition. A lane that would go on after them is flagged `Untranslated`: it has no gradient.
 */
import { IrBuilder } from '../../ir/builder.js';
import { constantForm } from '../../ir/index-form.js';
import type { IrFunction, LoopNode } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { contains } from '../../ir/walk.js';
import { Copier } from '../copier.js';

export function boundLoops(fn: IrFunction, turns: number): IrFunction {
  if (!contains(fn.body, (node) => node.kind === 'loop')) return fn;
  const b = new IrBuilder(fn.name, fn.dimension);
  const copier = new LoopBounder(b, fn, turns);
  copier.nodes(fn.body);
  return b.finish(copier.of(fn.body.yields[0]));
}

class LoopBounder extends Copier {
  constructor(
    b: IrBuilder,
    fn: IrFunction,
    private readonly turns: number,
  ) {
    super(b, fn);
  }

  protected override loop(node: LoopNode): void {
    const { b } = this;
    const count = Math.min(node.fuel, this.turns);
    const initial = [b.bool(true), ...node.initial.map((id) => this.of(id))];
    const results = b.for(constantForm(count), initial, (_, [goesOn, ...params]) =>
      b.if(
        goesOn,
        () => {
          this.define(node.params, params);
          this.nodes(node.body);
          return node.body.yields.map((id) => this.of(id));
        },
        () => [goesOn, ...params],
      ),
    );
    const status = count < node.fuel ? LaneStatus.Untranslated : LaneStatus.FuelExhausted;
    b.check(results[0], status, node.line);
    this.define(node.results, results.slice(1));
  }
}
