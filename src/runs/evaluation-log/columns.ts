/** Columns of the numbers that an evaluation gives. */
export const valueNames = (objectives: number): string[] =>
  objectives === 1 ? ['value'] : Array.from({ length: objectives }, (_, k) => `value${k + 1}`);

export const coordinateNames = (dimension: number): string[] =>
  Array.from({ length: dimension }, (_, j) => `x${j + 1}`);
