/** Features of a program in a few numbers, and the distance of two programs by them. */
import { log } from '../common/float.js';
import type { ProgramFeatures } from '../model/learning.js';
import type { ProgramStructure } from '../model/program-structure.js';

/** Differences that make a distance of 1: terms and residuals by their decades. */
const SCALE = { terms: 0.8, residuals: 0.8, interactions: 0.4 };

export function programFeatures({
  dimension,
  terms,
  residuals,
  interactingPairs,
  traits,
}: ProgramStructure): ProgramFeatures {
  const { isSmooth, isConvex, isPeriodic, hasRounding } = traits;
  return {
    isSmooth,
    isConvex,
    isPeriodic,
    hasRounding,
    termForm: terms?.form ?? null,
    terms: terms?.count ?? 0,
    residuals: residuals?.count ?? 0,
    interactions: dimension > 1 ? interactingPairs / ((dimension * (dimension - 1)) / 2) : 0,
  };
}

/**
 * Infinity where one is a sum of squares, or of terms of another form, and the other is not; each trait that differs
 * counts 1.
 */
export function programDistance(a: ProgramFeatures, b: ProgramFeatures): number {
  if (a.termForm !== b.termForm || a.residuals > 0 !== b.residuals > 0) return Infinity;
  const decades = (p: number, q: number): number => log((1 + p) / (1 + q)) / log(10);
  const differences = [
    decades(a.terms, b.terms) / SCALE.terms,
    decades(a.residuals, b.residuals) / SCALE.residuals,
    (a.interactions - b.interactions) / SCALE.interactions,
    +(a.isSmooth !== b.isSmooth),
    +(a.isConvex !== b.isConvex),
    +(a.isPeriodic !== b.isPeriodic),
    +(a.hasRounding !== b.hasRounding),
  ];
  return Math.sqrt(differences.reduce((sum, difference) => sum + difference * difference, 0));
}
