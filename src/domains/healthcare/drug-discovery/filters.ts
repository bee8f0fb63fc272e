/**
 * Filters for compounds.
 * Sources: Lipinski et al. 1997, Adv. Drug Deliv. Rev. 23:3-25; Veber et al. 2002, J. Med. Chem. 45:2615-2623.
 */
import { z } from 'zod';
import type { Complain } from '../../fields.js';
import { checkRanges, ranges, violationOf, type Range } from './ranges.js';

const RULES = ['lipinski', 'veber'] as const;
type Rule = (typeof RULES)[number];
const MOST_FILTERS = 20;

const LIPINSKI: Readonly<Record<string, Range>> = {
  mw: { max: 500 },
  alogp: { max: 5 },
  hbd: { max: 5 },
  hba: { max: 10 },
};
/** Limits of Lipinski's rule that a compound may break. */
const LIPINSKI_ALLOWED = 1;
const VEBER: Readonly<Record<string, Range>> = { rotb: { max: 10 }, psa: { max: 140 } };

const one = z.union([z.enum(RULES), ranges]);
export const filtersField = z.union([...one.options, z.array(one).max(MOST_FILTERS)]);

type Given = z.output<typeof filtersField>;
export type Filter = Rule | Readonly<Record<string, Range>>;

export const filtersOf = (given: Given | undefined): readonly Filter[] => {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
};

export function checkFilters(given: Given | undefined, complain: Complain): boolean {
  return filtersOf(given).every((filter, i) => {
    if (typeof filter === 'string') return true;
    return checkRanges(filter, Array.isArray(given) ? ['filters', i] : ['filters'], complain);
  });
}

const limitsOf = (filter: Filter): Readonly<Record<string, Range>> => {
  if (filter === 'lipinski') return LIPINSKI;
  return filter === 'veber' ? VEBER : filter;
};

export const propertiesOf = (filters: readonly Filter[]): string[] => [
  ...new Set(filters.flatMap((filter) => Object.keys(limitsOf(filter)))),
];

export interface Sifted {
  readonly passes: boolean;
  /** Limits that are broken, in words. One of Lipinski's may be. */
  readonly violations: readonly string[];
  /** Names of the filters that hold the compound back. */
  readonly heldBy: readonly string[];
}

/** `valueOf`: of the compound, for the filter. */
export function sift(filters: readonly Filter[], valueOf: (property: string, filter: Filter) => number): Sifted {
  const violations: string[] = [];
  const heldBy: string[] = [];
  for (const filter of filters) {
    const broken = Object.entries(limitsOf(filter)).flatMap(([name, limits]) => {
      const violation = violationOf(name, valueOf(name, filter), limits);
      return violation === null ? [] : [[name, violation] as const];
    });
    const rule = typeof filter === 'string' ? `${filter}: ` : '';
    violations.push(...broken.map(([, violation]) => rule + violation));
    if (broken.length <= (filter === 'lipinski' ? LIPINSKI_ALLOWED : 0)) continue;
    heldBy.push(...(typeof filter === 'string' ? [filter] : broken.map(([name]) => name)));
  }
  return { passes: heldBy.length === 0, violations, heldBy };
}
