/**
 * Verified IR to the text of one CUDA kernel, for NVRTC. Nothing of the user's source reaches the text: only value
 * numbers, operations of the op table, numbers and lines.
 *
 * One candidate per thread. The kernel's form (docs/adr/0044-tiles-and-gpus.md):
 *
 *   extern "C" __global__ void evaluate(const double *tiles, unsigned count, double *values, unsigned char *status, int
 *   *lines)
 *
 * `tiles`: candidates in tiles of 64 (`src/model/tiles.ts`); `values`: results in the same layout, `resultsOf` the
 * program for each candidate, the value first. Neighbouring threads read and write neighbouring numbers. `status` and
 * `lines` have an entry per candidate; `lines` may be null. Threads behind `count` do nothing. A lane that is flagged
 * has NaN in all its results. In single precision (`generate-single.ts`) each result comes with its bound.
 *
 * `static` device functions hold the library, the lane and, for a large program, pieces of it; the kernel itself only
 * says where a candidate is. A lane that leaves early ends its thread's work; the others of its warp go on.
 */
import type { IrType } from '../../ir/ops.js';
import { arityOf, FAST_MATH_LIBRARY, libraryName, MATH_LIBRARY, type LibraryName } from '../../ir/math/index.js';
import { largestCount, type CountedIndex } from '../../ir/index-form.js';
import type { IndexForm, Instruction, IrFunction, Region, ValueId } from '../../ir/types.js';
import { outputArrayOf, resultsOf, type LaneStatus } from '../../ir/types.js';
import { regionsOf, walk } from '../../ir/walk.js';
import { TILE_LANES } from '../../model/tiles.js';
import { lines, StatementWriter, type MathInstruction, type PrimitiveInstruction } from '../statement-writer.js';
import { deviceFunction, primitiveCall, type DeviceFunctionName } from './device-functions.js';
import { literal } from './literals.js';

export interface KernelOptions {
  /**
   * `fast`: products and sums are contracted, and sine and cosine take fewer steps: bits differ from the interpreter's,
   * by the op table's errors and those of one rounding less.
   */
  readonly math: 'exact' | 'fast';
}

export interface KernelText {
  readonly text: string;
  /** Options of NVRTC that the text's meaning depends on; the architecture is the caller's. */
  readonly options: readonly string[];
  /** Threads of a block: at most that many, a multiple of a warp. */
  readonly blockThreads: number;
  /**
   * Local arrays and kept values of one thread. The driver sets them aside for each thread that can be resident on the
   * device, besides what registers spill.
   */
  readonly localBytes: number;
}

export const KERNEL_NAME = 'evaluate';

/**
 * A tile. Small blocks spread a small population over more of the device. Large ones would win nothing: threads share
 * nothing, and 32 blocks of two warps fill a multiprocessor of compute capability 8.0 and 9.0.
 */
const BLOCK_THREADS = TILE_LANES;

const NODES_PER_FUNCTION = 4_000;
/** Nodes of a program. */
const MAX_NODES = 60_000;
/** All tables of a kernel that lie in constant memory, which gives a warp one element per step: indices are uniform. */
const CONSTANT_BYTES = 60 * 1024;
/** CUDA's limit for a thread is 512 KiB, spills and calls included. */
const MAX_LOCAL_BYTES = 256 * 1024;
const MAX_TABLE_ELEMENTS = 200_000;
const MAX_INT = 2 ** 31 - 1;
const NUMBER_BYTES = 8;

/** @throws {RangeError} for what the device cannot take: too large a program. */
export function generateKernel(fn: IrFunction, options: KernelOptions): KernelText {
  return new DoubleWriter(fn, options, new Library(options)).kernel();
}

