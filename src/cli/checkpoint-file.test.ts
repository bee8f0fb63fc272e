import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encode } from '../common/codec.js';
import { runOptimization } from '../engine/run-optimization.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import type { RunTask } from '../model/run-task.js';
import { strategies } from '../planner/all-strategies.js';
import {
  checkNewCheckpoint,
  readCheckpoint,
  writeCheckpoint,
  writeNewCheckpoint,
  type Checkpoint,
} from './checkpoint-file.js';
import { candidateOf } from '../model/candidate-batch.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-checkpoint-'));
  file = path.join(folder, 'c.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const task: RunTask = {
  bounds: [
    [-0, 1],
    [0, 1e-300],
  ],
  maxEvaluations: 40,
  seed: 1,
  direction: 'minimize',
  mode: 'balanced',
  explanationLevel: 1,
};

/** Checkpoint of a real run. */
async function checkpointOf(): Promise<Checkpoint> {
  let last: RunSnapshot | null = null;
  await runOptimization(task, {
    strategies,
    primary: {
      backend: 'test',
      device: 'test',
      evaluate: async (batch, output) => {
        for (let k = 0; k < batch.count; k++) output.values[k] = candidateOf(batch, k)[0]!;
      },
      close: async () => {},
    },
    fallback: null,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'test',
    checkpoint: (snapshot) => (last = snapshot),
  });
  return {
    program: '0.1.0',
    file: 'f.py',
    source: { code: 'def f(x):\n    return x[0] # \u00e9 \u{1f600}\n', entry: 'f', argument: 'list' },
    task,
    blackBox: false,
    pythonMinor: 12,
    evaluations: 40,
    elapsedSeconds: 0.5,
    snapshot: encode(last),
  };
}

/** As whoever knows the form would make it. */
function forge(value: unknown): void {
  const body = encode(value);
  const sha256 = createHash('sha256').update(body).digest('hex');
  writeFileSync(file, `{"format":"extremum checkpoint","version":1,"sha256":"${sha256}","checkpoint":${body}}\n`);
}

