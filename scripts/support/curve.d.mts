export interface CurvePoint {
  readonly evaluations: number;
  readonly best_fitness: number;
}
export function drawCurve(
  points: readonly CurvePoint[],
  totalEvaluations: number,
  size?: { readonly width?: number; readonly height?: number },
): string[];
export function shortNumber(value: number): string;
