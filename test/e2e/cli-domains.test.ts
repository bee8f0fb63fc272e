/** `extremum domains`, as a program of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { PROBLEM_TYPES } from '../../src/domains/registry.js';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function extremum(args: readonly string[], input = ''): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [distEntry('cli/main'), 'domains', ...args], { env: {} });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
  });
}

describe('extremum domains', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-domains-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('lists every problem type', async () => {
    const { code, stdout } = await extremum(['list']);
    expect(code).toBe(0);
    for (const { domain, name } of PROBLEM_TYPES) expect(stdout).toContain(`${domain}  ${name}: `);
  });

  it('gives an example, solves it for people, and draws it', async () => {
    const file = join(folder, 'order.json');
    const made = await extremum(['example', 'inventory']);
    writeFileSync(file, made.stdout);
    const pictures = join(folder, 'pictures');
    const solved = await extremum(['solve', file, '--seed', '7', '--pictures', pictures]);
    expect(solved).toMatchObject({ code: 0, stderr: '' });
    expect(solved.stdout).toMatch(
      /^Inventory policies: minimize 68.41052551, proven to be the best\nby closed_form in/,
    );
    expect(solved.stdout).toContain('order_quantity: 304.0467');
    expect(readdirSync(pictures)).toEqual(['cost-curve.svg']);
    expect(readFileSync(join(pictures, 'cost-curve.svg'), 'utf8')).toMatch(/^<svg /);
  });

  it('solves what comes on standard input, for programs', async () => {
    const problem = { problem_type: 'inventory', config: { demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 } };
    const { code, stdout } = await extremum(['solve', '-', '--json'], JSON.stringify(problem));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      domain: 'supply_chain',
      strategy_used: 'closed_form',
      optimality: { status: 'optimal' },
      result: { average_inventory: expect.closeTo(152.02339, 4) },
    });
  });

  it.each([
    [['solve'], '', /^Give one file/],
    [['solve', '/nowhere.json'], '', /cannot be read/],
    [['solve', '-'], '{', /holds no JSON/],
    [['solve', '-'], '{"problem_type":"invntory"}', /did you mean inventory/],
    [['solve', '-'], '{"domain":"moon","problem_type":"inventory"}', /"domain" must be one of/],
    [['solve', '-'], '{"problem_type":"inventory","config":{"fixed_cots":1}}', /Did you mean `fixed_cost`/],
    [['solve', '-', '--mode', 'slow'], '{"problem_type":"inventory","config":{}}', /required|--mode/],
    [['sole'], '', /did you mean solve/],
    [['example', 'inventory', 'eoqq'], '', /has no model "eoqq"/],
  ])('says what is wrong with %j %s', async (args, input, message) => {
    const { code, stdout, stderr } = await extremum(args, input);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
