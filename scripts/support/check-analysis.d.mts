export function numbers(seed: number): () => number;

/** See check-analysis.mjs. */
export function checkAnalysis(
  tools: Readonly<Record<string, unknown>>,
  ir: unknown,
  box: { readonly lower: Float64Array; readonly upper: Float64Array },
  analysis: unknown,
  points: number,
  seed: number,
): { readonly failures: string[]; readonly checks: Readonly<Record<string, number>> };
