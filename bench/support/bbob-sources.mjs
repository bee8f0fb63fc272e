/**
 * The 24 BBOB functions as somebody would upload them: Python sources with the constants of one instance in them. Half
 * are written with NumPy, half with plain loops and helpers. `npm run bench -- strategies/open-program` checks each
 * against the functions of src/benchmarks/ before it uses it.
 */
import { createBbobProblem } from '../../dist/benchmarks/bbob/index.js';
import { ascendingOrder, instanceSeed, uniforms } from '../../dist/benchmarks/bbob/instances.js';
import { denseKit } from '../../dist/benchmarks/bbob/kit.js';

const list = (values) => `[${Array.from(values, (v) => (Number.isInteger(v) ? `${v}.0` : String(v))).join(', ')}]`;
const table = (rows) => `[\n${rows.map((row) => `    ${list(row)},\n`).join('')}]`;

/** Rows of a linear map of n coordinates. */
function matrixOf(map, n) {
  const columns = Array.from({ length: n }, (_, j) => {
    const unit = new Float64Array(n);
    unit[j] = 1;
    const column = new Float64Array(n);
    map.apply(unit, column);
    return column;
  });
  return Array.from({ length: n }, (_, i) => columns.map((column) => column[i]));
}

const OSCILLATE = `
def oscillate(v):
    if v > 0:
        t = math.log(v) / 0.1
        return math.exp(t + 0.49 * (math.sin(t) + math.sin(0.79 * t))) ** 0.1
    if v < 0:
        t = math.log(-v) / 0.1
        return -math.exp(t + 0.49 * (math.sin(0.55 * t) + math.sin(0.31 * t))) ** 0.1
    return 0.0
`;
const ASYMMETRIC = (beta) => `
def stretch(v, i, n):
    return v ** (1 + ${beta} * i / (n - 1) * math.sqrt(v)) if v > 0 else v
`;
const PENALTY = `
def penalty(x):
    return sum(max(0.0, abs(v) - 5) ** 2 for v in x)
`;
const ROTATE = `
def rotate(matrix, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix]
`;
const NUMPY_PENALTY = `
def penalty(x):
    return np.sum(np.maximum(0, np.abs(x) - 5) ** 2)
`;

/**
 * By function: [parts of the source]. `o` optimum, `n` dimension, `kit` the instance's rotations, `fopt` the optimal
 * value.
 */
