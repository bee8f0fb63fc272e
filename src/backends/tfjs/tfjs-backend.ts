/**
 * TensorFlow.js as a backend, in single precision: many candidates at once as tensors, one operation of the program after
 * the other, on the tfjs backend that the operator names in `EXTREMUM_TFJS`. Its packages are optional peers.
 *
 * tfjs has one current backend in a thread. Everything between choosing it and reading the results is synchronous, so that
 * kernels on different ones do not meet.
 */
import { createRequire } from 'node:module';
import { ExtremumError } from '../../common/errors.js';
import { resultsOf, type IrFunction } from '../../ir/types.js';
import { candidateStart, candidateStride, type CandidateBatch } from '../../model/candidate-batch.js';
import { TILE_LANES } from '../../model/tiles.js';
import type {
  Availability,
  Backend,
  BackendCapabilities,
  Device,
  EvaluationOutput,
  GpuUse,
  Kernel,
  Objective,
} from '../backend.js';
import { IrKernel, requireIr } from '../ir-kernel.js';
import { distanceOf, singleOf } from '../single-precision/enclosures.js';
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';
import { evaluateProgram, workOf } from '../single-precision/program.js';
import { ARITHMETIC_INPUTS, argumentsOf, arithmeticFacts, isNear } from '../single-precision/self-test.js';
import { settle, type Approximation } from '../single-precision/settle.js';
import { TensorLanes, type Coordinates, type Tfjs } from './tensor-lanes.js';

