/**
 * What uploaded code must not reach: each attack runs as an objective in a real process and meets its exact refusal.
 *
 * Elsewhere: system calls that Python has no function for (mount, ptrace, process_vm_readv, io_uring, userfaultfd,
 * keyrings, memfd_create, ...) in system-calls.test.ts; hanging, crashing, flooding, forging frames, parser bombs,
 * orphans and state left for the next run in lifecycle.test.ts; what is inherited from, and shared with, the template
 * and its other workers in template.test.ts; odd results in results.test.ts. Clocks stay readable: docs/sandbox.md.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutput, type EvaluationOutput } from '../../src/backends/backend.js';
import {
  evaluate,
  hasNumpy,
  hasScipy,
  makeBackend,
  missing,
  skipWithoutSandbox,
  objective,
  withoutScipy,
} from './support.js';

const DENIED = /^\[Errno 1\] Operation not permitted/;
const permission = { type: 'PermissionError', message: DENIED };
const noThread = { type: 'RuntimeError', message: /^can't start new thread/ };
const late = (name: string) => ({
  type: 'ImportError',
  message: new RegExp(`^${name} cannot be imported while the objective runs; name it in an import statement`),
});
const refused = (name: string) => ({
  type: 'ImportError',
  message: new RegExp(`^${name} is not available to objectives`),
});

interface Attack {
  readonly name: string;
  /** Body of a function; what it returns is the value. */
  readonly body: string;
  readonly expected: { readonly type: string; readonly message: RegExp } | number;
  readonly needsNumpy?: boolean;
}

