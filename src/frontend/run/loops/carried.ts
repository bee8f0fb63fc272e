/**
 * What a loop carries from iteration to iteration. Which cells these are, and of which types, is found by trial: the body
 * runs in a region that is thrown away until it writes no cell that is not carried and changes no carried cell's type.
 */
import type { ValueId } from '../../../ir/types.js';
import type { Position } from '../../syntax/ast.js';
import { asMaybe, sameTemplates, scalarsOf } from '../../values/structure.js';
import { isBoolKind, type Cell, type Held, type Scalar } from '../../values/values.js';
import type { Evaluator } from '../evaluator.js';

/** Trials before a loop is given up, whose variables keep changing their types. */
export const MAX_TRIALS = 12;

/** Cells with templates: the structure and the types of what they hold. */
export type Carried = Map<Cell, Held>;

/** The scalars of what a cell holds, in the order of those of its template. */
export const scalarsLike = (template: Held, value: Held, position: Position): Scalar[] =>
  scalarsOf(template.tag === 'maybe' ? asMaybe(value) : value, position);

/** Whether an iteration leaves a cell as it was. */
export const isLeftAlone = (old: Held | undefined, after: Held): boolean =>
  old === after || (old?.tag === 'scalar' && isSameNumber(old, after));

const isSameNumber = (a: Scalar, b: Held): boolean =>
  b.tag === 'scalar' && a.kind === b.kind && a.known !== undefined && Object.is(a.known, b.known);

/** Makes room in a template for what an iteration has left; true where there was room already. */
export function hasRoom(ev: Evaluator, carried: Carried, cell: Cell, after: Held, position: Position): boolean {
  const before = carried.get(cell) as Held;
  const joined = ev.templates.joinTemplates(before, after, position);
  if (sameTemplates(scalarsOf(joined, position), scalarsOf(before, position))) return true;
  carried.set(cell, joined);
  return false;
}

/** One trial: the carried cells as parameters of the body. */
export class Trial {
  readonly templates: readonly (readonly [Cell, Held])[];
  readonly scalars: readonly Scalar[];
  /** What the cells hold before the loop. */
  readonly initial: readonly Scalar[];
  readonly initialIds: readonly ValueId[];
  readonly params: ValueId[];
  private readonly finalValues = new Map<Cell, Held | undefined>();

  constructor(
    private readonly ev: Evaluator,
    carried: Carried,
    private readonly position: Position,
    initialOf: (value: Held | undefined, template: Held) => Scalar[],
  ) {
    this.templates = [...carried];
    this.scalars = this.templates.flatMap(([, template]) => scalarsOf(template, position));
    this.initial = this.templates.flatMap(([cell, template]) => initialOf(cell.value, template));
    this.initialIds = this.initial.map((s, k) => ev.templates.idAs(s, this.scalars[k].kind));
    this.params = ev.builder.params(this.scalars.map((s) => (isBoolKind(s.kind) ? 'bool' : 'f64')));
  }

  /** Begins an iteration: the cells hold the parameters. */
  enter(): void {
    this.rebuildAll(this.params, (cell, during) => {
      this.ev.ties.carryContainers(cell.value, during);
      this.ev.cells.write(cell, during);
    });
  }

  /** What the iteration leaves in the cells. To be called before it is taken back. */
  finals(): Scalar[] {
    return this.templates.flatMap(([cell, template]) => {
      this.finalValues.set(cell, cell.value);
      return scalarsLike(template, cell.value as Held, this.position);
    });
  }

  /** The values to yield for `finals`. */
  yieldsOf(finals: readonly Scalar[]): ValueId[] {
    return finals.map((s, k) => this.ev.templates.idAs(s, this.scalars[k].kind));
  }

  /** Ends the loop: `leave` gets what each cell holds after it, and the place of its first result. */
  leave(
    results: readonly ValueId[],
    leave: (cell: Cell, after: Held, template: Held, before: Held | undefined, from: number) => void,
  ): void {
    this.rebuildAll(results, (cell, after, template, from) => {
      const before = cell.value;
      this.ev.ties.tieValues(before, after);
      this.ev.ties.tieValues(this.finalValues.get(cell), after);
      leave(cell, after, template, before, from);
    });
  }

  private rebuildAll(
    ids: readonly ValueId[],
    use: (cell: Cell, made: Held, template: Held, from: number) => void,
  ): void {
    let next = 0;
    for (const [cell, template] of this.templates) {
      const from = next;
      const made = this.ev.templates.rebuild(template, () => this.ev.ops.like(this.scalars[next], ids[next++]));
      use(cell, made, template, from);
    }
  }
}
