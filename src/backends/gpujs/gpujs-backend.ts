/**
 * gpu.js as a backend, in single precision: GPUs of any vendor, one thread for each candidate, in the mode that the
 * operator names in `EXTREMUM_GPUJS`. The package is an optional peer.
 *
 * gpu.js promises no precision of its own, takes another mode where the one that was asked for fails, and translates
 * text by rules of its own. So each mode is tried when it starts, every kernel is tried against the interpreter before
 * it is used, and what ran it is looked at.
 */
import { ExtremumError } from '../../common/errors.js';
import { resultsOf, type IrFunction } from '../../ir/types.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import { TILE_LANES } from '../../model/tiles.js';
import { fillColumn } from '../single-precision/columns.js';
import { distanceOf, singleOf } from '../single-precision/enclosures.js';
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';
import { workOf } from '../single-precision/program.js';
import type { Approximation } from '../backend.js';
import { loadPackages, SingleBackend, unavailable, type SingleHost } from '../single-precision/single-backend.js';
import type { SinglePlace } from '../single-precision/single-kernel.js';
import { trialCandidates, trialProblem } from '../single-precision/trial.js';
import { generateKernel, type GeneratedKernel } from './generate.js';
import { isModeOf, Launch, MODES, type Gpu, type Gpujs, type Mode } from './gpujs.js';
import { ModeTest } from './mode-test.js';
import type { ModeFunctions } from './dialect.js';
import { provideWebGpu } from './web-gpu.js';

interface GpujsOptions {
  /** Default: what `EXTREMUM_GPUJS` says; without it the backend is off. */
  readonly mode?: string;
}

/**
 * Operations of a program on one candidate, with all turns of its loops: a GPU's driver ends kernels that take seconds.
 */
const MAX_WORK = 50_000;
/**
 * Statements of a kernel. gpu.js takes some seconds for so many on the processor; drivers take as long for fewer, and
 * one of a software device crashed at some thousand.
 */
const statementsOf = (mode: Mode): number => (mode === 'cpu' || mode === 'webasm' ? 6_000 : 1_000);
/** Candidates of one launch. gpu.js compiles a kernel for each. */
const WIDTHS = [TILE_LANES, 16 * TILE_LANES, 256 * TILE_LANES];
/** Numbers that a launch may take and give: 64 MiB. */
const NUMBERS = 2 ** 24;

/** Counts evaluations on a GPU, in records. */
const GPU_TIER = 'gpujs-gpu';

/** How software devices call themselves. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|cpu/i;

/** A result is stored in single precision, whatever a mode computes with, and so is its bound. */
const STORED = 2 ** -23;

export class GpujsBackend extends SingleBackend {
  constructor(options: GpujsOptions = {}) {
    const setting = { variable: 'EXTREMUM_GPUJS', names: 'mode of gpu.js', values: Object.keys(MODES) };
    super('gpujs', setting, options.mode);
  }

  protected override start(value: string): Promise<SingleHost> {
    return Host.start(value as Mode);
  }
}

class Host implements SingleHost {
  private constructor(
    private readonly gpujs: Gpujs,
    private readonly mode: Mode,
    private readonly functions: ModeFunctions,
    readonly isGpu: boolean,
    readonly device: string,
  ) {}

  static async start(mode: Mode): Promise<Host> {
    const [gpujs, { version }] = loadPackages(['gpu.js', 'gpu.js/package.json']) as [
      Gpujs,
      { readonly version: string },
    ];
    if (mode === 'webgpu') await provideWebGpu();
    let test: ModeTest | null = null;
    try {
      test = new ModeTest(gpujs, mode);
      const device = await test.arithmetic();
      const [missing, own] = [new Set<LaneFunction>(), new Set<LaneFunction>()];
      for (const name of LANE_FUNCTIONS) {
        if (await test.hasFunction(name, false)) continue;
        ((await test.hasFunction(name, true)) ? own : missing).add(name);
      }
      const isGpu = device !== null && !SOFTWARE.test(device);
      const without = missing.size === 0 ? '' : `, without ${[...missing].join(', ')}`;
      const on = device === null ? '' : ` on ${device}`;
      return new Host(gpujs, mode, { missing, own }, isGpu, `gpu.js ${version}, ${test.ran}${on}, f32${without}`);
    } catch (error) {
      // Of any kind: gpu.js throws plain errors.
      throw unavailable(`gpu.js in mode ${mode}: ${(error as Error).message}`, error);
    } finally {
      await test?.close();
    }
  }

