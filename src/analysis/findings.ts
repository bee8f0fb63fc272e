/** Findings about a program, in sentences for people. */
import type { Finding, FindingTopic, ProgramStructure } from '../model/program-structure.js';
import type { Behaviour } from './behaviour.js';
import type { Trace } from './trace.js';

const MAX_NAMED = 10;
const MAX_LINES = 20;

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function listed(variables: readonly number[]): string {
  const named = variables.slice(0, MAX_NAMED).map((k) => `x[${k}]`);
  const more = variables.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

export function describe(
  facts: Omit<ProgramStructure, 'findings'>,
  trace: Trace,
  behaviour: Behaviour,
  /** Where the terms are. */
  termLines: readonly number[],
): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (topic: FindingTopic, text: string, lines: readonly number[] = []): void => {
    findings.push({ topic, text, lines: lines.slice(0, MAX_LINES) });
  };
  const { root } = trace;
  const unused = facts.variables.flatMap(({ used }, k) => (used ? [] : [k]));
  if (unused.length > 0) add('variables', `The value does not depend on ${listed(unused)}.`);
  const under =
    facts.outer.filter(({ op }) => op !== 'affine').length === 0
      ? ''
      : ' under an increasing function, which changes no ranking';
  const { terms, residuals } = facts;
  if (terms !== null) {
    if (terms.form === 'coordinates') {
      add('terms', `The value is a sum of functions of one variable each${under}.`, termLines);
    } else if (terms.form === 'affine') {
      const n = facts.dimension;
      add(
        'affine',
        `The value is a sum of functions of one coordinate each of z = A x, with a ${n} x ${n} matrix A${under}.`,
        termLines,
      );
    } else add('terms', `The value is a sum of ${plural(terms.count, 'term')}${under}.`, termLines);
  }
  if (facts.blocks.length > 1 && terms?.form === 'general') {
    add('terms', `The variables fall into ${plural(facts.blocks.length, 'group')} that do not interact.`);
  }
  if (residuals !== null) {
    const kind = residuals.isAffine ? 'linear least-squares problem' : 'least-squares problem';
    add('least_squares', `A ${kind}: the value is a sum of ${plural(residuals.count, 'square')}${under}.`, termLines);
  }
  if (facts.traits.isConvex) add('convexity', 'What is minimised is convex: every local minimum is a global one.');
  const kinks = behaviour.linesOf('kink', root);
  if (!facts.traits.isSmooth) {
    add('kinks', 'The function may have kinks or jumps: gradients may mislead there.', kinks);
  }
  if (facts.traits.isPeriodic) {
    add(
      'periodic',
      'A sine or cosine runs through more than a period: there may be many local minima.',
      behaviour.linesOf('period', root),
    );
  }
  if (facts.traits.hasRounding) {
    add('rounding', 'Values are rounded: the function has plateaus.', behaviour.linesOf('rounding', root));
  }
  return findings;
}
