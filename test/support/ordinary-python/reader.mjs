/**
 * What the front end makes of programs, in a process of its own that may be killed: loads `dist/`. One JSON object a
 * line in, `{"id", "code", "calls": [{"argument", "dimension", "points", "bounds"}], "interpreter", "roll"}`, one a
 * line out. Numbers travel as text, so that -0 and NaN arrive. `--coverage FILE`: on SIGTERM or the end of input, what
 * of `dist/frontend/` ran.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createInterface } from 'node:readline';

const dist = (path) => new URL(`../../../dist/${path}`, import.meta.url).href;
const coverageFile = process.argv[2] === '--coverage' ? process.argv[3] : null;
let session = null;
if (coverageFile !== null) {
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
const { analyzeUpload, compileObjective } = await import(dist('frontend/compile.js'));
const { candidateOf } = await import(dist('model/candidate-batch.js'));
const { interpret } = await import(dist('ir/interpreter.js'));
const { verifyIr } = await import(dist('ir/verifier.js'));
const { optimizeIr } = await import(dist('passes/pipeline.js'));

const show = (value) => (Object.is(value, -0) ? '-0' : String(value));
const view = new DataView(new ArrayBuffer(8));

/** A double as Python's float.fromhex reads it. */
function toHex(value) {
  if (!Number.isFinite(value)) return String(value).replace('Infinity', 'inf').toLowerCase();
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0');
  return `${bits >> 63n ? '-' : ''}0x${exponent === 0 ? 0 : 1}.${fraction}p${exponent === 0 ? -1022 : exponent - 1023}`;
}

/** The double that Python's float.hex() shows. */
function fromHex(text) {
  const match = /^(-?)0x([01])\.?([0-9a-f]*)p([+-]?\d+)$/.exec(text);
  if (match === null) return { nan: NaN, inf: Infinity, '-inf': -Infinity }[text];
  const exponent = Number(match[4]);
  const half = Math.trunc(exponent / 2);
  const mantissa = Number(match[2]) + Number(BigInt(`0x${match[3].padEnd(13, '0')}`)) / 2 ** 52;
  return (match[1] ? -1 : 1) * mantissa * 2 ** half * 2 ** (exponent - half);
}

const numbers = (points) => points.map((point) => point.map(Number));

function evaluated(ir, points) {
  return points.map((point) => {
    const { value, status, line } = interpret(ir, point);
    return status === 0 ? [show(value)] : [null, status, line];
  });
}

/** One form of a program at one dimension: its lanes, or why it is not compiled. */
function form(source, call, python, options) {
  const { dimension } = call;
  const points = numbers(call.points);
  const result = compileObjective({ ...source, argument: call.argument }, { dimension, ...python, ...options });
  if (result.ir === null) return { reasons: result.reasons };
  const problems = verifyIr(result.ir);
  const optimized = optimizeIr(result.ir);
  problems.push(...verifyIr(optimized));
  return { lanes: evaluated(optimized, points), ...(problems.length > 0 ? { problems } : {}) };
}

function answer({ code, name, calls, pythonMinor, interpreter, rolled }) {
  const analysis = analyzeUpload(code, name, { pythonMinor, interpreter });
  const { errors, source, compiled, reasons, dimension } = analysis;
  if (source === null) return { errors };
  const forms = calls.map((call) => {
    const own = call.argument === 'own' ? { ...call, argument: source.argument } : call;
    const bounds = call.bounds && {
      lower: Float64Array.from(call.bounds, ([low]) => low),
      upper: Float64Array.from(call.bounds, ([, high]) => high),
    };
    return form(
      source,
      own,
      { pythonMinor, interpreter },
      {
        ...(bounds ? { bounds } : {}),
        ...(call.rolled ? { roll: 'always' } : {}),
      },
    );
  });
  return { entry: source.entry, argument: source.argument, compiled, reasons, dimension, forms, rolled };
}

// --- runs

const box = (bounds) => ({
  lower: Float64Array.from(bounds, ([low]) => low),
  upper: Float64Array.from(bounds, ([, high]) => high),
});

/** CPython for the candidates that are flagged: the oracle's process, a request at a time. */
class OracleKernel {
  backend = 'cpython';
  device = 'oracle';

  constructor(python, source) {
    this.source = source;
    this.child = spawn(python, [new URL('./oracle.py', import.meta.url).pathname], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.ready = this.lines.next();
  }

  async evaluate(batch, output) {
    await this.ready;
    const { count } = batch;
    const points = Array.from({ length: count }, (_, k) => Array.from(candidateOf(batch, k), toHex));
    const { code, entry, argument } = this.source;
    this.child.stdin.write(`${JSON.stringify({ id: 0, code, entry, calls: [{ argument, points }], seconds: 10 })}\n`);
    const { load, results } = JSON.parse((await this.lines.next()).value);
    output.failures.length = 0;
    for (let k = 0; k < count; k++) {
      const entryOf = load ?? results[0][k] ?? ['error', 'TimeLimit', '', 0];
      const value = entryOf[0] === 'value' ? fromHex(entryOf[1]) : NaN;
      output.values[k] = value;
      output.status[k] = Number.isNaN(value) ? 255 : 0;
      if (Number.isNaN(value))
        output.failures.push({ index: k, type: entryOf[1], message: String(entryOf[2]), line: 0 });
    }
  }

  async close() {
    this.child.kill('SIGKILL');
  }
}

async function proven({ code, name, bounds, direction, seed, budget, pythonMinor, interpreter, python }) {
  const { errors, source } = analyzeUpload(code, name, { pythonMinor, interpreter });
  if (source === null) return { notCompiled: errors[0].message };
  const { runOptimization } = await import(dist('engine/run-optimization.js'));
  const { InterpreterBackend } = await import(dist('backends/interpreter/interpreter-backend.js'));
  const { strategies } = await import(dist('planner/all-strategies.js'));
  const { openProgram } = await import(dist('evaluation/derived-programs.js'));
  const dimension = bounds.length;
  const { ir, reasons } = compileObjective(source, { dimension, pythonMinor, interpreter, bounds: box(bounds) });
  if (ir === null) return { notCompiled: reasons[0].message };
  const optimized = optimizeIr(ir);
  const open = (program) => new InterpreterBackend().open({ source, dimension: program.dimension, ir: program });
  const fallback = new OracleKernel(python, source);
  try {
    const outcome = await runOptimization(
      { bounds, maxEvaluations: budget, seed, direction, mode: 'balanced' },
      {
        ...{ strategies, primary: await open(optimized), fallback, backendReason: 'the fuzzer' },
        program: openProgram(optimized, direction, box(bounds), open),
        now: () => 0,
        isCancelled: () => false,
      },
    );
    const { terminationReason, bestSolution, bestFitness, optimality } = outcome;
    return {
      ...{ argument: source.argument, terminationReason, bestSolution: bestSolution?.map(show) ?? null },
      bestFitness: bestFitness === null ? null : show(bestFitness),
      bound: optimality?.bound === undefined || optimality.bound === null ? null : show(optimality.bound),
      status: optimality?.status ?? null,
    };
  } finally {
    await fallback.close();
  }
}

async function writeCoverage() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const wanted = result.filter(({ url }) => url.includes('/dist/frontend/'));
  writeFileSync(coverageFile, JSON.stringify(wanted));
}

process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const started = performance.now();
  let reply;
  try {
    reply = job.op === 'prove' ? await proven(job) : answer(job);
  } catch (error) {
    reply = { crash: String(error?.stack ?? error) };
  }
  reply = { id: job.id, ...reply, milliseconds: performance.now() - started };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
if (session !== null) await writeCoverage();
