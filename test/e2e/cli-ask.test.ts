/** `extremum ask`, as a program of its own, its standard input a pipe. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function ask(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [distEntry('cli/main'), 'ask', ...args], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
  });
}

const OPENING =
  'Inventory, how many to order at a time: every order costs us $8, holding a part for a year 22.5 cents.';

describe('extremum ask', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-ask-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('asks for what is missing, and solves the problem at the end of the input', async () => {
    const { code, stdout, stderr } = await ask([OPENING], '1,300 parts a year\n');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/How many units are needed[^]*order_quantity: 304.0467/);
  });

  it('takes the description from the input, and corrections until an empty line', async () => {
    const { code, stdout } = await ask([], `${OPENING}\n1,300 parts a year\nno, 2,600 parts a year\n\nnot read\n`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/order_quantity: 429.987/);
  });

  it('keeps standard output for programs with --json, and saves the problem', async () => {
    const file = join(folder, 'problem.json');
    const { code, stdout, stderr } = await ask([OPENING, '--json', '--seed', '3', '--save', file], '1,300 a year\n');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ problem_type: 'inventory', seed: 3, sense: 'minimize' });
    expect(stderr).toContain('How many units are needed');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      domain: 'supply_chain',
      problem_type: 'inventory',
      config: { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 },
    });
  });

  it('names what is missing where the input ends before', async () => {
    const { code, stdout } = await ask([OPENING], '');
    expect(code).toBe(1);
    expect(stdout).toContain('something is missing: demand_rate');
  });

  it('says what is missing to an empty line, and the sentences before the figures', async () => {
    const { code, stdout } = await ask([OPENING], '\n1,300 parts a year\n');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Still missing: demand rate. How many units are needed/);
    expect(stdout).toMatch(/\n- Order [^]*\norder_quantity: 304.0467/);
  });

  it('shows nothing that acts on a terminal', async () => {
    const { stdout } = await ask([`${OPENING} \u001b[2J\u202e`], '\u001b]0;title\u0007 1,300 a year\n');
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  it('goes on by its rules where the language model is away, and says so', async () => {
    const env = { LANGUAGE_MODEL_URL: 'http://127.0.0.1:9/v1', LANGUAGE_MODEL_NAME: 'none' };
    const { code, stdout } = await ask([OPENING], '1,300 parts a year\n', env);
    expect(code).toBe(0);
    expect(stdout).toContain('The language model did not help: unavailable');
  });

  it.each([
    [['--seed', 'x'], /--seed must be a whole number/],
    [['--colour'], /Unknown argument "--colour"/],
  ])('refuses %j with code 2', async (args, message) => {
    const { code, stderr } = await ask(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
