/**
 * Drops what neither the value nor the status of any lane depends on: unused operations, results of `if` and params of
 * loops that nobody reads, and `if`s and `for`s without a live result or effect. Checks are effects, and so is every
 * loop, since it may run out of fuel; a store is one when its array is ever read, or delivered. Values and arrays are
 * numbered densely anew, in the order of their definition; of tables with equal numbers one is kept.
 */
import { mapForm } from '../ir/index-form.js';
import type { ForNode, IfNode, IrArray, IrFunction, IrNode, LoopNode, Region, ValueId } from '../ir/types.js';
import type { IrType } from '../ir/ops.js';
import { outputArrayOf } from '../ir/types.js';
import { walk } from '../ir/walk.js';

/** Cost: O(nodes). */
export function eliminateDeadCode(fn: IrFunction): IrFunction {
  const live = markLive(fn);
  return new Sweeper(fn, live).run();
}

/** Values that a live value keeps alive. */
type Origin = readonly ValueId[];
const NOTHING: Origin = [];

interface Liveness {
  /** 1 where live. */
  readonly values: Uint8Array;
  /** `if`s and `for`s that hold an effect. */
  readonly effects: ReadonlySet<IfNode | ForNode>;
  /** Numbers of the arrays that are loaded from. */
  readonly read: ReadonlySet<number>;
}

function markLive(fn: IrFunction): Liveness {
  const origins = new Array<Origin>(fn.types.length).fill(NOTHING);
  const effects = new Set<IfNode | ForNode>();
  const output = outputArrayOf(fn);
  const read = arraysRead(fn.body, new Set(output === null ? [] : [output.array]));
  const roots: ValueId[] = [...fn.body.yields];

  const scan = (region: Region): boolean => {
    let effect = false;
    for (const node of region.body) {
      if (node.kind === 'op') {
        if (node.op === 'check') {
          effect = true;
          roots.push(node.args[0]);
        } else if (node.op === 'store') {
          if (!read.has(node.imm)) continue;
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
      } else if (node.kind === 'for') {
        if (scan(node.body)) {
          effect = true;
          effects.add(node);
        }
        node.params.forEach((id, k) => (origins[id] = [node.initial[k], node.body.yields[k]]));
        node.results.forEach((id, k) => (origins[id] = [node.params[k]]));
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
  return { values, effects, read };
}

function arraysRead(region: Region, read: Set<number>): Set<number> {
  walk(region, (node) => {
    if (node.kind === 'op' && node.op === 'load') read.add(node.imm);
  });
  return read;
}

class Sweeper {
  private readonly types: IrType[] = [];
  private readonly renamed: Int32Array;
  private readonly arrays: IrArray[] = [];
  private readonly arrayNumbers = new Map<number, number>();
  private readonly tables = new Map<string, number>();

  constructor(
    private readonly fn: IrFunction,
    private readonly live: Liveness,
  ) {
    this.renamed = new Int32Array(fn.types.length);
  }

  run(): IrFunction {
    const { name, dimension } = this.fn;
    const body = this.region(this.fn.body, (k) => k >= 0);
    return { name, dimension, body, types: this.types, arrays: this.arrays };
  }

  /** The new number of an array that is in use; tables of equal numbers are one. */
  private arrayOf(old: number): number {
    const found = this.arrayNumbers.get(old);
    if (found !== undefined) return found;
    const array = this.fn.arrays[old];
    const content =
      array.kind === 'table'
        ? Buffer.from(array.values.buffer, array.values.byteOffset, array.values.byteLength).toString('latin1')
        : undefined;
    const twin = content === undefined ? undefined : this.tables.get(content);
    const number = twin ?? this.arrays.push(array) - 1;
    if (content !== undefined) this.tables.set(content, number);
    this.arrayNumbers.set(old, number);
    return number;
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
    if (node.kind === 'for') return this.forNode(node);
    const isLive =
      node.op === 'check' || (node.op === 'store' ? this.live.read.has(node.imm) : this.live.values[node.result] === 1);
    if (!isLive) return undefined;
    const args = node.args.map((id) => this.renamed[id]);
    const at = node.at === undefined ? {} : { at: mapForm(node.at, this.rename) };
    const result = node.result < 0 ? -1 : this.define(node.result);
    const imm = node.op === 'load' || node.op === 'store' ? this.arrayOf(node.imm) : node.imm;
    return { kind: 'op', op: node.op, args, result, imm, ...at, line: node.line };
  }

  private readonly rename = (old: ValueId): ValueId => this.renamed[old];

  private forNode(node: ForNode): IrNode | undefined {
    const keep = (k: number): boolean => this.live.values[node.params[k]] === 1;
    const kept = node.params.map((_, k) => k).filter(keep);
    if (!this.live.effects.has(node) && kept.length === 0) return undefined;
    const count = mapForm(node.count, this.rename);
    const index = this.define(node.index);
    const initial = kept.map((k) => this.renamed[node.initial[k]]);
    const params = kept.map((k) => this.define(node.params[k]));
    const body = this.region(node.body, keep);
    const results = kept.map((k) => this.define(node.results[k]));
    return { kind: 'for', index, count, initial, params, body, results };
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
