/**
 * The process from which workers are forked (python/template.py): it has imported what most objectives need, and never
 * sees anything of a run. A fork costs a few milliseconds, a start with its imports a hundred or more.
 *
 * Each worker takes a seat: a socket and a progress page, both made before the template starts and used once. When all
 * seats are taken another template has to be started; the old one stays until its last worker is gone, because only a
 * parent can kill a process without the risk that its number is another's by now. Must live in the main thread: the
 * template dies with the thread that started it, and its workers with the template.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ExtremumError } from '../../common/errors.js';
import { NO_USE, type ProcessUse } from '../../model/run-usage.js';
import { pythonFile } from './interpreter.js';
import { PROGRESS_BYTES } from './protocol.js';
import type { CodeAccess, WarmUp, WorkerSpec } from './worker-spec.js';

/** One start, 0.1 to 0.5 s of processor time, is shared by so many processes. */
const SEATS = 32;
const DIAGNOSTICS_BYTES = 4096;
const START_TIMEOUT_MS = 30_000;
/** Must stay equal to python/template.py. */
const Command = { fork: 1, kill: 2 } as const;
const Record = { ready: 1, ended: 2, forkFailed: 3 } as const;
const RECORD_BYTES = 18;

/** How a worker ended; `code` and `signal` are null when its template, or the fork, failed: `reason` says why. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  /** As the kernel accounts for it; nothing is known where the template failed. */
  readonly use: ProcessUse;
}

/** The things that a worker and the service share. */
export interface Seat {
  readonly socket: net.Socket;
  /** Descriptor of the progress page. The user of the seat closes it. */
  readonly progress: number;
  /** Resolves when the process has ended; what it wrote may still be on its way in `socket`. */
  readonly ended: Promise<Ending>;
  kill(): void;
}

export class Template {
  /** Settles when it is gone, with all its processes. */
  readonly gone: Promise<void>;
  private readonly child: ChildProcess;
  private readonly startTimer: NodeJS.Timeout;
  /** Streams of the template itself: commands, records, diagnostics. */
  private readonly streams: readonly net.Socket[];
  /** One for each seat. */
  private readonly sockets: readonly net.Socket[];
  private readonly pages: readonly number[];
  /** Workers that have not ended, by number of the seat. */
  private readonly living = new Map<number, (ending: Ending) => void>();
  private nextSeat = 0;
  private settleGone: () => void = () => undefined;
  private isAlive = true;
  private hasStarted = false;
  private isEnding = false;
  private records: Buffer = Buffer.alloc(0);
  private diagnostics = '';

  constructor(spec: WorkerSpec, warmUp: WarmUp) {
    this.gone = new Promise((resolve) => (this.settleGone = resolve));
    this.pages = openProgressPages();
    const seats = this.pages.flatMap((page) => ['pipe' as const, page]);
    this.child = spawn(spec.launcher, launcherArguments(spec, warmUp), {
      cwd: '/',
      env: spec.access.kind === 'all' ? process.env : {},
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', ...seats],
    });
    // Child pipes are sockets; the declared type only promises streams. There are none where descriptors have run out.
    const sockets = ((this.child.stdio as unknown[] | undefined) ?? []).filter((stdio) => stdio !== null);
    this.streams = sockets.slice(0, 3) as net.Socket[];
    this.sockets = sockets.slice(3) as net.Socket[];
    this.watch();
    this.startTimer = setTimeout(() => this.child.kill('SIGKILL'), START_TIMEOUT_MS).unref();
    this.child.unref();
    for (const socket of [...this.streams, ...this.sockets]) socket.unref();
    if (this.sockets.length === 0) {
      this.lose();
      throw new ExtremumError('backend_unavailable', 'this process can open no more descriptors');
    }
  }

  /** Whether a fork is there at once. */
  get isReady(): boolean {
    return this.hasStarted;
  }

  /** How many processes it can still be asked for. */
  get seatsLeft(): number {
    return this.isAlive && !this.isEnding ? SEATS - this.nextSeat : 0;
  }

  /** The last line that the template, or a worker that has not loaded anything yet, wrote to its standard error. */
  get lastWords(): string {
    return this.diagnostics.trim().split('\n').at(-1) ?? '';
  }

  /** A fresh process, as soon as the template has done its imports. */
  fork(): Seat {
    if (this.seatsLeft === 0) throw new Error('a template without seats cannot fork');
    const seat = this.nextSeat++;
    const ended = new Promise<Ending>((resolve) => this.living.set(seat, resolve));
    this.command(Command.fork, seat);
    return {
      socket: this.sockets[seat],
      progress: this.pages[seat],
      ended,
      kill: () => this.living.has(seat) && this.command(Command.kill, seat),
    };
  }

  /** Ends it and all its processes. */
  end(): void {
    this.isEnding = true;
    // Whoever waits must live to see it.
    if (this.isAlive) for (const stream of this.streams) stream.ref();
    // One that is still importing has no process, and would not see the end of its commands before it is done.
    if (this.hasStarted) this.streams[0]?.end();
    else this.child.kill('SIGKILL');
  }

