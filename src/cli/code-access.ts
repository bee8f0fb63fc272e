/**
 * What the objective of a file on this machine may touch: the sandbox is for strangers' code, this is the user's own.
 * Its folder is readable and importable, more on request, and everything with `--unsandboxed`.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CodeAccess } from '../backends/cpython/worker-spec.js';
import { ExtremumError } from '../common/errors.js';
import { ConfigError, type PythonConfig } from '../config.js';
import { type EvaluationFailure, LEAST_EVALUATION_SECONDS } from '../model/objective.js';
import { parseNumber } from './bench-options.js';
import type { Flags } from './flags.js';
import { readSource } from './objective-file.js';
import { printable } from './text-safety.js';

export const ACCESS_HELP = `  --allow-read PATH     a folder or file that the objective may read, beside the folder that FILE is in; may be given again
  --unsandboxed         the objective may do what you may: write files, start processes and threads, use the network
  --evaluation-seconds N  time for one evaluation in CPython (default: $PYTHON_EVALUATION_SECONDS, or 10)`;

export const ACCESS_VALUES = ['evaluation-seconds'];
export const ACCESS_LISTS = ['allow-read'];
export const ACCESS_SWITCHES = ['unsandboxed'];

export interface AccessWish {
  /** Absolute, and there. */
  readonly readable: readonly string[];
  readonly isUnsandboxed: boolean;
  /** Absent: what the environment says. */
  readonly evaluationSeconds?: number;
}

/** @throws {ConfigError} */
export function parseAccess(flags: Flags): AccessWish {
  const isUnsandboxed = flags.switches.has('unsandboxed');
  const paths = flags.list('allow-read');
  if (isUnsandboxed && paths.length > 0) {
    throw new ConfigError('--allow-read says nothing beside --unsandboxed, which allows everything.');
  }
  const missing = paths.find((each) => !existsSync(each));
  if (missing !== undefined) throw new ConfigError(`--allow-read: there is no ${printable(missing)}.`);
  const evaluationSeconds = parseNumber(flags, 'evaluation-seconds');
  if (
    evaluationSeconds !== undefined &&
    !(evaluationSeconds >= LEAST_EVALUATION_SECONDS && evaluationSeconds <= 86_400)
  ) {
    const given = JSON.stringify(flags.value('evaluation-seconds'));
    throw new ConfigError(`--evaluation-seconds is ${given}; it must be from 0.1 to 86400 seconds.`);
  }
  return { readable: paths.map((each) => realpathSync(each)), isUnsandboxed, evaluationSeconds };
}

/**
 * Rights of the code in `file`. Code that came another way, through a pipe or in a checkpoint whose file is gone or has
 * another text by now (`code`), is treated as a stranger's unless the user says more.
 */
export function accessOf(wish: AccessWish, file: string, code: string): CodeAccess {
  const own = isTheText(file, code) ? realpathSync(file) : null;
  if (wish.isUnsandboxed) return { kind: 'all', file: own ?? path.resolve(path.basename(file)) };
  if (own !== null) return { kind: 'folder', file: own, readable: wish.readable };
  if (wish.readable.length === 0) return { kind: 'stranger' };
  const [first, ...others] = wish.readable;
  const folder = statSync(first).isDirectory() ? first : path.dirname(first);
  return { kind: 'folder', file: path.join(folder, path.basename(file)), readable: [first, ...others] };
}

function isTheText(file: string, code: string): boolean {
  try {
    return statSync(file).isFile() && readSource(file) === code;
  } catch {
    return false;
  }
}

/** The settings with what was wished for. */
export function withAccess(
  config: PythonConfig,
  { evaluationSeconds }: AccessWish,
  access: CodeAccess,
): PythonConfig & { readonly access: CodeAccess } {
  const seconds =
    evaluationSeconds === undefined ? {} : { evaluationSeconds, mostEvaluationSeconds: evaluationSeconds };
  const limits = { ...config.pythonLimits, ...seconds };
  return { ...config, pythonLimits: limits, access };
}

/** What to do about a failure that a rule of the sandbox, or a limit, made; null: neither did. */
export function accessAdvice(
  { type, message }: Pick<EvaluationFailure, 'type' | 'message'>,
  access: CodeAccess,
): string | null {
  if (type === 'TimeLimit') return 'To give an evaluation more time: --evaluation-seconds N.';
  if (type === 'MemoryLimit') return 'To give its process more memory: PYTHON_MEMORY_BYTES=N in the environment.';
  if (access.kind === 'all') return null;
  const folder = access.kind === 'folder' ? path.dirname(access.file) : null;
  if (type === 'FileNotFoundError' && folder !== null) {
    return printable(`Relative paths start at ${folder}, the folder of the file.`);
  }
  const isUnknown = /No module named/.test(message);
  if (isUnknown && folder === null) {
    return 'This code is not that of a file here, or the file has changed: --allow-read FOLDER lets it read and import.';
  }
  const isRefused = type === 'PermissionError' || /Errno (1|13)\]|can't start new thread/.test(message);
  if (!isRefused) return null;
  const open =
    folder === null
      ? 'only what Python itself needs'
      : `${[folder, ...readableOf(access)].join(', ')}, and what Python needs`;
  return printable(
    `The sandbox refuses that: the objective may read ${open}. For more: --allow-read PATH; to write files, start processes ` +
      'or threads, or use the network: --unsandboxed.',
  );
}

/** An objective that could not be loaded, with the advice in a line of its own. */
export function withAdvice(error: ExtremumError, access: CodeAccess): ExtremumError {
  const advice = accessAdvice({ type: '', ...error.facts, message: error.message }, access);
  if (error.code !== 'objective_rejected' || advice === null) return error;
  return new ExtremumError(error.code, `${error.message}\n${advice}`, { cause: error });
}

const readableOf = (access: CodeAccess): readonly string[] => (access.kind === 'folder' ? access.readable : []);
