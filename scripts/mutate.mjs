/**
 * `node scripts/mutate.mjs [--live N] [--seed S] [--minutes M] [--jobs J] [--python P] [--part NAME] [--file TEXT]
 * [--write]`: seeds faults into the compiled front end, optimiser and code generators, one at a time, until N of them
 * (default 300) give a run wrong values; and says how many a run of 200 evaluations finds by itself, because CPython
 * confirms its values (docs/adr/0031-cpython-has-the-last-word.md).
 *
 * `--part` and `--file` seed faults only in the part of that name, and in files whose names contain the text.
 *
 * A fault counts where a run with it values a candidate as CPython does not (rounding apart). Faults that no program of
 * the corpus reaches, that change nothing, or that only refuse what compiles, are told apart. `--write` keeps the
 * figures in bench/results/.
 */
import './support/require-node.mjs';
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { build } from './build.mjs';
import { loadCorpus } from './mutate/corpus.mjs';
import { placesIn, withFaults } from './mutate/mutations.mjs';
import { PythonOracle } from './mutate/python-oracle.mjs';
import { writeResults } from './mutate/results.mjs';
import { selectParts } from './mutate/selection.mjs';
import { root } from './support/paths.mjs';

const { values: options } = parseArgs({
  options: {
    live: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '120' },
    jobs: { type: 'string', default: '2' },
    python: { type: 'string', default: process.env.PYTHON ?? 'python3' },
    random: { type: 'string', default: '120' },
    part: { type: 'string' },
    file: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const WANTED = Number(options.live);
let end = Date.now() + 60_000 * Number(options.minutes);
// What has been found until then counts.
process.on('SIGTERM', () => (end = 0));
const EVALUATIONS = 200;
/** Programs that a fault is tried with, and of those that it harms, that are run. */
const TRIED = 24;
const RUN = 2;
/** Programs that take longer to compile and to value are left out. */
const MOST_MS = 60;
/** Faults that one process has, one at a time. */
const BATCH = 120;
const REQUEST_MS = 30_000;
const child = path.join(path.dirname(fileURLToPath(import.meta.url)), 'mutate', 'child.mjs');
const dist = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href);
/** Those of its folders too. */
const modulesIn = (folder) =>
  readdirSync(path.join(root, 'dist', folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return modulesIn(`${folder}/${entry.name}`);
    const isModule = entry.name.endsWith('.js') && !entry.name.includes('.test.');
    return isModule ? [`${folder}/${entry.name}`] : [];
  });

/** Where faults are seeded, how often each is drawn, and what values programs there. */
const PARTS = [
  {
    name: 'front end',
    share: 0.6,
    backend: 'interpreter',
    files: () => modulesIn('frontend'),
  },
  {
    name: 'optimiser',
    share: 0.15,
    backend: 'interpreter',
    files: () => ['passes/fold-constants.js', 'passes/eliminate-dead-code.js', 'passes/pipeline.js'],
  },
  { name: 'JavaScript', share: 0.08, backend: 'javascript', files: () => modulesIn('backends/javascript') },
  { name: 'WebAssembly', share: 0.08, backend: 'wasm', files: () => modulesIn('backends/wasm') },
  { name: 'native, virtual machine', share: 0.04, backend: 'native', files: () => modulesIn('backends/native') },
  { name: 'native, machine code', share: 0.05, backend: 'native-code', files: () => modulesIn('backends/native') },
];

/** Parsing, limits and messages are not what is looked for. */
const LEFT_OUT =
  /tokenizer|parser|token-cursor|diagnostic|reasons|tree-depth|shape\.js|scope-check|pattern-check|syntax-details|population-form|addon\.js/;

/** Families of faults of the front end, by the functions that decide about them. */
const FAMILIES = [
  [
    'values of several kinds',
    /truth|isTrue|compare|equal|identity|isinstance|boolOp|select|merge|join|None|contains|match/i,
  ],
  ['imports', /import|module|member|hasattr/i],
  ['exceptions', /try|handler|catch|rais|check|exception/i],
  ['scopes', /scope|lookup|bind|cell|name|comprehension|closure|class/i],
  ['kind of the argument', /argument|kind|retag|convert/i],
];
const familyOf = ({ within, file }) => {
  if (!file.startsWith('frontend')) return null;
  return FAMILIES.find(([, pattern]) => pattern.test(within) || pattern.test(path.basename(file)))?.[0] ?? 'others';
};

// --- processes

class Process {
  constructor(oracle) {
    this.child = fork(child, [], {
      cwd: root,
      serialization: 'advanced',
      execArgv: ['--max-old-space-size=1800', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.settle = null;
    this.child.on('message', (message) => {
      if (message.kind === 'ask') {
        oracle.ask(message.source, message.points, message.argument).then(
          (answers) => this.child.connected && this.child.send({ kind: 'answers', id: message.id, answers }),
          () => {},
        );
      } else this.settle?.(message);
    });
    this.child.on('exit', () => this.settle?.({ error: 'the process ended' }));
  }

  /** @throws where the process has ended, or takes too long. */
  async request(message, limitMs = REQUEST_MS) {
    let timer;
    const answer = await new Promise((resolve) => {
      this.settle = resolve;
      timer = setTimeout(resolve, limitMs, { error: 'too slow' });
      if (this.child.connected) this.child.send(message);
      else resolve({ error: 'the process ended' });
    });
    clearTimeout(timer);
    this.settle = null;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  close() {
    this.child.kill('SIGKILL');
  }
}

// --- what is right

await build();
const [{ Rng }, { compileObjective }, { judgePoint }] = await Promise.all([
  dist('common/rng.js'),
  dist('frontend/compile.js'),
  dist('verification/judge.js'),
]);
const pythonMinor = 11;
const judgingForms = new Map();

/** What CPython says of a value that compiled code gives. */
function verdictOn(program, x, value, answer) {
  let form = judgingForms.get(program.id);
  if (form === undefined) {
    const { source, bounds } = program;
    const make = (judging) => compileObjective(source, { dimension: bounds.length, pythonMinor, judging }).ir;
    judgingForms.set(program.id, (form = make(true) ?? make(false)));
  }
  return judgePoint(form, Float64Array.from(x), [value], answer);
}

/**
 * Programs with their values, what they execute, and CPython's answers; those are left out where something is amiss
 * without any fault.
 */
async function measure(oracle) {
  const corpus = await loadCorpus({ random: Number(options.random) });
  const programs = [];
  for (const part of PARTS) {
    const isFirst = part === PARTS[0];
    // The optimiser is covered along with the front end.
    if (part === PARTS[1]) continue;
    const rest = isFirst ? corpus : programs.filter((_, k) => k % 6 === 0);
    const reference = new Process(oracle);
    await reference.request({ kind: 'begin', sources: new Map(), backend: part.backend });
    const folders = isFirst
      ? ['frontend/', 'passes/']
      : [`backends/${part.backend === 'native-code' ? 'native' : part.backend}/`];
    for (let k = 0; k < rest.length; k += 40) {
      const chunk = rest.slice(k, k + 40);
      const covered = await reference.request({ kind: 'cover', programs: chunk, folders }, 600_000);
      for (const [j, { values, files }] of covered.entries()) {
        const program = chunk[j];
        if ('refused' in values || values.ms > MOST_MS) continue;
        if (isFirst) Object.assign(program, { ...values, covers: {} });
        program.covers[part.backend] = new Map(files.map(({ file, ranges }) => [file, ranges]));
        if (!isFirst) continue;
        program.answers = await oracle.ask(program.source, program.points);
        const isRight = program.points.every(
          (x, i) =>
            program.status[i] !== 0 || verdictOn(program, x, program.values[i], program.answers[i]).kind !== 'misread',
        );
        if (isRight) programs.push(program);
      }
    }
    reference.close();
    console.log(`${part.name}: ${isFirst ? programs.length : rest.length} of ${corpus.length} programs`);
  }
  return programs;
}

/** What was measured is kept for the next time, as long as the compiled files are the same. */
async function measured(oracle) {
  const hash = createHash('sha256').update(options.random);
  for (const part of PARTS) for (const file of part.files()) hash.update(readFileSync(path.join(root, 'dist', file)));
  const kept = path.join(root, 'build', `mutate-${hash.digest('hex').slice(0, 16)}.v8`);
  if (existsSync(kept)) return deserialize(readFileSync(kept));
  const programs = await measure(oracle);
  writeFileSync(kept, serialize(programs));
  return programs;
}

/** Whether a program executes what stands at `offset`: what the innermost range around it says. */
function executes(ranges, offset) {
  let size = Infinity;
  let ran = false;
  for (let k = 0; k < ranges.length; k += 3) {
    const [start, end] = [ranges[k], ranges[k + 1]];
    if (start > offset || end <= offset || end - start > size) continue;
    size = end - start;
    ran = ranges[k + 2] === 1;
  }
  return ran;
}

// --- one fault

const isWrong = (program, x, value, answer) => verdictOn(program, x, value, answer).kind === 'misread';

/** Programs whose values the fault makes wrong. */
function harmed(programs, results) {
  return programs.filter((program, k) => {
    const { values, status } = results[k];
    if (values === undefined) return false;
    return program.points.some((x, i) => {
      if (status[i] !== 0 || (program.status[i] === 0 && Object.is(values[i], program.values[i]))) return false;
      return isWrong(program, x, values[i], program.answers[i]);
    });
  });
}

/** Faults of one part, at places that do not overlap, in one process; another one where it has not survived a fault. */
class Batch {
  constructor(part, places, oracle) {
    this.part = part;
    this.oracle = oracle;
    this.sources = new Map();
    for (const file of new Set(places.map((place) => place.file))) {
      const own = places.filter((place) => place.file === file);
      this.sources.set(pathToFileURL(path.join(root, 'dist', file)).href, withFaults(own[0].source, own));
    }
    this.process = null;
  }

  async request(message) {
    if (this.process === null) {
      this.process = new Process(this.oracle);
      await this.process.request({ kind: 'begin', sources: this.sources, backend: this.part.backend });
    }
    return this.process.request(message);
  }

  close() {
    this.process?.close();
    this.process = null;
  }
}

async function tryFault(batch, { number: fault, chosen: programs }, oracle) {
  try {
    const results = await batch.request({ kind: 'values', fault, programs: programs.map(lean) });
    const affected = harmed(programs, results);
    if (affected.length === 0) {
      const isRefused = results.some(
        (result, k) => 'refused' in result || result.status.some((s, i) => s !== 0 && programs[k].status[i] === 0),
      );
      return { end: isRefused ? 'refuses or flags' : 'changes nothing', runs: [] };
    }
    const runs = [];
    for (const program of affected.slice(0, RUN)) runs.push(await runWith(batch, fault, program, oracle));
    return { end: runs.some((run) => run.isLive) ? 'live' : 'not in a run', runs };
  } catch (error) {
    batch.close();
    return { end: error.message === 'too slow' ? 'too slow' : 'breaks', runs: [] };
  }
}

const lean = ({ id, name, code, bounds, points }) => ({ id, name, code, bounds, points });

async function runWith(batch, fault, program, oracle) {
  const request = { kind: 'run', fault, program: lean(program), evaluations: EVALUATIONS, seed: 1, isChecked: true };
  const run = await batch.request(request);
  const { log = [], ...rest } = run;
  const answers = await oracle.ask(
    program.source,
    log.map(({ x }) => x),
  );
  const wrong = log.filter(({ x, value }, k) => isWrong(program, x, value, answers[k]));
  const isCaught = run.kind === 'misread';
  const best =
    run.solution === undefined || run.solution === null ? null : (await oracle.ask(program.source, [run.solution]))[0];
  const isBestWrong = best !== null && run.kind === 'ended' && isWrong(program, run.solution, run.best, best);
  return {
    ...rest,
    program: program.name,
    rows: log.length,
    wrongRows: wrong.length,
    isLive: isCaught || (run.kind === 'ended' && wrong.length > 0),
    isCaught,
    isBestWrong,
    isWronglyOptimal: run.reason === 'optimal' && isBestWrong,
  };
}

// --- all of them

const oracles = Array.from({ length: Number(options.jobs) }, () => new PythonOracle(options.python));
const programs = await measured(oracles[0]);
const rng = Rng.create(Number(options.seed));
const DRAWN = selectParts(PARTS, options);
const drawn = new Set();
const files = new Map();
const placesOf = (part) => {
  if (!files.has(part.name)) {
    const all = part.files().filter((file) => !LEFT_OUT.test(file));
    files.set(
      part.name,
      all.flatMap((file) => {
        const source = readFileSync(path.join(root, 'dist', file), 'utf8');
        return placesIn(file, source).map((place) => ({ ...place, file, source, part }));
      }),
    );
  }
  return files.get(part.name);
};

const keyOf = (part, place) => `${part.name} ${place.file} ${place.start} ${place.kind}`;
/** Whether every fault has been tried. */
const isExhausted = () => DRAWN.every((part) => placesOf(part).every((place) => drawn.has(keyOf(part, place))));

/** Places of one part that do not overlap, each with programs that execute it. */
function drawBatch() {
  let at = rng.uniform();
  const part = DRAWN.find(({ share }) => (at -= share) < 0) ?? DRAWN[0];
  const all = placesOf(part);
  const batch = [];
  for (let tries = 0; batch.length < BATCH && tries < 4 * BATCH; tries++) {
    const place = all[rng.below(all.length)];
    const key = keyOf(part, place);
    const overlaps = batch.some(
      ({ file, start, end }) => file === place.file && start < place.end && place.start < end,
    );
    if (drawn.has(key) || overlaps) continue;
    drawn.add(key);
    const covering = programs.filter((program) => {
      const ranges = program.covers[part.backend]?.get(place.file);
      return ranges !== undefined && executes(ranges, place.start);
    });
    const chosen = [];
    for (let k = 0; k < TRIED && covering.length > 0; k++)
      chosen.push(...covering.splice(rng.below(covering.length), 1));
    batch.push({ ...place, chosen, number: batch.length });
  }
  return { part, places: batch };
}

const faults = [];
const count = (end) => faults.filter((fault) => fault.end === end).length;
let live = 0;
async function work(oracle) {
  while (live < WANTED && Date.now() < end && !isExhausted()) {
    const { part, places } = drawBatch();
    const reached = places.filter(({ chosen }) => chosen.length > 0);
    const batch = new Batch(part, reached, oracle);
    for (const place of places) {
      if (live >= WANTED || Date.now() >= end) break;
      const { file, line, kind, within } = place;
      const about = { part: part.name, file, line, kind, within, family: familyOf(place) };
      const result =
        place.chosen.length === 0 ? { end: 'not reached', runs: [] } : await tryFault(batch, place, oracle);
      if (result.end === 'live') live++;
      faults.push({ ...about, ...result });
      for (const run of result.runs) {
        if (!run.isLive || run.isCaught) continue;
        const counts = `${run.wrongRows} of ${run.rows} wrong, ${run.reason}, ${JSON.stringify(run.verified)}`;
        console.log(`missed: ${file}:${line} ${kind} in ${within}; ${run.program}: ${counts}`);
      }
      if (faults.length % 100 === 0)
        console.log(
          `${Math.round(process.uptime())} s: ${faults.length} faults, ${live} live, ${count('changes nothing')} change nothing`,
        );
    }
    batch.close();
  }
}
await Promise.all(oracles.map(work));
for (const oracle of oracles) oracle.close();
writeResults(
  faults,
  { seed: Number(options.seed), evaluations: EVALUATIONS, programs: programs.length },
  options.write,
);
process.exit(0);
