/** Box limits: `lower[i] < upper[i]`, all finite, both of length `n`. */
export interface Bounds {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}
