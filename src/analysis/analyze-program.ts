/**
 * Reads a program: which variables it uses, which of them interact, whether its value is a sum of terms or of squares
 * under an increasing function, and how it behaves. From the IR alone, without evaluating it. Start reading with
 * `trace.ts`.
 */
import type { Box } from '../ir/box-facts.js';
import type { IrFunction } from '../ir/types.js';
import type { ProgramStructure, Residuals, Terms, ProgramTraits } from '../model/program-structure.js';
import { withOutputs } from '../passes/outputs/with-outputs.js';
import { AffineForms, TooManyDirections } from './affine-forms.js';
import { Behaviour } from './behaviour.js';
import { describe } from './findings.js';
import { Interactions } from './interactions.js';
import { placeRoots, placeTerms, rootNodes, type TermOutputs } from './term-outputs.js';
import { Sums, nodesOf, type SumForm, type Term } from './sums.js';
import { Trace, type NodeId } from './trace.js';
import { TooMuchWork, Work } from './work.js';

export interface ProgramAnalysis {
  readonly structure: ProgramStructure;
  /** Work done, in units of about a microsecond. */
  readonly work: number;
  /** Whether `limit` ended it. */
  readonly isCut: boolean;
  /** The function with its terms as outputs; null where `structure.terms` is. */
  terms(): IrFunction | null;
  /** The function with its residuals as outputs; null where `structure.residuals` is. */
  residuals(): IrFunction | null;
  /** Whether two variables can interact in the sum of the terms. */
  canInteract(i: number, j: number): boolean;
}

/**
 * @param fn what is minimised
 * @param bounds where every candidate will lie; absent: anywhere
 * @param limit of work: what would take more is not looked at
 *
 * Cost: O(nodes log n), with loops counted turn by turn; a program of more than `MAX_TRACE` is not looked at.
 */
export function analyzeProgram(fn: IrFunction, bounds: Box | null = null, limit = Infinity): ProgramAnalysis {
  const work = new Work(limit);
  try {
    return analyze(fn, bounds, work);
  } catch (error) {
    if (error instanceof TooMuchWork) return tooLarge(fn, work.spent, work.spent > limit);
    throw error;
  }
}

function analyze(fn: IrFunction, bounds: Box | null, work: Work): ProgramAnalysis {
  const trace = new Trace(fn, work);
  const behaviour = new Behaviour(trace, bounds);
  const sums = new Sums(trace, behaviour);
  const form = formOf(trace, behaviour, sums);
  const { outer, terms } = form;
  const used = trace.sets.elements(trace.sets.union(trace.deps[trace.root], trace.checked));
  const blockUsed = trace.sets.elements(trace.deps[trace.root]);
  const interactions = new Interactions(trace, terms);
  const placedTerms = termsOf(trace, behaviour, sums, terms);
  const roots = rootsOf(trace, behaviour, form);
  const isUsed = new Set(used);
  const facts = {
    dimension: fn.dimension,
    variables: Array.from({ length: fn.dimension }, (_, k) => ({ used: isUsed.has(k) })),
    outer,
    terms: placedTerms?.facts ?? null,
    residuals: roots === null ? null : residualFacts(trace, behaviour, roots),
    blocks: interactions.blocks(blockUsed),
    interactingPairs: interactions.count(blockUsed),
    traits: { ...behaviour.traits(trace.root), isConvex: behaviour.isConvex(trace.root, 1) },
  };
  const structure = { ...facts, findings: describe(facts, trace, behaviour, linesOf(trace, terms)) };
  return {
    structure,
    work: work.spent,
    isCut: false,
    terms: () => (placedTerms === null ? null : withOutputs(fn, placedTerms.placement.plan)),
    residuals: () => (roots === null ? null : withOutputs(fn, roots.plan)),
    canInteract: (i, j) => interactions.canInteract(i, j),
  };
}

/** `isCut`: by the limit of whoever asked. */
function tooLarge(fn: IrFunction, work: number, isCut: boolean): ProgramAnalysis {
  const text = isCut
    ? 'To analyse the program would take too large a part of the time of a run.'
    : 'The program is too large to be analysed.';
  return {
    work,
    isCut,
    structure: {
      dimension: fn.dimension,
      variables: Array.from({ length: fn.dimension }, () => ({ used: true })),
      outer: [],
      terms: null,
      residuals: null,
      blocks: [Array.from({ length: fn.dimension }, (_, k) => k)],
      interactingPairs: (fn.dimension * (fn.dimension - 1)) / 2,
      traits: { isSmooth: false, isConvex: false, isPeriodic: false, hasRounding: false },
      findings: [{ topic: 'limits', text, lines: [] }],
    },
    terms: () => null,
    residuals: () => null,
    canInteract: () => true,
  };
}

