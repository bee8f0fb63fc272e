/**
 * Objectives in population form: `f(X)` with `X` of shape (n, d) gives one number per row.
 *
 * One row is compiled, as every candidate has a lane of its own. That is right only where a row's number depends on
 * nothing but the row: not on the other rows, and not on how many there are. To be sure, the function is built for two
 * rows as well: each of its results, and each of its checks, must be what it is for a single row, operation by
 * operation.
 */
import type { IrFunction, IrNode, Region, ValueId } from '../ir/types.js';
import type { Expression, Module } from './syntax/ast.js';
import { mentions, type FoundObjective } from './objective.js';

/** `pair` has `2 * single.dimension` coordinates, row by row; `results` are its results, one for each row. */
export function keepsRowsApart(single: IrFunction, pair: IrFunction, results: readonly ValueId[]): boolean {
  const rows = rowsOf(pair, single.dimension);
  if (rows === null) return false;
  const table = new Map<string, number>();
  const expected = new View(table, () => true, 0);
  const value = expected.valueOf(single, single.body.yields[0]);
  return results.every((result, row) => {
    if (((rows[result] ?? 0) & ~(1 << row)) !== 0) return false;
    const view = new View(table, (id) => ((rows[id] ?? 0) & ~(1 << row)) === 0, row * single.dimension);
    if (view.valueOf(pair, result) !== value) return false;
    return view.checks.length === expected.checks.length && view.checks.every((c, k) => c === expected.checks[k]);
  });
}

/** For each value the rows that it depends on, one bit a row; null where a check depends on two. */
function rowsOf(fn: IrFunction, dimension: number): readonly number[] | null {
  const rows = new Array<number>(fn.types.length).fill(0);
  let isApart = true;
  let hasChanged = false;
  const set = (id: ValueId, mask: number): void => {
    if (rows[id] === mask) return;
    rows[id] = mask;
    hasChanged = true;
  };
  /** `context`: what decides whether a lane gets here. */
  const visit = (body: readonly IrNode[], context: number): void => {
    for (const node of body) {
      if (node.kind === 'op') {
        if (node.op === 'x') {
          set(node.result, 1 << Math.floor(node.imm / dimension));
          continue;
        }
        const mask = node.args.reduce((all, id) => all | rows[id], 0);
        if (node.op !== 'check') set(node.result, mask);
        else if (!isSingle(mask | context)) isApart = false;
        continue;
      }
      if (node.kind === 'if') {
        const inside = context | rows[node.condition];
        visit(node.then.body, inside);
        visit(node.otherwise.body, inside);
        node.results.forEach((id, k) =>
          set(id, rows[node.condition] | rows[node.then.yields[k]] | rows[node.otherwise.yields[k]]),
        );
        continue;
      }
      if (node.kind === 'for') {
        // Elements of arrays are not followed.
        isApart = false;
        continue;
      }
      // What a loop carries depends on what it was, on the loop's end and on itself: until nothing changes.
      node.params.forEach((id, k) => set(id, rows[id] | rows[node.initial[k]]));
      for (;;) {
        const before = hasChanged;
        hasChanged = false;
        const again = rows[node.body.yields[0]];
        visit(node.body.body, context | again);
        node.params.forEach((id, k) => set(id, rows[id] | rows[node.body.yields[k + 1]]));
        const isStable = !hasChanged && again === rows[node.body.yields[0]];
        hasChanged = before || !isStable;
        if (isStable) break;
      }
      const again = rows[node.body.yields[0]];
      // The lane may run out of fuel.
      if (!isSingle(again | context)) isApart = false;
      node.results.forEach((id, k) => set(id, again | rows[node.params[k]]));
    }
  };
  visit(fn.body.body, 0);
  return isApart ? rows : null;
}

const isSingle = (mask: number): boolean => (mask & (mask - 1)) === 0;

/** Numbers values by their structure: equal numbers from one table mean equal operations on equal operands. */
class View {
  readonly checks: number[] = [];
  private readonly numbers = new Map<ValueId, number>();
  private depth = 0;

  /** Only values of which `isOwn` holds are looked at; coordinates count from `offset`. */
  constructor(
    private readonly table: Map<string, number>,
    private readonly isOwn: (id: ValueId) => boolean,
    private readonly offset: number,
  ) {}