/** The kernel around `lane`, which writes `width` results from `dimension` coordinates. */
export const kernelEntry = (dimension: number, width: number): readonly string[] => [
  `extern "C" __global__ void __launch_bounds__(${BLOCK_THREADS})`,
  `${KERNEL_NAME}(const double *__restrict__ tiles, unsigned count, double *__restrict__ values,`,
  'unsigned char *__restrict__ status, int *__restrict__ lines) {',
  'const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;',
  'if (i >= count) return;',
  `const unsigned long long tile = i / ${TILE_LANES}u * ${TILE_LANES}ull;`,
  `const unsigned slot = i % ${TILE_LANES}u;`,
  `double *const Y = values + tile * ${width}ull + slot;`,
  `const Flag flag = lane(tiles + tile * ${dimension}ull + slot, Y);`,
  'if (flag.status != 0) {',
  `for (int k = 0; k < ${width}; k++) Y[${TILE_LANES} * k] = ${literal(NaN)};`,
  '}',
  'status[i] = (unsigned char)flag.status;',
  'if (lines) lines[i] = flag.line;',
  '}',
  '',
];

export const FLAG = 'struct Flag { int status; int line; };';
export const LANE_HEAD =
  'static __device__ __forceinline__ Flag lane(const double *__restrict__ X, double *__restrict__ Y) {';
export const LANE_END: readonly string[] = ['return Flag{0, 0};', '}'];

/** Text and options of a kernel; `isContracted`: products may be fused with sums. */
export const kernelText = (text: string, isContracted: boolean, localBytes: number): KernelText => ({
  text,
  options: ['--std=c++17', `--fmad=${isContracted}`, '--ftz=false', '--prec-div=true', '--prec-sqrt=true'],
  blockThreads: BLOCK_THREADS,
  localBytes,
});

/** Device functions that a kernel calls, in the order in which they must be defined. */
class Library {
  private readonly primitives = new Map<DeviceFunctionName, string>();
  private readonly functions = new Map<LibraryName, string>();

  constructor(private readonly options: KernelOptions) {}

  primitive(name: DeviceFunctionName): void {
    if (!this.primitives.has(name)) this.primitives.set(name, deviceFunction(name));
  }

  /** The expression of a call. */
  math(node: MathInstruction, args: readonly string[]): string {
    const name = libraryName(node);
    if (!this.functions.has(name)) {
      const expansions = this.options.math === 'fast' ? FAST_MATH_LIBRARY : MATH_LIBRARY;
      this.functions.set(name, new MathFunctionWriter(expansions[name], this.options, this).function(name));
    }
    return `math_${name}(${args.join(', ')})`;
  }

  text(): string[] {
    return [...this.primitives.values(), ...this.functions.values()];
  }
}

/** What kernels have in common, whatever a number is. */
export abstract class KernelWriter extends StatementWriter {
  /** The type of a number, of 8 bytes, and of a truth value. */
  protected readonly number: string = 'double';
  protected readonly bool: string = 'bool';
  /** By index: what it is below. */
  private readonly bounds = new Map<ValueId, number>();

  /** `functionSize`: nodes of a function, roughly. `mostNodes`: of a program. */
  constructor(
    fn: IrFunction,
    functionSize: number,
    private readonly mostNodes: number,
  ) {
    super(fn, functionSize);
    this.findBounds(fn.body, []);
  }

  /** What the lane calls: read once its text is written. */
  protected abstract definitions(): readonly string[];
  /** Statements that write the results of a lane which nothing has stopped; numbers of each result. */
  protected abstract delivery(): readonly string[];
  protected readonly numbersPerResult: number = 1;
  protected readonly isContracted: boolean = false;

  kernel(): KernelText {
    const { fn, split } = this;
    this.checkSize();
    const { dimension } = fn;
    const pieces = this.pieces().map((statements, k) =>
      lines(
        `static __device__ __noinline__ Flag piece${k + 1}(const double *__restrict__ X, Frame &f) {`,
        ...statements,
        ...LANE_END,
      ),
    );
    const lane = [
      LANE_HEAD,
      ...(split.pieces.length === 0 ? this.localArrays() : ['Frame f;']),
      ...this.main(),
      ...this.delivery(),
      ...LANE_END,
    ];
    const tables = this.tables();
    const text = lines(
      FLAG,
      ...this.definitions(),
      ...tables,
      ...(split.pieces.length === 0 ? [] : this.frame()),
      ...pieces,
      ...lane,
      ...kernelEntry(dimension, this.numbersPerResult * resultsOf(fn)),
    );
    return kernelText(text, this.isContracted, this.localBytes());
  }

