/**
 * NVIDIA GPUs as a backend: text of a kernel from IR, compiled by NVRTC, kept on disk, run by `native/cuda/`.
 *
 * Evaluation is synchronous in a worker thread and goes through libuv's pool on the main thread, as in the native
 * backend. A device that fails ends the kernel with `backend_lost`; too little memory is `backend_unavailable`, and the
 * kernel can be called again. Values that were written before a failure mean nothing: the batch is evaluated anew
 * elsewhere.
 */
import { isMainThread } from 'node:worker_threads';
import { ExtremumError } from '../../common/errors.js';
import { resultsOf, type IrFunction } from '../../ir/types.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import type { PopulationProgram, ResidentPopulation } from '../../model/resident-population.js';
import type {
  Availability,
  Backend,
  BackendCapabilities,
  Device,
  DevicePlace,
  EvaluationOutput,
  GpuUse,
  Kernel,
  Objective,
} from '../backend.js';
import { IrKernel, requireIr, type CandidateEvaluator } from '../ir-kernel.js';
import { OUTCOME } from '../native/addon.js';
import type { LaneFunction } from '../single-precision/lanes.js';
import { workOf } from '../single-precision/program.js';
import { unavailable } from '../single-precision/single-backend.js';
import { SingleKernel } from '../single-precision/single-kernel.js';
import { isQuickToTry, trialCandidates, trialProblem } from '../single-precision/trial.js';
import { attempt, settle, translated } from './cuda-errors.js';
import { CudaPopulation, generationText } from './cuda-population.js';
import { isCudaFailure, loadCudaAddon, type CudaAddon, type CudaFacts, type KernelHandle } from './driver.js';
import { generateSingleKernel, SINGLE_RESULT_NUMBERS } from './generate-single.js';
import { generateKernel, KERNEL_NAME, type KernelText } from './generate.js';
import { cacheFolder, KernelCache, type KernelKey } from './kernel-cache.js';
import { CudaPlace } from './single-place.js';
import { singleTrial } from './single-trial.js';

interface CudaOptions {
  /**
   * `f32`: faster on cards with few units of double precision, with values within a bound of the others; chosen only
   * where somebody asks for it. Default: `f64`.
   */
  readonly precision?: 'f64' | 'f32';
  /** `fast`: products are fused with sums, in double precision. Default: `exact`. */
  readonly math?: 'exact' | 'fast';
  /** Number of the GPU; default: the usable one with the fewest kernels. */
  readonly device?: number;
  /** Whether to evaluate off the calling thread; default: on the main thread only. */
  readonly offload?: boolean;
  /** As for the native backend; looked at between chunks. */
  readonly cancelFlag?: Int32Array;
  /** Candidates that go to the device at once; default: as suits it. For tests. */
  readonly chunkRows?: number;
  /** Default: where the environment says. */
  readonly cache?: KernelCache;
}

/** A slice of a batch: between slices the calling thread's event loop gets a turn. */
const CHUNKS_PER_SLICE = 8;

/** By device. Libraries are of the process, and what is known of them of the thread. */
const missingFunctions = new Map<number, Promise<ReadonlySet<LaneFunction>>>();

export class CudaBackend implements Backend {
  readonly name = 'cuda';
  readonly capabilities: BackendCapabilities;
  private readonly precision: 'f64' | 'f32';
  private readonly math: 'exact' | 'fast';
  private readonly cache: KernelCache;

  constructor(private readonly options: CudaOptions = {}) {
    this.precision = options.precision ?? 'f64';
    this.math = options.math ?? 'exact';
    const arithmetic = this.precision === 'f32' ? 'approximate' : this.math;
    this.capabilities = { input: 'ir', precision: this.precision, arithmetic };
    this.cache = options.cache ?? new KernelCache(cacheFolder(process.env));
  }

  async probe(): Promise<Availability> {
    try {
      const { facts } = await this.host();
      return { available: true, device: describeHost(facts) };
    } catch (error) {
      if (!(error instanceof ExtremumError) || error.code !== 'backend_unavailable') throw error;
      const isAbsent = error.facts['kind'] === 'absent' ? { isAbsent: true as const } : {};
      return { available: false, reason: error.message, ...isAbsent };
    }
  }

