/**
 * Where a program bends or jumps, and how its value would go on beyond.
 *
 * A switch is a place where the program decides by the sign of a number z, which varies smoothly: `abs`, the larger or
 * smaller of two numbers, and comparisons that a branch depends on. From a function of x [n] with m switches this makes
 * one of (x [n], shifts [m], weights [m], share),
 *
 *   L = share * f(x) + sum of weights_j * z_j(x),
 *
 * and differentiates it. Gradients of L are: for share 1 and no weights that of f, on this side of all switches; for
 * share 0 and one weight that of a z_j. Its derivatives by weights_j are the z_j, 0 for switches that were not reached.
 * A shift is added to what a switch gives, so that f's derivative by it says how much steeper f is where z_j > 0 than
 * where z_j < 0, per unit of z_j: it is (f on the right side of 0) - (f on the left side). Comparisons have none: 0.
 * Rows have shifts of 0.
 *
 * Sources: Griewank and Walther, First- and second-order optimality conditions for piecewise smooth objective functions
 * (2016), on switching variables.
 */
import { IrBuilder, type ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, formOf, placeOf, turnsOf } from '../../ir/index-form.js';
import type { ForNode, IfNode, Instruction, IrFunction, Region, ValueId } from '../../ir/types.js';
import { contains, regionsOf } from '../../ir/walk.js';
import { Copier } from '../copier.js';
import { findActivity, findVaried, type Activity } from '../gradient/activity.js';
import { differentiate } from '../gradient/differentiate.js';

/** More switches take longer to search than they tell. */
const MOST_SWITCHES = 256;

/**
 * Cost: O(nodes). Null: it has no switches, or too many.
 *
 * @throws {GradientTooLarge} as `differentiate`
 */
export function switchProgram(fn: IrFunction): IrFunction | null {
  const sites = new SwitchFinder(fn).find();
  if (sites.count === 0 || sites.count > MOST_SWITCHES) return null;
  return differentiate(new Opener(fn, sites).run());
}

/** z = `above` - `below`; without `above`, z = `below`. */
interface Site {
  readonly slot: number;
  /** The counted loops around it, outermost first. */
  readonly loops: readonly ForNode[];
  readonly below: ValueId;
  readonly above: ValueId | null;
  /** What a unit of max(0, z) adds to the result; 0: a comparison. */
  readonly slope: number;
}

interface Sites {
  readonly of: ReadonlyMap<ValueId, Site>;
  readonly count: number;
  /** Some are not reached always. */
  readonly isPartial: boolean;
}

class SwitchFinder {
  private readonly activity: Activity;
  private readonly varied: readonly boolean[];
  private readonly definitions: (Instruction | undefined)[] = [];
  /** The comparisons that something depends on. */
  private readonly deciding = new Set<ValueId>();
  private readonly traced = new Set<ValueId>();
  private readonly sites = new Map<ValueId, Site>();
  private readonly loops: ForNode[] = [];
  private count = 0;
  private isPartial = false;

  constructor(private readonly fn: IrFunction) {
    this.activity = findActivity(fn);
    this.varied = findVaried(fn).values;
  }

  find(): Sites {
    this.look(this.fn.body);
    this.place(this.fn.body, false);
    return { of: this.sites, count: this.count, isPartial: this.isPartial };
  }

