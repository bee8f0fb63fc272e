/**
 * A backend that a library in JavaScript carries out, in single precision: off until the operator names one of the
 * library's own places, whose packages are optional peers.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ExtremumError } from '../../common/errors.js';
import type { IrFunction } from '../../ir/types.js';
import type { Availability, Backend, BackendCapabilities, Device, Objective } from '../backend.js';
import { requireIr } from '../ir-kernel.js';
import { SingleKernel, type SinglePlace } from './single-kernel.js';

/** The library, started in one of its places. */
export interface SingleHost {
  readonly device: string;
  readonly isGpu: boolean;
  /** @throws {RangeError} for a program that does not fit. */
  open(ir: IrFunction): Promise<SinglePlace>;
}

export interface SingleSetting {
  readonly variable: string;
  /** What it names, in words. */
  readonly names: string;
  readonly values: readonly string[];
}

/** Libraries are of the thread, and so is what is known about them. */
const hosts = new Map<string, Promise<SingleHost>>();

export abstract class SingleBackend implements Backend {
  readonly capabilities: BackendCapabilities = { input: 'ir', precision: 'f32', arithmetic: 'approximate' };
  private readonly value: string;

  protected constructor(
    readonly name: string,
    private readonly setting: SingleSetting,
    /** Default: what the variable says; without it the backend is off. */
    value: string | undefined,
  ) {
    this.value = value ?? process.env[setting.variable] ?? '';
  }

  async probe(): Promise<Availability> {
    const { variable, names } = this.setting;
    if (this.value === '') {
      return { available: false, reason: `it is off: ${variable} names no ${names}`, isAbsent: true };
    }
    try {
      return { available: true, device: (await this.host()).device };
    } catch (error) {
      if (!(error instanceof ExtremumError) || error.code !== 'backend_unavailable') throw error;
      return { available: false, reason: error.message };
    }
  }

  async devices(): Promise<readonly Device[]> {
    if (!(await this.probe()).available) return [];
    const { isGpu, device } = await this.host();
    return isGpu ? [{ index: 0, name: device, state: 'ready', problem: null }] : [];
  }

  async open(objective: Objective): Promise<SingleKernel> {
    const ir = requireIr(objective, this.name);
    const host = await this.host();
    try {
      return new SingleKernel(this.name, ir, await host.open(ir));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unavailable(`the ${this.name} backend does not take this objective: ${error.message}`, error);
    }
  }

  async close(): Promise<void> {}

  /** Starts the library: once in a thread for each value. */
  protected abstract start(value: string): Promise<SingleHost>;

  private async host(): Promise<SingleHost> {
    const { value } = this;
    const { variable, values } = this.setting;
    if (!values.includes(value)) throw unavailable(`${variable} is ${value}, and must be one of ${values.join(', ')}`);
    const key = `${this.name} ${value}`;
    let host = hosts.get(key);
    if (host === undefined) hosts.set(key, (host = this.start(value)));
    return host;
  }
}

/** The exports of optional packages, in order. */
export function loadPackages(packages: readonly string[]): readonly unknown[] {
  const load = createRequire(import.meta.url);
  try {
    return packages.map((name) => load(name) as unknown);
  } catch (error) {
    throw lacking(packages, error);
  }
}

/** The exports of an optional package that is an ES module: threads of runs cannot require those. */
export async function importPackage(name: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(createRequire(import.meta.url).resolve(name)).href);
  } catch (error) {
    throw lacking([name], error);
  }
}

function lacking(packages: readonly string[], error: unknown): ExtremumError {
  const [reason] = (error as Error).message.split('\n');
  return unavailable(`it needs the optional packages ${packages.join(' and ')}: ${reason}`, error);
}

export const unavailable = (message: string, cause?: unknown): ExtremumError =>
  new ExtremumError('backend_unavailable', message, { cause });
