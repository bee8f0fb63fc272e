/**
 * How far a search gets whose candidates are asked for in batches, as clients of studies and declared functions do:
 * what the strategy asks for, filled up by `another` (a model of the points so far), against the same filled up with
 * points around the best ones, and against the search that is asked for one candidate at a time. A figure is the mean
 * over objectives and dimensions of the median log10 of the best value (the optimum is 0; 1e-10 counts as reached).
 */
import { Rng } from '../../dist/common/rng.js';
import { inRows } from '../../dist/model/candidate-batch.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { extraPoint, extraRng } from '../../dist/strategies/extra-points.js';
import { fixed, median } from '../support/statistics.mjs';

const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const SEEDS = Math.max(1, Math.round(9 * scale));
const DIMENSIONS = [2, 5, 10];
const MARKS = [48, 96, 240, 480];
const NAMES = ['planner', 'bayesian', 'trust-region', 'differential-evolution', 'particle-swarm'];
const REACHED = 1e-10;

const sum = (x, term) => x.reduce((total, v, i) => total + term(v, i), 0);
const OBJECTIVES = {
  sphere: (x) => sum(x, (v) => v * v),
  'rotated ellipsoid': (x, rotate) => sum(rotate(x), (v, i) => 10 ** ((4 * i) / (x.length - 1)) * v * v),
  rosenbrock: (x) => sum(x.slice(1), (v, i) => 100 * (v + 1 - (x[i] + 1) ** 2) ** 2 + x[i] ** 2),
  'sum of absolute values, rotated': (x, rotate) => sum(rotate(x), Math.abs),
  rastrigin: (x) => sum(x, (v) => v * v + 10 - 10 * Math.cos(2 * Math.PI * v)),
  griewank: (x) =>
    sum(x, (v) => (v * v) / 40) + 1 - x.reduce((product, v, i) => product * Math.cos((10 * v) / Math.sqrt(i + 1)), 1),
  ackley: (x) =>
    20 +
    Math.E -
    20 * Math.exp(-0.2 * Math.sqrt(sum(x, (v) => v * v) / x.length)) -
    Math.exp(sum(x, (v) => Math.cos(2 * Math.PI * v)) / x.length),
};

/** By Gram and Schmidt, from normal vectors. */
function rotation(n, rng) {
  const axes = [];
  while (axes.length < n) {
    let axis = Array.from({ length: n }, () => rng.normal());
    for (const other of axes) {
      const along = sum(axis, (v, i) => v * other[i]);
      axis = axis.map((v, i) => v - along * other[i]);
    }
    const length = Math.sqrt(sum(axis, (v) => v * v));
    axes.push(axis.map((v) => v / length));
  }
  return (x) => axes.map((axis) => sum(axis, (v, i) => v * x[i]));
}

/** Log10 of the best value after each of `MARKS`. */
function course({ name, value, n, seed, width, filling }) {
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const problem = { bounds, seed, budgetEvaluations: MARKS.at(-1), mode: 'balanced' };
  const strategy = strategies.find((one) => one.name === name).create(problem);
  const reached = [];
  let best = { solution: null, fitness: Infinity };
  let evaluations = 0;
  let serial = 0;
  const valued = (x) => {
    const fitness = value(Array.from(x));
    evaluations++;
    if (fitness < best.fitness) best = { solution: x, fitness };
    if (evaluations === MARKS[reached.length]) reached.push(Math.log10(Math.max(best.fitness, REACHED)));
    return fitness;
  };
  while (reached.length < MARKS.length) {
    const { candidates, count, dimension } = inRows(strategy.ask());
    const own = Array.from({ length: count }, (_, k) => candidates.slice(k * dimension, (k + 1) * dimension));
    const others = Array.from({ length: Math.ceil(count / width) * width - count }, () => {
      const rng = extraRng(problem, ++serial);
      const modelled = filling === 'model' ? strategy.another?.(rng) : null;
      return modelled ?? extraPoint(problem, serial, best.solution);
    });
    strategy.tell(Float64Array.from(own, valued));
    for (const x of others) strategy.learn?.(x, valued(x));
  }
  return reached;
}

function meanCourse(name, width, filling) {
  const medians = [];
  for (const [objective, f] of Object.entries(OBJECTIVES)) {
    for (const n of DIMENSIONS) {
      const runs = Array.from({ length: SEEDS }, (_, k) => {
        const rng = Rng.create(k).split(`${objective} ${n}`);
        const centre = Array.from({ length: n }, () => -3 + 6 * rng.uniform());
        const rotate = rotation(n, rng);
        const value = (x) =>
          f(
            x.map((v, i) => v - centre[i]),
            rotate,
          );
        return course({ name, value, n, seed: k + 1, width, filling });
      });
      medians.push(MARKS.map((_, at) => median(runs.map((run) => run[at]))));
    }
  }
  return MARKS.map((_, at) => sum(medians, (one) => one[at]) / medians.length);
}

export async function run() {
  const results = [];
  const note = (name, width, filling) => {
    const means = meanCourse(name, width, filling);
    const figures = Object.fromEntries(MARKS.map((mark, at) => [`after_${mark}`, fixed(means[at])]));
    results.push({ strategy: name, batch: width, filled_by: filling, ...figures });
    console.log('  ' + JSON.stringify(results.at(-1)));
  };
  for (const name of NAMES) {
    note(name, 1, 'nothing');
    for (const width of name === 'planner' ? [2, 8, 32] : [8]) {
      for (const filling of ['points around the best', 'model']) note(name, width, filling);
    }
  }
  const objectives = Object.keys(OBJECTIVES).join(', ');
  return { name: 'batches', settings: { seeds: SEEDS, dimensions: DIMENSIONS.join(), objectives }, results };
}
