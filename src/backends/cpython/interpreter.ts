/**
 * Finds out about a Python interpreter by asking it (python/probe.py): versions, and the files that a confined worker
 * needs. The name may be a shim script; what counts afterwards is the interpreter's own `sys.executable`.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { packageRoot } from '../../common/dist-entry.js';
import type { StoodFor } from '../../model/interpreter-facts.js';

const PACKAGES = [
  ['numpy', 'NumPy'],
  ['scipy', 'SciPy'],
] as const;
const PROBE_TIMEOUT_MS = 30_000;
const OLDEST_MINOR = 8;

/** An interpreter that a worker can be started with. */
export interface Interpreter {
  readonly executable: string;
  /** e.g. `3.11.2`. */
  readonly version: string;
  readonly minor: number;
  readonly numpy: string | null;
  readonly scipy: string | null;
  /** Whether the operating system keeps its packages, and pip does not. */
  readonly isManaged: boolean;
  /** Folders and files that starting and importing reads; absolute, none inside another. */
  readonly readable: readonly string[];
  /** The interpreter's file and its dynamic loader. */
  readonly executables: readonly string[];
}

type InterpreterProbe =
  ({ readonly available: true } & Interpreter) | { readonly available: false; readonly reason: string };

/** `tsc` copies no Python: both the sources and `dist/` load it from the source tree of the package. */
export function pythonFile(name: 'argument.py' | 'probe.py' | 'stateless.py' | 'template.py' | 'worker.py'): string {
  return path.join(packageRoot(), 'src/backends/cpython/python', name);
}

const answers = new Map<string, Promise<InterpreterProbe>>();

/**
 * Asks the interpreter called `python` (a path, or a name on PATH; `off` = none) about itself. Takes 0.1 to 1 s: it
 * imports NumPy and SciPy to see which libraries they load. A success is remembered for the life of the process, a
 * failure is not. Never rejects.
 */
export function probePython(python: string): Promise<InterpreterProbe> {
  const known = answers.get(python);
  if (known !== undefined) return known;
  const answer = ask(python);
  answers.set(python, answer);
  void answer.then(({ available }) => available || answers.delete(python));
  return answer;
}

async function ask(python: string): Promise<InterpreterProbe> {
  if (python === 'off') return unavailable('the Python backend is switched off (PYTHON=off)');
  const answer = await run(python);
  if ('reason' in answer) return unavailable(answer.reason);
  return interpret(python, answer.output);
}

const unavailable = (reason: string): InterpreterProbe => ({ available: false, reason });

function run(python: string): Promise<{ output: string } | { reason: string }> {
  // PYTHONPATH and the like would show modules that a worker, which starts with an empty environment, cannot see.
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PYTHON')));
  return new Promise((resolve) => {
    execFile(
      python,
      ['-s', '-B', pythonFile('probe.py')],
      { env: environment, timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 1 << 20 },
      (error, stdout, stderr) => {
        if (error === null) resolve({ output: stdout });
        else if (error.code === 'ENOENT')
          resolve({ reason: `no Python interpreter '${python}' was found; install Python 3 or set PYTHON` });
        else if (error.killed === true)
          resolve({ reason: `'${python}' did not answer within ${PROBE_TIMEOUT_MS / 1000} s` });
        else resolve({ reason: `'${python}' cannot be asked about itself: ${lastLine(stderr) || error.message}` });
      },
    );
  });
}

/** The command that installs a package for an interpreter. */
export function installing({ executable, isManaged }: Interpreter, name: StoodFor): string {
  return isManaged ? `apt-get install python3-${name}` : `${executable} -m pip install ${name}`;
}

/** What an interpreter lacks, for people: a line for each package, with the command that installs it. */
export function noticesOf(interpreter: Interpreter): readonly string[] {
  return PACKAGES.filter(([name]) => interpreter[name] === null).map(
    ([name, title]) =>
      `The Python interpreter ${interpreter.executable} (${interpreter.version}) has no ${title}: of objectives that use ` +
      `${title} only what compiles is evaluated, and no value of such objectives is confirmed. To install it (and start again): ` +
      installing(interpreter, name),
  );
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

function interpret(python: string, output: string): InterpreterProbe {
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(lastLine(output)) as Record<string, unknown>;
  } catch {
    return unavailable(`'${python}' is no Python interpreter: it printed '${lastLine(output).slice(0, 100)}'`);
  }
  const { executable, version, implementation, hasCtypes } = found;
  if (typeof executable !== 'string' || typeof version !== 'string') return unavailable(`'${python}' gave no version`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major !== 3 || minor < OLDEST_MINOR)
    return unavailable(`${executable} is Python ${version}; 3.${OLDEST_MINOR} or newer is needed`);
  if (implementation !== 'cpython') return unavailable(`${executable} is ${String(implementation)}; CPython is needed`);
  if (hasCtypes !== true) return unavailable(`${executable} was built without ctypes, which the sandbox needs`);
  return {
    available: true,
    executable,
    version,
    minor,
    numpy: found['numpy'] as string | null,
    scipy: found['scipy'] as string | null,
    isManaged: found['isManaged'] === true,
    readable: found['readable'] as string[],
    executables: found['executables'] as string[],
  };
}
