/**
 * What learning saves, in two parts.
 *
 * `repeats`: objectives that people run again and again with other data (bench/support/repeated-objectives.mjs):
 * evaluations until the best value is as good as the best that any run of the same objective and data found, but for a
 * share of what there is to gain from the centre of the box; each run once with nothing learned and once with what the
 * runs before it found. The best values come from both, and from a run of each kind with another seed and a larger
 * budget. A run that does not get there counts twice its budget. Standard errors are over objectives.
 *
 * `sequences`: 40 related problems in a row (shifted, rotated, of other dimensions), evaluations until the best value
 * is within 1e-3 of the optimum, each run with what the runs before it taught; then problems of other kinds with what
 * the 40 taught. The program is only called. A problem that is not solved counts twice its budget.
 *
 *   node bench/strategies/learning.mjs --sequences ellipsoid,mixed --pairs 1 --instances 1 --repeats 0.05 --workers 2
 *
 * Like is compared with like: every 40 problems are gone through in two orders, the halves exchanged, each from
 * nothing, so that both halves consist of the same problems; and every problem is also run with nothing learned.
 * Standard errors are over pairs of orders for the ratio of the halves (`ratio`), over problems for what is paired with
 * runs with nothing learned.
 */
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { knowledgeOf, startsFor } from '../../dist/learning/knowledge.js';
import { lessonOf } from '../../dist/learning/lesson.js';
import { guideFor } from '../../dist/planner/experience.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { openProgram } from '../../dist/evaluation/derived-programs.js';
import { PRECISION, solve } from '../support/black-box.mjs';
import { openBackend } from '../support/open-runs.mjs';
import { repeatedObjectives, withOtherData } from '../support/repeated-objectives.mjs';

const PROBLEMS = 40;
const DIMENSIONS = [3, 5, 4, 2, 6];
const PAIRS = 5;
/** The first instance of the figures; the constants of `src/planner/experience.ts` were chosen on others. */
const FIRST_INSTANCE = 3001;
/** By how much data change from run to run, as a share. */
const CHANGES = [0.01, 0.05, 0.3];
const REPEATS = 6;
const REPEATED_EVALUATIONS = 2000;
const REFERENCE_EVALUATIONS = 5000;
/** Of what there is to gain from the centre of the box. */
const PRECISIONS = [1e-3, 1e-6];

/** BBOB functions whose instances follow each other in turn: rotation and shift change with the instance. */
const SEQUENCES = {
  ellipsoid: [10],
  rosenbrock: [8],
  rastrigin: [15],
  schaffer: [17],
  schwefel: [20],
  gallagher: [21],
  mixed: [10, 15, 8, 21],
};
/** Functions of one family; none of them counts as unrelated to another. */
const FAMILIES = [[1, 2, 10, 11, 12], [8, 9, 19], [3, 4, 15, 24], [17, 18], [20], [21, 22]];

const unrelatedTo = (functions) =>
  Array.from({ length: 24 }, (_, k) => k + 1).filter(
    (id) => !FAMILIES.some((family) => family.includes(id) && functions.some((own) => family.includes(own))),
  );

/** With nothing learned, each problem once. */
const runsWithoutLearning = new Map();
async function solveFresh(problem) {
  const key = Object.values(problem).join();
  if (!runsWithoutLearning.has(key)) runsWithoutLearning.set(key, await solve(problem, null));
  return runsWithoutLearning.get(key);
}

/** Without advice, or with that to follow nobody, a run has the bits of the one with nothing learned. */
async function solveWith(problem, knowledge) {
  const fresh = await solveFresh(problem);
  const features = fresh.lesson?.features ?? null;
  const guide = features === null ? null : guideFor(knowledge.table, features);
  return (guide?.leader ?? 0) === 0 ? fresh : solve(problem, knowledge.table);
}

