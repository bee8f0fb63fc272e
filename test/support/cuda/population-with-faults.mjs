/**
 * A generation of a population on a device, for every call of the driver once with a fault in it: `node
 * population-with-faults.mjs JOB`, JOB as JSON {code, dimension, strategy, budget, calls}, `calls` a code for the name
 * of each call. Prints one line of JSON: for each name the errors of its first call, its second, and so on, until there
 * are no more; and how many populations without a fault, one after those of each name, had another state than the
 * first.
 */
import { CudaBackend } from '../../../dist/backends/cuda/cuda-backend.js';
import { analyzeUpload, compileObjective } from '../../../dist/frontend/compile.js';
import { differentiate } from '../../../dist/passes/gradient/differentiate.js';
import { optimizeIr } from '../../../dist/passes/pipeline.js';
import { strategies } from '../../../dist/planner/all-strategies.js';

const { code, dimension, strategy, budget, calls } = JSON.parse(process.argv[2]);
const { source } = analyzeUpload(code, '');
const ir = optimizeIr(compileObjective(source, { dimension, pythonMinor: 12 }).ir);
const gradient = optimizeIr(differentiate(ir));
const bounds = { lower: new Float64Array(dimension).fill(-5), upper: new Float64Array(dimension).fill(6) };
const factory = strategies.find(({ name }) => name === strategy);
const { signal } = new AbortController();

const backend = new CudaBackend({ offload: false });
const kernel = await backend.open({ source, dimension, ir });

async function stateAfterGeneration() {
  const { generations } = factory.create({ bounds, seed: 3, budgetEvaluations: budget });
  const { program, state } = generations;
  const population = await kernel.populationOnDevice(program, gradient);
  try {
    population.load(state);
    await population.evaluate(generations.begin(), signal);
    const values = new Float64Array(program.size);
    const status = new Uint8Array(program.size);
    population.results(values, status);
    population.correct(values, status.fill(0));
    population.rows(Uint32Array.of(1, program.size - 1));
    generations.end(population.accept(1, -Infinity));
    population.store(state);
    return JSON.stringify([...state.vectors, ...state.scalars, state.shared].map((part) => [...part]));
  } finally {
    population.close();
  }
}

const wanted = await stateAfterGeneration();
const errors = {};
let different = 0;
for (const [name, result] of Object.entries(calls)) {
  errors[name] = [];
  for (let isOver = false; !isOver;) {
    process.env.STAND_IN_FAULTS = `${name}:${errors[name].length + 1}:${result}`;
    try {
      await stateAfterGeneration();
      isOver = true;
    } catch (error) {
      errors[name].push({ code: error.code, message: error.message, retryable: error.retryable });
    }
  }
  process.env.STAND_IN_FAULTS = '';
  if ((await stateAfterGeneration()) !== wanted) different++;
}
await kernel.close();
await backend.close();
console.log(JSON.stringify({ errors, different }));