  async open(ir: IrFunction): Promise<SinglePlace> {
    const work = workOf(ir);
    if (work > MAX_WORK) throw new RangeError(`${work} operations are too many`);
    const place = new GpujsPlace(
      this.gpujs,
      this.mode,
      ir,
      generateKernel(ir, this.functions, statementsOf(this.mode)),
      this,
    );
    try {
      await place.approximate({
        candidates: new Float64Array(ir.dimension).fill(1),
        count: 1,
        dimension: ir.dimension,
      });
      return place;
    } catch (error) {
      await place.close();
      // A kernel that gpu.js or a driver does not compile.
      if (error instanceof ExtremumError) throw new RangeError(error.message, { cause: error });
      throw error;
    }
  }
}

class GpujsPlace implements SinglePlace {
  readonly device: string;
  readonly gpuTier: string | null;
  readonly rows: number;
  private readonly gpu: Gpu;
  private readonly widths: readonly number[];
  private readonly launches = new Map<number, Launch>();

  constructor(
    private readonly gpujs: Gpujs,
    private readonly mode: Mode,
    private readonly ir: IrFunction,
    private readonly text: GeneratedKernel,
    { device, isGpu }: SingleHost,
  ) {
    this.device = device;
    this.gpuTier = isGpu ? GPU_TIER : null;
    const most = NUMBERS / (2 * (ir.dimension + resultsOf(ir)));
    this.widths = WIDTHS.filter((width, k) => k === 0 || width <= most);
    this.rows = this.widths.at(-1)!;
    this.gpu = new gpujs.GPU({ mode });
  }

  async approximate(batch: CandidateBatch): Promise<Approximation> {
    try {
      return await this.launched(batch);
    } catch (error) {
      // Of any kind: gpu.js and what is below it throw plain errors.
      throw new ExtremumError('backend_lost', `gpu.js failed: ${(error as Error).message}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.launches.clear();
    await this.gpu.destroy();
  }

  private async launched(batch: CandidateBatch): Promise<Approximation> {
    return this.run(await this.launchOf(this.widths.find((width) => width >= batch.count) ?? this.rows), batch);
  }

  private async run(launch: Launch, batch: CandidateBatch): Promise<Approximation> {
    const { mode, ir } = this;
    const { count } = batch;
    const results = resultsOf(ir);
    const { points, width } = launch;
    for (let k = 0; k < ir.dimension; k++) {
      const row = (at: number): Float32Array => points.subarray(at * width, (at + 1) * width);
      fillColumn(batch, k, singleOf, row(k));
      fillColumn(batch, k, distanceOf, row(ir.dimension + k));
    }
    const found = await launch.run();
    if (!isModeOf(mode, launch.mode)) {
      throw new Error(`it took the mode ${launch.mode} instead of ${mode}`);
    }
    const values = new Float64Array(count * results);
    const errors = new Float64Array(count * results);
    for (let k = 0; k < results; k++) {
      const [value, error] = [found[2 * k], found[2 * k + 1]];
      for (let i = 0; i < count; i++) {
        values[i * results + k] = value[i];
        errors[i * results + k] = error[i] * (1 + STORED) + STORED * Math.abs(value[i]);
      }
    }
    return { values, errors };
  }

  /** Tried before it is used. */
  private async launchOf(width: number): Promise<Launch> {
    const { gpujs, gpu, text, ir, launches } = this;
    const known = launches.get(width);
    if (known !== undefined) return known;
    const launch = new Launch(gpujs, gpu, text, width, 2 * ir.dimension, 2 * resultsOf(ir));
    const { rows, count } = trialCandidates(ir, workOf(ir));
    const found = await this.run(launch, { candidates: rows, count, dimension: ir.dimension });
    const problem = trialProblem(ir, rows, count, found);
    if (problem !== null) throw new Error(`the mode ${this.mode} computes ${problem}`);
    launches.set(width, launch);
    return launch;
  }
}