async function inOrder(problems) {
  const lessons = [];
  const runs = [];
  for (const problem of problems) {
    const run = await solveWith(problem, knowledgeOf(lessons.length, lessons));
    runs.push(run);
    if (run.lesson !== null) lessons.push(run.lesson);
  }
  return { runs, knowledge: knowledgeOf(lessons.length, lessons) };
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const costs = (runs) => mean(runs.map(({ cost }) => cost));
/** The ratio that logarithms of ratios mean, with its standard error. */
function ratioOf(name, logs) {
  const m = mean(logs);
  const error = Math.sqrt(logs.reduce((sum, x) => sum + (x - m) ** 2, 0) / (logs.length * (logs.length - 1)));
  return { [name]: +Math.exp(m).toFixed(3), [`${name}Error`]: +(Math.exp(m) * error).toFixed(3) };
}

/** Forty problems in two orders, and problems of other kinds after each. */
async function measurePair({ name, pair, firstInstance }) {
  const functions = SEQUENCES[name];
  const half = PROBLEMS / 2;
  const problems = Array.from({ length: PROBLEMS }, (_, k) => {
    const place = Math.floor(k / functions.length);
    const instance = firstInstance + PROBLEMS * pair + place;
    return {
      functionId: functions[k % functions.length],
      dimension: DIMENSIONS[place % DIMENSIONS.length],
      instance,
    };
  });
  const halves = [problems.slice(0, half), problems.slice(half)];
  const measured = {
    first: [],
    second: [],
    without: [],
    pairedFirst: [],
    pairedSecond: [],
    unrelated: [],
    leaders: [],
  };
  const logs = [];
  for (const order of [halves.flat(), halves.toReversed().flat()]) {
    const { runs, knowledge } = await inOrder(order);
    const fresh = await Promise.all(order.map(solveFresh));
    const gains = runs.map(({ cost }, k) => cost - fresh[k].cost);
    measured.without.push(...fresh.map(brief));
    measured.first.push(...runs.slice(0, half).map(brief));
    measured.second.push(...runs.slice(half).map(brief));
    measured.pairedFirst.push(...gains.slice(0, half));
    measured.pairedSecond.push(...gains.slice(half));
    logs.push(costs(runs.slice(half)) - costs(runs.slice(0, half)));
    measured.leaders.push(runs.map(({ leader }) => leader.toString(36)).join(''));
    for (const functionId of unrelatedTo(functions)) {
      const dimension = DIMENSIONS[(functionId + pair) % DIMENSIONS.length];
      const instance = firstInstance + 500 + (measured.unrelated.length % 2) + 2 * pair;
      const problem = { functionId, dimension, instance };
      const { cost } = await solveWith(problem, knowledge);
      measured.unrelated.push(cost - (await solveFresh(problem)).cost);
    }
  }
  return { ...measured, ratios: [mean(logs)] };
}

const brief = ({ cost, isSolved }) => ({ cost, isSolved });

function sequenceRow(name, parts) {
  const of = (field) => parts.flatMap((part) => part[field]);
  const [first, second, unrelated, ratios] = [of('first'), of('second'), of('unrelated'), of('ratios')];
  return {
    sequence: name,
    firstHalf: Math.round(Math.exp(costs(first))),
    secondHalf: Math.round(Math.exp(costs(second))),
    ...(ratios.length > 1 ? ratioOf('ratio', ratios) : { ratio: +Math.exp(ratios[0]).toFixed(3) }),
    ...ratioOf('firstHalfAgainstNothingLearned', of('pairedFirst')),
    ...ratioOf('secondHalfAgainstNothingLearned', of('pairedSecond')),
    solved: mean([...first, ...second].map(({ isSolved }) => +isSolved)),
    solvedWithNothingLearned: mean(of('without').map(({ isSolved }) => +isSolved)),
    ...ratioOf('unrelated', unrelated),
    unrelatedProblems: unrelated.length,
    unrelatedChanged: unrelated.filter((log) => log !== 0).length,
    unrelatedWorst: +Math.exp(Math.max(...unrelated)).toFixed(2),
    leaders: of('leaders').join(' '),
  };
}

// --- the same objective with other data

let backend = null;

/** Runs of one objective, as a function of the task, what it may read and what it is given. */
async function openObjective({ code, dimension, bounds }) {
  const box = {
    lower: Float64Array.from(bounds, ([low]) => low),
    upper: Float64Array.from(bounds, ([, high]) => high),
  };
  const { source } = analyzeUpload(code, 'objective');
  const { ir: compiled, reasons } = compileObjective(source, { dimension, pythonMinor: 11, bounds: box });
  if (compiled === null) throw new Error(`not compiled: ${reasons[0].message}`);
  const ir = optimizeIr(compiled);
  backend ??= await openBackend();
  const open = (program) => backend.open({ source, dimension: program.dimension, ir: program });
  const primary = await open(ir);
  const run = (task, isRead, starts) =>
    runOptimization(task, {
      strategies,
      primary,
      fallback: null,
      program: isRead ? openProgram(ir, task.direction, box, open) : null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'benchmark',
      ...(starts === null ? {} : { starts }),
    });
  return { run, close: () => primary.close() };
}

/** One objective, its data changed again and again: logarithms of costs, with what was found before and without. */
async function measureRepeats({ name, change }) {
  const objective = repeatedObjectives().find((one) => one.name === name);
  const { bounds } = objective;
  const task = { bounds, maxEvaluations: REPEATED_EVALUATIONS, seed: 1, direction: 'minimize', mode: 'balanced' };
  const lessons = { read: [], called: [] };
  const repeats = [];
  for (let time = 0; time < REPEATS; time++) {
    const { run, close } = await openObjective({ ...objective, code: withOtherData(objective, change, time) });
    const runs = {};
    const references = [];
    for (const [kind, own] of Object.entries(lessons)) {
      const starts = startsFor(knowledgeOf(own.length, own), name, task);
      const known = await run(task, kind === 'read', starts);
      runs[kind] = { known, unknown: time === 0 ? known : await run(task, kind === 'read', null) };
      references.push(await run({ ...task, maxEvaluations: REFERENCE_EVALUATIONS, seed: 2 }, kind === 'read', null));
      const lesson = lessonOf(`opt_${time}`, task, known, known.history, name);
      if (lesson !== null) own.push(lesson);
    }
    await close();
    // The first has nothing to go by.
    if (time > 0) repeats.push({ runs, best: bestOf([...references, ...Object.values(runs).flatMap(Object.values)]) });
  }
  return { rows: repeats.map(({ runs, best }) => compareRepeats(runs, best)) };
}

const bestOf = (outcomes) => Math.min(...outcomes.map(({ bestFitness }) => bestFitness ?? Infinity));

function compareRepeats(runs, best) {
  return Object.fromEntries(
    Object.entries(runs).map(([kind, { known, unknown }]) => {
      const whole = Math.abs((unknown.history[0]?.bestFitness ?? best) - best);
      const costTo = ({ history }, precision) => {
        const found = history.find(({ bestFitness }) => bestFitness <= best + precision * whole);
        return Math.log(found?.evaluations ?? 2 * REPEATED_EVALUATIONS);
      };
      const logs = PRECISIONS.map((precision) => [costTo(known, precision), costTo(unknown, precision)]);
      const lacks = [known, unknown].map(({ bestFitness }) => (bestFitness - best) / whole);
      return [kind, { logs, lacks: lacks.map((lack) => (Number.isFinite(lack) ? lack : 1)) }];
    }),
  );
}

/** Ends that differ by less are as good as each other, as a share of what there was to gain. */
const AS_GOOD = 1e-6;

function repeatsRow(change, kind, parts) {
  const unsolved = Math.log(2 * REPEATED_EVALUATIONS);
  const objectives = parts.map(({ rows }) => rows.map((row) => row[kind]));
  const all = objectives.flat();
  const better = all.filter(({ lacks: [known, unknown] }) => known < unknown - AS_GOOD).length;
  const worse = all.filter(({ lacks: [known, unknown] }) => known > unknown + AS_GOOD).length;
  const reached = (k, which) => +mean(all.map(({ logs }) => +(logs[k][which] < unsolved))).toFixed(3);
  return {
    repeats: `${change * 100} % change, program ${kind}`,
    objectives: objectives.length,
    runs: all.length,
    ...Object.assign(
      {},
      ...PRECISIONS.map((precision, k) => {
        const ratios = objectives.map((rows) => mean(rows.map(({ logs }) => logs[k][0] - logs[k][1])));
        const sorted = ratios.toSorted((a, b) => a - b);
        return {
          ...ratioOf(`ratioTo${precision}`, ratios),
          [`medianTo${precision}`]: +Math.exp(sorted[sorted.length >> 1]).toFixed(3),
          [`reached${precision}`]: reached(k, 0),
          [`reached${precision}WithNothingLearned`]: reached(k, 1),
        };
      }),
    ),
    betterAtTheEnd: better,
    worseAtTheEnd: worse,
  };
}

// --- spread over threads; which figures come out does not depend on how many

async function carryOut(task) {
  return task.part === 'repeats' ? measureRepeats(task) : measurePair(task);
}

if (!isMainThread) {
  parentPort.on('message', async (task) => {
    if (task === null) {
      await backend?.close();
      parentPort.close();
      return;
    }
    parentPort.postMessage(await carryOut(task));
  });
}

function spread(tasks, count) {
  const results = new Array(tasks.length);
  let next = 0;
  const serve = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url));
      let current = -1;
      const give = () => {
        current = next++;
        worker.postMessage(current < tasks.length ? tasks[current] : null);
      };
      worker.on('message', (result) => {
        results[current] = result;
        give();
      });
      worker.on('error', reject);
      worker.on('exit', resolve);
      give();
    });
  return Promise.all(Array.from({ length: Math.min(count, tasks.length) }, serve)).then(() => results);
}

