/** The look of our PDF documents. Lengths in points. */
import type { SeriesRole } from '../document.js';

export const COLORS = {
  ink: '#1b2430',
  muted: '#66727f',
  rule: '#d5dbe1',
  grid: '#e8ecf0',
  band: '#f5f7f9',
  accent: '#1f3a5f',
  white: '#ffffff',
} as const;

/** Told apart also without colour vision: blue and orange, and by their lightness. */
export const SERIES: Readonly<Record<SeriesRole, string>> = {
  main: '#1f5fa8',
  good: '#2f7fc1',
  bad: '#d9702b',
  open: '#b9c3cd',
};

export const MARGIN = 40;
/** Where the content of a page begins and, from the lower edge, ends. */
export const TOP = 62;
export const BOTTOM = 44;