  async devices(): Promise<readonly Device[]> {
    const { addon } = loadCudaAddon();
    if (addon === null) return [];
    let facts: CudaFacts;
    try {
      facts = await addon.cudaFacts(libraryFolders());
    } catch (error) {
      if (isCudaFailure(error)) return [];
      throw error;
    }
    return facts.devices.map(({ name, problem, isLost }, index) => {
      const state = problem === null ? 'ready' : isLost ? 'lost' : 'unusable';
      return { index, name, state, problem };
    });
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    const { addon, facts } = await this.host();
    const device = this.options.device ?? attempt(() => addon.cudaDevice());
    return this.precision === 'f32'
      ? this.openSingle(addon, facts, ir, device)
      : this.openDouble(addon, facts, ir, device);
  }

  async close(): Promise<void> {}

  private async openDouble(addon: CudaAddon, facts: CudaFacts, ir: IrFunction, device: number): Promise<Kernel> {
    const text = this.taken(() => generateKernel(ir, { math: this.math }));
    const handle = await this.load(addon, facts, text, ir.dimension, resultsOf(ir), device);
    const { multiprocessors, threadsPerMultiprocessor } = facts.devices[device];
    const place = { index: device, width: multiprocessors * threadsPerMultiprocessor };
    const description = describeDevice(facts, device, 'f64');
    const populate: Populate = (program, gradient, note) =>
      this.populate(addon, facts, ir, text, device, program, gradient, note);
    return new CudaKernel(addon, handle, place, description, ir, this.candidateEvaluator(addon, handle), populate);
  }

  private async openSingle(addon: CudaAddon, facts: CudaFacts, ir: IrFunction, device: number): Promise<SingleKernel> {
    const missing = await this.missingFunctions(addon, facts, device);
    const text = this.taken(() => generateSingleKernel(ir, missing));
    const width = SINGLE_RESULT_NUMBERS * resultsOf(ir);
    const handle = await this.load(addon, facts, text, ir.dimension, width, device);
    const without = missing.size === 0 ? '' : `, without ${[...missing].join(', ')}`;
    const description = describeDevice(facts, device, 'f32') + without;
    const rows = CHUNKS_PER_SLICE * addon.cudaState(handle).chunkRows;
    const evaluate = this.candidateEvaluator(addon, handle);
    const place = new CudaPlace(addon, handle, evaluate, description, rows, ir);
    try {
      const problem = await problemOn(place, ir);
      if (problem !== null) throw unavailable(`${facts.devices[device].name} computes ${problem}`);
      return new SingleKernel(this.name, ir, place);
    } catch (error) {
      place.close();
      throw error;
    }
  }

  /** Functions of single precision in which a device is not near enough: looked at once in a thread. */
  private missingFunctions(addon: CudaAddon, facts: CudaFacts, device: number): Promise<ReadonlySet<LaneFunction>> {
    let missing = missingFunctions.get(device);
    if (missing === undefined) {
      missing = this.tryFunctions(addon, facts, device);
      missingFunctions.set(device, missing);
      // A device that fails now may do later.
      missing.catch(() => missingFunctions.delete(device));
    }
    return missing;
  }

  private async tryFunctions(addon: CudaAddon, facts: CudaFacts, device: number): Promise<ReadonlySet<LaneFunction>> {
    const { kernel, dimension, results, rows, count, judge } = singleTrial();
    const handle = await this.load(addon, facts, kernel, dimension, results, device);
    try {
      const found = new Float64Array(count * results);
      await this.candidateEvaluator(addon, handle)(rows, count, found, new Uint8Array(count), null, false);
      return judge(found);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unavailable(`${describeDevice(facts, device, 'f32')}: ${error.message}`, error);
    } finally {
      addon.cudaClose(handle);
    }
  }

