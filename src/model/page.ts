/** One window of a list that is ordered newest first, in a total order. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Length of the whole list, not of this window. */
  readonly total: number;
}
