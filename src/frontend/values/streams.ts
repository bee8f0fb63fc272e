/**
 * Items that are consumed one by one.
 */
import type { IteratorValue } from './values.js';

/** Values that are consumed item by item. */
export type Stream = Pick<IteratorValue, 'items' | 'isCurrent' | 'hasEffects' | 'isLazy' | 'elements' | 'traverse'>;
