/** How well a problem takes up the numbers of a message. */
import type { Problem } from '../problem.js';
import type { Message } from '../message.js';
import type { rankTopics } from '../topics.js';
import { PROBLEMS, typeOf, problemOf } from '../problems/problems.js';
import { findingsIn } from './findings.js';
import type { Known } from '../slots.js';
import { holds } from './next-question.js';

/** Longest description whose problem is looked for by what its numbers fill. */
const LONGEST_FITTED = 3_000;

interface Fit {
  readonly problem: Problem;
  readonly score: number;
}

/** How well each problem takes up the numbers of the message, with what its words say; best first. */
export function fits(message: Message, ranking: ReturnType<typeof rankTopics>): Fit[] {
  if (message.plain.length > LONGEST_FITTED || message.quantities.length === 0) return [];
  const all = PROBLEMS.flatMap((problem) => {
    const type = typeOf(problem.type);
    if (type === null || problemOf(type, problem.model) === null) return [];
    const words = ranking.types.find(({ type: name }) => name === problem.type)?.score ?? 0;
    const own = ranking.models.get(problem.type)?.find(({ model }) => model === problem.model)?.score ?? 0;
    const findings = findingsIn(problem, message, { known: () => undefined, asked: null, isCorrection: false });
    const known: Known = (slot) => findings.find((finding) => finding.slot === slot)?.value;
    const used = new Set(findings.flatMap((finding) => finding.used ?? []));
    const filled = problem.slots.filter(
      (slot) =>
        known(slot.name) !== undefined &&
        (holds(slot.required, () => undefined) || slot.partOf !== undefined || holds(slot.required, known)),
    );
    const strength = filled.reduce((sum, { name }) => {
      const { confidence = 0, used: claimed = [] } = findings.find(({ slot }) => slot === name) ?? {};
      return sum + confidence * (1 + 0.35 * Math.max(0, Math.min(claimed.length, 6) - 1));
    }, 0);
    const missing = problem.slots.filter(
      ({ name, required }) =>
        known(name) === undefined &&
        holds(required, known) &&
        !problem.slots.some((part) => part.partOf === name && known(part.name) !== undefined),
    ).length;
    const left = message.quantities.filter(({ isWeak }, i) => !isWeak && !used.has(i)).length;
    return [{ problem, score: 1.1 * strength - 0.35 * missing - 0.5 * Math.min(left, 6) + 0.5 * words + 0.8 * own }];
  });
  return all.sort((a, b) => b.score - a.score);
}