const SOURCES = {
  1: ({ o, fopt }) => `import numpy as np

CENTRE = np.array(${list(o)})

def f(x):
    return np.sum((x - CENTRE) ** 2) + ${fopt}
`,
  2: ({ o, fopt }) => `import math
${OSCILLATE}
CENTRE = ${list(o)}

def f(x):
    n = len(x)
    total = 0.0
    for i in range(n):
        z = oscillate(x[i] - CENTRE[i])
        total += 10 ** (6 * i / (n - 1)) * z * z
    return total + ${fopt}
`,
  3: ({ o, fopt }) => `import math
${OSCILLATE}${ASYMMETRIC(0.2)}
CENTRE = ${list(o)}

def f(x):
    n = len(x)
    z = [stretch(oscillate(v - c), i, n) * math.sqrt(10) ** (i / (n - 1)) for i, (v, c) in enumerate(zip(x, CENTRE))]
    waves = sum(math.cos(2 * math.pi * v) for v in z)
    return 10 * (n - waves) + sum(v * v for v in z) + ${fopt}
`,
  4: ({ o, fopt }) => `import math
${OSCILLATE}${PENALTY}
CENTRE = ${list(o)}

def f(x):
    n = len(x)
    waves = 0.0
    squares = 0.0
    for i in range(n):
        z = oscillate(x[i] - CENTRE[i])
        scale = math.sqrt(10) ** (i / (n - 1))
        if i % 2 == 0 and z > 0:
            scale *= 10
        z *= scale
        waves += math.cos(2 * math.pi * z)
        squares += z * z
    return 10 * (n - waves) + squares + 100 * penalty(x) + ${fopt}
`,
  5: ({ o, fopt }) => `import numpy as np

CORNER = np.array(${list(o)})

def f(x):
    n = len(x)
    slopes = np.sign(CORNER) * 10 ** (np.arange(n) / (n - 1))
    z = np.where(CORNER * x < 25, x, CORNER)
    return np.sum(5 * np.abs(slopes) - slopes * z) + ${fopt}
`,
  6: ({ o, n, kit, fopt }) => `import math
${OSCILLATE}${ROTATE}
CENTRE = ${list(o)}
MATRIX = ${table(matrixOf(kit.conditioned(10), n))}

def f(x):
    z = rotate(MATRIX, [v - c for v, c in zip(x, CENTRE)])
    total = 0.0
    for v, c in zip(z, CENTRE):
        s = 100.0 if v * c > 0 else 1.0
        total += (s * v) ** 2
    return oscillate(total) ** 0.9 + ${fopt}
`,
  7: ({ o, n, kit, fopt }) => `import numpy as np
${NUMPY_PENALTY}
CENTRE = np.array(${list(o)})
Q = np.array(${table(matrixOf(kit.first(), n))})
R = np.array(${table(matrixOf(kit.second(), n))})

def f(x):
    n = len(x)
    first = R @ (x - CENTRE)
    scaled = np.sqrt(10) ** (np.arange(n) / (n - 1)) * first
    steps = np.where(np.abs(scaled) > 0.5, np.floor(0.5 + scaled), np.floor(0.5 + 10 * scaled) / 10)
    z = Q @ steps
    total = np.sum(100 ** (np.arange(n) / (n - 1)) * z ** 2)
    return 0.1 * np.maximum(np.abs(first[0]) / 1e4, total) + penalty(x) + ${fopt}
`,
  8: ({ o, n, fopt }) => `CENTRE = ${list(o)}
SCALE = ${Math.max(1, Math.sqrt(n) / 8)}

def f(x):
    z = [SCALE * (v - c) + 1 for v, c in zip(x, CENTRE)]
    total = 0.0
    for a, b in zip(z, z[1:]):
        total += 100 * (a * a - b) ** 2 + (a - 1) ** 2
    return total + ${fopt}
`,
  9: ({ n, kit, fopt }) => `import numpy as np

R = np.array(${table(matrixOf(kit.only(), n))})
SCALE = ${Math.max(1, Math.sqrt(n) / 8)}

def f(x):
    z = SCALE * (R @ x) + 0.5
    return np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2) + ${fopt}
`,
  10: ({ o, n, kit, fopt }) => `import math
${OSCILLATE}${ROTATE}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}

def f(x):
    n = len(x)
    z = [oscillate(v) for v in rotate(R, [v - c for v, c in zip(x, CENTRE)])]
    return sum(10 ** (6 * i / (n - 1)) * v ** 2 for i, v in enumerate(z)) + ${fopt}
`,
  11: ({ o, n, kit, fopt }) => `import math
${OSCILLATE}${ROTATE}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}

def f(x):
    z = [oscillate(v) for v in rotate(R, [v - c for v, c in zip(x, CENTRE)])]
    return 1e6 * z[0] ** 2 + sum(v ** 2 for v in z[1:]) + ${fopt}
`,
  12: ({ o, n, kit, fopt }) => `import math
${ASYMMETRIC(0.5)}${ROTATE}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}

def f(x):
    n = len(x)
    y = rotate(R, [v - c for v, c in zip(x, CENTRE)])
    z = rotate(R, [stretch(v, i, n) for i, v in enumerate(y)])
    return z[0] ** 2 + 1e6 * sum(v ** 2 for v in z[1:]) + ${fopt}
`,
  13: ({ o, n, kit, fopt }) => `import numpy as np

CENTRE = np.array(${list(o)})
MATRIX = np.array(${table(matrixOf(kit.conditioned(10), n))})

def f(x):
    z = MATRIX @ (x - CENTRE)
    return z[0] ** 2 + 100 * np.linalg.norm(z[1:]) + ${fopt}
`,
  14: ({ o, n, kit, fopt }) => `import numpy as np

CENTRE = np.array(${list(o)})
R = np.array(${table(matrixOf(kit.first(), n))})

def f(x):
    n = len(x)
    z = R @ (x - CENTRE)
    return np.sqrt(np.sum(np.abs(z) ** (2 + 4 * np.arange(n) / (n - 1)))) + ${fopt}
`,
  15: ({ o, n, kit, fopt }) => `import math
${OSCILLATE}${ASYMMETRIC(0.2)}${ROTATE}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}
MATRIX = ${table(matrixOf(kit.conditioned(10), n))}

def f(x):
    n = len(x)
    y = rotate(R, [v - c for v, c in zip(x, CENTRE)])
    z = rotate(MATRIX, [stretch(oscillate(v), i, n) for i, v in enumerate(y)])
    return 10 * (n - sum(math.cos(2 * math.pi * v) for v in z)) + sum(v * v for v in z) + ${fopt}
`,
  16: ({ o, n, kit, fopt }) => `import math
${OSCILLATE}${ROTATE}${PENALTY}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}
MATRIX = ${table(matrixOf(kit.conditioned(1 / 100), n))}
LEVEL = sum(0.5 ** k * math.cos(math.pi * 3 ** k) for k in range(12))

def f(x):
    n = len(x)
    y = rotate(R, [v - c for v, c in zip(x, CENTRE)])
    z = rotate(MATRIX, [oscillate(v) for v in y])
    total = 0.0
    for v in z:
        for k in range(12):
            total += 0.5 ** k * math.cos(2 * math.pi * 3 ** k * (v + 0.5))
    return 10 * (total / n - LEVEL) ** 3 + 10 / n * penalty(x) + ${fopt}
`,
  17: (parts) => schaffers(parts, 10),
  18: (parts) => schaffers(parts, 1000),
  19: ({ n, kit, fopt }) => `import numpy as np

R = np.array(${table(matrixOf(kit.only(), n))})
SCALE = ${Math.max(1, Math.sqrt(n) / 8)}

def f(x):
    n = len(x)
    z = SCALE * (R @ x) + 0.5
    s = 100 * (z[:-1] ** 2 - z[1:]) ** 2 + (1 - z[:-1]) ** 2
    return 10 / (n - 1) * np.sum(s / 4000 - np.cos(s)) + 10 + ${fopt}
`,
  20: ({ n, kit, fopt }) => `import math

SIGNS = ${list(Float64Array.from(uniforms(n, kit.seed), (u) => (u < 0.5 ? -1 : 1)))}
MU = 4.2096874637

def f(x):
    n = len(x)
    w = [2 * s * v for s, v in zip(SIGNS, x)]
    total = 0.0
    excess = 0.0
    for i in range(n):
        v = w[i] if i == 0 else w[i] + 0.25 * (w[i - 1] - MU)
        z = 100 * (math.sqrt(10) ** (i / (n - 1)) * (v - MU) + MU)
        total += z * math.sin(math.sqrt(abs(z)))
        excess += max(0.0, abs(z) - 500) ** 2
    return 0.01 * (418.9828872724339 - total / n + excess) + ${fopt}
`,
  21: (parts) => gallagher(parts, { peaks: 101, reach: 5, firstCondition: Math.sqrt(1000) }),
  22: (parts) => gallagher(parts, { peaks: 21, reach: 4.9, firstCondition: 1000 }),
  23: ({ o, n, kit, fopt }) => `import math
${ROTATE}${PENALTY}
CENTRE = ${list(o)}
MATRIX = ${table(matrixOf(kit.conditioned(100), n))}

def f(x):
    n = len(x)
    z = rotate(MATRIX, [v - c for v, c in zip(x, CENTRE)])
    product = 1.0
    for i, v in enumerate(z):
        total = 0.0
        for j in range(1, 33):
            t = 2.0 ** j * v
            total += abs(t - math.floor(t + 0.5)) / 2.0 ** j
        product *= (1 + (i + 1) * total) ** (10 / n ** 1.2)
    return 10 / n / n * (product - 1) + penalty(x) + ${fopt}
`,
  24: ({ n, kit, fopt }) => {
    const s = 1 - 0.5 / (Math.sqrt(n + 20) - 4.1);
    return `import numpy as np
${NUMPY_PENALTY}
SIGNS = np.array(${list(kit.signs())})
MATRIX = np.array(${table(matrixOf(kit.conditioned(100), n))})
FIRST = 2.5
S = ${s}
SECOND = ${-Math.sqrt((6.25 - 1) / s)}

def f(x):
    n = len(x)
    v = 2 * SIGNS * x
    z = MATRIX @ (v - FIRST)
    bowls = np.minimum(np.sum((v - FIRST) ** 2), n + S * np.sum((v - SECOND) ** 2))
    return bowls + 10 * (n - np.sum(np.cos(2 * np.pi * z))) + 1e4 * penalty(x) + ${fopt}
`;
  },
};

