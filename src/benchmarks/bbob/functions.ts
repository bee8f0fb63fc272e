/**
 * The 24 noiseless functions of the BBOB suite, written from their definitions in RR-6829 (Hansen, Finck, Ros, Auger:
 * Real-Parameter Black-Box Optimization Benchmarking 2009: Noiseless Functions Definitions, INRIA 2009, updated 2010).
 *
 * Symbols: `n` dimension, `xopt` optimum, `z` transformed point, `r` and `q` rotations, `m` = Q Lambda R. A definition
 * sets up one instance and returns its raw function (without f_opt) and its optimum; `index.ts` puts the rest around
 * it. A raw function gets `x`, which it must not change, and owns its scratch arrays.
 */
import { ascendingOrder, firstRotationSeed, uniformOptimum, uniforms } from './instances.js';
import type { Kit } from './kit.js';
import {
  conditioning,
  makeAsymmetric,
  oscillate,
  oscillated,
  outsidePenalty,
  rounded,
  type LinearMap,
} from './transformations.js';

interface RawFunction {
  readonly optimum: Float64Array;
  value(x: Float64Array): number;
}

export interface FunctionDefinition {
  readonly name: string;
  create(n: number, kit: Kit): RawFunction;
}

const zeros = (n: number): Float64Array => new Float64Array(n);

function subtract(x: Float64Array, y: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = x[i] - y[i];
}

/** Exponents i / (n - 1) of the coordinates, to a base. */
function powersOf(base: number, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => Math.pow(base, i / (n - 1)));
}

// --- sums over a transformed point

function weightedSquares(z: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < z.length; i++) sum += weights[i] * z[i] * z[i];
  return sum;
}

function rastriginSum(z: Float64Array): number {
  let waves = 0;
  let squares = 0;
  for (let i = 0; i < z.length; i++) {
    waves += Math.cos(2 * Math.PI * z[i]);
    squares += z[i] * z[i];
  }
  return 10 * (z.length - waves) + squares;
}

function rosenbrockSum(z: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 1 < z.length; i++) {
    const valley = z[i] * z[i] - z[i + 1];
    const along = z[i] - 1;
    sum += 100 * valley * valley + along * along;
  }
  return sum;
}

// --- parts that several functions share

/** Factor of the Rosenbrock functions. */
const rosenbrockScale = (kit: Kit): number => Math.max(1, Math.sqrt(kit.blockSize) / 8);

/** x -> scale R x + 1/2, whose image of the optimum is 1 in every coordinate. */
function rotatedRosenbrockMap(n: number, kit: Kit): { optimum: Float64Array; apply: LinearMap['apply'] } {
  const scale = rosenbrockScale(kit);
  const r = kit.only();
  const optimum = zeros(n);
  r.applyTransposed(zeros(n).fill(0.5 / scale), optimum);
  return {
    optimum,
    apply(x, out) {
      r.apply(x, out);
      for (let i = 0; i < n; i++) out[i] = scale * out[i] + 0.5;
    },
  };
}

/** Shift, then one linear map: what most rotated functions begin with. */
function shiftedMap(n: number, xopt: Float64Array, map: LinearMap): (x: Float64Array, z: Float64Array) => void {
  const shifted = zeros(n);
  return (x, z) => {
    subtract(x, xopt, shifted);
    map.apply(shifted, z);
  };
}

function schaffers(conditionNumber: number): FunctionDefinition['create'] {
  return (n, kit) => {
    const optimum = uniformOptimum(n, kit.seed);
    const z = zeros(n);
    const y = zeros(n);
    const toY = shiftedMap(n, optimum, kit.first());
    const diagonal = conditioning(conditionNumber, n);
    const q = kit.second();
    return {
      optimum,
      value(x) {
        toY(x, y);
        makeAsymmetric(y, 0.5);
        q.apply(y, z);
        for (let i = 0; i < n; i++) z[i] *= diagonal[i];
        let sum = 0;
        for (let i = 0; i + 1 < n; i++) {
          const s = z[i] * z[i] + z[i + 1] * z[i + 1];
          const wave = Math.sin(50 * Math.pow(s, 0.1));
          sum += Math.pow(s, 0.25) * (1 + wave * wave);
        }
        const mean = sum / (n - 1);
        return mean * mean + 10 * outsidePenalty(x);
      },
    };
  };
}

interface GallagherSettings {
  readonly peaks: number;
  /** Peaks lie in [-reach, reach]^n. */
  readonly reach: number;
  /** Condition of the highest peak; the others have 1 .. 1000. */
  readonly firstCondition: number;
}