/** What `EXTREMUM_TFJS` may say: the tfjs backend, and the packages that it needs; the first has tfjs's operations. */
const FLAVOURS = {
  cpu: { backend: 'cpu', packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-cpu'] },
  wasm: { backend: 'wasm', packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'] },
  node: { backend: 'tensorflow', packages: ['@tensorflow/tfjs-node'] },
  'node-gpu': { backend: 'tensorflow', packages: ['@tensorflow/tfjs-node-gpu'] },
} as const;
type Flavour = keyof typeof FLAVOURS;

interface TfjsOptions {
  /** Default: what `EXTREMUM_TFJS` says; without it the backend is off. */
  readonly flavour?: string;
}

/** Operations of a program, with all turns of its loops. Each is some ten operations of tfjs. */
const MAX_WORK = 50_000;
/** Of loops that are not counted: lanes that stay longer are left to the processor. */
const MAX_TURNS = 1_000;
/** Numbers that an evaluation may keep at once: 128 MiB. */
const NUMBERS = 2 ** 25;
const MAX_ROWS = 2 ** 16;

/** Counts evaluations on a GPU, in records. */
const GPU_TIER = 'tfjs-gpu';

/** A kernel, with what a judge of its error bounds wants to know. */
export interface TfjsKernel extends Kernel {
  /** Values and bounds of all candidates, also of those that do not count. */
  approximate(batch: CandidateBatch): Promise<Approximation>;
}

export class TfjsBackend implements Backend {
  readonly name = 'tfjs';
  readonly capabilities: BackendCapabilities = { input: 'ir', precision: 'f32', arithmetic: 'approximate' };
  private readonly flavour: string;

  constructor(options: TfjsOptions = {}) {
    this.flavour = options.flavour ?? process.env['EXTREMUM_TFJS'] ?? '';
  }

  async probe(): Promise<Availability> {
    if (this.flavour === '') {
      return { available: false, reason: 'it is off: EXTREMUM_TFJS names no tfjs backend', isAbsent: true };
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

  async open(objective: Objective): Promise<TfjsKernel> {
    const ir = requireIr(objective, this.name);
    const host = await this.host();
    const rows = refusing(() => rowsFor(ir));
    // One lane of ones: operations that are missing show here.
    const ones = new Float64Array(ir.dimension).fill(1);
    await host.use(() => refusing(() => host.approximate(ir, { candidates: ones, count: 1, dimension: ir.dimension })));
    return new TensorKernel(this.name, host, ir, rows);
  }

  async close(): Promise<void> {}

  private async host(): Promise<Host> {
    const { flavour } = this;
    if (!isFlavour(flavour)) {
      throw unavailable(`EXTREMUM_TFJS is ${flavour}, and must be one of ${Object.keys(FLAVOURS).join(', ')}`);
    }
    let host = hosts.get(flavour);
    if (host === undefined) hosts.set(flavour, (host = Host.start(flavour)));
    return host;
  }
}

const isFlavour = (name: string): name is Flavour => Object.hasOwn(FLAVOURS, name);

/** tfjs is a library of the thread, and so is what is known about it. */
const hosts = new Map<Flavour, Promise<Host>>();

class Host {
  private constructor(
    private readonly tf: Tfjs,
    private readonly backend: string,
    private readonly missing: ReadonlySet<LaneFunction>,
    readonly isGpu: boolean,
    readonly device: string,
  ) {}

  static async start(flavour: Flavour): Promise<Host> {
    const { backend } = FLAVOURS[flavour];
    const tf = load(flavour);
    try {
      // Without its advice and checks of its own.
      tf.enableProdMode();
      if (!(await tf.setBackend(backend))) throw new Error('it does not start');
      if (!isArithmeticSound(tf)) throw new Error('it does not round as the error bounds assume');
    } catch (error) {
      throw unavailable(`tfjs's ${backend} backend: ${(error as Error).message}`, error);
    }
    const missing = new Set(LANE_FUNCTIONS.filter((name) => !isUsable(tf, name)));
    const isGpu = (tf.backend() as { readonly isUsingGpuDevice?: boolean }).isUsingGpuDevice === true;
    const without = missing.size === 0 ? '' : `, without ${[...missing].join(', ')}`;
    const what = `${flavour}${isGpu ? ' on a GPU' : ''}, f32${without}`;
    return new Host(tf, backend, missing, isGpu, `TensorFlow.js ${tf.version_core}, ${what}`);
  }

  /** Runs `work` while this host's tfjs backend is the current one. */
  async use<T>(work: () => T): Promise<T> {
    const { tf, backend } = this;
    while (tf.getBackend() !== backend) await tf.setBackend(backend);
    return work();
  }

  /** Inside `use`. */
  approximate(ir: IrFunction, batch: CandidateBatch): Approximation {
    const { tf } = this;
    const { count } = batch;
    const results = resultsOf(ir);
    const values = new Float64Array(count * results);
    const errors = new Float64Array(count * results);
    tf.tidy(() => {
      const lanes = new TensorLanes(tf, count, coordinatesOf(tf, batch), this.missing);
      evaluateProgram(ir, lanes, MAX_TURNS).forEach(({ value, error }, k) => {
        const [value32, error32] = [lanes.spread(value).dataSync(), lanes.spread(error).dataSync()];
        for (let i = 0; i < count; i++) {
          values[i * results + k] = value32[i];
          errors[i * results + k] = error32[i];
        }
      });
    });
    return { values, errors };
  }
}

class TensorKernel extends IrKernel implements TfjsKernel {
  private evaluations = 0;
  private seconds = 0;

  constructor(
    name: string,
    private readonly host: Host,
    private readonly ir: IrFunction,
    rows: number,
  ) {
    const { dimension } = ir;
    super(
      name,
      host.device,
      ir,
      async (candidates, count, values, status, lines, isTiled) => {
        const layout = isTiled ? ('tiles' as const) : undefined;
        const found = await this.approximate({ candidates, count, dimension, layout });
        settle(found, count, resultsOf(ir), values, status, lines);
      },
      undefined,
      undefined,
      rows,
    );
  }

  override get tier(): string {
    return this.host.isGpu ? GPU_TIER : this.backend;
  }

  get gpu(): GpuUse | undefined {
    if (!this.host.isGpu) return undefined;
    return { backend: GPU_TIER, evaluations: this.evaluations, seconds: this.seconds };
  }

  override async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await super.evaluate(batch, output, signal);
      this.evaluations += batch.count;
    } finally {
      this.seconds += (performance.now() - began) / 1000;
    }
  }

  async approximate(batch: CandidateBatch): Promise<Approximation> {
    const { host, ir } = this;
    return host.use(() => {
      try {
        return host.approximate(ir, batch);
      } catch (error) {
        // Of any kind: tfjs and what is below it throw plain errors, for want of memory among others.
        throw new ExtremumError('backend_lost', `tfjs failed: ${(error as Error).message}`, { cause: error });
      }
    });
  }
}

function load(flavour: Flavour): Tfjs {
  const load = createRequire(import.meta.url);
  const { packages } = FLAVOURS[flavour];
  try {
    // tfjs-node calls two functions that Node no longer has.
    const util = load('node:util') as Record<string, unknown>;
    util['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
    util['isArray'] ??= Array.isArray;
    const [tf] = packages.map((name) => load(name) as unknown);
    return tf as Tfjs;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw unavailable(`it needs the optional packages ${packages.join(' and ')}: ${reason}`, error);
  }
}

function coordinatesOf(tf: Tfjs, batch: CandidateBatch): Coordinates {
  const { candidates, count, dimension } = batch;
  const stride = candidateStride(batch);
  const column = (of: (number: number) => number, k: number) => {
    const numbers = new Float32Array(count);
    for (let i = 0; i < count; i++) numbers[i] = of(candidates[candidateStart(batch, i) + k * stride]);
    return tf.tensor1d(numbers);
  };
  const columns = Array.from({ length: dimension }, (_, k) => k);
  return {
    values: columns.map((k) => column(singleOf, k)),
    errors: columns.map((k) => column(distanceOf, k)),
  };
}

function isArithmeticSound(tf: Tfjs): boolean {
  return tf.tidy(() => {
    const lanes = new TensorLanes(tf, 1, { values: [], errors: [] }, new Set());
    const [zero, one, third] = ARITHMETIC_INPUTS.map((number) => tf.tensor1d([number], 'float32'));
    return arithmeticFacts(lanes, [zero, one, third]).every((fact) => lanes.spread(fact).dataSync()[0] === 1);
  });
}

function isUsable(tf: Tfjs, name: LaneFunction): boolean {
  return tf.tidy(() => {
    try {
      return isNear(name, tf[name](tf.tensor1d(argumentsOf(name))).dataSync());
    } catch {
      // tfjs throws plain errors: there is no kernel of that name.
      return false;
    }
  });
}

/** Candidates at once: whole tiles. */
function rowsFor(ir: IrFunction): number {
  const work = workOf(ir);
  if (work > MAX_WORK) throw new RangeError(`${work} operations are too many`);
  const rows = Math.min(MAX_ROWS, NUMBERS / (2 * (work + ir.dimension + 16)));
  return Math.max(1, Math.floor(rows / TILE_LANES)) * TILE_LANES;
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unavailable(`the tfjs backend does not take this objective: ${error.message}`, error);
  }
}

const unavailable = (message: string, cause?: unknown): ExtremumError =>
  new ExtremumError('backend_unavailable', message, { cause });