  /** @throws {ExtremumError} `backend_unavailable`: why CUDA cannot be used here. */
  private async host(): Promise<{ readonly addon: CudaAddon; readonly facts: CudaFacts }> {
    const result = loadCudaAddon();
    if (result.addon === null) {
      throw new ExtremumError('backend_unavailable', result.reason, { facts: { kind: 'absent' } });
    }
    const { addon } = result;
    const facts = await settle(addon.cudaFacts(libraryFolders()));
    const problems = facts.devices.map(({ problem }) => problem);
    const [first] = problems;
    if (first !== null && problems.every((problem) => problem !== null)) {
      throw new ExtremumError('backend_unavailable', first);
    }
    return { addon, facts };
  }

  private taken(generate: () => KernelText): KernelText {
    try {
      return generate();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unavailable(`the cuda backend does not take this objective: ${error.message}`, error);
    }
  }

  private async load(
    addon: CudaAddon,
    facts: CudaFacts,
    { text, options, blockThreads }: KernelText,
    dimension: number,
    results: number,
    device: number,
  ): Promise<KernelHandle> {
    const shape = { dimension, results, blockThreads, chunkRows: this.options.chunkRows ?? 0 };
    return this.compiled(addon, facts, device, text, options, (image) =>
      addon.cudaLoad(image, KERNEL_NAME, device, shape),
    );
  }

  /** A population of the objective; null where it is not made for populations. */
  private async populate(
    addon: CudaAddon,
    facts: CudaFacts,
    ir: IrFunction,
    kernel: KernelText,
    device: number,
    program: PopulationProgram,
    gradient: IrFunction | null,
    note: CountUse,
  ): Promise<ResidentPopulation | null> {
    if (this.math !== 'exact' || resultsOf(ir) !== 1) return null;
    const { name, n, size, vectors, scalars, shared, work, constants, seed, readsGradients } = program;
    if (readsGradients && gradient === null) return null;
    const slopes =
      gradient === null || !readsGradients
        ? null
        : this.taken(() => generateKernel(gradient, { math: this.math })).text;
    const text = await generationText(kernel.text, slopes, name);
    if (text === null) return null;
    const key = { keyLow: seed >>> 0, keyHigh: Math.floor(seed / 2 ** 32) >>> 0 };
    const parts = { vectors, scalars, shared, work, constants: constants.length };
    const shape = { dimension: n, size, ...parts, ...key, readsGradients };
    const box = new Float64Array(program.box.length + constants.length);
    box.set(program.box);
    box.set(constants, program.box.length);
    const handle = await this.compiled(addon, facts, device, text, kernel.options, (image) =>
      addon.cudaPopulation(image, device, shape, box),
    );
    return new CudaPopulation(addon, handle, program, note);
  }

  /** Loads machine code that was kept, or is compiled now. */
  private async compiled<Handle>(
    addon: CudaAddon,
    facts: CudaFacts,
    device: number,
    text: string,
    options: readonly string[],
    load: (image: Uint8Array) => Promise<Handle>,
  ): Promise<Handle> {
    const { major, minor } = facts.devices[device] ?? { major: 0, minor: 0 };
    const architecture = `sm_${major}${minor}`;
    const compiler = `${facts.compilerMajor}.${facts.compilerMinor}`;
    const key: KernelKey = { text, architecture, options, compiler };
    const kept = await this.cache.read(key);
    if (kept !== null) {
      try {
        return await load(kept);
      } catch (error) {
        // Another driver may refuse what an earlier one took: it is compiled anew.
        if (!isCudaFailure(error) || error.kind !== 'image') throw translated(error);
      }
    }
    const image = await settle(addon.cudaCompile(text, [`--gpu-architecture=${architecture}`, ...options]));
    const handle = await settle(load(image));
    // A kernel that is not kept costs the next run the time to compile it, and nothing else.
    await this.cache.write(key, image);
    return handle;
  }

