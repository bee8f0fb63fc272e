/**
 * The 24 noiseless functions of the BBOB suite, written from their definitions in RR-6829 (Hansen, Finck, Ros, Auger:
 * Real-Parameter Black-Box Optimization Benchmarking 2009: Noiseless Functions Definitions, INRIA 2009, updated 2010).
 *
 * Symbols: `n` dimension, `xopt` optimum, `z` transformed point, `r` and `q` rotations, `m` = Q Lambda R. A definition
 * sets up one instance and returns its raw function (without f_opt) and its optimum; `index.ts` puts the rest around it.
 * A raw function gets `x`, which it must not change, and owns its scratch arrays.
 */
import { ascendingOrder, instanceSeed, normals, rotation, uniformOptimum, uniforms } from './instances.js';
import {
  conditionedRotation,
  conditioning,
  denseMap,
  makeAsymmetric,
  oscillate,
  oscillated,
  outsidePenalty,
  rounded,
  type LinearMap,
} from './transformations.js';

export interface RawFunction {
  readonly optimum: Float64Array;
  value(x: Float64Array): number;
}

export interface FunctionDefinition {
  readonly name: string;
  create(n: number, seed: number): RawFunction;
}

/** Seed of the first rotation, R; the second, Q or the only one, has the instance's own, but for some functions. */
const otherSeed = (seed: number): number => seed + 1000000;

const zeros = (n: number): Float64Array => new Float64Array(n);

function subtract(x: Float64Array, y: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = x[i]! - y[i]!;
}

/** Exponents i / (n - 1) of the coordinates, to a base. */
function powersOf(base: number, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => Math.pow(base, i / (n - 1)));
}

// --- sums over a transformed point

function weightedSquares(z: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < z.length; i++) sum += weights[i]! * z[i]! * z[i]!;
  return sum;
}

function rastriginSum(z: Float64Array): number {
  let waves = 0;
  let squares = 0;
  for (let i = 0; i < z.length; i++) {
    waves += Math.cos(2 * Math.PI * z[i]!);
    squares += z[i]! * z[i]!;
  }
  return 10 * (z.length - waves) + squares;
}

function rosenbrockSum(z: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 1 < z.length; i++) {
    const valley = z[i]! * z[i]! - z[i + 1]!;
    const along = z[i]! - 1;
    sum += 100 * valley * valley + along * along;
  }
  return sum;
}

// --- parts that several functions share

/** Factor of the Rosenbrock functions. */
const rosenbrockScale = (n: number): number => Math.max(1, Math.sqrt(n) / 8);

/** x -> scale R x + 1/2, whose image of the optimum is 1 in every coordinate. */
function rotatedRosenbrockMap(n: number, seed: number): { optimum: Float64Array; apply: LinearMap['apply'] } {
  const scale = rosenbrockScale(n);
  const r = rotation(n, seed);
  const optimum = zeros(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) optimum[j]! += (r[i * n + j]! * 0.5) / scale;
  const map = denseMap(
    r.map((v) => v * scale),
    n,
  );
  return {
    optimum,
    apply(x, out) {
      map.apply(x, out);
      for (let i = 0; i < n; i++) out[i]! += 0.5;
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

/** Q Lambda^alpha R of an instance. */
function instanceMatrix(n: number, seed: number, alpha: number): Float64Array {
  return conditionedRotation(rotation(n, otherSeed(seed)), conditioning(alpha, n), rotation(n, seed), n);
}

function schaffers(conditionNumber: number): FunctionDefinition['create'] {
  return (n, seed) => {
    const optimum = uniformOptimum(n, seed);
    const z = zeros(n);
    const y = zeros(n);
    const toY = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const diagonal = conditioning(conditionNumber, n);
    const q = rotation(n, seed).map((v, at) => v * diagonal[Math.floor(at / n)]!);
    const toZ = denseMap(q, n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        makeAsymmetric(y, 0.5);
        toZ.apply(y, z);
        let sum = 0;
        for (let i = 0; i + 1 < n; i++) {
          const s = z[i]! * z[i]! + z[i + 1]! * z[i + 1]!;
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
  /** Of the highest peak; the others have 1 .. 1000. */
  readonly firstCondition: number;
}

function gallagher({ peaks, reach, firstCondition }: GallagherSettings): FunctionDefinition['create'] {
  return (n, seed) => {
    const r = rotation(n, seed);
    const order = ascendingOrder(uniforms(peaks - 1, seed));
    const heights = zeros(peaks);
    /** Diagonals of C, row-major [peaks, n]. */
    const scales = zeros(peaks * n);
    for (let i = 0; i < peaks; i++) {
      heights[i] = i === 0 ? 10 : 1.1 + (8 * (i - 1)) / (peaks - 2);
      const condition = i === 0 ? firstCondition : Math.pow(1000, order[i - 1]! / (peaks - 2));
      const places = ascendingOrder(uniforms(n, seed + 1000 * i));
      for (let j = 0; j < n; j++) scales[i * n + j] = Math.pow(condition, places[j]! / (n - 1) - 0.5);
    }
    const draws = uniforms(n * peaks, seed);
    const inner = (i: number): number => (i === 0 ? 0.8 : 1);
    const place = (i: number, j: number): number => inner(i) * (2 * reach * draws[i * n + j]! - reach);
    const optimum = Float64Array.from({ length: n }, (_, j) => place(0, j));
    /** Rotated peaks, row-major [peaks, n]. */
    const centres = zeros(peaks * n);
    const map = denseMap(r, n);
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
            const d = z[j]! - centres[at]!;
            distance += scales[at]! * d * d;
          }
          const height = heights[i]! * Math.exp((-0.5 / n) * distance);
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

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    return {
      optimum,
      value(x) {
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const d = x[i]! - optimum[i]!;
          sum += d * d;
        }
        return sum;
      },
    };
  },
};

const separableEllipsoid: FunctionDefinition = {
  name: 'Ellipsoid, separable',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const weights = powersOf(1e6, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        return weightedSquares(z, weights);
      },
    };
  },
};

const separableRastrigin: FunctionDefinition = {
  name: 'Rastrigin, separable',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const diagonal = conditioning(10, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        makeAsymmetric(z, 0.2);
        for (let i = 0; i < n; i++) z[i]! *= diagonal[i]!;
        return rastriginSum(z);
      },
    };
  },
};