  private checkSize(): void {
    const { fn } = this;
    let nodes = 0;
    walk(fn.body, () => nodes++);
    if (nodes > this.mostNodes) throw new RangeError(`it has ${nodes} operations, more than ${this.mostNodes}`);
    if (TILE_LANES * fn.dimension > MAX_INT) throw new RangeError(`a candidate has ${fn.dimension} coordinates`);
    const elements = fn.arrays.reduce((sum, array) => sum + (array.kind === 'table' ? array.values.length : 0), 0);
    if (elements > MAX_TABLE_ELEMENTS) {
      throw new RangeError(`its tables have ${elements} elements, more than ${MAX_TABLE_ELEMENTS}`);
    }
    const bytes = this.localBytes();
    if (bytes > MAX_LOCAL_BYTES) throw new RangeError(`a candidate needs ${bytes} bytes of local memory`);
  }

  private localBytes(): number {
    const elements = this.fn.arrays.reduce((sum, array) => sum + (array.kind === 'local' ? array.length : 0), 0);
    return NUMBER_BYTES * (elements + this.slots.size);
  }

  /** Arrays without elements cannot be declared, and are not read. */
  private localArrays(): string[] {
    return this.fn.arrays.flatMap((array, k) =>
      array.kind === 'local' && array.length > 0 ? [`${this.number} array${k}[${array.length}];`] : [],
    );
  }

  /** What the functions of a lane hand on: kept values by their names, and the local arrays. */
  private frame(): string[] {
    const kept = [...this.slots.keys()].map((id) => `${this.variable(this.fn.types[id])} v${id};`);
    return ['struct Frame {', ...kept, ...this.localArrays(), '};'];
  }

  private tables(): string[] {
    let bytes = 0;
    return this.fn.arrays.flatMap((array, k) => {
      if (array.kind !== 'table' || array.values.length === 0) return [];
      bytes += NUMBER_BYTES * array.values.length;
      const space = bytes <= CONSTANT_BYTES ? '__constant__' : '__device__';
      const elements = Array.from(array.values, (value) => this.literal(value));
      return [`static ${space} const ${this.number} array${k}[${elements.length}] = {${elements.join(', ')}};`];
    });
  }

  /** Not `A7` and the like: ptxas 13.0 takes a table of that very name for another one. */
  protected array(index: number): string {
    return this.split.pieces.length > 0 && this.fn.arrays[index].kind === 'local' ? `f.array${index}` : `array${index}`;
  }

  /** Indices are `int`: whoever counts further never ends. */
  private findBounds(region: Region, loops: readonly CountedIndex[]): void {
    for (const node of region.body) {
      if (node.kind === 'op') continue;
      if (node.kind === 'for') {
        const largest = largestCount(node, loops);
        if (largest > MAX_INT) throw new RangeError(`it counts to ${largest}`);
        this.bounds.set(node.index, largest);
      }
      const inner = node.kind === 'for' ? [...loops, { index: node.index, count: node.count }] : loops;
      regionsOf(node).forEach((each) => this.findBounds(each, inner));
    }
  }

  /** No sum of some of its terms is larger. */
  private bound({ offset, terms }: IndexForm): number {
    return terms.reduce((sum, { index, scale }) => sum + Math.abs(scale) * this.bounds.get(index)!, Math.abs(offset));
  }

  protected override constant(type: IrType): string {
    return `const ${this.variable(type)}`;
  }

  protected override variable(type: IrType): string {
    return type === 'f64' ? this.number : type === 'bool' ? this.bool : 'int';
  }

  protected override counter(most: number): string {
    return most <= MAX_INT ? 'int' : 'long long';
  }

  protected override form(at: IndexForm): string {
    if (this.bound(at) > MAX_INT) throw new RangeError('an index is beyond 2^31');
    return this.sum(at, '');
  }

