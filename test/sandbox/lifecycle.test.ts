/** What happens to a run when its Python process hangs, dies, lies or is cut off; and that nothing is left behind. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/backends/backend.js';
import { distEntry } from '../../src/common/dist-entry.js';
import {
  descendantsOf,
  evaluate,
  hasNumpy,
  hasScipy,
  isRunning,
  makeBackend,
  skipWithoutSandbox,
  withoutNumpy,
  withoutScipy,
  objective,
  python,
  until,
} from './support.js';

const backend = makeBackend({
  evaluationTimeoutMs: 300,
  loadTimeoutMs: 1_500,
  memoryBytes: 512 * 1024 ** 2,
  spares: 2,
});
afterAll(() => backend.close());

/** Rows 0..4; `misdeed` happens at row 2, every other row gives its own number. */
const atRowTwo = (misdeed: string, imports = 'import os') =>
  `${imports}\ndef misdeed():\n    ${misdeed}\ndef f(x):\n    if x[0] == 2:\n        misdeed()\n    return x[0]\n`;
const FIVE_ROWS = [[0], [1], [2], [3], [4]];

const timeLimit = { type: 'TimeLimit', message: /^the evaluation took longer than 0\.3 s and was stopped$/ };
const breach = { type: 'ProcessLost', message: /^the Python process broke the protocol: / };
const exited = (status: number) => ({ type: 'ProcessLost', message: new RegExp(`exited with status ${status}$`) });

const MISDEEDS: readonly { name: string; code: string; expected: { type: string; message: RegExp } }[] = [
  { name: 'loops for ever', code: atRowTwo('while True: pass'), expected: timeLimit },
  {
    name: 'loops and catches everything',
    code: atRowTwo('\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass'),
    expected: timeLimit,
  },
  { name: 'loops in native code', code: atRowTwo('return 3 ** (10 ** 9)'), expected: timeLimit },
  { name: 'makes an integer of a hundred million digits', code: atRowTwo('return 10 ** 10 ** 8'), expected: timeLimit },
  {
    name: 'loops in a hook of the garbage collector',
    code: atRowTwo(
      `
    def hook(*_):
        while True: pass
    gc.callbacks.append(hook)
    gc.collect()`,
      'import gc',
    ),
    expected: timeLimit,
  },
  {
    name: 'loops in a finalizer',
    code: `class Clinging:\n    def __del__(self):\n        while True: pass\n${atRowTwo('Clinging()')}`,
    expected: timeLimit,
  },
  {
    name: 'loops in a regular expression',
    code: atRowTwo(`re.match('(a+)+$', 'a' * 50 + 'b')`, 'import re'),
    expected: timeLimit,
  },
  { name: 'sleeps', code: atRowTwo('time.sleep(1000)', 'import time'), expected: timeLimit },
  { name: 'prints without end', code: atRowTwo(`\n    while True: print('x' * 10000)`), expected: timeLimit },
  {
    name: 'loops in the text of its exception',
    code: `class Sly(Exception):\n    def __str__(self):\n        while True: pass\n${atRowTwo('raise Sly')}`,
    expected: timeLimit,
  },
  { name: 'exits', code: atRowTwo('os._exit(3)'), expected: exited(3) },
  {
    name: 'floods every descriptor',
    code: atRowTwo(`
    while True:
        for fd in range(64):
            try: os.write(fd, b'\\xff' * 65536)
            except OSError: pass`),
    expected: breach,
  },
  {
    name: 'forges a results frame without the nonce',
    code: atRowTwo(
      `
    frame = struct.pack('<IB', 16 + 12 + 9 + 2, 13) + bytes(16) + struct.pack('<III', 1, 0, 1) + bytes(9) + b'[]'
    for fd in range(3, 64):
        try: os.write(fd, frame)
        except OSError: pass
    while True: pass`,
      'import os, struct',
    ),
    expected: breach,
  },
  {
    name: 'finds the nonce and answers for more rows than there are',
    code: atRowTwo(
      `
    channel = next(o for o in gc.get_objects() if type(o).__name__ == 'Channel')
    channel.send(13, struct.pack('<III', 1, 0, 1000) + bytes(9000) + b'[]')
    while True: pass`,
      'import gc, struct',
    ),
    expected: breach,
  },
];