  private command(what: number, seat: number): void {
    this.streams[0]?.write(Buffer.of(what, seat));
  }

  private watch(): void {
    const [, records, diagnostics] = this.streams;
    for (const socket of [...this.streams, ...this.sockets]) socket.on('error', () => undefined); // its end tells why
    records?.on('data', (chunk: Buffer) => this.receive(chunk));
    diagnostics?.on('data', (chunk: Buffer) => {
      this.diagnostics = (this.diagnostics + chunk.toString('latin1')).slice(-DIAGNOSTICS_BYTES);
    });
    this.child.on('error', (error) => {
      this.diagnostics = `the launcher cannot be started: ${error.message}`;
      if (this.child.pid === undefined) this.lose();
    });
    this.child.on('exit', () => (this.isEnding = true));
    let open = 2;
    const closed = (): void => {
      if (--open === 0) this.lose();
    };
    records?.on('close', closed);
    diagnostics?.on('close', closed);
  }

  private receive(chunk: Buffer): void {
    this.records = Buffer.concat([this.records, chunk]);
    while (this.records.length >= RECORD_BYTES) {
      const [what, seat] = [this.records.readUInt8(0), this.records.readUInt8(1)];
      const value = this.records.readInt32LE(2);
      const cpuSeconds = Number(this.records.readBigUInt64LE(6)) / 1e6;
      const use = { cpuSeconds, peakBytes: this.records.readUInt32LE(14) * 1024 };
      this.records = this.records.subarray(RECORD_BYTES);
      if (what === Record.ready) {
        this.hasStarted = true;
        clearTimeout(this.startTimer);
      } else if (what === Record.forkFailed)
        this.vacate(seat, { code: null, signal: null, reason: `no process can be forked (error ${value})`, use });
      else if (value < 0) this.vacate(seat, { code: null, signal: signalName(-value), reason: null, use });
      else this.vacate(seat, { code: value, signal: null, reason: null, use });
    }
  }

  private vacate(seat: number, ending: Ending): void {
    const tell = this.living.get(seat);
    this.living.delete(seat);
    tell?.(ending);
    if (this.living.size === 0 && this.nextSeat === SEATS) this.end();
  }

  private lose(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    const reason = 'the process that it was forked from has ended';
    for (const seat of [...this.living.keys()]) this.vacate(seat, { code: null, signal: null, reason, use: NO_USE });
    for (const page of this.pages.slice(this.nextSeat)) fs.closeSync(page);
    for (const socket of this.sockets.slice(this.nextSeat)) socket.destroy();
    for (const stream of this.streams) stream.destroy();
    clearTimeout(this.startTimer);
    this.settleGone();
  }
}

function signalName(number: number): string {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}

function launcherArguments({ interpreter, limits, access }: WorkerSpec, warmUp: WarmUp): string[] {
  return [
    ['--parent', String(process.pid)],
    ['--python', interpreter.executable],
    ...(['stateless.py', 'argument.py', 'worker.py', 'template.py'] as const).map((name) => [
      '--script',
      pythonFile(name),
    ]),
    ['--warm-up', warmUp],
    ['--memory', String(limits.mostMemoryBytes)],
    ['--cpu', String(limits.cpuSeconds)],
    ['--seats', String(SEATS)],
    ...interpreter.readable.map((file) => ['--read', file]),
    ...interpreter.executables.map((file) => ['--exec', file]),
    ...accessArguments(access),
  ].flat();
}

function accessArguments(access: CodeAccess): string[][] {
  if (access.kind === 'stranger') return [];
  const folder = path.dirname(access.file);
  const own = [
    ['--folder', folder],
    ['--file', access.file],
  ];
  if (access.kind === 'all') return [...own, ['--confine', 'no']];
  return [...own, ...[folder, ...access.readable].map((readable) => ['--read', readable])];
}

/**
 * One for each seat: pages that service and worker map or read. They have no names, and are gone when the last of them
 * closes it. They do not share a file: a worker could map its neighbour's page by growing its own mapping.
 */
function openProgressPages(): number[] {
  const pages: number[] = [];
  try {
    for (let seat = 0; seat < SEATS; seat++) pages.push(openProgressPage());
  } catch (error) {
    for (const page of pages) fs.closeSync(page);
    throw error;
  }
  return pages;
}

function openProgressPage(): number {
  for (const folder of ['/dev/shm', os.tmpdir()]) {
    const file = path.join(folder, `extremum-${randomUUID()}`);
    try {
      const descriptor = fs.openSync(file, 'wx+', 0o600);
      fs.unlinkSync(file);
      fs.ftruncateSync(descriptor, PROGRESS_BYTES);
      return descriptor;
    } catch (error) {
      if (folder !== '/dev/shm')
        throw new ExtremumError('backend_unavailable', `no temporary file in ${folder}`, { cause: error });
    }
  }
  throw new Error('unreachable: the last folder either returns or throws');
}
