/**
 * Two threads against one, by elapsed time: D = 30, 4,096 candidates, and so many that waking a thread is nothing
 * beside the work. Turns are so long that waking the other processor at their beginning is nothing, either. Each lies
 * between two of the control, which is the hand-written kernel on one thread and on two of its own that never wait
 * for each other: what the machine had free at that moment. `share_of_control` is the median of ours in units of it;
 * `both_cores_free` counts the turns where the control gained 1.8 or more, with our median in these. All answers are
 * compared in every bit, the first rows with the interpreter's.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { loadAddon } from '../../dist/backends/native/addon.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { Child, compileHandWritten, tryTo } from '../support/hand.mjs';
import {
  ackley,
  batchOf,
  candidates,
  DIMENSION,
  objectiveOf,
  POPULATION,
  rastrigin,
  reference,
  rosenbrock,
} from '../support/objectives.mjs';
import { median, rounded } from '../support/statistics.mjs';

const TURNS = 21;
const TURN_MS = 60;
const LARGE_POPULATION = 65_536;
const REFERENCE_ROWS = 128;
const BOTH_CORES_FREE = 1.8;

/** A kernel on so many threads, its answers compared: `turn(rounds)` gives milliseconds per round. */
async function open(fn, all, threads, tier, expected) {
  const count = all.length / DIMENSION;
  const output = createOutput(count);
  const batch = batchOf(all);
  const kernel = await new NativeBackend({ threads, offload: false, tier }).open(objectiveOf(fn));
  const turn = async (rounds) => {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) await kernel.evaluate(batch, output);
    return (performance.now() - start) / rounds;
  };
  await turn(20);
  expected.forEach((value, i) => {
    if (Object.is(value, output.values[i])) return;
    throw new Error(`${fn.name}, ${tier}, ${threads} threads: row ${i} is ${output.values[i]}, not ${value}`);
  });
  return { turn, values: output.values.slice() };
}

async function compare(fn, all, tier, hand) {
  const one = await open(fn, all, 1, tier, await reference(fn, all, REFERENCE_ROWS));
  const two = await open(fn, all, 2, tier, one.values);
  const rounds = Math.ceil(TURN_MS / (await one.turn(5)));
  const kernel = `${fn.name}-tiles`;
  const handRounds = hand && Math.ceil(TURN_MS / 200 / (await hand.ask(`time ${kernel} 5`, 1))[0]);
  const control = async () => {
    const [alone, shared] = await hand.ask(`threads ${kernel} ${handRounds}`, 2);
    return alone / shared;
  };
  const turns = [];
  let before = hand && (await control());
  for (let k = 0; k < TURNS; k++) {
    const ours = (await one.turn(rounds)) / (await two.turn(rounds));
    const after = hand && (await control());
    turns.push({ ours, control: hand && (before + after) / 2 });
    before = after;
  }
  const middle = (of, among = turns) => (hand && among.length > 0 ? rounded(median(among.map(of))) : null);
  const free = turns.filter((turn) => turn.control >= BOTH_CORES_FREE);
  return {
    objective: fn.name,
    tier,
    candidates: all.length / DIMENSION,
    two_threads_vs_one: rounded(median(turns.map(({ ours }) => ours))),
    control_two_threads_vs_one: middle(({ control }) => control),
    share_of_control: middle(({ ours, control }) => ours / control),
    both_cores_free: hand && free.length,
    two_threads_vs_one_both_cores_free: middle(({ ours }) => ours, free),
  };
}

export async function run() {
  const { addon, reason } = loadAddon();
  const missing = addon ? {} : { native: reason };
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-bench-'));
  let hand = null;
  const results = [];
  try {
    const small = candidates();
    const file = path.join(folder, 'candidates');
    writeFileSync(file, new Uint8Array(small.buffer));
    hand = addon && tryTo(() => new Child(compileHandWritten(folder, 'hand', file), [file]), missing, 'hand-written');
    for (const fn of addon ? [rosenbrock(), rastrigin(), ackley()] : []) {
      for (const tier of ['native-code', 'vm']) {
        for (const all of [small, candidates(LARGE_POPULATION)]) results.push(await compare(fn, all, tier, hand));
      }
    }
  } finally {
    hand?.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const settings = {
    dimension: DIMENSION,
    populations: [POPULATION, LARGE_POPULATION],
    turns: TURNS,
    turn_ms: TURN_MS,
  };
  return { name: 'threads', settings: { ...settings, layout: 'tiles', missing }, results };
}
