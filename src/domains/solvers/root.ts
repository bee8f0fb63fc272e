/** Roots of functions of one variable. */

const MOST_STEPS = 200;

/**
 * x in [low, high] where `f` changes its sign, for values of unlike signs at the ends: regula falsi with the Illinois
 * weights, and a bisection wherever that has not halved the bracket within three steps. The bracket ends narrower than
 * `tolerance` or at neighbouring numbers.
 * @throws {Error} where the signs at the ends are alike: a defect of the caller
 */
export function rootOf(f: (x: number) => number, low: number, high: number, tolerance = 0): number {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a), f(b)];
  if (fa === 0) return a;
  if (fb === 0) return b;
  if (!(fa < 0 !== fb < 0)) throw new Error(`no change of sign between ${low} (${fa}) and ${high} (${fb})`);
  // Values as the secant sees them: the Illinois rule halves that of an end which stays.
  let [wa, wb] = [fa, fb];
  let width = Math.abs(b - a);
  for (let step = 0; step < MOST_STEPS; step++) {
    let x = (a * wb - b * wa) / (wb - wa);
    const isThird = step % 3 === 2;
    const isSlow = isThird && Math.abs(b - a) > width / 2;
    if (isThird) width = Math.abs(b - a);
    if (isSlow || !(x > Math.min(a, b) && x < Math.max(a, b))) x = a + (b - a) / 2;
    if (x === a || x === b || Math.abs(b - a) <= tolerance) break;
    const fx = f(x);
    if (fx === 0) return x;
    if (fx < 0 === fb < 0) {
      [b, fb, wb] = [x, fx, fx];
      wa /= 2;
    } else {
      [a, fa, wa] = [x, fx, fx];
      wb /= 2;
    }
    if (fa === fb) break;
  }
  return Math.abs(fa) < Math.abs(fb) ? a : b;
}
