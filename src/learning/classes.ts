/** Lessons by kind of problem, for people. */
import { wasProbed, type Lesson, type ProblemFeatures, type ProgramFeatures } from '../model/learning.js';
import { LEAST_ROUGH } from '../planner/problem-classes.js';

/** Kinds of problems; those from `least squares` on are of programs that were read, and not probed. */
export const PROBLEM_KINDS = [
  'noisy',
  'separable',
  'smooth',
  'rough',
  'not probed',
  'least squares',
  'sum of separate terms',
  'convex',
  'stepped',
  'periodic',
  'kinked',
  'differentiable',
] as const;
type ProblemKind = (typeof PROBLEM_KINDS)[number];

export interface ProblemClass {
  readonly name: string;
  readonly features: {
    readonly kind: ProblemKind;
    readonly dimensions: { readonly least: number; readonly most: number } | null;
  };
  readonly runs: number;
  /** By how often they won. */
  readonly strategies: readonly StrategyRecord[];
}

interface StrategyRecord {
  readonly name: string;
  /** Runs in which it searched. */
  readonly runs: number;
  /** Share of those runs in which it found the value that was as good as the best. */
  readonly winRate: number;
  /** Decades for each of those runs. */
  readonly meanGain: number;
}

const DIMENSIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 10_001];

function kindOf(features: ProblemFeatures): ProblemKind {
  const { isNoisy, isSeparable, coarseRoughness, program } = features;
  if (program !== undefined && !wasProbed(features)) return kindOfProgram(program);
  if (isNoisy) return 'noisy';
  if (isSeparable === true) return 'separable';
  return (coarseRoughness ?? 0) > LEAST_ROUGH ? 'rough' : 'smooth';
}

function kindOfProgram(program: ProgramFeatures): ProblemKind {
  if (program.residuals > 0) return 'least squares';
  if (program.termForm === 'coordinates' || program.termForm === 'affine') return 'sum of separate terms';
  if (program.isConvex) return 'convex';
  if (program.hasRounding) return 'stepped';
  if (program.isPeriodic) return 'periodic';
  return program.isSmooth ? 'differentiable' : 'kinked';
}

function featuresOf({ features }: Lesson): ProblemClass['features'] {
  if (features === null) return { kind: 'not probed', dimensions: null };
  const k = DIMENSIONS.findIndex((next) => next > features.dimensions);
  return { kind: kindOf(features), dimensions: { least: DIMENSIONS[k - 1], most: DIMENSIONS[k] - 1 } };
}

function nameOf({ kind, dimensions }: ProblemClass['features']): string {
  if (dimensions === null) return kind;
  const { least, most } = dimensions;
  return `${kind}, ${least === most ? least : `${least} to ${most}`} ${most === 1 ? 'dimension' : 'dimensions'}`;
}

/** Most runs first. */
export function classesOf(lessons: readonly Lesson[]): ProblemClass[] {
  const groups = new Map<string, { features: ProblemClass['features']; lessons: Lesson[] }>();
  for (const lesson of lessons) {
    const features = featuresOf(lesson);
    const name = nameOf(features);
    const group = groups.get(name) ?? { features, lessons: [] };
    group.lessons.push(lesson);
    groups.set(name, group);
  }
  return [...groups]
    .map(([name, { features, lessons: own }]) => ({ name, features, runs: own.length, strategies: strategiesOf(own) }))
    .sort((a, b) => b.runs - a.runs || (a.name < b.name ? -1 : 1));
}

function strategiesOf(lessons: readonly Lesson[]): StrategyRecord[] {
  const records = new Map<string, { runs: number; wins: number; gain: number }>();
  for (const { members, winner } of lessons) {
    for (const { name, gain } of members) {
      if (name === 'probes') continue;
      const own = records.get(name) ?? { runs: 0, wins: 0, gain: 0 };
      own.runs++;
      own.gain += gain;
      if (winner === name) own.wins++;
      records.set(name, own);
    }
  }
  return [...records]
    .map(([name, { runs, wins, gain }]) => ({ name, runs, winRate: wins / runs, meanGain: gain / runs }))
    .sort((a, b) => b.winRate - a.winRate || (a.name < b.name ? -1 : 1));
}
