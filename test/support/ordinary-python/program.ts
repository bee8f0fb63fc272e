/** A random program as people write objectives; the same one for the same seed. */
import { Rng } from '../../../src/common/rng.js';
import { attemptedImport, classDefinition, exceptionClasses, functionDefinition } from './definitions.js';
import { num, observed } from './expressions.js';
import { scalar } from './numpy.js';
import { returnStatement, statements } from './statements.js';
import { FEATURES, Writer } from './writer.js';

export interface OrdinaryProgram {
  readonly code: string;
  /** Numbers of variables that it is meant for. */
  readonly dimensions: readonly number[];
  /** What x is meant to be; null: either will do. */
  readonly argument: 'list' | 'ndarray' | null;
  /** Whether every bit of a value counts. */
  readonly isExact: boolean;
  readonly features: readonly string[];
}

/** Numbers of variables tried, of those that a program can take. */
const DIMENSIONS = [1, 2, 3, 5];

export function ordinaryProgram(seed: number, without: readonly string[] = []): OrdinaryProgram {
  const rng = Rng.create(seed);
  const share = 0.2 + 0.5 * rng.uniform();
  const features = FEATURES.filter((feature) => rng.uniform() < share && !without.includes(feature));
  const w = new Writer(rng, new Set(features));
  w.usesNumPy = rng.uniform() < 0.3;
  w.dimension = w.pick([1, 1, 2, 2, 2, 3]);
  w.budget = 12 + w.below(40);
  header(w);
  w.bind({ name: 'x', kind: 'vector' });
  for (let k = w.below(4); k > 0; k--) {
    w.variables = w.variables.filter((v) => v.kind !== 'vector');
    functionDefinition(w, 2);
  }
  w.returns = 'num';
  w.scope('def f(x):', [{ name: 'x', kind: 'vector' }], () => {
    if (w.has('state') && w.chance(0.3)) w.line(w.pick(['global COUNT', 'global SCALE']));
    if (w.has('state') && w.lines[w.lines.length - 1].includes('global COUNT')) w.line('COUNT += 1');
    statements(w, 1 + w.below(7), 3);
    const ends = w.known('num', 'int').map(({ name }) => name);
    const rest = ends.length > 0 && w.chance(0.6) ? ` + ${ends.slice(-3).join(' + ')}` : '';
    w.choose([
      [4, () => returnStatement(w)],
      [3, () => w.line(`return ${num(w, 2)}${rest}`)],
      [w.if('any', 3), () => w.line(`return ${observed(w, 2)}`)],
      [w.usesNumPy ? 4 : 0, () => w.line(`return ${scalar(w, 2)}${rest}`)],
      [0.1, () => undefined],
    ]);
  });
  const least = w.dimension;
  const all = DIMENSIONS.filter((n) => n >= least);
  const dimensions = [...new Set([least, w.pick(all)])];
  const argument = w.usesNumPy ? 'ndarray' : 'list';
  return { code: `${w.lines.join('\n')}\n`, dimensions, argument, isExact: w.isExact, features };
}

function header(w: Writer): void {
  w.line('import math');
  if (w.usesNumPy) w.line('import numpy as np');
  if (w.has('classes')) {
    w.line('import collections, enum');
    w.line('from dataclasses import dataclass, field');
  }
  w.line('import contextlib');
  if (w.has('imports')) for (let k = 1 + w.below(2); k > 0; k--) attemptedImport(w);
  if (w.has('state')) {
    w.line('COUNT = 0');
    w.line('SCALE = 2.0');
    w.line('CALLS = [0]');
    w.line('CACHE = {}');
    w.line('HISTORY = []');
    w.line('LIMITS = (1.0, -1.0)');
  }
  if (w.has('exceptions') && w.chance(0.4)) exceptionClasses(w);
  if (w.has('classes')) for (let k = 1 + w.below(2); k > 0; k--) classDefinition(w);
}