  private look(region: Region): void {
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.result < 0) continue;
        this.definitions[node.result] = node;
        if (node.op === 'select' && this.activity.isActive[node.result] && this.bend(node) === null) {
          this.trace(node.args[0]);
        }
      } else if (node.kind === 'if' && this.matters(node)) this.trace(node.condition);
      for (const inner of regionsOf(node)) this.look(inner);
    }
  }

  private matters(node: IfNode): boolean {
    const { isActive, isArrayActive } = this.activity;
    const stores = (region: Region): boolean =>
      contains(region, (inner) => inner.kind === 'op' && inner.op === 'store' && isArrayActive[inner.imm]);
    return node.results.some((id) => isActive[id]) || stores(node.then) || stores(node.otherwise);
  }

  /** Each truth is looked at once: they are used many times, in long chains. */
  private trace(condition: ValueId): void {
    const open = [condition];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const definition = this.definitions[id];
      if (definition === undefined || this.traced.has(id)) continue;
      this.traced.add(id);
      const { op, args } = definition;
      if (op === 'lt' || op === 'le') {
        if (args.some((arg) => this.varied[arg])) this.deciding.add(id);
      } else if (op === 'and' || op === 'or' || op === 'xor' || op === 'not' || op === 'bselect') open.push(...args);
    }
  }

  /** The switch of a `select` that gives the larger or the smaller of two numbers, or of an `abs`. */
  private bend({ op, args }: Instruction): Pick<Site, 'below' | 'above' | 'slope'> | null {
    if (op === 'abs') return { below: args[0], above: null, slope: 2 };
    if (op !== 'select') return null;
    const decision = this.definitions[args[0]];
    if (decision === undefined || (decision.op !== 'lt' && decision.op !== 'le')) return null;
    const [below, above] = decision.args;
    if (args[1] === above && args[2] === below) return { below, above, slope: 1 };
    if (args[1] === below && args[2] === above) return { below, above, slope: -1 };
    return null;
  }

  private place(region: Region, isPartial: boolean): void {
    for (const node of region.body) {
      if (node.kind === 'op') this.placeAt(node, isPartial);
      else if (node.kind === 'if') for (const inner of regionsOf(node)) this.place(inner, true);
      else if (node.kind === 'for') {
        this.loops.push(node);
        this.place(node.body, isPartial || node.count.terms.length > 0);
        this.loops.pop();
      }
    }
  }

  private placeAt(node: Instruction, isPartial: boolean): void {
    const { result } = node;
    let site: Pick<Site, 'below' | 'above' | 'slope'> | null = null;
    if (this.deciding.has(result)) site = { below: node.args[0], above: node.args[1], slope: 0 };
    else if (result >= 0 && this.activity.isActive[result]) site = this.bend(node);
    if (site === null) return;
    this.sites.set(result, { ...site, slot: this.count, loops: [...this.loops] });
    this.count += turnsOf(this.loops);
    this.isPartial ||= isPartial;
  }
}

class Opener extends Copier {
  private readonly signs: ArrayId;

  constructor(
    fn: IrFunction,
    private readonly sites: Sites,
  ) {
    super(new IrBuilder(fn.name, fn.dimension + 2 * sites.count + 1), fn);
    this.signs = this.b.localArray(sites.count);
  }

  run(): IrFunction {
    const { b, fn, sites, signs } = this;
    const n = fn.dimension;
    const zero = b.const(0);
    if (sites.isPartial) {
      b.for(constantForm(sites.count), [], (index) => {
        b.store(signs, formOf(index), zero);
        return [];
      });
    }
    this.nodes(fn.body);
    const value = b.op('mul', b.x(n + 2 * sites.count), this.of(fn.body.yields[0]));
    const [sum] = b.for(constantForm(sites.count), [value], (index, [known]) => {
      const weight = b.load(b.candidate(), addForms(formOf(index), constantForm(n + sites.count)));
      return [b.op('add', known, b.op('mul', weight, b.load(signs, formOf(index))))];
    });
    return b.finish(sum);
  }

  protected override instruction(node: Instruction): void {
    super.instruction(node);
    const site = this.sites.of.get(node.result);
    if (site === undefined) return;
    const { b } = this;
    const at = addForms(constantForm(site.slot), this.form(placeOf(site.loops)));
    const below = this.of(site.below);
    b.store(this.signs, at, site.above === null ? below : b.op('sub', this.of(site.above), below));
    if (site.slope === 0) return;
    const shift = b.load(b.candidate(), addForms(at, constantForm(this.fn.dimension)));
    const shifted = b.op('add', this.of(node.result), b.op('mul', b.const(site.slope), shift));
    this.define([node.result], [shifted]);
  }
}
