import { quadraticCost } from '../search/limits.js';
import type { Member } from '../search/search-kind.js';
import { quasiNewton } from '../quasi-newton/kind.js';

/** The last digits of the best point, at the end of the budget. */
export const polish: Member = {
  name: 'polish',
  maxDimension: quasiNewton.maxDimension,
  start: quasiNewton.start,
  restore: quasiNewton.restore,
  asMember: { role: 'polish', family: 'gradient', reads: 'gradient', refines: true, operations: quadraticCost },
};
