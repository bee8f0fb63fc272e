/**
 * The population of a strategy on a GPU. One image holds the objective's kernel and those of the generation program,
 * whose text is `native/cuda/strategies/`.
 *
 * Calls block the thread that makes them, a part of a generation at a time: between the parts its event loop gets a
 * turn, and cancellation is looked at.
 */
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExtremumError } from '../../common/errors.js';
import type {
  EndOfGeneration,
  GenerationPlace,
  Launch,
  PopulationProgram,
  PopulationState,
  ResidentPopulation,
} from '../../model/resident-population.js';
import { attempt } from './cuda-errors.js';
import type { CudaAddon, PopulationHandle } from './driver.js';

const TEXTS = new URL('../../../native/cuda/strategies/', import.meta.url);

/**
 * The text of a generation program, behind that of an objective's kernel; null: there is no such program. `gradient`:
 * text of the kernel for the objective's gradient; null: it is not read.
 */
export async function generationText(kernel: string, gradient: string | null, name: string): Promise<string | null> {
  const file = `${name.replaceAll('-', '_')}.h`;
  const read = (each: string): Promise<string> => readFile(new URL(each, TEXTS), 'utf8');
  try {
    return [
      kernel,
      ...(gradient === null ? [] : besides(gradient)),
      ...(await Promise.all(['generation.h', file, 'kernels.h'].map(read))),
    ].join('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Step, threads and turn of each. */
const packed = (launches: readonly Launch[]): Uint32Array =>
  Uint32Array.from(launches.flatMap(({ step, threads, turn }) => [step, threads, turn]));

/** Text of a gradient's kernel as a second one: both have a lane, and functions of the library. */
export const besides = (gradient: string): readonly string[] => [
  ...['#define evaluate evaluate_gradient', 'namespace slopes {', gradient, '}', '#undef evaluate'],
];

export class CudaPopulation implements ResidentPopulation {
  readonly isSlower = false;
  private counted = 0;
  /** Of the open generation, for when fitness is accepted. */
  private after = packed([]);

  constructor(
    private readonly addon: CudaAddon,
    private readonly handle: PopulationHandle,
    private readonly program: PopulationProgram,
    /** Told what the device has done since the last call: candidates that were taken in, and seconds. */
    private readonly note: (evaluations: number, seconds: number) => void,
  ) {}

  load(state: PopulationState): void {
    this.parts(state).forEach(([k, part]) => attempt(() => this.addon.cudaPopulationPut(this.handle, k, part)));
  }

  store(state: PopulationState): void {
    this.parts(state).forEach(([k, part]) => attempt(() => this.addon.cudaPopulationGet(this.handle, k, part)));
  }

  private parts({ vectors, scalars, shared }: PopulationState): readonly (readonly [place: number, Float64Array])[] {
    const { program } = this;
    const own = [...vectors, ...scalars].map((part, k) => [k, part] as const);
    return program.shared === 0 ? own : [...own, [program.vectors + program.scalars, shared]];
  }

  async evaluate(place: GenerationPlace, signal: AbortSignal): Promise<number> {
    const { addon, handle, program } = this;
    const { size } = program;
    const { before, after } = program.launches(place);
    this.after = packed(after);
    const { chunkRows } = addon.cudaPopulationState(handle);
    attempt(() => addon.cudaPopulationMove(handle, place.run, place.generation, packed(before)));
    const works = [
      addon.cudaPopulationEvaluate,
      ...(program.readsGradients ? [addon.cudaPopulationEvaluateGradients] : []),
    ];
    for (const [k, work] of works.entries()) {
      for (let first = 0; first < size; first += chunkRows) {
        if (first > 0 || k > 0) await nextTurn();
        if (signal.aborted)
          throw new ExtremumError('cancelled', 'the evaluation was cancelled', { cause: signal.reason });
        attempt(() => work(handle, first, Math.min(chunkRows, size - first)));
      }
    }
    return attempt(() => addon.cudaPopulationOdd(handle));
  }

  results(values: Float64Array, status: Uint8Array): void {
    attempt(() => this.addon.cudaPopulationGetResults(this.handle, values, status));
  }

  correct(values: Float64Array, status: Uint8Array): void {
    attempt(() => this.addon.cudaPopulationPutResults(this.handle, values, status));
  }

  rows(rows: Uint32Array): { readonly candidates: Float64Array; readonly values: Float64Array } {
    const candidates = new Float64Array(rows.length * this.program.n);
    const values = new Float64Array(rows.length);
    attempt(() => this.addon.cudaPopulationRows(this.handle, rows, candidates, values));
    return { candidates, values };
  }

  accept(sign: 1 | -1, below: number): EndOfGeneration {
    const statistics = attempt(() => this.addon.cudaPopulationAccept(this.handle, sign, this.after));
    const { best, index } = statistics;
    const candidate = best < below ? this.rows(Uint32Array.of(index)).candidates : null;
    this.count(this.program.size);
    return { statistics, candidate };
  }

  close(): void {
    this.count(0);
    this.addon.cudaPopulationClose(this.handle);
  }

  private count(evaluations: number): void {
    const { deviceSeconds } = this.addon.cudaPopulationState(this.handle);
    this.note(evaluations, deviceSeconds - this.counted);
    this.counted = deviceSeconds;
  }
}
