/** What the seccomp stages, Landlock and the limits refuse, asked with raw system calls from inside. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcherFile } from '../../src/backends/cpython/cpython-backend.js';
import { pythonFile } from '../../src/backends/cpython/interpreter.js';
import { packageRoot } from '../../src/common/dist-entry.js';
import { interpreter, missing, skipWithoutSandbox } from './support.js';

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
/** Numbers from 424 on do not exist before stage 2; x32 calls never. */
const UNKNOWN_BEFORE_STAGE_2 = new Set([
  'clone3',
  'pidfd_open',
  'pidfd_getfd',
  'pidfd_send_signal',
  'open_tree',
  'io_uring_setup',
  'memfd_secret',
  'openat2',
]);

interface Report {
  readonly environment: Record<string, string>;
  readonly limits: Record<string, [number, number]>;
  readonly withoutCapabilities: boolean;
  readonly pid: number;
  readonly session: number;
  readonly descriptors: readonly number[];
  readonly calls: Record<string, number>;
  readonly files: Record<string, number>;
  readonly executable: Record<string, number>;
}

interface Run {
  readonly report: Report;
  readonly stderr: string;
  readonly signal: string | null;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'extremum-sandbox-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** 0: the template; 1 and 2: a worker. */
async function run(stage: 0 | 1 | 2, foreignCalls = false): Promise<Run> {
  if (!interpreter.available) throw new Error(interpreter.reason);
  const worker = (['worker.py', 'template.py'] as const)
    .map((name) => fs.readFileSync(pythonFile(name), 'utf8'))
    .join('')
    .replace(/\nif main\(filters\[0\]\):\n.*\n$/, '\n');
  const attack = fs.readFileSync(path.join(packageRoot(), 'test/sandbox/system-calls.py'), 'utf8');
  const settings = `STAGE = ${stage}\nFOREIGN_CALLS = ${foreignCalls ? 'True' : 'False'}\nWORKER = ${JSON.stringify(worker)}\n`;
  const script = path.join(folder, `stage-${stage}.py`);
  fs.writeFileSync(script, settings + attack);
  const page = fs.openSync(path.join(folder, 'page'), 'w+');
  const extra = fs.openSync('/etc/hostname', 'r'); // a descriptor of ours that must not arrive
  fs.ftruncateSync(page, 4096);
  const child = spawn(
    launcherFile(),
    [
      ...['--parent', String(process.pid), '--python', interpreter.executable, '--script', script],
      ...['--memory', String(2 ** 30), '--cpu', '20', '--seats', '1'],
      ...interpreter.readable.flatMap((file) => ['--read', file]),
      ...interpreter.executables.flatMap((file) => ['--exec', file]),
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe', extra, extra, extra, 'pipe', page, extra, extra],
      env: { ...process.env, EXTREMUM_TEST_SECRET: 'do not tell' },
    },
  );
  fs.closeSync(page);
  fs.closeSync(extra);
  let [answer, stderr] = ['', ''];
  const answers = stage === 0 ? child.stdout! : ((child.stdio as unknown[])[6] as net.Socket);
  answers.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const signal = await new Promise<string | null>((resolve) => child.on('close', (_code, name) => resolve(name)));
  if (answer === '') throw new Error(`no report: ${stderr}`);
  return { report: JSON.parse(answer) as Report, stderr, signal };
}

describe('a process of the launcher', () => {
  skipWithoutSandbox();
  let template: Run;
  let first: Run;
  let second: Run;
  beforeAll(async () => {
    if (missing !== null) return;
    [template, first, second] = [await run(0), await run(1), await run(2)];
  });

  const refusedBeforeStage2 = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, UNKNOWN_BEFORE_STAGE_2.has(name) || name.startsWith('x32') ? ENOSYS : EPERM]),
    );

  it('is refused each dangerous call as a template, but for what it does for its workers', () => {
    const all = Object.keys(first.report.calls);
    const names = all.filter((name) => !['clone (fork)', 'kill', 'setsid'].includes(name));
    expect(names.length).toBe(all.length - 3);
    expect(template.report.calls).toEqual(refusedBeforeStage2(names));
  });

  it('is refused each dangerous call in stage 1', () => {
    expect(first.report.calls).toEqual(refusedBeforeStage2(Object.keys(first.report.calls)));
  });

  it('is refused each dangerous call in stage 2', () => {
    const names = Object.keys(second.report.calls);
    expect(names.length).toBeGreaterThan(40);
    expect(second.report.calls).toEqual(
      Object.fromEntries(names.map((name) => [name, name.startsWith('x32') ? ENOSYS : EPERM])),
    );
  });

  it('opens no file outside the interpreter before stage 2', ({ skip }) => {
    const level = first.report.environment['EXTREMUM_SANDBOX'];
    skip(level.includes('landlock=0'), 'the kernel has no Landlock, or hides it');
    for (const { report } of [template, first]) {
      const { 'write /tmp': write, 'grow the progress page': grow, ...others } = report.files;
      expect([write, grow]).toEqual([EPERM, 27 /* EFBIG */]);
      expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, EACCES])));
    }
  });

  it('opens nothing in stage 2', () => {
    expect(second.report.files).toEqual(
      Object.fromEntries(Object.keys(second.report.files).map((name) => [name, EPERM])),
    );
  });

  it('makes no memory executable in stage 2', () => {
    expect(second.report.executable).toEqual({ mmap: EPERM, mprotect: EPERM });
  });

  it('starts with a fixed environment and none of the service', () => {
    expect(Object.keys(first.report.environment).sort()).toEqual(
      [
        ...[
          'BLIS_NUM_THREADS',
          'EXTREMUM_SANDBOX',
          'EXTREMUM_WARM_UP',
          'HOME',
          'LANG',
          'MKL_NUM_THREADS',
          'NUMEXPR_NUM_THREADS',
        ],
        ...['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED'],
        ...['PYTHONNOUSERSITE', 'PYTHONSAFEPATH', 'PYTHONUTF8', 'TZ'],
      ].sort(),
    );
  });

  it('inherits its own descriptors only', () => {
    // Commands, records, diagnostics; 4, the start data, was read and closed; /dev/null; socket and page of the seat.
    expect(template.report.descriptors).toEqual([0, 1, 2, 5, 6, 7]);
    // The socket twice, diagnostics, the page, /dev/null.
    expect(first.report.descriptors).toEqual([0, 1, 2, 3, 5]);
  });

  it('has its limits, soft equal to hard', () => {
    expect(first.report.limits).toEqual({
      AS: [2 ** 30, 2 ** 30],
      CPU: [20, 20],
      FSIZE: [0, 0],
      NOFILE: [64, 64],
      CORE: [0, 0],
      NPROC: [0, 0],
      MEMLOCK: [0, 0],
      MSGQUEUE: [0, 0],
    });
  });

  it('has no capability, and a session of its own', () => {
    for (const { report } of [template, first]) {
      expect(report.withoutCapabilities).toBe(true);
      expect(report.session).toBe(report.pid);
    }
  });

  it('is killed by a call through the 32-bit gate', async ({ skip }) => {
    skip(process.arch !== 'x64', 'x86-64 only');
    const { signal } = await run(1, true);
    // SIGSEGV where the kernel was built without that gate.
    expect(['SIGSYS', 'SIGSEGV']).toContain(signal);
  });
});