function gallagher({ peaks, reach, firstCondition }: GallagherSettings): FunctionDefinition['create'] {
  return (n, kit) => {
    const map = kit.only();
    const order = ascendingOrder(uniforms(peaks - 1, kit.seed));
    const heights = zeros(peaks);
    /** Diagonals of C, row-major [peaks, n]. */
    const scales = zeros(peaks * n);
    for (let i = 0; i < peaks; i++) {
      heights[i] = i === 0 ? 10 : 1.1 + (8 * (i - 1)) / (peaks - 2);
      const condition = i === 0 ? firstCondition : Math.pow(1000, order[i - 1] / (peaks - 2));
      const places = ascendingOrder(uniforms(n, kit.seed + 1000 * i));
      for (let j = 0; j < n; j++) scales[i * n + j] = Math.pow(condition, places[j] / (n - 1) - 0.5);
    }
    const draws = uniforms(n * peaks, kit.seed);
    const inner = (i: number): number => (i === 0 ? 0.8 : 1);
    const place = (i: number, j: number): number => inner(i) * (2 * reach * draws[i * n + j] - reach);
    const optimum = Float64Array.from({ length: n }, (_, j) => place(0, j));
    /** Rotated peaks, row-major [peaks, n]. */
    const centres = zeros(peaks * n);
    for (let i = 0; i < peaks; i++) {
      map.apply(
        Float64Array.from({ length: n }, (_, j) => place(i, j)),
        centres.subarray(i * n, (i + 1) * n),
      );
    }
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        map.apply(x, z);
        let highest = 0;
        for (let i = 0, at = 0; i < peaks; i++) {
          let distance = 0;
          for (let j = 0; j < n; j++, at++) {
            const d = z[j] - centres[at];
            distance += scales[at] * d * d;
          }
          const height = heights[i] * Math.exp((-0.5 / n) * distance);
          if (height > highest) highest = height;
        }
        const depth = oscillated(10 - highest);
        return depth * depth + outsidePenalty(x);
      },
    };
  };
}

// --- separable

const sphere: FunctionDefinition = {
  name: 'Sphere',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    return {
      optimum,
      value(x) {
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const d = x[i] - optimum[i];
          sum += d * d;
        }
        return kit.norm * sum;
      },
    };
  },
};

const separableEllipsoid: FunctionDefinition = {
  name: 'Ellipsoid, separable',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const weights = powersOf(1e6, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        return kit.norm * weightedSquares(z, weights);
      },
    };
  },
};

const separableRastrigin: FunctionDefinition = {
  name: 'Rastrigin, separable',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const diagonal = conditioning(10, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        makeAsymmetric(z, 0.2);
        for (let i = 0; i < n; i++) z[i] *= diagonal[i];
        return kit.norm * rastriginSum(z);
      },
    };
  },
};

const buecheRastrigin: FunctionDefinition = {
  name: 'Bueche-Rastrigin',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed).map((v, i) => (i % 2 === 0 ? Math.abs(v) : v));
    const diagonal = conditioning(10, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        for (let i = 0; i < n; i++) z[i] *= (i % 2 === 0 && z[i] > 0 ? 10 : 1) * diagonal[i];
        return kit.norm * rastriginSum(z) + 100 * outsidePenalty(x);
      },
    };
  },
};

const linearSlope: FunctionDefinition = {
  name: 'Linear slope',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed).map((v) => (v < 0 ? -5 : 5));
    const slopes = powersOf(10, n);
    return {
      optimum,
      value(x) {
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const slope = optimum[i] > 0 ? slopes[i] : -slopes[i];
          // Beyond the optimum the function is flat.
          const at = x[i] * optimum[i] < 25 ? x[i] : optimum[i];
          sum += 5 * slopes[i] - slope * at;
        }
        return kit.norm * sum;
      },
    };
  },
};

// --- low or moderate conditioning

const attractiveSector: FunctionDefinition = {
  name: 'Attractive sector',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.conditioned(10));
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const v = z[i] * optimum[i] > 0 ? 100 * z[i] : z[i];
          sum += v * v;
        }
        return Math.pow(oscillated(kit.norm * sum), 0.9);
      },
    };
  },
};

const stepEllipsoid: FunctionDefinition = {
  name: 'Step ellipsoid',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const diagonal = conditioning(10, n);
    const toSteps = shiftedMap(n, optimum, kit.second());
    const toZ = kit.first();
    const weights = powersOf(100, n);
    const steps = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toSteps(x, steps);
        const first = steps[0];
        for (let i = 0; i < n; i++) {
          const v = diagonal[i] * steps[i];
          steps[i] = Math.abs(v) > 0.5 ? rounded(v) : rounded(10 * v) / 10;
        }
        toZ.apply(steps, z);
        const sum = weightedSquares(z, weights);
        return 0.1 * kit.norm * Math.max(Math.abs(first) * 1e-4, sum) + outsidePenalty(x);
      },
    };
  },
};

