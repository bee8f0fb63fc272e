/** Parameters of a rule, and the values of one that are tried. */

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly isWhole: boolean;
  /** Inclusive. */
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export const MAX_BARS = 50_000;
/** Values of one parameter. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}
