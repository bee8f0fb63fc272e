/** The readings of a compiled objective: which derived program gives each, made when it is first asked for. */
import { analyzeProgram } from '../analysis/analyze-program.js';
import type { Kernel } from '../backends/backend.js';
import type { OpenProgram } from '../engine/ports.js';
import { resultsOf, type IrFunction } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import type { DerivedReading } from '../model/reading.js';
import type { Direction } from '../model/run-task.js';
import { differentiate, GradientTooLarge } from '../passes/gradient/differentiate.js';
import { intervalProgram, IntervalsTooLarge } from '../passes/interval/interval-program.js';
import { negate } from '../passes/negate.js';
import { optimizeIr } from '../passes/pipeline.js';
import { tangents } from '../passes/tangents/tangents.js';

/** A derived program of more values than that takes longer to make than it saves. */
const MAX_VALUES = 200_000;

/**
 * @param bounds where every candidate will lie
 * @param open makes a kernel for a program of its own
 */
export function openProgram(
  ir: IrFunction,
  direction: Direction,
  bounds: Bounds | undefined,
  open: (program: IrFunction) => Promise<Kernel>,
): OpenProgram {
  const minimised = direction === 'maximize' ? negate(ir) : ir;
  const analysis = analyzeProgram(minimised, bounds);
  const derivations: Readonly<Record<DerivedReading, () => IrFunction | null>> = {
    gradient: () => differentiate(minimised),
    terms: () => analysis.terms(),
    residuals: () => analysis.residuals(),
    tangents: () => {
      const residuals = analysis.residuals();
      return residuals === null ? null : tangents(residuals);
    },
    bounds: () => intervalProgram(minimised),
  };
  const derived = new Map<DerivedReading, IrFunction | null>();
  const programFor = (reading: DerivedReading): IrFunction | null => {
    let program = derived.get(reading);
    if (program === undefined) {
      program = tryToDerive(derivations[reading]);
      derived.set(reading, program);
    }
    return program;
  };
  return {
    structure: analysis.structure,
    resultLength: (reading) => {
      const program = programFor(reading);
      return program === null ? null : resultsOf(program) - 1;
    },
    open: (reading) => {
      const program = programFor(reading);
      if (program === null) throw new Error(`the program cannot be read for ${reading}`);
      return open(program);
    },
  };
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