  private sum({ offset, terms }: IndexForm, suffix: 'LL' | ''): string {
    const parts = terms.map(({ index, scale }) => {
      const name = suffix === '' ? this.value(index) : `(long long)${this.value(index)}`;
      return scale === 1 ? name : `${scale}${suffix} * ${name}`;
    });
    return [...parts, ...(offset === 0 && parts.length > 0 ? [] : [`${offset}${suffix}`])].join(' + ');
  }

  /** An index form as a `type`, in which whole numbers are exact up to `most`. */
  protected ordinalIn(type: 'double' | 'float', most: number, at: IndexForm): string {
    const bound = this.bound(at);
    // Beyond, a sum of products is no longer exact, in the interpreter neither.
    if (bound > most) throw new RangeError(`a whole number up to ${bound} is not exact in ${type}`);
    return `(${type})(${this.sum(at, bound > MAX_INT ? 'LL' : '')})`;
  }

  protected override element({ imm, at }: Instruction): string {
    const form = this.form(at!);
    return this.fn.arrays[imm].kind === 'candidate'
      ? this.read(`X[${TILE_LANES} * (${form})]`)
      : `${this.array(imm)}[${form}]`;
  }

  protected override coordinate(index: number): string {
    return this.read(`X[${TILE_LANES * index}]`);
  }

  /** A coordinate of the candidate as a number. */
  protected read(coordinate: string): string {
    return coordinate;
  }

  protected override flag(status: LaneStatus, line: number): string {
    return `return Flag{${status}, ${line | 0}};`;
  }

  protected override callPiece(piece: number): string {
    return `{ const Flag flag = piece${piece}(X, f); if (flag.status != 0) return flag; }`;
  }

  protected override kept(id: ValueId): string {
    return `f.v${id}`;
  }

  protected override keep(id: ValueId, value: string): string {
    return `f.v${id} = ${value};`;
  }

  /** Rolled loops stay rolled: unrolled, code and registers grow with the dimension. */
  protected override loopPrefix(): string[] {
    return ['#pragma unroll 1'];
  }
}

class DoubleWriter extends KernelWriter {
  protected override readonly isContracted: boolean;

  constructor(
    fn: IrFunction,
    protected readonly options: KernelOptions,
    protected readonly library: Library,
  ) {
    super(fn, NODES_PER_FUNCTION, MAX_NODES);
    this.isContracted = options.math === 'fast';
  }

  protected override definitions(): readonly string[] {
    return this.library.text();
  }

  protected override delivery(): readonly string[] {
    this.library.primitive('canonical');
    const output = outputArrayOf(this.fn);
    const value = `Y[0] = canonical(${this.value(this.fn.body.yields[0])});`;
    if (output === null || output.length === 0) return [value];
    const element = `Y[${TILE_LANES} * (1 + k)] = canonical(${this.array(output.array)}[k]);`;
    return [value, `for (int k = 0; k < ${output.length}; k++) ${element}`];
  }

  protected override literal(value: number): string {
    return literal(value);
  }

  protected override ordinal(at: IndexForm): string {
    return this.ordinalIn('double', 2 ** 53, at);
  }

  protected override primitive({ op }: PrimitiveInstruction, args: readonly string[]): string {
    const { text, needs } = primitiveCall(op, args);
    if (needs !== undefined) this.library.primitive(needs);
    return text;
  }

  protected override math(node: MathInstruction, args: readonly string[]): { before: string[]; result: string } {
    return { before: [], result: this.library.math(node, args) };
  }
}

/** A function of the mathematics library, of its arguments. */
class MathFunctionWriter extends DoubleWriter {
  function(name: LibraryName): string {
    const parameters = Array.from({ length: arityOf(name) }, (_, k) => `double x${k}`);
    return lines(
      `static __device__ double math_${name}(${parameters.join(', ')}) {`,
      ...this.main(),
      `return ${this.value(this.fn.body.yields[0])};`,
      '}',
    );
  }

  protected override coordinate(index: number): string {
    return `x${index}`;
  }
}
