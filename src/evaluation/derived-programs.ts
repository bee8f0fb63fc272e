/** The readings of a compiled objective: which derived program gives each, made when it is first asked for. */
import { analyzeProgram, type ProgramAnalysis } from '../analysis/analyze-program.js';
import type { Kernel } from '../backends/backend.js';
import { watched } from '../common/watch.js';
import { resultsOf, type IrFunction } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import type { Finding, ProgramStructure } from '../model/program-structure.js';
import type { DerivedReading } from '../model/reading.js';
import type { Direction } from '../model/objective.js';
import { differentiate, GradientTooLarge } from '../passes/gradient/differentiate.js';
import { envelopeProgram, intervalProgram, IntervalsTooLarge } from '../passes/interval/interval-program.js';
import { negate } from '../passes/negate.js';
import { optimizeIr } from '../passes/pipeline.js';
import { switchProgram } from '../passes/switches/switch-program.js';
import { tangents } from '../passes/tangents/tangents.js';
import type { OpenProgram } from './program-reader.js';
import { UNLIMITED, type ReadingAllowance } from './reading-allowance.js';

/** A derived program of more values than that takes longer to make than it saves. */
const MAX_VALUES = 200_000;

/** Cost of a derived program and a kernel for it: units of about a microsecond, by value of the objective's. */
const COSTS: Readonly<Record<DerivedReading, number>> = {
  gradient: 25,
  bounds: 25,
  terms: 8,
  residuals: 8,
  tangents: 25,
  envelope: 75,
  switches: 25,
};
/** Those that are worth most first: what one takes is not left for the next. */
const ORDER: readonly DerivedReading[] = [
  'gradient',
  'bounds',
  'terms',
  'residuals',
  'tangents',
  'envelope',
  'switches',
];
const NAMES: Readonly<Record<DerivedReading, string>> = {
  gradient: 'gradients',
  bounds: 'bounds over boxes',
  terms: 'terms',
  residuals: 'residuals',
  tangents: 'Jacobians',
  envelope: 'slopes of bounds',
  switches: 'slopes of bends',
};

const CALLED_ONLY: readonly Finding[] = [
  {
    topic: 'limits',
    text: 'To read the program would take more than a tenth of the time of this run: it is only called.',
    lines: [],
  },
];

export interface ReadProgram extends OpenProgram {
  /** Whether there is anything that calls would not tell. */
  readonly isRead: boolean;
}

/** A program's statements about itself, and the programs made from it. */
interface Readable {
  /** `limit`: of work for the analysis; the same limit gives the same. */
  structure(limit: number): ProgramStructure;
  /** Null where there is none. */
  derived(reading: DerivedReading, limit: number): IrFunction | null;
}

/** A thread compiles the same few objectives again and again, for the same bounds. */
const known: Readonly<Record<Direction, WeakMap<IrFunction, Readable>>> = {
  minimize: new WeakMap(),
  maximize: new WeakMap(),
};

/**
 * @param bounds where every candidate will lie; the same whenever `ir` is the same
 * @param open makes a kernel for a program of its own
 * @param allowance what would take more is not read, and the findings say so
 * @param look ends by throwing what is read after the call
 */
export function openProgram(
  ir: IrFunction,
  direction: Direction,
  bounds: Bounds,
  open: (program: IrFunction) => Promise<Kernel>,
  allowance: ReadingAllowance = UNLIMITED,
  look: () => void = () => undefined,
): ReadProgram {
  let readable = known[direction].get(ir);
  if (readable === undefined) {
    readable = read(direction === 'maximize' ? negate(ir) : ir, bounds);
    known[direction].set(ir, readable);
  }
  const { structure: structureWithin, derived: derive } = readable;
  const isRead = affordable(ir, allowance.derived);
  const unread = ORDER.filter((reading) => !isRead.has(reading));
  const found = structureWithin(allowance.analysis);
  const isKnown = !found.findings.some(({ topic }) => topic === 'limits');
  const findings = unread.length === 0 ? found.findings : [...found.findings, notMade(unread)];
  const derived = (reading: DerivedReading): IrFunction | null =>
    isRead.has(reading) ? watched(look, () => derive(reading, allowance.analysis)) : null;
  return {
    isRead: isKnown || isRead.size > 0,
    structure: { ...found, findings: isKnown || isRead.size > 0 ? findings : CALLED_ONLY },
    resultLength: (reading) => {
      const program = derived(reading);
      return program === null ? null : resultsOf(program) - 1;
    },
    open: (reading) => {
      const program = derived(reading);
      if (program === null) throw new Error(`the program cannot be read for ${reading}`);
      return open(program);
    },
    derived,
  };
}

/** Decided beforehand, so that it does not matter what is asked for first, or what is known already. */
function affordable({ types }: IrFunction, allowance: number): ReadonlySet<DerivedReading> {
  let rest = allowance;
  return new Set(
    ORDER.filter((reading) => {
      const cost = COSTS[reading] * types.length;
      if (cost > rest) return false;
      rest -= cost;
      return true;
    }),
  );
}

function notMade(readings: readonly DerivedReading[]): Finding {
  const names = readings.map((reading) => NAMES[reading]);
  const all = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return {
    topic: 'limits',
    text: `To prepare ${all} would take too large a part of the time of this run: it goes on without.`,
    lines: [],
  };
}

function read(minimised: IrFunction, bounds: Bounds): Readable {
  let known: { readonly analysis: ProgramAnalysis; readonly limit: number } | null = null;
  function analysisWithin(limit: number): ProgramAnalysis {
    const isTold = known !== null && (!known.analysis.isCut || limit <= known.limit);
    if (known === null || !isTold) known = { analysis: analyzeProgram(minimised, bounds, limit), limit };
    const { analysis } = known;
    // Of what was not cut no limit makes any difference but whether it is there.
    return analysis.isCut || analysis.work <= limit ? analysis : analyzeProgram(minimised, bounds, 0);
  }
  const made = new Map<DerivedReading, IrFunction | null>();
  const derivations: Readonly<Record<DerivedReading, (analysis: ProgramAnalysis) => IrFunction | null>> = {
    gradient: () => differentiate(minimised),
    terms: (analysis) => analysis.terms(),
    residuals: (analysis) => analysis.residuals(),
    tangents: (analysis) => {
      const residuals = derivedFrom('residuals', analysis);
      return residuals === null ? null : tangents(residuals);
    },
    bounds: () => intervalProgram(minimised),
    switches: () => switchProgram(minimised),
    envelope: () => differentiate(optimizeIr(envelopeProgram(minimised))),
  };
  function derivedFrom(reading: DerivedReading, analysis: ProgramAnalysis): IrFunction | null {
    const isOfAnalysis = reading === 'terms' || reading === 'residuals' || reading === 'tangents';
    if (isOfAnalysis && analysis.isCut) return null;
    let program = made.get(reading);
    if (program === undefined) {
      program = tryToDerive(() => derivations[reading](analysis));
      made.set(reading, program);
    }
    return program;
  }
  return {
    structure: (limit) => analysisWithin(limit).structure,
    derived: (reading, limit) => derivedFrom(reading, analysisWithin(limit)),
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
