/** Problems that the conversation fills slot by slot. All others are filled from tables (`generic.ts`). */
import type { AnyModel, ProblemType } from '../../problem-type.js';
import { PROBLEM_TYPES } from '../../registry.js';
import type { Problem } from '../problem.js';
import { architectureSearch, hyperparameterTuning } from './ai-ml.js';
import { hedgeRatio } from './finance/hedge-ratio.js';
import { kellySizing } from './finance/kelly-sizing.js';
import { optimalExecution } from './finance/optimal-execution.js';
import { portfolio } from './finance/portfolio.js';
import { genericProblem } from './generic.js';
import { boin, fixed, fractionation, groupSequential, pkDosing, simonTwoStage } from './healthcare.js';
import { binPacking } from './logistics/bin-packing.js';
import { vehicleRouting } from './logistics/vehicle-routing.js';
import { budgetAllocation, singleProduct } from './marketing.js';
import { eoq, eoqBackorder, epq, newsvendor } from './supply-chain-lots.js';

export const PROBLEMS: readonly Problem[] = [
  ...[eoq, eoqBackorder, epq, newsvendor],
  ...[simonTwoStage, groupSequential, fixed, boin],
  ...[portfolio, hedgeRatio, kellySizing, optimalExecution],
  ...[pkDosing, fractionation],
  ...[vehicleRouting, binPacking],
  ...[hyperparameterTuning, architectureSearch],
  ...[budgetAllocation, singleProduct],
];

export const typeOf = (name: string): ProblemType | null =>
  PROBLEM_TYPES.find((type) => type.name === name || type.aliases.includes(name)) ?? null;

export function modelOf(type: ProblemType, name: string | null): AnyModel | null {
  if (type.models.length === 1 && type.models[0].name === null) return type.models[0];
  return type.models.find((model) => model.name === name) ?? null;
}

/** Null: no such model yet. */
export function problemOf(
  type: ProblemType,
  name: string | null,
): { readonly problem: Problem; readonly model: AnyModel } | null {
  const model = modelOf(type, name);
  if (model === null) return null;
  const own = PROBLEMS.find((problem) => problem.type === type.name && problem.model === model.name);
  return { problem: own ?? genericProblem(type, model), model };
}

/** Models that people are offered: those with slots first. */
export function offeredModels(type: ProblemType): readonly string[] {
  const own = PROBLEMS.filter((problem) => problem.type === type.name).flatMap(({ model }) =>
    model === null ? [] : [model],
  );
  const known = type.models.flatMap(({ name }) => (name === null ? [] : [name]));
  return [...own.filter((name) => known.includes(name)), ...known.filter((name) => !own.includes(name))];
}