const ATTACKS: readonly Attack[] = [
  // Files
  { name: 'reads no file', body: `return len(open('/etc/passwd').read())`, expected: permission },
  {
    name: 'reads no file of the interpreter either',
    body: `return len(open(os.__file__).read())`,
    expected: permission,
  },
  { name: 'reads no /proc/self/environ', body: `return len(open('/proc/self/environ').read())`, expected: permission },
  { name: 'reads no other process', body: `return len(open('/proc/1/cmdline').read())`, expected: permission },
  { name: 'lists no /proc', body: `return len(os.listdir('/proc'))`, expected: permission },
  { name: 'lists no /sys', body: `return len(os.listdir('/sys'))`, expected: permission },
  { name: 'does not learn which files exist', body: `return os.stat('/etc/shadow').st_size`, expected: permission },
  { name: 'creates no file', body: `open('/tmp/extremum-attack', 'w')`, expected: permission },
  { name: 'makes no symbolic link', body: `os.symlink('/etc/passwd', '/tmp/extremum-attack')`, expected: permission },
  { name: 'makes no hard link', body: `os.link('/etc/passwd', '/tmp/extremum-attack')`, expected: permission },
  { name: 'makes no folder', body: `os.mkdir('/tmp/extremum-attack')`, expected: permission },
  { name: 'changes no mode', body: `os.chmod('/tmp', 0o777)`, expected: permission },
  { name: 'changes no owner', body: `os.chown('/tmp', 0, 0)`, expected: permission },
  {
    name: 'makes no device',
    body: `os.mknod('/tmp/extremum-attack', 0o600 | stat.S_IFCHR, os.makedev(1, 5))`,
    expected: permission,
  },
  { name: 'removes no file', body: `os.unlink('/etc/hostname')`, expected: permission },
  { name: 'renames no file', body: `os.rename('/etc/hostname', '/etc/x')`, expected: permission },
  { name: 'changes no root', body: `os.chroot('/tmp')`, expected: permission },
  { name: 'makes no memory file', body: `os.memfd_create('x')`, expected: permission },
  { name: 'makes no pipe', body: `os.pipe()`, expected: permission },
  // Secrets
  {
    name: 'finds none of the service environment',
    body: `return sum(name.startswith(('EXTREMUM_TEST', 'PATH', 'USER', 'NODE')) for name in os.environ)`,
    expected: 0,
  },
  {
    name: 'reads no terminal',
    body: `return len(input())`,
    expected: { type: 'EOFError', message: /EOF when reading/ },
  },
  // Network
  { name: 'opens no TCP socket', body: `socket.socket(socket.AF_INET, socket.SOCK_STREAM)`, expected: permission },
  { name: 'opens no UDP socket', body: `socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)`, expected: permission },
  {
    name: 'opens no MPTCP socket',
    body: `socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)`,
    expected: permission,
  },
  { name: 'opens no UNIX socket', body: `socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)`, expected: permission },
  { name: 'opens no netlink socket', body: `socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)`, expected: permission },
  { name: 'makes no socket pair', body: `socket.socketpair()`, expected: permission },
  { name: 'connects nowhere', body: `socket.create_connection((b'127.0.0.1', 80))`, expected: permission },
  {
    name: 'resolves no name',
    body: `socket.getaddrinfo(b'example.org', 80)`,
    expected: { type: 'gaierror', message: /^\[Errno -\d+\]/ },
  },
  // Processes
  { name: 'forks no process', body: `os.fork()`, expected: permission },
  { name: 'forks no bomb', body: `\n    while True:\n        os.fork()`, expected: permission },
  { name: 'starts no thread', body: `threading.Thread(target=print).start()`, expected: noThread },
  {
    name: 'starts no bomb of threads',
    body: `\n    while True:\n        _thread.start_new_thread(print, ())`,
    expected: noThread,
  },
  { name: 'runs no subprocess', body: `subprocess.run(['/bin/true'])`, expected: permission },
  { name: 'runs no shell', body: `return os.system('true')`, expected: permission },
  { name: 'executes no program', body: `os.execv('/bin/true', ['true'])`, expected: permission },
  { name: 'executes not even the interpreter', body: `os.execv(sys.executable, ['python'])`, expected: permission },
  { name: 'executes nothing by its descriptor', body: `os.execve(0, ['x'], {})`, expected: permission },
  { name: 'signals no parent', body: `os.kill(os.getppid(), signal.SIGKILL)`, expected: permission },
  { name: 'signals no group', body: `os.killpg(0, signal.SIGKILL)`, expected: permission },
  { name: 'signals not everyone', body: `os.kill(-1, signal.SIGKILL)`, expected: permission },
  { name: 'leaves no session', body: `os.setsid()`, expected: permission },
  { name: 'changes no identity', body: `os.setuid(0)`, expected: permission },
  { name: 'changes no priority', body: `os.nice(-5)`, expected: permission },
  // Limits
  {
    name: 'raises no limit of its own',
    body: `resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))`,
    expected: { type: 'ValueError', message: /^not allowed to raise maximum limit$/ },
  },
  {
    name: 'sets no timer',
    body: `signal.setitimer(signal.ITIMER_REAL, 0.01)`,
    expected: { type: 'itimer_error', message: DENIED },
  },
  {
    name: 'holds no more memory than its limit, on the heap',
    body: `\n    hoard = []\n    while True:\n        hoard.append(bytearray(10**7))`,
    expected: { type: 'MemoryLimit', message: /./ },
  },
  {
    name: 'holds no more memory than its limit, mapped',
    body: `mmap.mmap(-1, 1 << 40)`,
    expected: { type: 'OSError', message: /Cannot allocate memory/ },
  },
  {
    name: 'holds no integer of 2^40 bits',
    body: `return 1 << (1 << 40)`,
    expected: { type: 'MemoryLimit', message: /./ },
  },
  {
    name: 'holds no more memory than its limit, in a regular expression',
    body: `return re.match('(?:(a)|(b))*', 'a' * 10**8).end()`,
    expected: { type: 'MemoryLimit', message: /./ },
  },
  {
    name: 'holds no array of 8 TB',
    body: `return sys.modules['numpy'].ones(10**12).sum()`,
    expected: { type: 'MemoryLimit', message: /Unable to allocate/ },
    needsNumpy: true,
  },
  {
    name: 'recurses no deeper than the interpreter allows',
    body: `\n    def g(n):\n        return g(n + 1)\n    return g(0)`,
    expected: { type: 'RecursionError', message: /maximum recursion depth/ },
  },
  // Native code
  {
    name: 'makes no memory executable',
    body: `mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)`,
    expected: permission,
  },
  { name: 'imports no ctypes', body: `import ctypes`, expected: refused('ctypes') },
  { name: 'imports no ctypes by name', body: `importlib.import_module('ctypes')`, expected: refused('ctypes') },
  { name: 'imports no cffi', body: `import cffi`, expected: refused('cffi') },
  { name: 'imports nothing late', body: `importlib.import_module('wave')`, expected: late('wave') },
  {
    name: 'loads no extension by path',
    body: `importlib.machinery.ExtensionFileLoader('evil', '/tmp/evil.so').create_module(importlib.machinery.ModuleSpec('evil', None, origin='/tmp/evil.so'))`,
    expected: { type: 'ImportError', message: /Operation not permitted|cannot open shared object file/ },
  },
  // Ends of the interpreter
  { name: 'ends with SystemExit as a failure', body: `sys.exit(3)`, expected: { type: 'SystemExit', message: /^3$/ } },
  {
    name: 'cannot hide in KeyboardInterrupt',
    body: `raise KeyboardInterrupt`,
    expected: { type: 'KeyboardInterrupt', message: /^$/ },
  },
  {
    name: 'cannot break the report with its own exception',
    body: `\n    class Sly(Exception):\n        def __str__(self):\n            raise ValueError\n    raise Sly`,
    expected: { type: 'Sly', message: /no printable message/ },
  },
  {
    name: 'reports long messages cut',
    body: `raise ValueError('x' * 10**6)`,
    expected: { type: 'ValueError', message: /^x{499}…$/ },
  },
  {
    name: 'runs nothing outside by converting its result',
    body: `\n    class Sly:\n        def __float__(self):\n            return float(os.fork())\n    return Sly()`,
    expected: permission,
  },
  {
    name: 'hands no pickle to the service',
    body: `\n    class Sly:\n        def __reduce__(self):\n            return (os.system, ('touch /tmp/extremum-attack',))\n    return Sly()`,
    expected: { type: 'NonNumericResult', message: /of type Sly instead of a number/ },
  },
  {
    name: 'is not heard by way of a warning, a hook or a profile',
    body: `\n    sys.excepthook = sys.unraisablehook = print\n    import warnings\n    warnings.warn('x' * 10**6)\n    return 7`,
    expected: 7,
  },
  {
    name: 'writes errors into nothing',
    body: `\n    sys.stderr.write('x' * 10**7)\n    sys.stderr.flush()\n    return os.write(2, b'x' * 10**6)`,
    expected: 10 ** 6,
  },
  { name: 'prints into nothing', body: `\n    print('x' * 10**7, flush=True)\n    return 7`, expected: 7 },
];