const buecheRastrigin: FunctionDefinition = {
  name: 'Bueche-Rastrigin',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed).map((v, i) => (i % 2 === 0 ? Math.abs(v) : v));
    const diagonal = conditioning(10, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        subtract(x, optimum, z);
        oscillate(z);
        for (let i = 0; i < n; i++) z[i]! *= (i % 2 === 0 && z[i]! > 0 ? 10 : 1) * diagonal[i]!;
        return rastriginSum(z) + 100 * outsidePenalty(x);
      },
    };
  },
};

const linearSlope: FunctionDefinition = {
  name: 'Linear slope',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed).map((v) => (v < 0 ? -5 : 5));
    const slopes = powersOf(10, n);
    return {
      optimum,
      value(x) {
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const slope = optimum[i]! > 0 ? slopes[i]! : -slopes[i]!;
          // Beyond the optimum the function is flat.
          const at = x[i]! * optimum[i]! < 25 ? x[i]! : optimum[i]!;
          sum += 5 * slopes[i]! - slope * at;
        }
        return sum;
      },
    };
  },
};

// --- low or moderate conditioning

const attractiveSector: FunctionDefinition = {
  name: 'Attractive sector',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(instanceMatrix(n, seed, 10), n));
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const v = z[i]! * optimum[i]! > 0 ? 100 * z[i]! : z[i]!;
          sum += v * v;
        }
        return Math.pow(oscillated(sum), 0.9);
      },
    };
  },
};

const stepEllipsoid: FunctionDefinition = {
  name: 'Step ellipsoid',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const diagonal = conditioning(10, n);
    const r = rotation(n, seed).map((v, at) => diagonal[Math.floor(at / n)]! * v);
    const toSteps = shiftedMap(n, optimum, denseMap(r, n));
    const toZ = denseMap(rotation(n, otherSeed(seed)), n);
    const weights = powersOf(100, n);
    const steps = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toSteps(x, steps);
        const first = steps[0]!;
        for (let i = 0; i < n; i++) {
          const v = steps[i]!;
          steps[i] = Math.abs(v) > 0.5 ? rounded(v) : rounded(10 * v) / 10;
        }
        toZ.apply(steps, z);
        const sum = weightedSquares(z, weights);
        return 0.1 * Math.max(Math.abs(first) * 1e-4, sum) + outsidePenalty(x);
      },
    };
  },
};

const rosenbrock: FunctionDefinition = {
  name: 'Rosenbrock',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed).map((v) => 0.75 * v);
    const scale = rosenbrockScale(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        for (let i = 0; i < n; i++) z[i] = scale * (x[i]! - optimum[i]!) + 1;
        return rosenbrockSum(z);
      },
    };
  },
};

const rotatedRosenbrock: FunctionDefinition = {
  name: 'Rosenbrock, rotated',

  create(n, seed) {
    const { optimum, apply } = rotatedRosenbrockMap(n, seed);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        apply(x, z);
        return rosenbrockSum(z);
      },
    };
  },
};

// --- high conditioning, unimodal

const ellipsoid: FunctionDefinition = {
  name: 'Ellipsoid',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const weights = powersOf(1e6, n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        oscillate(z);
        return weightedSquares(z, weights);
      },
    };
  },
};

const discus: FunctionDefinition = {
  name: 'Discus',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const weights = zeros(n).fill(1);
    weights[0] = 1e6;
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        oscillate(z);
        return weightedSquares(z, weights);
      },
    };
  },
};

const bentCigar: FunctionDefinition = {
  name: 'Bent cigar',

  create(n, seed) {
    const optimum = uniformOptimum(n, otherSeed(seed));
    const r = denseMap(rotation(n, otherSeed(seed)), n);
    const toY = shiftedMap(n, optimum, r);
    const weights = zeros(n).fill(1e6);
    weights[0] = 1;
    const y = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        makeAsymmetric(y, 0.5);
        r.apply(y, z);
        return weightedSquares(z, weights);
      },
    };
  },
};

