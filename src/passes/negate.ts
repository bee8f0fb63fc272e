/** The function with the other sign: what a run that maximises minimises. */
import { IrBuilder } from '../ir/builder.js';
import type { IrFunction } from '../ir/types.js';
import { Copier } from './copier.js';

export function negate(fn: IrFunction): IrFunction {
  const b = new IrBuilder(fn.name, fn.dimension);
  const copier = new Copier(b, fn);
  copier.nodes(fn.body);
  return b.finish(b.op('neg', copier.of(fn.body.yields[0])));
}