describe('an objective that', () => {
  skipWithoutSandbox();
  it.each(MISDEEDS)('$name loses that candidate only', async ({ code, expected }) => {
    const output = await evaluate(backend, code, FIVE_ROWS);
    expect(output.failures).toHaveLength(1);
    const [failure] = output.failures;
    expect(failure).toMatchObject({
      type: expected.type,
      message: expect.stringMatching(expected.message) as string,
      line: 0,
    });
    // A breach is noticed while the process goes on, so a later row may be the one that is blamed.
    if (expected !== breach) expect(failure.index).toBe(2);
    expect(Array.from(output.status).filter((status) => status !== 0)).toEqual([255]);
    for (const row of [0, 1, 3, 4]) expect(output.values[row]).toBe(row);
  });

  it('overflows the C stack is refused or loses that candidate only', async () => {
    const code = atRowTwo(
      '\n    def g(n): return list(map(g, [n]))\n    g(0)',
      'import sys\nsys.setrecursionlimit(10**8)',
    );
    const output = await evaluate(backend, code, FIVE_ROWS);
    // CPython 3.12 counts C recursion apart from the limit that a program may raise.
    expect(['RecursionError', 'ProcessLost']).toContain(output.failures[0].type);
    expect(output.failures[0].index).toBe(2);
    expect(output.values[4]).toBe(4);
  });

  it('claims progress that it does not make is stopped all the same', async () => {
    const code = atRowTwo(
      `
    frames = [sys._getframe(depth) for depth in range(6)]
    page = next(v for frame in frames for v in frame.f_locals.values() if type(v) is memoryview and v.format == 'Q')
    while True: page[0] += 1`,
      'import sys',
    );
    const output = await evaluate(backend, code, FIVE_ROWS);
    expect(output.failures.length).toBeGreaterThan(0);
    for (const failure of output.failures) expect(failure.type).toBe('TimeLimit');
    expect(output.status[2]).toBe(255);
  });

  it('hangs now and then loses those candidates only, however many', async () => {
    const rows = Array.from({ length: 20 }, (_, row) => [row]);
    const output = await evaluate(backend, 'def f(x):\n    while x[0] % 4 == 3: pass\n    return x[0]', rows);
    expect(output.failures.map(({ index }) => index)).toEqual([3, 7, 11, 15, 19]);
    expect(output.values[18]).toBe(18);
  });

  it('never answers fails the whole batch after three lost processes', async () => {
    const rows = Array.from({ length: 40 }, (_, row) => [row]);
    const started = performance.now();
    const output = await evaluate(backend, 'def f(x):\n    while True: pass', rows);
    expect(output.failures.map(({ type }) => type)).toEqual(rows.map(() => 'TimeLimit'));
    expect(output.failures.map(({ index }) => index)).toEqual(rows.map((_, row) => row));
    expect(performance.now() - started).toBeLessThan(40 * 300);
  });

  it('uses up its processor time is killed although it catches the signal', async () => {
    const strict = makeBackend({ cpuSeconds: 1, maxLossesInRow: 1 });
    const code = 'import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\ndef f(x):\n    while True: pass';
    const output = await evaluate(strict, code);
    await strict.close();
    expect(output.failures).toMatchObject([
      { type: 'ProcessLost', message: expect.stringContaining('1 s of processor time') as string },
    ]);
  });

  it.each([
    {
      name: 'loops while loading',
      code: 'while True: pass',
      message: 'TimeLimit: loading took longer than 1.5 s and was stopped',
    },
    {
      name: 'exits while loading',
      code: 'import os\nos._exit(0)',
      message: 'ProcessLost: the Python process exited with status 0',
    },
    {
      name: 'runs a command while loading',
      code: `import os\nos.system('id')`,
      message: 'PermissionError: [Errno 1] Operation not permitted: an objective runs no commands (line 2)',
    },
    {
      name: 'needs too much memory while loading',
      code: 'hoard = []\nwhile True: hoard.append(bytes(10**7))',
      message: 'MemoryLimit: the memory limit was reached (line 2)',
    },
  ])('$name is rejected', async ({ code, message }) => {
    await expect(backend.open(objective(`${code}\ndef f(x): return 1`))).rejects.toMatchObject({
      code: 'objective_rejected',
      message,
    });
  });

  it.each([
    { name: 'parentheses', code: `f = lambda x: ${'('.repeat(50_000)}x[0]${')'.repeat(50_000)}` },
    { name: 'signs', code: `f = lambda x: ${'-'.repeat(100_000)}x[0]` },
    { name: 'brackets of one list', code: `f = lambda x: ${'['.repeat(5_000)}x[0]${']'.repeat(5_000)}` },
    { name: 'attributes', code: `f = lambda x: x${'.a'.repeat(100_000)}` },
    { name: 'indentation', code: Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}if 1:`).join('\n') },
  ])('is a parser bomb of $name is rejected', async ({ code }) => {
    await expect(backend.open(objective(code))).rejects.toMatchObject({ code: 'objective_rejected' });
  });
});

const PID = 'import os\ncalls = 0\ndef f(x):\n    return os.getpid()';

describe('the CPython backend', () => {
  skipWithoutSandbox();
  it('gives every run a process that nobody used before', async () => {
    const pids = new Set<number>();
    for (let run = 0; run < 4; run++) pids.add((await evaluate(backend, PID)).values[0]);
    expect(pids.size).toBe(4);
  });

  it('lets no state pass from one run to the next', async () => {
    const counting =
      'import math, builtins\ncount = getattr(math, "count", 0)\ndef f(x):\n    math.count = math.__dict__.get("count", 0) + 1\n    builtins.sum = None\n    return count + math.count';
    const kernels = [await backend.open(objective(counting)), await backend.open(objective(counting))];
    for (const kernel of kernels) {
      const output = createOutput(3);
      await kernel.evaluate({ candidates: new Float64Array(3), count: 3, dimension: 1 }, output);
      expect(Array.from(output.values)).toEqual([1, 2, 3]);
    }
    await Promise.all(kernels.map((kernel) => kernel.close()));
  });

  it('ends the process when the kernel closes, whatever the objective registered for that', async () => {
    const code =
      'import atexit, os\nclass Clinging:\n    def __del__(self):\n        while True: pass\nkeep = Clinging()\ndef forever():\n    while True: pass\natexit.register(forever)\ndef f(x):\n    return os.getpid()';
    const output = await evaluate(backend, code);
    expect(isRunning(output.values[0])).toBe(false);
  });

  it('stops an evaluation that is cancelled, and can evaluate again', async () => {
    const patient = makeBackend();
    const kernel = await patient.open(objective('def f(x):\n    while x[0] < 0: pass\n    return x[0]'));
    const controller = new AbortController();
    const stuck = kernel.evaluate(
      { candidates: Float64Array.of(-1), count: 1, dimension: 1 },
      createOutput(1),
      controller.signal,
    );
    setTimeout(() => controller.abort(), 50);
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
    const output = createOutput(1);
    await kernel.evaluate({ candidates: Float64Array.of(5), count: 1, dimension: 1 }, output);
    expect(output.values[0]).toBe(5);
    await patient.close();
  });

  it('rejects what is under way, and everything later, when the kernel closes', async () => {
    const patient = makeBackend();
    const kernel = await patient.open(objective('def f(x):\n    while True: pass'));
    const stuck = kernel.evaluate({ candidates: Float64Array.of(1), count: 1, dimension: 1 }, createOutput(1));
    const outcome = expect(stuck).rejects.toMatchObject({ code: 'backend_lost' });
    await kernel.close();
    await outcome;
    const late = kernel.evaluate({ candidates: Float64Array.of(1), count: 1, dimension: 1 }, createOutput(1));
    await expect(late).rejects.toMatchObject({ code: 'backend_lost' });
    await patient.close();
    await expect(patient.open(objective('def f(x): return 1'))).rejects.toMatchObject({ code: 'backend_lost' });
  });

  it('serves more runs at once than one template has seats', async () => {
    const busy = makeBackend({ spares: 1 });
    const kernels = await Promise.all(Array.from({ length: 40 }, () => busy.open(objective(PID))));
    const pids = new Set<number>();
    for (const kernel of kernels) {
      const output = createOutput(1);
      await kernel.evaluate({ candidates: Float64Array.of(1), count: 1, dimension: 1 }, output);
      pids.add(output.values[0]);
    }
    expect(pids.size).toBe(40);
    await expect.poll(() => busy.counts(), { timeout: 5_000 }).toEqual({ busy: 40, spare: 1 });
    await Promise.all(kernels.map((kernel) => kernel.close()));
    await busy.close();
    expect(busy.counts()).toEqual({ busy: 0, spare: 0 });
  });

  it('gives processes that have SciPy, once a source has imported it', async ({ skip }) => {
    skip(!hasScipy, withoutScipy);
    const warm = makeBackend({ spares: 1 });
    const code = 'import sys\nfrom scipy.special import erf\ndef f(x): return "scipy.optimize" in sys.modules';
    expect((await evaluate(warm, code)).values[0]).toBe(0);
    await expect.poll(() => warm.counts(), { timeout: 10_000 }).toEqual({ busy: 0, spare: 2 });
    expect((await evaluate(warm, code)).values[0]).toBe(1);
    // More than there are spares.
    const several = await Promise.all([1, 2, 3].map(() => evaluate(warm, code)));
    expect(several.map(({ values }) => values[0])).toEqual([1, 1, 1]);
    await warm.close();
  });

  it('leaves no descriptor and no process open', async () => {
    const before = fs.readdirSync('/proc/self/fd').length;
    const brief = makeBackend();
    const pids: number[] = [];
    for (let run = 0; run < 3; run++) pids.push((await evaluate(brief, PID)).values[0]);
    await brief.close();
    expect(pids.filter(isRunning)).toEqual([]);
    expect(await until(() => fs.readdirSync('/proc/self/fd').length <= before)).toBe(true);
  });

  it('keeps all its processes from surviving a service that was killed', async () => {
    const entry = pathToFileURL(distEntry('backends/cpython/cpython-backend')).href;
    const script = `
      const { createCPythonBackend } = await import(${JSON.stringify(entry)});
      const backend = createCPythonBackend({ python: ${JSON.stringify(python)}, spares: 2 });
      const source = { code: 'def f(x):\\n    while True: pass', entry: 'f', argument: 'list' };
      const kernel = await backend.open({ source, dimension: 1, ir: null });
      const output = { values: new Float64Array(1), status: new Uint8Array(1), failures: [] };
      void kernel.evaluate({ candidates: new Float64Array(1), count: 1, dimension: 1 }, output);
      setTimeout(() => console.log('ready'), 300);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve, reject) => {
      service.stdout.once('data', resolve);
      service.once('exit', () => reject(new Error('the service did not start; is dist/ built?')));
    });
    const children = descendantsOf(service.pid!);
    expect(children.length).toBeGreaterThanOrEqual(3); // the template and two of its workers
    service.kill('SIGKILL');
    expect(await until(() => !children.some(isRunning))).toBe(true);
  });

  it('keeps an event loop alive while someone waits, and not for an idle kernel or spares', async () => {
    const entry = pathToFileURL(distEntry('backends/cpython/cpython-backend')).href;
    const script = `
      const { createCPythonBackend } = await import(${JSON.stringify(entry)});
      const backend = createCPythonBackend({ python: ${JSON.stringify(python)}, spares: 1 });
      const source = { code: 'def f(x): return 1', entry: 'f', argument: 'list' };
      const kernel = await backend.open({ source, dimension: 1, ir: null });
      await kernel.close();
      console.log('closed');
      await backend.open({ source, dimension: 1, ir: null });
      console.log('opened');`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    service.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const status = await new Promise((resolve) => service.once('exit', resolve));
    expect([status, printed]).toEqual([0, 'closed\nopened\n']);
  });

  it('adds no listener with each batch', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    const kernel = await backend.open(objective('def f(x): return 1'));
    for (let round = 0; round < 50; round++)
      await kernel.evaluate({ candidates: Float64Array.of(1), count: 1, dimension: 1 }, createOutput(1));
    await kernel.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('takes batches larger than one request', async ({ skip }) => {
    skip(!hasNumpy, withoutNumpy);
    const rows = Array.from({ length: 3_000 }, (_, row) => Array.from({ length: 60 }, () => row));
    const output = await evaluate(backend, 'import numpy as np\ndef f(x): return np.sum(x)', rows, {
      argument: 'ndarray',
    });
    expect(Array.from(output.values)).toEqual(rows.map((_, row) => row * 60));
  });
});
