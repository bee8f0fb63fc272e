/**
 * Cuts a program into functions of limited size: compilers take long over a huge function, or do not take it at all. A
 * body that is too large becomes calls of functions that hold pieces of it, at every depth of nesting. Only the main
 * function calls pieces. Says also which values cross from one function to another; generators keep those in memory.
 */
import type { IndexForm, IrFunction, IrNode, Region, ValueId } from '../ir/types.js';
import { regionsOf, resultsOf, usesOf } from '../ir/walk.js';

/** A run of nodes in a function of its own. */
export interface Piece {
  readonly kind: 'piece';
  /** Number of its function, from 1. */
  readonly fn: number;
  readonly body: readonly IrNode[];
}
export type Step = IrNode | Piece;

export interface Split {
  /** The steps that take the place of a region's body. */
  readonly steps: (region: Region) => readonly Step[];
  /** Values that other functions than their own use. */
  readonly shared: ReadonlySet<ValueId>;
  /** Number of the function that defines a value; 0 is the main one. */
  readonly homeOf: (id: ValueId) => number;
  /** Functions besides the main one. */
  readonly pieces: readonly Piece[];
}

/** `limit`: nodes per function, roughly. */
export function splitProgram(fn: IrFunction, limit: number): Split {
  return new Splitter(fn, limit).run();
}

const indicesOf = (form: IndexForm | undefined): readonly ValueId[] => form?.terms.map((term) => term.index) ?? [];

class Splitter {
  private readonly pieces: Piece[] = [];
  private readonly replaced = new Map<Region, readonly Step[]>();
  private readonly weights = new Map<IrNode, number>();
  private readonly home: Int32Array;
  private readonly shared = new Set<ValueId>();

  constructor(
    private readonly fn: IrFunction,
    private readonly limit: number,
  ) {
    this.home = new Int32Array(fn.types.length);
  }

  run(): Split {
    this.cut(this.fn.body);
    this.settle();
    this.findShared();
    const { replaced, shared, home, pieces } = this;
    return { steps: (region) => replaced.get(region) ?? region.body, shared, homeOf: (id) => home[id], pieces };
  }

  private cut(region: Region): void {
    const total = region.body.reduce((sum, node) => sum + this.weight(node), 0);
    if (total <= this.limit) return;
    const steps: Step[] = [];
    let run: IrNode[] = [];
    let size = 0;
    const close = () => {
      if (run.length > 0) {
        const piece: Piece = { kind: 'piece', fn: this.pieces.length + 1, body: run };
        this.pieces.push(piece);
        steps.push(piece);
      }
      run = [];
      size = 0;
    };
    for (const node of region.body) {
      const weight = this.weight(node);
      if (size + weight > this.limit) close();
      if (weight > this.limit && node.kind !== 'op') {
        regionsOf(node).forEach((inner) => this.cut(inner));
        steps.push(node);
        continue;
      }
      run.push(node);
      size += weight;
    }
    close();
    this.replaced.set(region, steps);
  }

  private weight(node: IrNode): number {
    let weight = this.weights.get(node);
    if (weight === undefined) {
      weight = 1;
      for (const region of regionsOf(node)) for (const inner of region.body) weight += this.weight(inner);
      this.weights.set(node, weight);
    }
    return weight;
  }

  /**
   * Calls `visit` on every node with the number of its function; nodes before what they enclose; `leave` at the end of
   * each region.
   */
  private walk(
    region: Region,
    fn: number,
    visit: (node: IrNode, fn: number) => void,
    leave: (region: Region, fn: number) => void = () => {},
  ): void {
    const nodes = (body: readonly Step[], owner: number) => {
      for (const step of body) {
        if (step.kind === 'piece') nodes(step.body, step.fn);
        else {
          visit(step, owner);
          for (const inner of regionsOf(step)) this.walk(inner, owner, visit, leave);
        }
      }
    };
    nodes(this.replaced.get(region) ?? region.body, fn);
    leave(region, fn);
  }

  private settle(): void {
    this.walk(this.fn.body, 0, (node, fn) => {
      for (const id of resultsOf(node)) this.home[id] = fn;
      if (node.kind === 'loop' || node.kind === 'for') for (const id of node.params) this.home[id] = fn;
      if (node.kind === 'for') this.home[node.index] = fn;
    });
  }

  private findShared(): void {
    const uses = (ids: readonly ValueId[], fn: number) => {
      for (const id of ids) if (this.home[id] !== fn) this.shared.add(id);
    };
    this.walk(
      this.fn.body,
      0,
      (node, fn) => {
        uses(usesOf(node), fn);
        if (node.kind === 'op') uses(indicesOf(node.at), fn);
        if (node.kind === 'for') uses(indicesOf(node.count), fn);
      },
      (region, fn) => uses(region.yields, fn),
    );
  }
}
