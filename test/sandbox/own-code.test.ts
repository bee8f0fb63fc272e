/**
 * Rights of code from a file of the user's own (`CodeAccess`): its folder can be read, the rest stays closed; or
 * nothing is confined.
 */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CodeAccess } from '../../src/backends/cpython/worker-spec.js';
import type { CPythonBackend } from '../../src/backends/cpython/cpython-backend.js';
import { evaluate, makeBackend, skipWithoutSandbox } from './support.js';

let root: string;
let folder: string;
let file: string;
const opened: CPythonBackend[] = [];

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'extremum-own-')));
  folder = path.join(root, 'own');
  file = path.join(folder, 'model.py');
  mkdirSync(path.join(folder, 'package'), { recursive: true });
  mkdirSync(path.join(root, 'more'));
  writeFileSync(path.join(folder, 'data.csv'), '1\n2\n4\n');
  writeFileSync(path.join(folder, 'sibling.py'), 'def offset():\n    return 0.5\n');
  writeFileSync(path.join(folder, 'random.py'), 'raise RuntimeError("shadowed")\n');
  writeFileSync(path.join(folder, 'package', '__init__.py'), 'from .part import seven\n');
  writeFileSync(path.join(folder, 'package', 'part.py'), 'def seven():\n    return 7.0\n');
  writeFileSync(path.join(root, 'secret.txt'), 'secret');
  writeFileSync(path.join(root, 'more', 'other.csv'), '8\n');
  symlinkSync(path.join(root, 'secret.txt'), path.join(folder, 'link.txt'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
});

type Outcome = number | { readonly type: string; readonly message: string };

async function valueOf(code: string, access: CodeAccess): Promise<Outcome> {
  const backend = makeBackend({ access });
  opened.push(backend);
  const { values, failures } = await evaluate(backend, code);
  const [failure] = failures;
  return failure === undefined ? values[0] : { type: failure.type, message: failure.message };
}

/** Command line of a process; nothing of an entry that is none. */
function commandOf(entry: string): string[] {
  try {
    return [readFileSync(path.join('/proc', entry, 'cmdline'), 'utf8')];
  } catch {
    return [];
  }
}

const own = (readable: readonly string[] = []): CodeAccess => ({ kind: 'folder', file, readable });
const body = (...lines: string[]): string => `import os\ndef f(x):\n${lines.map((line) => `    ${line}\n`).join('')}`;

describe('code from a file of the user', () => {
  skipWithoutSandbox();

  it('reads data and modules beside it, at its module level and when it is called', async () => {
    const code = `
import os, random, sibling
from package import seven
here = os.path.dirname(__file__)
first = [float(line) for line in open(os.path.join(here, 'data.csv'))]
def f(x):
    import package.part
    late = [float(line) for line in open('data.csv')]
    return sum(first) + 10 * sum(late) + sibling.offset() + seven() + package.part.seven() + 0 * random.random()
`;
    expect(await valueOf(code, own())).toBe(7 + 70 + 0.5 + 14);
  });

  it('reads what else it was allowed, and nothing more', async () => {
    const other = path.join(root, 'more', 'other.csv');
    const code = body(`return float(open(${JSON.stringify(other)}).read())`);
    expect(await valueOf(code, own())).toMatchObject({ type: 'PermissionError' });
    expect(await valueOf(code, own([path.join(root, 'more')]))).toBe(8);
    expect(await valueOf(code, own([other]))).toBe(8);
    const secret = body(`return len(open(${JSON.stringify(path.join(root, 'secret.txt'))}).read())`);
    expect(await valueOf(secret, own([path.join(root, 'more')]))).toMatchObject({ type: 'PermissionError' });
  });

  it.each([
    ['follows no link out of the folder', `return len(open('link.txt').read())`],
    ['climbs out of it by no path', `return len(open('../secret.txt').read())`],
    ['lists nothing above it', `return len(os.listdir('..'))`],
    ['reads no password file', `return len(open('/etc/passwd').read())`],
    ['reads nothing of a process', `return len(open('/proc/self/environ').read())`],
    ['writes no file beside it', `open('new.txt', 'w')`],
    ['overwrites none', `open('data.csv', 'a').write('8')`],
    ['deletes none', `os.unlink('data.csv')`],
    ['renames none', `os.rename('data.csv', 'old.csv')`],
    ['makes no folder', `os.mkdir('new')`],
    ['forks no process', `return os.fork()`],
    ['runs no command', `return os.system('true')`],
    ['signals nobody', `os.kill(os.getppid(), 9)`],
    ['opens no socket', `import socket; socket.socket()`],
    ['opens no socket of a family of its own', `import socket; socket.socket(socket.AF_UNIX)`],
  ])('%s', async (_name, line) => {
    expect(await valueOf(body(line), own())).toMatchObject({ type: 'PermissionError' });
    expect(readdirSync(folder).sort()).toEqual(['data.csv', 'link.txt', 'package', 'random.py', 'sibling.py']);
  });

  it('runs no other program through subprocess', async () => {
    const code = 'import subprocess\ndef f(x):\n    return subprocess.run(["true"]).returncode\n';
    expect(await valueOf(code, own())).toMatchObject({ type: 'PermissionError' });
  });

  it('finds no secret of its starter in the environment', async () => {
    process.env['EXTREMUM_TEST_SECRET'] = 'secret';
    try {
      expect(await valueOf(body(`return 'EXTREMUM_TEST_SECRET' in os.environ`), own())).toBe(0);
    } finally {
      delete process.env['EXTREMUM_TEST_SECRET'];
    }
  });

  it('that is a stranger’s reads no folder, though it lies there', async () => {
    expect(await valueOf(body(`return len(open('data.csv').read())`), { kind: 'stranger' })).toMatchObject({
      type: 'PermissionError',
    });
    expect(await valueOf(body('return len(__file__)'), { kind: 'stranger' })).toMatchObject({ type: 'NameError' });
  });

  it('that is not confined writes, starts processes and threads, connects', async () => {
    const server = net.createServer((socket) => socket.end('5'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as net.AddressInfo;
    const code = `
import socket, subprocess, threading
def f(x):
    open('made.txt', 'w').write('1')
    got = []
    thread = threading.Thread(target=lambda: got.append(2))
    thread.start()
    thread.join()
    out = subprocess.run(['echo', '3'], capture_output=True, text=True).stdout
    with socket.create_connection(('127.0.0.1', ${port})) as peer:
        return float(open('made.txt').read()) + got[0] + float(out) + float(peer.recv(1))
`;
    try {
      expect(await valueOf(code, { kind: 'all', file })).toBe(11);
    } finally {
      rmSync(path.join(folder, 'made.txt'), { force: true });
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('takes the processes that it has started along when it is stopped', async () => {
    const seconds = `31${process.pid}.5`;
    const backend = makeBackend({ access: { kind: 'all', file }, evaluationTimeoutMs: 500 });
    opened.push(backend);
    const code = `import subprocess\ndef f(x):\n    return subprocess.run(['sleep', '${seconds}']).returncode\n`;
    const { failures } = await evaluate(backend, code);
    expect(failures[0]?.type).toBe('TimeLimit');
    await backend.close();
    const commands = readdirSync('/proc').flatMap((entry) => commandOf(entry));
    expect(commands.filter((command) => command.includes(seconds))).toEqual([]);
  });
});
