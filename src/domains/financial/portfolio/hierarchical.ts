/**
 * Hierarchical risk parity: assets are ordered by single-linkage clustering of their correlation distances, then
 * weights are halved down the order against the variance of each half. A rule, not a minimum.
 * Source: Lopez de Prado, J. Portfolio Management 42(4) (2016) 59-69.
 */

/** Weights that add up to 1. */
export function hierarchicalWeights(covariance: Float64Array, n: number, look: () => void): Float64Array {
  const variance = (j: number): number => covariance[j * (n + 1)] ?? 0;
  const order = quasiDiagonal(covariance, n, look);
  const weights = new Float64Array(n).fill(1);
  const clusters = [order];
  for (let cluster = clusters.pop(); cluster !== undefined; cluster = clusters.pop()) {
    if (cluster.length < 2) continue;
    const middle = Math.floor(cluster.length / 2);
    const halves = [cluster.slice(0, middle), cluster.slice(middle)] as const;
    const [first, second] = halves.map((half) => clusterVariance(covariance, n, half)) as [number, number];
    const share = first + second > 0 ? 1 - first / (first + second) : 0.5;
    for (const j of halves[0]) weights[j] = (weights[j] ?? 0) * share;
    for (const j of halves[1]) weights[j] = (weights[j] ?? 0) * (1 - share);
    clusters.push(...halves);
  }
  return weights;

  /** Variance of the inverse-variance portfolio of the cluster. */
  function clusterVariance(table: Float64Array, size: number, cluster: readonly number[]): number {
    const inverse = cluster.map((j) => 1 / Math.max(variance(j), Number.MIN_VALUE * 1e30));
    const sum = inverse.reduce((whole, value) => whole + value, 0);
    let total = 0;
    for (const [a, i] of cluster.entries()) {
      for (const [b, j] of cluster.entries()) {
        total += ((inverse[a] ?? 0) / sum) * (table[i * size + j] ?? 0) * ((inverse[b] ?? 0) / sum);
      }
    }
    return total;
  }
}

/** Leaves of the tree from left to right. Distances are Euclidean ones between columns of correlation distances. */
function quasiDiagonal(covariance: Float64Array, n: number, look: () => void): number[] {
  const correlation = (i: number, j: number): number => {
    if (i === j) return 1;
    const size = Math.sqrt((covariance[i * (n + 1)] ?? 0) * (covariance[j * (n + 1)] ?? 0));
    return size > 0 ? Math.min(1, Math.max(-1, (covariance[i * n + j] ?? 0) / size)) : 0;
  };
  const near = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) near[i * n + j] = Math.sqrt((1 - correlation(i, j)) / 2);
  const distance = (i: number, j: number): number => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += ((near[i * n + k] ?? 0) - (near[j * n + k] ?? 0)) ** 2;
    return Math.sqrt(sum);
  };
  // Clusters are numbered as they come up: those of one asset first, then merged ones.
  const size = 2 * n;
  const between = new Float64Array(size * size).fill(Infinity);
  for (let i = 0; i < n; i++) {
    look();
    for (let j = i + 1; j < n; j++) between[i * size + j] = distance(i, j);
  }
  const clusters: (number[] | null)[] = Array.from({ length: n }, (_, j) => [j]);
  /** By cluster: the nearest of those after it. */
  const nearest: number[] = [];
  const gap = (i: number, j: number): number => between[Math.min(i, j) * size + Math.max(i, j)] ?? Infinity;
  const findNearest = (i: number): void => {
    let best = -1;
    for (let j = i + 1; j < clusters.length; j++) {
      if (clusters[j] !== null && (best < 0 || gap(i, j) < gap(i, best))) best = j;
    }
    nearest[i] = best;
  };
  for (let i = 0; i < n; i++) findNearest(i);
  for (let merges = 1; merges < n; merges++) {
    look();
    let a = -1;
    for (let i = 0; i < clusters.length; i++) {
      const j = nearest[i] ?? -1;
      if (clusters[i] !== null && j >= 0 && (a < 0 || gap(i, j) < gap(a, nearest[a] ?? -1))) a = i;
    }
    const b = nearest[a] ?? -1;
    const merged = clusters.push([...(clusters[a] ?? []), ...(clusters[b] ?? [])]) - 1;
    clusters[a] = null;
    clusters[b] = null;
    nearest[merged] = -1;
    for (let i = 0; i < merged; i++) {
      if (clusters[i] === null) continue;
      between[i * size + merged] = Math.min(gap(i, a), gap(i, b));
      if (nearest[i] === a || nearest[i] === b) findNearest(i);
      else if ((nearest[i] ?? -1) < 0 || gap(i, merged) < gap(i, nearest[i] ?? -1)) nearest[i] = merged;
    }
  }
  return clusters.at(-1) ?? [];
}