async function measure({ sequences, changes, pairs, firstInstance, workers }, report) {
  const unknown = sequences.find((name) => !(name in SEQUENCES));
  if (unknown !== undefined) throw new Error(`no sequence ${unknown}; there are ${Object.keys(SEQUENCES).join(', ')}`);
  const rows = [];
  const add = (row) => {
    rows.push(row);
    report(row);
  };
  const names = repeatedObjectives().map(({ name }) => name);
  for (const change of changes) {
    const parts = await spread(
      names.map((name) => ({ part: 'repeats', name, change })),
      workers,
    );
    for (const kind of ['read', 'called']) add(repeatsRow(change, kind, parts));
  }
  for (const name of sequences) {
    const tasks = Array.from({ length: pairs }, (_, pair) => ({ part: 'sequences', name, pair, firstInstance }));
    add(sequenceRow(name, await spread(tasks, workers)));
  }
  return rows;
}

export async function run() {
  const chosen = { pairs: PAIRS, firstInstance: FIRST_INSTANCE, changes: CHANGES };
  const all = { ...chosen, sequences: Object.keys(SEQUENCES), workers: os.availableParallelism() };
  const results = await measure(all, (row) => console.log(`  ${JSON.stringify(row)}`));
  const goals = { ratio: 0.7, unrelated: 1.05 };
  return { name: 'learning', settings: { precision: PRECISION, problems: PROBLEMS, ...chosen, goals }, results };
}

if (isMainThread && process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      sequences: { type: 'string', default: Object.keys(SEQUENCES).join() },
      repeats: { type: 'string', default: CHANGES.join() },
      pairs: { type: 'string', default: String(PAIRS) },
      instances: { type: 'string', default: String(FIRST_INSTANCE) },
      workers: { type: 'string', default: String(os.availableParallelism()) },
    },
  });
  const listOf = (text) => text.split(',').filter((word) => word !== '');
  const chosen = {
    sequences: listOf(values.sequences),
    changes: listOf(values.repeats).map(Number),
    pairs: Number(values.pairs),
    firstInstance: Number(values.instances),
    workers: Number(values.workers),
  };
  await measure(chosen, (row) => console.log(JSON.stringify(row)));
}
