/**
 * TensorFlow.js as a backend, in single precision: many candidates at once as tensors, one operation of the program
 * after the other, on the tfjs backend that the operator names in `EXTREMUM_TFJS`. Its packages are optional peers.
 *
 * tfjs has one current backend in a thread. Everything between choosing it and reading the results is synchronous, so
 * that kernels on different ones do not meet.
 */
import { createRequire } from 'node:module';
import { ExtremumError } from '../../common/errors.js';
import { resultsOf, type IrFunction } from '../../ir/types.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import { TILE_LANES } from '../../model/tiles.js';
import { fillColumn } from '../single-precision/columns.js';
import { distanceOf, singleOf } from '../single-precision/enclosures.js';
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';
import { evaluateProgram, workOf } from '../single-precision/program.js';
import {
  areQuotientsNear,
  ARITHMETIC_INPUTS,
  argumentsOf,
  arithmeticFacts,
  dividends,
  divisors,
  isNear,
} from '../single-precision/self-test.js';
import type { Approximation } from '../backend.js';
import { loadPackages, SingleBackend, unavailable, type SingleHost } from '../single-precision/single-backend.js';
import type { SinglePlace } from '../single-precision/single-kernel.js';
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

export class TfjsBackend extends SingleBackend {
  constructor(options: TfjsOptions = {}) {
    const setting = { variable: 'EXTREMUM_TFJS', names: 'tfjs backend', values: Object.keys(FLAVOURS) };
    super('tfjs', setting, options.flavour);
  }

  protected override start(value: string): Promise<SingleHost> {
    return Host.start(value as Flavour);
  }
}

class Host implements SingleHost {
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

  async open(ir: IrFunction): Promise<SinglePlace> {
    const { device, isGpu } = this;
    const rows = rowsFor(ir);
    // One lane of ones: operations that are missing show here.
    const ones = new Float64Array(ir.dimension).fill(1);
    await this.use(() => this.evaluate(ir, { candidates: ones, count: 1, dimension: ir.dimension }));
    return {
      device,
      gpuTier: isGpu ? GPU_TIER : null,
      rows,
      approximate: (batch) => this.approximate(ir, batch),
      close: () => {},
    };
  }

  private async approximate(ir: IrFunction, batch: CandidateBatch): Promise<Approximation> {
    return this.use(() => {
      try {
        return this.evaluate(ir, batch);
      } catch (error) {
        // Of any kind: tfjs and what is below it throw plain errors, for want of memory among others.
        throw new ExtremumError('backend_lost', `tfjs failed: ${(error as Error).message}`, { cause: error });
      }
    });
  }

  /** Runs `work` while this host's tfjs backend is the current one. */
  private async use<T>(work: () => T): Promise<T> {
    const { tf, backend } = this;
    while (tf.getBackend() !== backend) await tf.setBackend(backend);
    return work();
  }

  /** Inside `use`. */
  private evaluate(ir: IrFunction, batch: CandidateBatch): Approximation {
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

function load(flavour: Flavour): Tfjs {
  // tfjs-node calls two functions that Node no longer has.
  const util = createRequire(import.meta.url)('node:util') as Record<string, unknown>;
  util['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  util['isArray'] ??= Array.isArray;
  const [tf] = loadPackages(FLAVOURS[flavour].packages);
  return tf as Tfjs;
}

function coordinatesOf(tf: Tfjs, batch: CandidateBatch): Coordinates {
  const column = (of: (number: number) => number, k: number) => {
    const numbers = new Float32Array(batch.count);
    fillColumn(batch, k, of, numbers);
    return tf.tensor1d(numbers);
  };
  const columns = Array.from({ length: batch.dimension }, (_, k) => k);
  return {
    values: columns.map((k) => column(singleOf, k)),
    errors: columns.map((k) => column(distanceOf, k)),
  };
}

function isArithmeticSound(tf: Tfjs): boolean {
  return tf.tidy(() => {
    const lanes = new TensorLanes(tf, 1, { values: [], errors: [] }, new Set());
    const [zero, one, third] = ARITHMETIC_INPUTS.map((number) => tf.tensor1d([number], 'float32'));
    const [a, b] = [tf.tensor1d(dividends()), tf.tensor1d(divisors())];
    return (
      arithmeticFacts(lanes, [zero, one, third]).every((fact) => lanes.spread(fact).dataSync()[0] === 1) &&
      areQuotientsNear(tf.div(a, b).dataSync(), tf.sqrt(b).dataSync())
    );
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