  private candidateEvaluator(addon: CudaAddon, handle: KernelHandle): CandidateEvaluator {
    const cancel = this.options.cancelFlag ?? null;
    if (this.options.offload ?? isMainThread) {
      return async (candidates, count, values, status, lines, isTiled) => {
        checkOutcome(
          await settle(addon.cudaEvaluateAsync(handle, candidates, count, values, status, lines, isTiled, cancel)),
        );
      };
    }
    return (candidates, count, values, status, lines, isTiled) => {
      checkOutcome(
        attempt(() => addon.cudaEvaluate(handle, candidates, count, values, status, lines, isTiled, cancel)),
      );
    };
  }
}

/** What a kernel computes wrongly, in words; null: nothing was found. */
async function problemOn(place: CudaPlace, ir: IrFunction): Promise<string | null> {
  const work = workOf(ir);
  if (!isQuickToTry(ir, work)) return null;
  const { rows, count } = trialCandidates(ir, work);
  return trialProblem(ir, rows, count, await place.approximate({ candidates: rows, count, dimension: ir.dimension }));
}

/** Hears what the device has done: candidates, and seconds by its clock. */
type CountUse = (evaluations: number, seconds: number) => void;
type Populate = (
  program: PopulationProgram,
  gradient: IrFunction | null,
  note: CountUse,
) => Promise<ResidentPopulation | null>;

/** Counts what the device does for it, by the device's clock. */
class CudaKernel extends IrKernel {
  private evaluations = 0;
  private seconds = 0;
  private populationSeconds = 0;
  private atWork = 0;
  private isOpen = true;

  constructor(
    private readonly addon: CudaAddon,
    private readonly handle: KernelHandle,
    readonly onDevice: DevicePlace,
    description: string,
    ir: IrFunction,
    evaluateCandidates: CandidateEvaluator,
    private readonly populate: Populate,
  ) {
    const sliceRows = CHUNKS_PER_SLICE * addon.cudaState(handle).chunkRows;
    super('cuda', description, ir, evaluateCandidates, () => addon.cudaClose(handle), undefined, sliceRows);
  }

  get gpu(): GpuUse {
    return { backend: this.backend, evaluations: this.evaluations, seconds: this.seconds + this.populationSeconds };
  }

  populationOnDevice(program: PopulationProgram, gradient: IrFunction | null): Promise<ResidentPopulation | null> {
    return this.populate(program, gradient, (evaluations, seconds) => {
      this.evaluations += evaluations;
      this.populationSeconds += seconds;
    });
  }

  override async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    this.atWork++;
    try {
      await super.evaluate(batch, output, signal);
      this.evaluations += batch.count;
    } finally {
      this.atWork--;
      this.look();
    }
  }

  override async close(): Promise<void> {
    this.isOpen = false;
    await super.close();
  }

  /** While it is at work its state would have to be waited for. */
  private look(): void {
    if (this.isOpen && this.atWork === 0) this.seconds = this.addon.cudaState(this.handle).deviceSeconds;
  }
}

/** Folders that are searched for the libraries before the usual places. */
function libraryFolders(): string[] {
  return (process.env['EXTREMUM_CUDA_LIBRARY_PATH'] ?? '').split(':').filter((folder) => folder !== '');
}

function describeHost(facts: CudaFacts): string {
  const usable = facts.devices.filter(({ problem }) => problem === null).map(({ name }) => name);
  const names = [...new Set(usable)].map((name) => {
    const count = usable.filter((other) => other === name).length;
    return count === 1 ? name : `${count} x ${name}`;
  });
  return `${names.join(', ')}, ${describeVersions(facts)}`;
}

const describeVersions = (facts: CudaFacts): string =>
  `driver for CUDA ${facts.driverMajor}.${facts.driverMinor}, NVRTC ${facts.compilerMajor}.${facts.compilerMinor}`;

const describeDevice = (facts: CudaFacts, device: number, precision: 'f64' | 'f32'): string =>
  `${facts.devices[device].name} (GPU ${device}), ${precision}, ${describeVersions(facts)}`;

function checkOutcome(outcome: number): void {
  if (outcome === OUTCOME.cancelled) throw new ExtremumError('cancelled', 'the evaluation was cancelled');
}
