/**
 * Draws a convergence curve as text: best fitness over evaluations, logarithmic where it falls by more than a factor
 * of 1,000 and stays positive. ASCII only, for any terminal.
 *
 * @param {readonly { evaluations: number, best_fitness: number }[]} points improvements, in order
 * @param {number} totalEvaluations where the horizontal axis ends
 * @param {{ width?: number, height?: number }} [size] of the plotting area in characters
 * @returns {string[]} lines; empty where there is nothing to draw
 */
export function drawCurve(points, totalEvaluations, { width = 56, height = 9 } = {}) {
  const finite = points.filter((point) => Number.isFinite(point.best_fitness));
  if (finite.length === 0 || !(totalEvaluations > 0)) return [];
  const values = finite.map((point) => point.best_fitness);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const logarithmic = low > 0 && high > 1000 * low;
  const scale = logarithmic ? Math.log10 : (value) => value;
  const [bottom, top] = [scale(low), scale(high)];
  const rowOf = (value) => (top === bottom ? 0 : Math.round(((top - scale(value)) / (top - bottom)) * (height - 1)));

  const grid = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  let index = -1;
  for (let column = 0; column < width; column++) {
    const evaluations = ((column + 1) / width) * totalEvaluations;
    let from = index < 0 ? null : rowOf(values[index]);
    while (index + 1 < finite.length && finite[index + 1].evaluations <= evaluations) {
      index += 1;
      from ??= rowOf(values[index]);
    }
    // What falls within one column is a vertical stroke.
    if (from !== null) for (let row = from; row <= rowOf(values[index]); row++) grid[row][column] = '*';
  }
  const label = (row) => {
    if (row !== 0 && row !== height - 1 && row !== Math.floor(height / 2)) return '';
    const value = top - (row / (height - 1)) * (top - bottom);
    return shortNumber(logarithmic ? 10 ** value : value);
  };
  const lines = grid.map((cells, row) => `${label(row).padStart(10)} |${cells.join('').trimEnd()}`);
  const end = totalEvaluations.toLocaleString('en-US');
  lines.push(`${' '.repeat(10)} +${'-'.repeat(width)}`);
  lines.push(`${' '.repeat(12)}0${`${end} evaluations`.padStart(width - 1)}`);
  return lines;
}

/** At most four significant digits. */
export function shortNumber(value) {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}
