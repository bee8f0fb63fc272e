/**
 * The same program with an output array: at given places sums of its values are stored. Value and flags keep their
 * bits.
 */
import { IrBuilder, type ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, formOf, placeOf } from '../../ir/index-form.js';
import type { ForNode, IndexForm, IrFunction, Region, ValueId } from '../../ir/types.js';
import { resultsOf } from '../../ir/walk.js';
import { Copier } from '../copier.js';

/** A number that is the same in all turns, or one for each turn of the loops around (`turnsOf`). */
type Weight = number | Float64Array;

export interface WeightedValue {
  /** Null: the number 1. */
  readonly value: ValueId | null;
  readonly weight: Weight;
}

/**
 * `weight` times the value, its logarithm or its square root, or a sum where a condition holds and another one where it
 * does not.
 */
export type Piece =
  | (WeightedValue & { readonly kind: 'plain' | 'log' | 'sqrt' })
  | {
      readonly kind: 'choice';
      readonly condition: ValueId;
      readonly then: readonly WeightedValue[];
      readonly otherwise: readonly WeightedValue[];
    };

/** Stores the sum of its pieces. */
export interface OutputSite {
  /** After the node that defines this value, or at the end of a region. */
  readonly place: ValueId | Region;
  /** The counted loops around the place, outermost first: there is an element for each turn, from `slot` on. */
  readonly loops: readonly ForNode[];
  readonly slot: number;
  readonly pieces: readonly Piece[];
}

export interface OutputPlan {
  readonly length: number;
  readonly sites: readonly OutputSite[];
  /** Elements may be left out: in branches that are not taken, in loops that are shorter at times. They are 0. */
  readonly isPartial: boolean;
}

/** Cost: O(nodes + elements of the plan). */
export function withOutputs(fn: IrFunction, plan: OutputPlan): IrFunction {
  const b = new IrBuilder(fn.name, fn.dimension);
  const array = b.outputArray(plan.length);
  if (plan.isPartial) {
    b.for(constantForm(plan.length), [], (index) => {
      b.store(array, formOf(index), b.const(0));
      return [];
    });
  }
  const copier = new Storer(b, fn, plan, array);
  copier.nodes(fn.body);
  return b.finish(copier.of(fn.body.yields[0]));
}

class Storer extends Copier {
  private readonly afterValue = new Map<ValueId, OutputSite[]>();
  private readonly atEnd = new Map<Region, OutputSite[]>();

  constructor(
    b: IrBuilder,
    fn: IrFunction,
    plan: OutputPlan,
    private readonly output: ArrayId,
  ) {
    super(b, fn);
    for (const site of plan.sites) {
      if (typeof site.place === 'number') append(this.afterValue, site.place, site);
      else append(this.atEnd, site.place, site);
    }
  }

  override nodes(region: Region): void {
    for (const node of region.body) {
      this.node(node);
      for (const id of resultsOf(node)) this.afterValue.get(id)?.forEach((site) => this.deliver(site));
    }
    this.atEnd.get(region)?.forEach((site) => this.deliver(site));
  }

  private deliver({ loops, slot, pieces }: OutputSite): void {
    const turn = this.form(placeOf(loops));
    const sum = this.sumOf(pieces.map((piece) => this.piece(piece, turn)));
    this.b.store(this.output, addForms(constantForm(slot), turn), sum);
  }

  private piece(piece: Piece, turn: IndexForm): ValueId {
    const { b } = this;
    if (piece.kind === 'choice') {
      const side = (parts: readonly WeightedValue[]): ValueId =>
        this.sumOf(parts.map((part) => this.weighted(part, turn, 'plain')));
      return b.op('select', this.of(piece.condition), side(piece.then), side(piece.otherwise));
    }
    return this.weighted(piece, turn, piece.kind);
  }

  private weighted({ value, weight }: WeightedValue, turn: IndexForm, kind: 'plain' | 'log' | 'sqrt'): ValueId {
    const { b } = this;
    const factor = typeof weight === 'number' ? b.const(weight) : b.load(b.table(weight), turn);
    if (value === null) return factor;
    const plain = kind === 'plain' ? this.of(value) : b.op(kind, this.of(value));
    return weight === 1 ? plain : b.op('mul', factor, plain);
  }

  private sumOf(values: readonly ValueId[]): ValueId {
    const { b } = this;
    return values.length === 0 ? b.const(0) : values.reduce((sum, value) => b.op('add', sum, value));
  }
}

function append<K>(map: Map<K, OutputSite[]>, key: K, site: OutputSite): void {
  const sites = map.get(key);
  if (sites === undefined) map.set(key, [site]);
  else sites.push(site);
}
