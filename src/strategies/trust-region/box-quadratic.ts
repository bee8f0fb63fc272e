/**
 * Minimises a quadratic in a box, approximately: conjugate gradients along the free coordinates from 0; where they
 * reach the surface, or find curvature that is not positive, they go to the surface, and begin anew with what is free
 * there.
 *
 * Source: Moré and Toraldo, "On the solution of large quadratic programming problems with bound constraints", SIAM J.
 * Optim. 1, 1991, without its projected searches: the box is a trust region and the answer need not be exact.
 */

/** Reduction of the free gradient that is enough. */
const TOLERANCE = 1e-10;

export interface QuadraticForm {
  /** [n], at 0. */
  readonly gradient: Float64Array;
  /** out = H v. */
  multiply(v: Float64Array, out: Float64Array): void;
}

/**
 * @param lower at most 0, `upper` at least 0 [n]
 * @returns the step [n], within the box, and by how much the quadratic falls, at least 0
 */
export function minimizeInBox(
  form: QuadraticForm,
  lower: Float64Array,
  upper: Float64Array,
): { readonly step: Float64Array; readonly decrease: number } {
  const n = lower.length;
  const s = new Float64Array(n);
  const g = form.gradient.slice();
  const p = new Float64Array(n);
  const hp = new Float64Array(n);
  const isFree = new Uint8Array(n);
  let decrease = 0;
  let first = 0;
  for (let i = 0; i < n; i++) first = Math.max(first, Math.abs(g[i]));
  const enough = TOLERANCE * first;
  // Each round ends by fixing a coordinate, or at a minimum of the face; then others may be set free again.
  let left = 3 * n + 10;
  while (left > 0) {
    let free = 0;
    let gg = 0;
    for (let i = 0; i < n; i++) {
      isFree[i] = (s[i] <= lower[i] && g[i] >= 0) || (s[i] >= upper[i] && g[i] <= 0) ? 0 : 1;
      if (isFree[i] === 0) continue;
      free++;
      gg += g[i] * g[i];
    }
    if (free === 0 || !(gg > enough * enough) || gg === Infinity) break;
    for (let i = 0; i < n; i++) p[i] = isFree[i] === 1 ? -g[i] : 0;
    for (let k = 0; k < free && left > 0; k++) {
      left--;
      form.multiply(p, hp);
      let curvature = 0;
      let slope = 0;
      for (let i = 0; i < n; i++) {
        curvature += p[i] * hp[i];
        slope += p[i] * g[i];
      }
      // To the surface along p.
      let furthest = Infinity;
      let blocking = -1;
      for (let i = 0; i < n; i++) {
        if (p[i] === 0) continue;
        const room = ((p[i] > 0 ? upper[i] : lower[i]) - s[i]) / p[i];
        if (room < furthest) [furthest, blocking] = [room, i];
      }
      if (blocking < 0 || !(slope < 0)) return { step: s, decrease };
      const wanted = curvature > 0 ? -slope / curvature : Infinity;
      const isAtSurface = wanted >= furthest;
      const t = isAtSurface ? furthest : wanted;
      for (let i = 0; i < n; i++) {
        s[i] = Math.min(upper[i], Math.max(lower[i], s[i] + t * p[i]));
        g[i] += t * hp[i];
      }
      if (isAtSurface) s[blocking] = p[blocking] > 0 ? upper[blocking] : lower[blocking];
      decrease -= t * (slope + 0.5 * t * curvature);
      if (isAtSurface) break;
      let next = 0;
      for (let i = 0; i < n; i++) if (isFree[i] === 1) next += g[i] * g[i];
      if (!(next > enough * enough)) break;
      const beta = next / gg;
      gg = next;
      for (let i = 0; i < n; i++) p[i] = isFree[i] === 1 ? beta * p[i] - g[i] : 0;
    }
  }
  return { step: s, decrease };
}
