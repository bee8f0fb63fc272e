/**
 * Drops what neither the value nor the status of any lane depends on: unused operations, results of `if` and params of
 * loops that nobody reads, and `if`s without a live result or effect. Checks are effects, and so is every loop, since it
 * may run out of fuel. Values are numbered densely anew, in the order of their definition.
 */
import type { IfNode, IrFunction, IrNode, IrType, LoopNode, Region, ValueId } from '../ir/types.js';

/** Cost: O(nodes). */
export function eliminateDeadCode(fn: IrFunction): IrFunction {
  const live = markLive(fn);
  return new Sweeper(fn, live).run();
}

/** What a value takes with it when it is live. */
type Origin = readonly ValueId[];
const NOTHING: Origin = [];

interface Liveness {
  /** 1 where live. */
  readonly values: Uint8Array;
  /** `if`s that hold an effect. */
  readonly effects: ReadonlySet<IfNode>;
}

function markLive(fn: IrFunction): Liveness {
  const origins = new Array<Origin>(fn.types.length).fill(NOTHING);
  const effects = new Set<IfNode>();
  const roots: ValueId[] = [...fn.body.yields];

  const scan = (region: Region): boolean => {
    let effect = false;
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.op === 'check') {
          effect = true;
          roots.push(node.args[0]);
        } else origins[node.result] = node.args;
      } else if (node.kind === 'if') {
        const inThen = scan(node.then);
        const inOtherwise = scan(node.otherwise);
        if (inThen || inOtherwise) {
          effect = true;
          effects.add(node);
          roots.push(node.condition);
        }
        node.results.forEach((id, k) => {
          origins[id] = [node.condition, node.then.yields[k], node.otherwise.yields[k]];
        });
      } else {
        effect = true;
        scan(node.body);
        roots.push(node.body.yields[0]);
        node.params.forEach((id, k) => (origins[id] = [node.initial[k], node.body.yields[k + 1]]));
        node.results.forEach((id, k) => (origins[id] = [node.params[k]]));
      }
    }
    return effect;
  };
  scan(fn.body);

  const values = new Uint8Array(fn.types.length);
  const work = roots;
  for (let id = work.pop(); id !== undefined; id = work.pop()) {
    if (values[id] !== 0) continue;
    values[id] = 1;
    for (const origin of origins[id]) if (values[origin] === 0) work.push(origin);
  }
  return { values, effects };
}

class Sweeper {
  private readonly types: IrType[] = [];
  private readonly renamed: Int32Array;

  constructor(
    private readonly fn: IrFunction,
    private readonly live: Liveness,
  ) {
    this.renamed = new Int32Array(fn.types.length);
  }

  run(): IrFunction {
    const { name, dimension } = this.fn;
    const body = this.region(this.fn.body, (k) => k >= 0);
    return { name, dimension, body, types: this.types };
  }

  private region(region: Region, keepYield: (index: number) => boolean): Region {
    const body: IrNode[] = [];
    for (const node of region.body) {
      const swept = this.node(node);
      if (swept !== undefined) body.push(swept);
    }
    return { body, yields: region.yields.filter((_, k) => keepYield(k)).map((id) => this.renamed[id]) };
  }

  private node(node: IrNode): IrNode | undefined {
    if (node.kind === 'if') return this.ifNode(node);
    if (node.kind === 'loop') return this.loopNode(node);
    if (node.op !== 'check' && this.live.values[node.result] === 0) return undefined;
    const args = node.args.map((id) => this.renamed[id]);
    const result = node.op === 'check' ? -1 : this.define(node.result);
    return { kind: 'op', op: node.op, args, result, imm: node.imm, line: node.line };
  }

  private ifNode(node: IfNode): IrNode | undefined {
    const keep = (k: number): boolean => this.live.values[node.results[k]] === 1;
    if (!this.live.effects.has(node) && !node.results.some((_, k) => keep(k))) return undefined;
    const condition = this.renamed[node.condition];
    const then = this.region(node.then, keep);
    const otherwise = this.region(node.otherwise, keep);
    const results = node.results.filter((_, k) => keep(k)).map((id) => this.define(id));
    return { kind: 'if', condition, then, otherwise, results };
  }

  private loopNode(node: LoopNode): IrNode {
    const keep = (k: number): boolean => this.live.values[node.params[k]] === 1;
    const kept = node.params.map((_, k) => k).filter(keep);
    const initial = kept.map((k) => this.renamed[node.initial[k]]);
    const params = kept.map((k) => this.define(node.params[k]));
    const body = this.region(node.body, (k) => k === 0 || keep(k - 1));
    const results = kept.map((k) => this.define(node.results[k]));
    return { kind: 'loop', initial, params, body, results, fuel: node.fuel, line: node.line };
  }

  private define(old: ValueId): ValueId {
    this.types.push(this.fn.types[old]);
    return (this.renamed[old] = this.types.length - 1);
  }
}
