/** The readings of a compiled objective: which derived program gives each, made when it is first asked for. */
import { analyzeProgram } from '../analysis/analyze-program.js';
import type { Kernel } from '../backends/backend.js';
import type { OpenProgram } from '../engine/ports.js';
import { resultsOf, type IrFunction } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import type { ProgramStructure } from '../model/program-structure.js';
import type { DerivedReading } from '../model/reading.js';
import type { Direction } from '../model/run-task.js';
import { differentiate, GradientTooLarge } from '../passes/gradient/differentiate.js';
import { intervalProgram, IntervalsTooLarge } from '../passes/interval/interval-program.js';
import { negate } from '../passes/negate.js';
import { optimizeIr } from '../passes/pipeline.js';
import { tangents } from '../passes/tangents/tangents.js';

/** A derived program of more values than that takes longer to make than it saves. */
const MAX_VALUES = 200_000;

/** What a program says of itself, and the programs made from it. */
interface Readable {
  readonly structure: ProgramStructure;
  /** Null where there is none. */
  derived(reading: DerivedReading): IrFunction | null;
}

/** A thread compiles the same few objectives again and again, for the same bounds. */
const known: Readonly<Record<Direction, WeakMap<IrFunction, Readable>>> = {
  minimize: new WeakMap(),
  maximize: new WeakMap(),
};

/**
 * @param bounds where every candidate will lie; the same whenever `ir` is the same
 * @param open makes a kernel for a program of its own
 */
export function openProgram(
  ir: IrFunction,
  direction: Direction,
  bounds: Bounds,
  open: (program: IrFunction) => Promise<Kernel>,
): OpenProgram {
  let readable = known[direction].get(ir);
  if (readable === undefined) {
    readable = read(direction === 'maximize' ? negate(ir) : ir, bounds);
    known[direction].set(ir, readable);
  }
  const { structure, derived } = readable;
  return {
    structure,
    resultLength: (reading) => {
      const program = derived(reading);
      return program === null ? null : resultsOf(program) - 1;
    },
    open: (reading) => {
      const program = derived(reading);
      if (program === null) throw new Error(`the program cannot be read for ${reading}`);
      return open(program);
    },
  };
}

function read(minimised: IrFunction, bounds: Bounds): Readable {
  const analysis = analyzeProgram(minimised, bounds);
  const made = new Map<DerivedReading, IrFunction | null>();
  const derivations: Readonly<Record<DerivedReading, () => IrFunction | null>> = {
    gradient: () => differentiate(minimised),
    terms: () => analysis.terms(),
    residuals: () => analysis.residuals(),
    tangents: () => {
      const residuals = derived('residuals');
      return residuals === null ? null : tangents(residuals);
    },
    bounds: () => intervalProgram(minimised),
  };
  function derived(reading: DerivedReading): IrFunction | null {
    let program = made.get(reading);
    if (program === undefined) {
      program = tryToDerive(derivations[reading]);
      made.set(reading, program);
    }
    return program;
  }
  return { structure: analysis.structure, derived };
}

function tryToDerive(derive: () => IrFunction | null): IrFunction | null {
  try {
    const program = derive();
    return program === null || program.types.length > MAX_VALUES ? null : optimizeIr(program);
  } catch (error) {
    if (error instanceof GradientTooLarge || error instanceof IntervalsTooLarge) return null;
    throw error;
  }
}
