/**
 * Templates: the structure and the types of what a loop carries, without its numbers.
 */
import type { ValueId } from '../../../ir/types.js';
import type { Position } from '../../syntax/ast.js';
import { joinKinds } from '../../values/scalar-kinds.js';
import { areAlikeTuples, asMaybe, sameLayout } from '../../values/structure.js';
import {
  dynamic,
  isBoolKind,
  typeName,
  Unsupported,
  type AnyValue,
  type Held,
  type NdArray,
  type Scalar,
  type ScalarKind,
} from '../../values/values.js';
import type { Evaluator } from '../evaluator.js';

export class Templates {
  constructor(private readonly ev: Evaluator) {}

  /** The IR value of a scalar in the representation of `kind`. */
  idAs(s: Scalar, kind: ScalarKind): ValueId {
    return isBoolKind(kind) ? this.ev.ops.truth(s) : this.ev.ops.f64(s);
  }

  /** A value of the template's structure with its scalars replaced in order. */
  rebuild(template: AnyValue, next: () => Scalar): AnyValue;
  rebuild(template: Held, next: () => Scalar): Held;
  rebuild(template: Held, next: () => Scalar): Held {
    switch (template.tag) {
      case 'scalar':
        return next();
      case 'maybe':
        return { tag: 'maybe', value: this.rebuild(template.value, next), bound: next() };
      case 'complex':
        return { ...template, re: next(), im: next() };
      case 'complexarray':
        return {
          tag: 'complexarray',
          re: this.rebuild(template.re, next) as NdArray,
          im: this.rebuild(template.im, next) as NdArray,
        };
      case 'tuple':
        return { ...template, items: template.items.map((item) => this.rebuild(item, next)) };
      case 'list':
        return {
          ...this.ev.cells.list(template.cells.map((cell) => this.rebuild(cell.value as AnyValue, next))),
          frozen: template.frozen,
        };
      case 'ndarray':
        return this.ev.arrays.make(
          template.shape,
          template.kind,
          template.cells.map(() => next()),
          template.strides,
          template.frozen,
        );
      default:
        return template;
    }
  }

  joinTemplates(p: AnyValue, q: AnyValue, position: Position): AnyValue;
  joinTemplates(p: Held, q: Held, position: Position): Held;
  joinTemplates(p: Held, q: Held, position: Position): Held {
    if (p.tag === 'maybe' || q.tag === 'maybe') {
      const value = this.joinTemplates(asMaybe(p).value, asMaybe(q).value, position);
      return { tag: 'maybe', value, bound: dynamic('bool', -1) };
    }
    if (p.tag === 'scalar' && q.tag === 'scalar') {
      if ((p.kind === 'npbool') !== (q.kind === 'npbool')) {
        throw new Unsupported(
          "a variable of the loop is NumPy's truth value or something else depending on x",
          position,
        );
      }
      return dynamic(joinKinds(p.kind, q.kind), this.ev.ops.templateId(p, q));
    }
    if (p.tag === 'complex' && q.tag === 'complex' && p.isNumPy === q.isNumPy) {
      const join = (x: Scalar, y: Scalar): Scalar => this.joinTemplates(x, y, position) as Scalar;
      return { ...p, re: join(p.re, q.re), im: join(p.im, q.im) };
    }
    if (p.tag === 'complexarray' && q.tag === 'complexarray') {
      const join = (x: NdArray, y: NdArray): NdArray => this.joinTemplates(x, y, position) as NdArray;
      return { tag: 'complexarray', re: join(p.re, q.re), im: join(p.im, q.im) };
    }
    if (p.tag === 'tuple' && q.tag === 'tuple' && areAlikeTuples(p, q)) {
      this.ev.work.step(position, p.items.length);
      return { ...p, items: p.items.map((item, k) => this.joinTemplates(item, q.items[k], position)) };
    }
    if (p.tag === 'list' && q.tag === 'list' && p.cells.length === q.cells.length) {
      const items = p.cells.map((cell, k) =>
        this.joinTemplates(cell.value as AnyValue, q.cells[k].value as AnyValue, position),
      );
      return { ...this.ev.cells.list(items), frozen: p.frozen || q.frozen };
    }
    if (p.tag === 'ndarray' && q.tag === 'ndarray' && sameLayout(p, q) && p.kind === q.kind) {
      return this.ev.arrays.make(
        p.shape,
        p.kind,
        p.cells.map(() => dynamic(p.kind, -1)),
        p.strides,
        p.frozen || q.frozen,
      );
    }
    if (p.tag === q.tag && (p.tag === 'none' || p === q)) return p;
    if (p.tag === 'scalar' && q.tag === 'complex')
      throw new BecomesComplex('a variable of the loop is a real or a complex number depending on x', position);
    throw new Unsupported(`a variable of the loop is ${typeName(p)} or ${typeName(q)} depending on x`, position);
  }
}

/** A variable that is real before the first iteration of a loop and complex after it. */
export class BecomesComplex extends Unsupported {}
