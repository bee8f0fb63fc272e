/**
 * Stand-ins for libcuda and libnvrtc, built with g++, and processes that use the CUDA backend on them. A GPU's place is
 * taken by the processor: what they show is the host's side, with every fault.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadAddon } from '../../../src/backends/native/addon.js';
import type { DerivedReading } from '../../../src/model/reading.js';
import { missingProgram } from '../programs.js';

const exec = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));
const FLAGS = ['-std=c++20', '-O1', '-shared', '-fPIC', '-fvisibility=hidden'];

/** Why they cannot be used here; empty where they can. */
export function standInsMissing(): string {
  const compiler = missingProgram('g++', 'g++');
  if (compiler !== '') return compiler;
  if (process.platform !== 'linux') return 'needs Linux';
  const addon = loadAddon();
  return addon.addon === null ? addon.reason : '';
}

export interface ProgramOnDevice {
  readonly name: string;
  readonly code: string;
  readonly dimension: number;
  /** Absent: the value. */
  readonly reading?: DerivedReading;
}

/** What `evaluate-on-device.mjs` is to do. */
export interface DeviceJob {
  readonly programs: readonly ProgramOnDevice[];
  readonly counts: readonly number[];
  readonly times?: number;
  readonly threads?: number;
  readonly cancel?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface DeviceResult {
  readonly name: string;
  readonly count: number;
  readonly device?: string;
  /** Null: the interpreter's bits. */
  readonly difference?: string | null;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly facts: Readonly<Record<string, unknown>>;
  };
  /** After an error. */
  readonly differenceOnCpu?: string | null;
}

export interface DeviceOutcome {
  readonly availability: { readonly available: boolean; readonly device?: string; readonly reason?: string };
  readonly results: readonly DeviceResult[];
}

/** What the stand-ins say at the end of a process. */
export interface StandInReport {
  /** Whether any of the libraries was opened. */
  readonly isOpened: boolean;
  /** Things of the driver and of NVRTC that were not given back. */
  readonly alive: Readonly<Record<string, number>>;
  readonly mistakes: readonly string[];
  readonly compiled: number;
  readonly launches: number;
  /** That the driver gave. */
  readonly faults: number;
  readonly mostDeviceBytes: number;
}

/** Contexts, buffers, modules, streams, events and programs of NVRTC that nobody gave back: none. */
export const NOTHING_ALIVE = {
  contexts: 0,
  deviceBuffers: 0,
  pinnedBuffers: 0,
  modules: 0,
  streams: 0,
  events: 0,
  programs: 0,
};

export class StandIns {
  private reports = 0;

  private constructor(private readonly work: string) {}

  static async build(): Promise<StandIns> {
    const work = mkdtempSync(join(tmpdir(), 'extremum-cuda-'));
    for (const name of ['all', 'kept', 'other']) mkdirSync(join(work, name));
    const library = (source: string, name: string) =>
      exec('g++', [...FLAGS, join(folder, source), '-o', join(work, 'all', name), `-Wl,-soname,${name}`]);
    await Promise.all([
      library('stand_in_cuda.cpp', 'libcuda.so.1'),
      library('stand_in_nvrtc.cpp', 'libnvrtc.so.13'),
      library('stand_in_builtins.cpp', 'libnvrtc-builtins.so.13.0'),
    ]);
    return new StandIns(work);
  }

  remove(): void {
    rmSync(this.work, { recursive: true, force: true });
  }

  /** A folder with some of the libraries, under their own or other names. */
  folderWith(libraries: Readonly<Record<string, string>>): string {
    const made = mkdtempSync(join(this.work, 'other', 'libraries-'));
    for (const [name, from] of Object.entries(libraries)) cpSync(join(this.work, 'all', from), join(made, name));
    return made;
  }

  /** A new folder for the kernel cache. */
  cacheFolder(): string {
    return join(mkdtempSync(join(this.work, 'other', 'cache-')), 'kernels');
  }

  get libraries(): string {
    return join(this.work, 'all');
  }

  /** The settings under which the stand-ins work. */
  environment(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      EXTREMUM_CUDA_LIBRARY_PATH: this.libraries,
      EXTREMUM_CUDA_CACHE: 'off',
      STAND_IN_INCLUDE: folder,
      STAND_IN_KEEP: join(this.work, 'kept'),
    };
  }

  /** `env`: settings besides the usual ones, `STAND_IN_FAULTS` above all. */
  run<T = DeviceOutcome>(
    job: DeviceJob,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly outcome: T; readonly report: StandInReport }> {
    return this.runScript('evaluate-on-device.mjs', job, env);
  }

  /** `script`: of this folder. It prints JSON. */
  async runScript<T>(
    name: string,
    job: object,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly outcome: T; readonly report: StandInReport }> {
    const report = join(this.work, `report-${++this.reports}`);
    const script = join(folder, name);
    const { stdout } = await exec(process.execPath, [script, JSON.stringify(job)], {
      env: { ...this.environment(), STAND_IN_REPORT: report, ...env },
      maxBuffer: 2 ** 26,
    });
    return { outcome: JSON.parse(stdout) as T, report: readReport(report) };
  }
}

function readReport(path: string): StandInReport {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const numbers: Record<string, number> = { ...NOTHING_ALIVE, compiled: 0, launches: 0, faults: 0, mostDeviceBytes: 0 };
  for (const each of all) {
    for (const [name, value] of Object.entries(each)) if (typeof value === 'number') numbers[name] = value;
  }
  const { compiled, launches, faults, mostDeviceBytes, ...alive } = numbers;
  const mistakes = all.flatMap((each) => (each['mistakes'] as string[] | undefined) ?? []);
  return { isOpened: all.length > 0, alive, mistakes, compiled, launches, faults, mostDeviceBytes };
}