describe('a checkpoint file', () => {
  it('gives back what was written, also -0, and leaves no draft', async () => {
    const checkpoint = await checkpointOf();
    writeCheckpoint(file, checkpoint);
    expect(await readCheckpoint(file)).toEqual(checkpoint);
    expect(readdirSync(folder)).toEqual(['c.json']);
  });

  it('is refused wherever one of its bytes is changed, or where it is cut', async () => {
    writeCheckpoint(file, await checkpointOf());
    const whole = readFileSync(file);
    const refused = /was changed, cut short or is damaged|is no checkpoint|version/;
    for (let i = 0; i < whole.length; i += 1 + Math.floor(whole.length / 400)) {
      const flipped = Buffer.from(whole);
      flipped[i] = flipped[i] ^ (1 << (i % 8));
      writeFileSync(file, flipped);
      await expect(readCheckpoint(file)).rejects.toThrow(refused);
      writeFileSync(file, whole.subarray(0, i));
      await expect(readCheckpoint(file)).rejects.toThrow(refused);
    }
    writeFileSync(file, Buffer.concat([whole, Buffer.from('\n')]));
    await expect(readCheckpoint(file)).rejects.toThrow(refused);
  });

  it('is refused where another version wrote it, or it is none', async () => {
    writeCheckpoint(file, await checkpointOf());
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2'));
    await expect(readCheckpoint(file)).rejects.toThrow('is a checkpoint of version 2; this program reads version 1');
    writeFileSync(file, '{}');
    await expect(readCheckpoint(file)).rejects.toThrow('is no checkpoint of extremum optimize');
    await expect(readCheckpoint(folder)).rejects.toThrow('cannot be read: it is a folder.');
    await expect(readCheckpoint('/dev/zero')).rejects.toThrow('cannot be read: it has more than 268435456 bytes.');
  }, 60_000);

  it('is refused where its content is of another kind, although the digest is right', async () => {
    const whole = await checkpointOf();
    const withTask = (more: object): unknown => ({ ...whole, task: { ...task, ...more } });
    const snapshot = JSON.parse(whole.snapshot) as RunSnapshot;
    const contents: unknown[] = [
      ...[null, [], 'text', {}, { ...whole, more: 1 }, { ...whole, pythonMinor: '12; import os' }],
      ...[
        { ...whole, source: { ...whole.source, code: 'x'.repeat(300_000) } },
        { ...whole, file: 7 },
      ],
      ...[
        { ...whole, source: { ...whole.source, results: 2 } },
        { ...whole, snapshot: '{"version":1}' },
      ],
      ...[withTask({ bounds: [] }), withTask({ bounds: [[1, 0]] }), withTask({ bounds: [[0, Infinity]] })],
      ...[withTask({ maxEvaluations: 1.5 }), withTask({ seed: -1 }), withTask({ strategy: '__proto__' })],
      ...[withTask({ initialSolution: [2, 0] }), withTask({ timeoutSeconds: 0 }), withTask({ objectives: 1e9 })],
      { ...whole, snapshot: encode({ ...snapshot, history: 'none' }) },
      { ...whole, snapshot: encode({ ...snapshot, elapsedSeconds: 'long' }) },
      { ...whole, snapshot: encode({ ...snapshot, strategy: { name: 'cma-es', state: null } }) },
    ];
    for (const content of contents) {
      forge(content);
      await expect(readCheckpoint(file), JSON.stringify(content)?.slice(0, 80)).rejects.toThrow('no content of one');
    }
    forge(whole);
    await expect(readCheckpoint(file)).resolves.toEqual(whole);
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const sha256 = createHash('sha256').update(deep).digest('hex');
    writeFileSync(file, `{"format":"extremum checkpoint","version":1,"sha256":"${sha256}","checkpoint":${deep}}\n`);
    await expect(readCheckpoint(file)).rejects.toThrow('no content of one');
  });

  it('is written through a link, keeps its permissions, and stays where it is read-only', async () => {
    const checkpoint = await checkpointOf();
    const link = path.join(folder, 'link.json');
    writeCheckpoint(file, checkpoint);
    chmodSync(file, 0o600);
    symlinkSync('c.json', link);
    writeCheckpoint(link, { ...checkpoint, evaluations: 39 });
    expect(readlinkSync(link)).toBe('c.json');
    expect(lstatSync(file).isFile()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await readCheckpoint(file)).evaluations).toBe(39);
    chmodSync(file, 0o400);
    expect(() => writeCheckpoint(file, checkpoint)).toThrow('it is read-only');
    expect((await readCheckpoint(file)).evaluations).toBe(39);
    expect(readdirSync(folder).sort()).toEqual(['c.json', 'link.json']);
  });

  it('never takes a name that is taken', async () => {
    const checkpoint = await checkpointOf();
    const stem = path.join(folder, 'model');
    symlinkSync('nowhere', `${stem}.checkpoint.json`);
    expect(writeNewCheckpoint(stem, checkpoint)).toBe(`${stem}-2.checkpoint.json`);
    expect(writeNewCheckpoint(stem, checkpoint)).toBe(`${stem}-3.checkpoint.json`);
    for (const taken of [`${stem}.checkpoint.json`, `${stem}-2.checkpoint.json`, folder]) {
      expect(() => checkNewCheckpoint(taken)).toThrow(/exists, and nothing is overwritten/);
    }
    expect(() => checkNewCheckpoint(path.join(folder, 'no', 'c.json'))).toThrow('there is no such folder');
    expect(() => checkNewCheckpoint(`${stem}-2.checkpoint.json/c.json`)).toThrow('that is no folder');
    mkdirSync(path.join(folder, 'there'));
    expect(() => checkNewCheckpoint(path.join(folder, 'there/c.json'))).not.toThrow();
    expect(readdirSync(path.join(folder, 'there'))).toEqual([]);
  });
});