function schaffers({ o, n, kit, fopt }, condition) {
  return `import math
${ASYMMETRIC(0.5)}${ROTATE}${PENALTY}
CENTRE = ${list(o)}
R = ${table(matrixOf(kit.first(), n))}
Q = ${table(matrixOf(kit.second(), n))}

def f(x):
    n = len(x)
    y = rotate(R, [v - c for v, c in zip(x, CENTRE)])
    z = rotate(Q, [stretch(v, i, n) for i, v in enumerate(y)])
    z = [${Math.sqrt(condition)} ** (i / (n - 1)) * v for i, v in enumerate(z)]
    total = 0.0
    for a, b in zip(z, z[1:]):
        s = math.sqrt(a * a + b * b)
        total += math.sqrt(s) * (1 + math.sin(50 * s ** 0.2) ** 2)
    return (total / (n - 1)) ** 2 + 10 * penalty(x) + ${fopt}
`;
}

function gallagher({ n, kit, fopt }, { peaks, reach, firstCondition }) {
  const order = ascendingOrder(uniforms(peaks - 1, kit.seed));
  const heights = Array.from({ length: peaks }, (_, i) => (i === 0 ? 10 : 1.1 + (8 * (i - 1)) / (peaks - 2)));
  const scales = heights.map((_, i) => {
    const condition = i === 0 ? firstCondition : Math.pow(1000, order[i - 1] / (peaks - 2));
    const places = ascendingOrder(uniforms(n, kit.seed + 1000 * i));
    return Array.from({ length: n }, (_, j) => Math.pow(condition, places[j] / (n - 1) - 0.5));
  });
  const draws = uniforms(n * peaks, kit.seed);
  const places = heights.map((_, i) =>
    Array.from({ length: n }, (_, j) => (i === 0 ? 0.8 : 1) * (2 * reach * draws[i * n + j] - reach)),
  );
  return `import numpy as np

HEIGHTS = np.array(${list(heights)})
SCALES = np.array(${table(scales)})
PEAKS = np.array(${table(places)})
R = np.array(${table(matrixOf(kit.only(), n))})

def oscillate(v):
    if v > 0:
        t = np.log(v) / 0.1
        return np.exp(t + 0.49 * (np.sin(t) + np.sin(0.79 * t))) ** 0.1
    return 0.0

def f(x):
    n = len(x)
    highest = 0.0
    for height, scale, peak in zip(HEIGHTS, SCALES, PEAKS):
        d = R @ (x - peak)
        highest = max(highest, height * np.exp(-np.sum(scale * d * d) / (2 * n)))
    return oscillate(10 - highest) ** 2 + np.sum(np.maximum(0, np.abs(x) - 5) ** 2) + ${fopt}
`;
}

/** The source of function 1..24. */
export function bbobSource(functionId, dimension, instance) {
  const problem = createBbobProblem(functionId, dimension, instance);
  const kit = denseKit(dimension, instanceSeed(functionId, instance));
  const code = SOURCES[functionId]({ o: problem.optimum, n: dimension, kit, fopt: problem.optimalValue });
  return { code, problem };
}