const rosenbrock: FunctionDefinition = {
  name: 'Rosenbrock',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed).map((v) => 0.75 * v);
    const scale = rosenbrockScale(kit);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        for (let i = 0; i < n; i++) z[i] = scale * (x[i] - optimum[i]) + 1;
        return kit.norm * rosenbrockSum(z);
      },
    };
  },
};

const rotatedRosenbrock: FunctionDefinition = {
  name: 'Rosenbrock, rotated',

  create(n, kit) {
    const { optimum, apply } = rotatedRosenbrockMap(n, kit);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        apply(x, z);
        return kit.norm * rosenbrockSum(z);
      },
    };
  },
};

/**
 * In place of the rotated Rosenbrock function where rotations leave most pairs of coordinates apart: shifted like the
 * plain one.
 */
export const blockRotatedRosenbrock: FunctionDefinition = {
  name: 'Rosenbrock, rotated',
  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed).map((v) => 0.75 * v);
    const scale = rosenbrockScale(kit);
    const toZ = shiftedMap(n, optimum, kit.only());
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        for (let i = 0; i < n; i++) z[i] = scale * z[i] + 1;
        return kit.norm * rosenbrockSum(z);
      },
    };
  },
};

// --- high conditioning, unimodal

const ellipsoid: FunctionDefinition = {
  name: 'Ellipsoid',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.first());
    const weights = powersOf(1e6, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        oscillate(z);
        return kit.norm * weightedSquares(z, weights);
      },
    };
  },
};

const discus: FunctionDefinition = {
  name: 'Discus',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.first());
    const weights = zeros(n).fill(1);
    weights.fill(1e6, 0, kit.head);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        oscillate(z);
        return kit.norm * weightedSquares(z, weights);
      },
    };
  },
};

const bentCigar: FunctionDefinition = {
  name: 'Bent cigar',

  create(n, kit) {
    const optimum = uniformOptimum(n, firstRotationSeed(kit.seed));
    const r = kit.first();
    const toY = shiftedMap(n, optimum, r);
    const weights = zeros(n).fill(1e6);
    weights.fill(1, 0, kit.head);
    const y = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        makeAsymmetric(y, 0.5);
        r.apply(y, z);
        return kit.norm * weightedSquares(z, weights);
      },
    };
  },
};

const sharpRidge: FunctionDefinition = {
  name: 'Sharp ridge',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.conditioned(10));
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let along = 0;
        let across = 0;
        for (let i = 0; i < kit.head; i++) along += z[i] * z[i];
        for (let i = kit.head; i < n; i++) across += z[i] * z[i];
        return kit.norm * (along + 100 * Math.sqrt(across));
      },
    };
  },
};

const differentPowers: FunctionDefinition = {
  name: 'Different powers',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.first());
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let sum = 0;
        for (let i = 0; i < n; i++) sum += Math.pow(Math.abs(z[i]), 2 + (4 * i) / (n - 1));
        return kit.norm * Math.sqrt(sum);
      },
    };
  },
};

// --- multimodal with adequate global structure

const rastrigin: FunctionDefinition = {
  name: 'Rastrigin',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toY = shiftedMap(n, optimum, kit.first());
    const toZ = kit.conditioned(10);
    const y = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        oscillate(y);
        makeAsymmetric(y, 0.2);
        toZ.apply(y, z);
        return kit.norm * rastriginSum(z);
      },
    };
  },
};

const WEIERSTRASS_TERMS = 12;

const weierstrass: FunctionDefinition = {
  name: 'Weierstrass',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toY = shiftedMap(n, optimum, kit.first());
    const toZ = kit.conditioned(1 / 100);
    const amplitudes = Float64Array.from({ length: WEIERSTRASS_TERMS }, (_, k) => Math.pow(0.5, k));
    const frequencies = Float64Array.from({ length: WEIERSTRASS_TERMS }, (_, k) => Math.pow(3, k));
    let atOptimum = 0;
    for (let k = 0; k < WEIERSTRASS_TERMS; k++) {
      atOptimum += amplitudes[k] * Math.cos(2 * Math.PI * frequencies[k] * 0.5);
    }
    const y = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        oscillate(y);
        toZ.apply(y, z);
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const v = z[i] + 0.5;
          for (let k = 0; k < WEIERSTRASS_TERMS; k++) {
            sum += Math.cos(2 * Math.PI * v * frequencies[k]) * amplitudes[k];
          }
        }
        const level = sum / n - atOptimum;
        return 10 * level * level * level + (10 / n) * outsidePenalty(x);
      },
    };
  },
};