const sharpRidge: FunctionDefinition = {
  name: 'Sharp ridge',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(instanceMatrix(n, seed, 10), n));
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let squares = 0;
        for (let i = 1; i < n; i++) squares += z[i]! * z[i]!;
        return z[0]! * z[0]! + 100 * Math.sqrt(squares);
      },
    };
  },
};

const differentPowers: FunctionDefinition = {
  name: 'Different powers',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toZ(x, z);
        let sum = 0;
        for (let i = 0; i < n; i++) sum += Math.pow(Math.abs(z[i]!), 2 + (4 * i) / (n - 1));
        return Math.sqrt(sum);
      },
    };
  },
};

// --- multimodal with adequate global structure

const rastrigin: FunctionDefinition = {
  name: 'Rastrigin',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toY = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const toZ = denseMap(instanceMatrix(n, seed, 10), n);
    const y = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        toY(x, y);
        oscillate(y);
        makeAsymmetric(y, 0.2);
        toZ.apply(y, z);
        return rastriginSum(z);
      },
    };
  },
};

const WEIERSTRASS_TERMS = 12;

const weierstrass: FunctionDefinition = {
  name: 'Weierstrass',

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toY = shiftedMap(n, optimum, denseMap(rotation(n, otherSeed(seed)), n));
    const toZ = denseMap(instanceMatrix(n, seed, 1 / 100), n);
    const amplitudes = Float64Array.from({ length: WEIERSTRASS_TERMS }, (_, k) => Math.pow(0.5, k));
    const frequencies = Float64Array.from({ length: WEIERSTRASS_TERMS }, (_, k) => Math.pow(3, k));
    let atOptimum = 0;
    for (let k = 0; k < WEIERSTRASS_TERMS; k++) {
      atOptimum += amplitudes[k]! * Math.cos(2 * Math.PI * frequencies[k]! * 0.5);
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
          const v = z[i]! + 0.5;
          for (let k = 0; k < WEIERSTRASS_TERMS; k++) {
            sum += Math.cos(2 * Math.PI * v * frequencies[k]!) * amplitudes[k]!;
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

  create(n, seed) {
    const { optimum, apply } = rotatedRosenbrockMap(n, seed);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        apply(x, z);
        let sum = 0;
        for (let i = 0; i + 1 < n; i++) {
          const valley = z[i]! * z[i]! - z[i + 1]!;
          const along = 1 - z[i]!;
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

  create(n, seed) {
    const signs = uniforms(n, seed).map((u) => (u < 0.5 ? -1 : 1));
    const magnitude = 0.5 * 4.2096874637;
    const optimum = signs.map((sign) => sign * magnitude);
    const diagonal = conditioning(10, n);
    const doubled = zeros(n);
    return {
      optimum,
      value(x) {
        for (let i = 0; i < n; i++) doubled[i] = 2 * signs[i]! * x[i]!;
        let sum = 0;
        let penalty = 0;
        for (let i = 0; i < n; i++) {
          const coupled = i === 0 ? doubled[0]! : doubled[i]! + 0.25 * (doubled[i - 1]! - 2 * magnitude);
          const z = 100 * (diagonal[i]! * (coupled - 2 * magnitude) + 2 * magnitude);
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

  create(n, seed) {
    const optimum = uniformOptimum(n, seed);
    const toZ = shiftedMap(n, optimum, denseMap(instanceMatrix(n, seed, 100), n));
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
            const v = z[i]! * power;
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

  create(n, seed) {
    const first = 2.5;
    const depth = 1;
    const s = 1 - 0.5 / (Math.sqrt(n + 20) - 4.1);
    const second = -Math.sqrt((first * first - depth) / s);
    const signs = normals(n, seed).map((v) => (v < 0 ? -1 : 1));
    const optimum = signs.map((sign) => sign * 0.5 * first);
    const toZ = denseMap(instanceMatrix(n, seed, 100), n);
    const shifted = zeros(n);
    const z = zeros(n);
    return {
      optimum,
      value(x) {
        let toFirst = 0;
        let toSecond = 0;
        for (let i = 0; i < n; i++) {
          const v = 2 * signs[i]! * x[i]!;
          shifted[i] = v - first;
          toFirst += (v - first) * (v - first);
          toSecond += (v - second) * (v - second);
        }
        toZ.apply(shifted, z);
        let waves = 0;
        for (let i = 0; i < n; i++) waves += Math.cos(2 * Math.PI * z[i]!);
        return Math.min(toFirst, depth * n + s * toSecond) + 10 * (n - waves) + 1e4 * outsidePenalty(x);
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

/** The raw function of one instance. */
export function rawFunction(functionId: number, n: number, instance: number): RawFunction {
  return BBOB_FUNCTIONS[functionId - 1]!.create(n, instanceSeed(functionId, instance));
}