function linesOf(trace: Trace, terms: readonly Term[]): readonly number[] {
  const lines = new Set(terms.flatMap((term) => nodesOf(term).map((node) => trace.lines[node])));
  lines.delete(0);
  return [...lines].sort((a, b) => a - b);
}

function formOf(trace: Trace, behaviour: Behaviour, sums: Sums): SumForm {
  const form = sums.formOf(trace.root);
  if (form.terms.length > 1) return form;
  // A product of functions of single coordinates of z = A x.
  const product = new Sums(trace, behaviour, { splitsProducts: true }).formOf(trace.root);
  return product.terms.length > 1 && affineFormsOf(trace, product.terms) !== null ? product : form;
}

function rootsOf(trace: Trace, behaviour: Behaviour, form: SumForm): TermOutputs | null {
  if (form.terms.length === 0) return null;
  const roots = placeRoots(trace, behaviour, form.terms);
  if (roots !== null || !form.terms.some((term) => term.kind === 'plain' && isBranch(trace, term.node))) return roots;
  const split = new Sums(trace, behaviour, { splitsBranches: true }).formOf(trace.root);
  const isSame = JSON.stringify(split.outer) === JSON.stringify(form.outer);
  return isSame ? placeRoots(trace, behaviour, split.terms) : null;
}

const isBranch = (trace: Trace, node: NodeId): boolean => trace.ops[node] === 'phi' || trace.ops[node] === 'select';

/** Variables of all terms together: more are not listed. */
const MAX_LISTED = 2 ** 20;

interface PlacedTerms {
  readonly placement: TermOutputs;
  readonly facts: Terms;
}

function termsOf(trace: Trace, behaviour: Behaviour, sums: Sums, terms: readonly Term[]): PlacedTerms | null {
  if (terms.length === 0) return null;
  const byVariables = (term: Term): number => sums.depsOf(term);
  const isSeparable = terms.every((term) => trace.sets.size(byVariables(term)) <= 1);
  const affine = isSeparable ? null : affineFormsOf(trace, terms);
  const groupOf = affine === null ? byVariables : (term: Term): number => affine.of(nodesOf(term));
  const placement = placeTerms(trace, terms, groupOf);
  if (placement === null || (placement.terms.length < 2 && !isSeparable)) return null;
  const { sets } = trace;
  const variables = placement.terms.map((slot) => slot.reduce((set, term) => sets.union(set, groupOf(term)), 0));
  if (variables.reduce((total, set) => total + sets.size(set), 0) > MAX_LISTED) return null;
  const facts: Terms = {
    count: placement.terms.length,
    dependsOn: variables.map((set) => sets.elements(set)),
    form: isSeparable ? 'coordinates' : affine === null ? 'general' : 'affine',
    matrix: affine?.directions.map((row) => Array.from(row)),
    traits: placement.terms.map((slot) => traitsOf(behaviour, slot)),
  };
  return { placement, facts };
}

/** Where every term depends on one direction of as many as there are variables. */
function affineFormsOf(trace: Trace, terms: readonly Term[]): AffineForms | null {
  const forms = new AffineForms(trace);
  try {
    for (const term of terms) if (trace.sets.size(forms.of(nodesOf(term))) > 1) return null;
  } catch (error) {
    if (error instanceof TooManyDirections) return null;
    throw error;
  }
  return forms.isInvertible() ? forms : null;
}

function traitsOf(behaviour: Behaviour, terms: readonly Term[]): ProgramTraits {
  let traits: ProgramTraits = { isSmooth: true, isConvex: true, isPeriodic: false, hasRounding: false };
  for (const term of terms) {
    const isPlain = term.kind === 'plain';
    for (const node of nodesOf(term)) {
      const own = behaviour.traits(node);
      traits = {
        isSmooth: traits.isSmooth && own.isSmooth && (isPlain || term.kind === 'log'),
        isConvex: traits.isConvex && isPlain && behaviour.isConvex(node, term.weight),
        isPeriodic: traits.isPeriodic || own.isPeriodic,
        hasRounding: traits.hasRounding || own.hasRounding,
      };
    }
  }
  return traits;
}

function residualFacts(trace: Trace, behaviour: Behaviour, { terms }: TermOutputs): Residuals {
  const all = terms.flat();
  const nodes = all.flatMap((term) => rootNodes(behaviour, term));
  return {
    count: terms.length,
    isSmooth: all.every(({ kind }) => kind === 'plain') && nodes.every((node) => behaviour.traits(node).isSmooth),
    isAffine: all.every(({ kind }) => kind === 'plain') && nodes.every((node) => trace.isAffine[node]),
  };
}
