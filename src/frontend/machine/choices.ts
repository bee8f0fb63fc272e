/**
 * Values of several kinds: the one way to look into a choice is a use for each kind, on its lanes.
 */
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import {
  typeName,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type Call,
  type Held,
  type Scalar,
  type Value,
} from '../values/values.js';

export class Choices {
  /** The first use of a value that an alternative was not translated for; its lanes went to CPython. */
  handedOver: Unsupported | null = null;

  constructor(private readonly ev: Core) {}

  /** @throws {Unsupported} where a value is of several kinds, or must not be looked into. */
  plain(value: Held, position: Position): Value {
    switch (value.tag) {
      case 'opaque':
        this.ev.lasting.read(value);
        throw new Unsupported(value.reason, position);
      case 'choice':
        throw new Unsupported(`depending on x this is ${typeName(value)}`, position);
      case 'maybe':
        throw new Unsupported('a variable that is bound on some lanes only, depending on x', position);
      default:
        return value;
    }
  }

  /** `use` of each alternative, on its lanes; a use that is not translated leaves them to CPython. */
  each(value: AnyValue, use: (plain: Value) => AnyValue, position: Position): AnyValue {
    if (value.tag !== 'choice') return use(this.plain(value, position));
    const { alternatives } = value;
    let untranslated: Unsupported | null = null;
    let isAnyTranslated = false;
    const attempt = (plain: Value, isLast: boolean): AnyValue => {
      try {
        const result = use(plain);
        isAnyTranslated = true;
        return result;
      } catch (error) {
        if (!(error instanceof Unsupported)) isAnyTranslated = true;
        if (!(error instanceof Unsupported) || error.kind !== 'unsupported') throw error;
        untranslated ??= error;
        if (isLast && !isAnyTranslated) throw untranslated;
        this.handedOver ??= error;
        this.ev.ops.locate(error.position);
        return this.ev.ops.handOver();
      }
    };
    const from = (k: number): AnyValue => {
      this.ev.work.step(position, 10);
      const alternative = alternatives[k];
      const isLast = k === alternatives.length - 1;
      if (isLast) return attempt(alternative.value, true);
      return this.ev.branches.branch(
        alternative.when,
        () => attempt(alternative.value, false),
        () => from(k + 1),
        position,
      );
    };
    return from(0);
  }

  /** The same of several values, each combination on its lanes. */
  eachOf(values: readonly AnyValue[], use: (plain: readonly Value[]) => AnyValue, position: Position): AnyValue {
    const at = values.findIndex((value) => value.tag === 'choice');
    if (at < 0) return use(values.map((value) => this.plain(value, position)));
    return this.each(values[at], (plain) => this.eachOf(values.with(at, plain), use, position), position);
  }

  eachTruth(values: readonly AnyValue[], use: (plain: readonly Value[]) => Scalar, position: Position): Scalar {
    const truth = this.eachOf(values, use, position);
    if (truth.tag !== 'scalar') throw new Error('truth values merge into one');
    return truth;
  }

  eachArgument(call: AnyCall, use: (call: Call) => AnyValue): AnyValue {
    const { args, keywords, position } = call;
    const names = [...keywords.keys()];
    return this.eachOf(
      [...args, ...keywords.values()],
      (plain) => {
        const named = new Map(names.map((name, k) => [name, plain[args.length + k]]));
        return use({ args: plain.slice(0, args.length), keywords: named, position });
      },
      position,
    );
  }
}