const griewankRosenbrock: FunctionDefinition = {
  name: 'Griewank-Rosenbrock',

  create(n, kit) {
    const { optimum, apply } = rotatedRosenbrockMap(n, kit);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        apply(x, z);
        let sum = 0;
        for (let i = 0; i + 1 < n; i++) {
          const valley = z[i] * z[i] - z[i + 1];
          const along = 1 - z[i];
          const s = 100 * valley * valley + along * along;
          sum += s / 4000 - Math.cos(s);
        }
        return 10 + (10 * sum) / (n - 1);
      },
    };
  },
};

// --- multimodal with weak global structure

const schwefel: FunctionDefinition = {
  name: 'Schwefel x sin(x)',

  create(n, kit) {
    const signs = uniforms(n, kit.seed).map((u) => (u < 0.5 ? -1 : 1));
    const magnitude = 0.5 * 4.2096874637;
    const optimum = signs.map((sign) => sign * magnitude);
    const diagonal = conditioning(10, n);
    const doubled = zeros(n);
    return {
      optimum,
      value(x) {
        for (let i = 0; i < n; i++) doubled[i] = 2 * signs[i] * x[i];
        let sum = 0;
        let penalty = 0;
        for (let i = 0; i < n; i++) {
          const coupled = i === 0 ? doubled[0] : doubled[i] + 0.25 * (doubled[i - 1] - 2 * magnitude);
          const z = 100 * (diagonal[i] * (coupled - 2 * magnitude) + 2 * magnitude);
          sum += z * Math.sin(Math.sqrt(Math.abs(z)));
          const excess = Math.abs(z) - 500;
          if (excess > 0) penalty += excess * excess;
        }
        return 0.01 * (penalty + 418.9828872724339 - sum / n);
      },
    };
  },
};

const KATSUURA_TERMS = 32;

const katsuura: FunctionDefinition = {
  name: 'Katsuura',

  create(n, kit) {
    const optimum = uniformOptimum(n, kit.seed);
    const toZ = shiftedMap(n, optimum, kit.conditioned(100));
    const exponent = 10 / Math.pow(n, 1.2);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let product = 1;
        for (let i = 0; i < n; i++) {
          let sum = 0;
          for (let j = 1, power = 2; j <= KATSUURA_TERMS; j++, power *= 2) {
            const v = z[i] * power;
            sum += Math.abs(v - rounded(v)) / power;
          }
          product *= Math.pow(1 + (i + 1) * sum, exponent);
        }
        return (10 / n / n) * (product - 1) + outsidePenalty(x);
      },
    };
  },
};

const lunacek: FunctionDefinition = {
  name: 'Lunacek bi-Rastrigin',

  create(n, kit) {
    const first = 2.5;
    const depth = 1;
    const s = 1 - 0.5 / (Math.sqrt(n + 20) - 4.1);
    const second = -Math.sqrt((first * first - depth) / s);
    const signs = kit.signs();
    const optimum = signs.map((sign) => sign * 0.5 * first);
    const toZ = kit.conditioned(100);
    const shifted = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        let toFirst = 0;
        let toSecond = 0;
        for (let i = 0; i < n; i++) {
          const v = 2 * signs[i] * x[i];
          shifted[i] = v - first;
          toFirst += (v - first) * (v - first);
          toSecond += (v - second) * (v - second);
        }
        toZ.apply(shifted, z);
        let waves = 0;
        for (let i = 0; i < n; i++) waves += Math.cos(2 * Math.PI * z[i]);
        const sum = Math.min(toFirst, depth * n + s * toSecond) + 10 * (n - waves);
        return kit.norm * sum + 1e4 * outsidePenalty(x);
      },
    };
  },
};

/** In the order of their numbers, f1 first. */
export const BBOB_FUNCTIONS: readonly FunctionDefinition[] = [
  sphere,
  separableEllipsoid,
  separableRastrigin,
  buecheRastrigin,
  linearSlope,
  attractiveSector,
  stepEllipsoid,
  rosenbrock,
  rotatedRosenbrock,
  ellipsoid,
  discus,
  bentCigar,
  sharpRidge,
  differentPowers,
  rastrigin,
  weierstrass,
  { name: 'Schaffers F7', create: schaffers(10) },
  { name: 'Schaffers F7, ill-conditioned', create: schaffers(1000) },
  griewankRosenbrock,
  schwefel,
  {
    name: 'Gallagher, 101 peaks',
    create: gallagher({ peaks: 101, reach: 5, firstCondition: Math.sqrt(1000) }),
  },
  {
    name: 'Gallagher, 21 peaks',
    create: gallagher({ peaks: 21, reach: 4.9, firstCondition: 1000 }),
  },
  katsuura,
  lunacek,
];
