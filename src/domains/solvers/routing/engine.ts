/**
 * The routing search of native/routing: in the addon, or compiled to WebAssembly where that is not built. Both give
 * equal bits. Layout of the arrays: native/routing/problem.h. A search belongs to the thread that opened it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../common/dist-entry.js';
import { nativeAddon } from '../../../common/native-addon.js';

export interface RoutingSearch {
  /** Educates up to `count` offspring; fewer once the stop cell is set. How the calls are cut changes no bit. */
  run(count: number, stop: Int32Array): number;
  /** Null: none that keeps every limit. */
  bestCost(): number | null;
  readonly offspring: number;
  readonly sinceBest: number;
  /** Slot, length, customers, for each route; slot -1: customers without a route. */
  best(): Int32Array;
}

export interface RoutingEngine {
  readonly library: string;
  /** @throws {Error} where the numbers describe no problem: a defect */
  open(integers: Int32Array, reals: Float64Array): RoutingSearch;
}

interface RoutingAddon {
  createRouting(integers: Int32Array, reals: Float64Array): object | null;
  runRouting(handle: object, count: number, stop: Int32Array | null): number;
  routingState(handle: object): Float64Array;
  routingBest(handle: object): Int32Array;
}

let addon: RoutingEngine | null = null;

/** Null where the addon is not built; why is reported where evaluations need it (src/backends/native). */
export const nativeEngine = (): RoutingEngine | null => (addon ??= loadAddon());

function loadAddon(): RoutingEngine | null {
  const native = (nativeAddon().exports ?? {}) as Partial<RoutingAddon>;
  if (native.createRouting === undefined) return null;
  const whole = native as RoutingAddon;
  return {
    library: 'native',
    open(integers, reals) {
      const handle = whole.createRouting(integers, reals);
      if (handle === null) throw new Error(REFUSED);
      return {
        run: (count, stop) => whole.runRouting(handle, count, stop.buffer instanceof SharedArrayBuffer ? stop : null),
        bestCost: () => {
          const [has = 0, cost = 0] = whole.routingState(handle);
          return has === 1 ? cost : null;
        },
        get offspring() {
          return whole.routingState(handle)[2] ?? 0;
        },
        get sinceBest() {
          return whole.routingState(handle)[3] ?? 0;
        },
        best: () => whole.routingBest(handle),
      };
    },
  };
}

interface RoutingExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  allocate(bytes: number): number;
  open(integers: number, integerCount: number, reals: number, realCount: number): number;
  run(count: number): number;
  hasBest(): number;
  bestCost(): number;
  offspring(): number;
  sinceBest(): number;
  bestLength(): number;
  bestList(): number;
}

/** The part of the WebAssembly interface that we use. */
interface Host {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

let module: object | undefined;

/** Engine in the committed module. One instance holds one search, so that its memory goes with it. */
export const wasmEngine: RoutingEngine = {
  library: 'WebAssembly',
  open(integers, reals) {
    const { WebAssembly: host } = globalThis as { readonly WebAssembly?: Host };
    if (host === undefined) throw new Error('neither the addon nor WebAssembly is there for the routing search');
    module ??= new host.Module(readFileSync(join(packageRoot(), 'native', 'routing', 'routing.wasm')));
    let stop: Int32Array | null = null;
    const unused = (): number => 0;
    const instance = new host.Instance(module, {
      host: { stopped: () => (stop === null ? 0 : Atomics.load(stop, 0)) },
      // The C library's way to print: nothing does.
      wasi_snapshot_preview1: { fd_close: unused, fd_seek: unused, fd_write: unused },
    });
    const core = instance.exports as RoutingExports;
    core._initialize();
    const first = core.allocate(integers.byteLength);
    const second = core.allocate(reals.byteLength);
    if (first === 0 || second === 0) throw new Error('the routing search is out of memory');
    new Int32Array(core.memory.buffer, first, integers.length).set(integers);
    new Float64Array(core.memory.buffer, second, reals.length).set(reals);
    if (core.open(first, integers.length, second, reals.length) === 0) throw new Error(REFUSED);
    return {
      run(count, cell) {
        stop = cell;
        return core.run(count);
      },
      bestCost: () => (core.hasBest() === 0 ? null : core.bestCost()),
      get offspring() {
        return core.offspring();
      },
      get sinceBest() {
        return core.sinceBest();
      },
      best() {
        const length = core.bestLength();
        return new Int32Array(core.memory.buffer, core.bestList(), length).slice();
      },
    };
  },
};

const REFUSED = 'the routing search refuses its problem';

export const routingEngine = (): RoutingEngine => nativeEngine() ?? wasmEngine;