  valueOf(fn: IrFunction, result: ValueId): number | undefined {
    this.visit(fn.body.body, this.checks);
    return this.numbers.get(result);
  }

  private intern(key: string): number {
    const found = this.table.get(key);
    if (found !== undefined) return found;
    this.table.set(key, this.table.size);
    return this.table.size - 1;
  }

  private name(id: ValueId): number {
    return this.numbers.get(id) ?? -1;
  }

  private visit(body: readonly IrNode[], checks: number[]): void {
    for (const node of body) {
      if (node.kind === 'op') {
        if (node.op === 'check') {
          if (this.isOwn(node.args[0])) checks.push(this.intern(`check ${node.imm} ${this.name(node.args[0])}`));
          continue;
        }
        if (!this.isOwn(node.result)) continue;
        const imm = Object.is(node.imm, -0) ? '-0' : String(node.op === 'x' ? node.imm - this.offset : node.imm);
        const args = node.args.map((id) => this.name(id)).join(' ');
        this.numbers.set(node.result, this.intern(`${node.op} ${imm} ${args}`));
        continue;
      }
      if (node.kind === 'if') {
        if (!this.isOwn(node.condition)) continue;
        const sides = [node.then, node.otherwise].map((side) => this.region(side, (k) => this.isOwn(node.results[k])));
        const key = this.intern(`if ${this.name(node.condition)} ${sides.join(' ')}`);
        if (sides.some((side) => side !== NOTHING)) checks.push(key);
        let position = 0;
        for (const id of node.results) {
          if (this.isOwn(id)) this.numbers.set(id, this.intern(`result ${key} ${position++}`));
        }
        continue;
      }
      // The rows are not apart, and nobody asks.
      if (node.kind === 'for') continue;
      if (!this.isOwn(node.body.yields[0])) continue;
      const carried = node.params.flatMap((id, k) => (this.isOwn(id) ? [k] : []));
      this.depth++;
      carried.forEach((k, position) =>
        this.numbers.set(node.params[k], this.intern(`param ${this.depth} ${position}`)),
      );
      const kept = new Set([0, ...carried.map((k) => k + 1)]);
      const inside = this.region(node.body, (k) => kept.has(k));
      this.depth--;
      const initial = carried.map((k) => this.name(node.initial[k])).join(' ');
      const key = this.intern(`loop ${node.fuel} ${initial} ${inside}`);
      checks.push(key);
      carried.forEach((k, position) => this.numbers.set(node.results[k], this.intern(`result ${key} ${position}`)));
    }
  }

  private region(region: Region, isKept: (index: number) => boolean): string {
    const checks: number[] = [];
    this.visit(region.body, checks);
    const yields = region.yields.flatMap((id, k) => (isKept(k) ? [this.name(id)] : []));
    return `[${checks.join(' ')};${yields.join(' ')}]`;
  }
}

const NOTHING = '[;]';

/**
 * Whether the objective uses its argument as a matrix, as no function of a single candidate can: `X[:, k]`,
 * `X.shape[1]`, `axis=1` on `X` itself.
 */
export function usesMatrix(module: Module, objective: FoundObjective): boolean {
  const { parameters, entry } = objective;
  const name =
    parameters === null
      ? entry === null
        ? 'x'
        : undefined
      : [...parameters.positionalOnly, ...parameters.positional][0]?.name;
  const isX = (e: Expression): boolean => e.kind === 'Name' && (name === undefined || e.name === name);
  const isOne = (e: Expression): boolean => e.kind === 'Int' && e.value === 1;
  const test = (e: Expression): boolean => {
    if (e.kind === 'Subscript') {
      if (isX(e.value)) return e.index.kind === 'Tuple' && e.index.elements.some((i) => i.kind === 'Slice');
      return e.value.kind === 'Attribute' && e.value.name === 'shape' && isX(e.value.value) && isOne(e.index);
    }
    if (e.kind !== 'Call') return false;
    const method = e.callee.kind === 'Attribute' && mentions(e.callee.value, isX);
    const along = e.keywords.some(({ name: keyword, value }) => keyword === 'axis' && isOne(value));
    if (!along) return method && e.args.length === 1 && isOne(e.args[0]);
    return method || e.args.some((operand) => mentions(operand, isX));
  };
  return module.body.some((statement) => mentions(statement, test));
}
