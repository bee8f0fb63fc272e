/**
 * Checks what the analyst says of a program by evaluating it at random points. `tools` are the parts of the build under
 * test: `interpret`, `applyOuter`, `luFactor`, `luSolve`.
 */

const TOLERANCE = 1e-9;

/** Numbers in [0, 1), the same every time. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * @returns {{ failures: string[], checks: Record<string, number> }} `checks`: comparisons made, by finding
 */
export function checkAnalysis(tools, ir, box, analysis, points, seed) {
  const { interpret, applyOuter } = tools;
  const { structure } = analysis;
  const n = ir.dimension;
  const draw = numbers(seed);
  const at = (i) => box.lower[i] + draw() * (box.upper[i] - box.lower[i]);
  const point = () => Float64Array.from({ length: n }, (_, i) => at(i));
  const failures = [];
  const checks = {};
  const expect = (finding, holds, text) => {
    checks[finding] = (checks[finding] ?? 0) + 1;
    if (!holds && failures.length < 20) failures.push(`${finding}: ${text()}`);
  };
  const value = (x) => {
    const lane = interpret(ir, x);
    return lane.status === 0 ? lane.value : NaN;
  };
  const termsProgram = structure.terms === null ? null : tools.optimizeIr(analysis.terms());
  const residualsProgram = structure.residuals === null ? null : tools.optimizeIr(analysis.residuals());
  const outputs = (program, x) => {
    const lane = interpret(program, x);
    return lane.status === 0 ? lane.outputs : null;
  };
  const near = (a, b, scale) => a === b || Math.abs(a - b) <= TOLERANCE * scale || (Number.isNaN(a) && Number.isNaN(b));
  const sumUp = (list, of = (v) => v) => list.reduce((sum, v) => sum + of(v), 0);
  /** Whether f = outer(sum), as exactly as a sum of such numbers can be known. */
  const isOuterOf = (f, sum, size) => {
    const slack = 1e-11 * size + Number.MIN_VALUE;
    const [low, high] = [applyOuter(structure.outer, sum - slack), applyOuter(structure.outer, sum + slack)];
    const pad = 1e-10 * (Math.abs(f) + size);
    return !Number.isFinite(f) || Number.isNaN(low) || Number.isNaN(high) || (f >= low - pad && f <= high + pad);
  };
  /** Of the point before: f must have the order of the sums. */
  let last = { f: NaN, sum: NaN, size: 0 };
  const inner = (x) => {
    if (termsProgram !== null) {
      const terms = outputs(termsProgram, x);
      return terms === null ? null : { sum: sumUp(terms), size: sumUp(terms, Math.abs) };
    }
    const f = value(x);
    return structure.outer.length === 0 && Number.isFinite(f) ? { sum: f, size: Math.abs(f) } : null;
  };
  const { terms, residuals } = structure;
  const inverse = terms?.form === 'affine' ? columnsOfInverse(tools, terms.matrix) : null;

  for (let k = 0; k < points; k++) {
    const x = point();
    const f = value(x);
    const i = Math.floor(draw() * n);
    const j = Math.floor(draw() * n);
    const moved = Float64Array.from(x);
    moved[i] = at(i);
    if (!structure.variables[i].used) expect('unused', Object.is(value(moved), f), () => `x[${i}] matters`);
    if (termsProgram !== null) {
      const lane = interpret(termsProgram, x);
      const plain = interpret(ir, x);
      expect('bits', Object.is(lane.value, plain.value) && lane.status === plain.status, () => `value at [${x}]`);
      if (lane.status === 0 && lane.outputs.every(Number.isFinite)) {
        const values = lane.outputs;
        const [sum, size] = [sumUp(values), sumUp(values, Math.abs)];
        expect('terms', isOuterOf(f, sum, size), () => `outer(${sum}) is not ${f} at [${x}]`);
        const steeper = applyOuter(structure.outer, sum + 1e-3 * (size + 1));
        expect('outer', !(steeper < f - 1e-10 * Math.abs(f)), () => `outer decreases at ${sum}`);
        const slack = 1e-11 * (size + last.size);
        const isOrdered = !(sum > last.sum + slack && f < last.f - 1e-10 * (Math.abs(f) + Math.abs(last.f)));
        expect(
          'outer',
          isOrdered,
          () => `f falls from ${last.f} to ${f} where the sum grows from ${last.sum} to ${sum}`,
        );
        last = { f, sum, size };
        checkDependence(x, values, i, moved);
      }
    }
    if (residualsProgram !== null) {
      const lane = interpret(residualsProgram, x);
      expect('bits', Object.is(lane.value, interpret(ir, x).value), () => `value at [${x}]`);
      if (lane.status === 0 && lane.outputs.every(Number.isFinite)) {
        const sum = sumUp(lane.outputs, (r) => r * r);
        expect('residuals', isOuterOf(f, sum, sum), () => `outer(${sum}) is not ${f} at [${x}]`);
        if (residuals.isAffine) {
          const y = point();
          const there = outputs(residualsProgram, y);
          const between = outputs(residualsProgram, middle(x, y));
          if (there !== null && between !== null) {
            lane.outputs.forEach((r, m) => {
              const scale = Math.abs(r) + Math.abs(there[m]) + 1;
              expect('affineResiduals', near(0.5 * (r + there[m]), between[m], scale), () => `residual ${m} bends`);
            });
          }
        }
      }
    }
    if (i !== j && !analysis.canInteract(i, j)) {
      const both = Float64Array.from(moved);
      const other = Float64Array.from(x);
      other[j] = both[j] = at(j);
      const corners = [x, moved, other, both].map(inner);
      if (corners.every((c) => c !== null && Number.isFinite(c.sum))) {
        const [p, q, r, s] = corners;
        const size = Math.max(...corners.map((c) => c.size)) + 1e-300;
        expect('interactions', near(p.sum + s.sum, q.sum + r.sum, size), () => `x[${i}] and x[${j}] interact`);
      }
    }
    const y = point();
    if (structure.traits.isConvex) {
      const [g, h] = [value(y), value(middle(x, y))];
      if (Number.isFinite(f) && Number.isFinite(g)) {
        const limit = 0.5 * (f + g) + TOLERANCE * (Math.abs(f) + Math.abs(g) + 1);
        expect('convex', h <= limit, () => `${h} above ${0.5 * (f + g)} between [${x}] and [${y}]`);
      }
    }
    if (termsProgram !== null && terms.traits.some(({ isConvex }) => isConvex)) {
      const [a, b, c] = [x, y, middle(x, y)].map((p) => outputs(termsProgram, p));
      if (a !== null && b !== null && c !== null) {
        terms.traits.forEach(({ isConvex }, t) => {
          if (!isConvex || !Number.isFinite(a[t]) || !Number.isFinite(b[t])) return;
          const limit = 0.5 * (a[t] + b[t]) + TOLERANCE * (Math.abs(a[t]) + Math.abs(b[t]) + 1);
          expect('convexTerms', c[t] <= limit, () => `term ${t}: ${c[t]} above ${0.5 * (a[t] + b[t])}`);
        });
      }
    }
  }

  /** Terms that do not depend on a coordinate stay as they are when it alone is moved. */
  function checkDependence(x, values, i, moved) {
    if (inverse === null) {
      const there = outputs(termsProgram, moved);
      if (there === null) return;
      values.forEach((v, t) => {
        if (!terms.dependsOn[t].includes(i)) expect('dependsOn', Object.is(there[t], v), () => `term ${t} on x[${i}]`);
      });
      return;
    }
    const step = (draw() - 0.5) * 0.1 * (box.upper[i] - box.lower[i]);
    const along = x.map((v, k) => v + step * inverse[i][k]);
    if (along.some((v, k) => v < box.lower[k] || v > box.upper[k])) return;
    const there = outputs(termsProgram, along);
    if (there === null) return;
    values.forEach((v, t) => {
      if (terms.dependsOn[t].includes(i)) return;
      expect(
        'affine',
        Math.abs(there[t] - v) <= 1e-6 * (Math.abs(v) + 1),
        () => `term ${t} on z[${i}]: ${v}, ${there[t]}`,
      );
    });
  }
  return { failures, checks };
}

const middle = (x, y) => x.map((v, k) => 0.5 * (v + y[k]));

function columnsOfInverse({ luFactor, luSolve }, rows) {
  const n = rows.length;
  const lu = Float64Array.from(rows.flat());
  const order = new Int32Array(n);
  luFactor(lu, order, n);
  return rows.map((_, k) =>
    luSolve(
      lu,
      order,
      Float64Array.from({ length: n }, (_, i) => (i === k ? 1 : 0)),
      n,
    ),
  );
}