const usable = ATTACKS.filter(({ needsNumpy }) => needsNumpy !== true || hasNumpy);

const source = [
  'import _thread, importlib, importlib.machinery, mmap, os, re, resource, signal, socket, stat, subprocess, sys, threading, warnings',
  ...(hasNumpy ? ['import numpy'] : []),
  ...usable.map(({ body }, index) => `def attack_${index}():\n    ${body.trimStart()}`),
  'def f(x):',
  "    return globals()[f'attack_{int(x[0])}']()",
].join('\n');

describe('uploaded code', () => {
  skipWithoutSandbox();
  const backend = makeBackend({ memoryBytes: 512 * 1024 ** 2, spares: 0 });
  const output: EvaluationOutput = createOutput(usable.length);

  beforeAll(async () => {
    if (missing !== null) return;
    process.env['EXTREMUM_TEST_SECRET'] = 'do not tell';
    const kernel = await backend.open(objective(source));
    const candidates = Float64Array.from(usable.keys());
    await kernel.evaluate({ candidates, count: usable.length, dimension: 1 }, output);
    await kernel.close();
  });
  afterAll(() => backend.close());

  it.each(usable.map((attack, index) => ({ ...attack, index })))('$name', ({ expected, index }) => {
    const failure = output.failures.find((entry) => entry.index === index);
    if (typeof expected === 'number') {
      expect(failure).toBeUndefined();
      expect(output.values[index]).toBe(expected);
    } else {
      expect(failure).toMatchObject({
        type: expected.type,
        message: expect.stringMatching(expected.message) as string,
      });
    }
  });
});

/** SciPy needs ctypes, so a source that imports SciPy can find it: what native memory access is then good for. */
describe('uploaded code with ctypes in its hands', () => {
  skipWithoutSandbox();
  const backend = makeBackend({ spares: 0 });
  afterAll(() => backend.close());
  const HEAD = `import mmap, sys
import scipy.integrate
ctypes = sys.modules.get('ctypes')
libc = ctypes.CDLL(None, use_errno=True)
page = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
def tried(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    return ctypes.get_errno() if result == -1 else 0
`;
  const EPERM = 1;

  it('calls nothing of the kernel that the filter does not permit', async ({ skip }) => {
    skip(!hasScipy, withoutScipy);
    const calls = [
      `'mprotect', address, 4096, 5`,
      `'open', b'/etc/passwd', 0`,
      `'socket', 2, 1, 0`,
      `'fork'`,
      `'execv', b'/bin/true', 0`,
      `'kill', 1, 9`,
      `'ptrace', 16, 1, 0, 0`,
      `'mount', b'none', b'/tmp', b'tmpfs', 0, 0`,
      `'prctl', 22, 2, address, 0, 0`,
      `'setuid', 0`,
      `'memfd_create', b'x', 0`,
    ];
    const code = `${HEAD}calls = [\n${calls.map((call) => `    lambda: tried(${call}),\n`).join('')}]\ndef f(x):\n    return calls[int(x[0])]()`;
    const output = await evaluate(
      backend,
      code,
      calls.map((_, index) => [index]),
    );
    expect(output.failures).toEqual([]);
    const found = calls.map((call, index) => [call, output.values[index]]);
    expect(found).toEqual(calls.map((call) => [call, EPERM]));
  });

  it('dies of its own machine code', async ({ skip }) => {
    skip(!hasScipy, withoutScipy);
    const code = `${HEAD}def f(x):\n    page.write(bytes([0xc3]))\n    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()`;
    const output = await evaluate(backend, code);
    expect(output.failures).toMatchObject([
      { type: 'ProcessLost', message: expect.stringMatching(/SIG(SEGV|ILL|BUS)/) as string },
    ]);
  });
});
