/** A case of the generalised assignment problem: solved, compared, and counted again from the text of its instance. */
import { expect } from 'vitest';
import { campaign } from '../../src/domains/marketing/campaign/campaign.js';
import { referenceText, solved, type ReferenceCase } from './problems.js';

export async function expectGap({ config, expected, instance = '' }: ReferenceCase): Promise<void> {
  const text = referenceText('marketing', instance);
  const { bestSolution, bestFitness, answer } = await solved(campaign, {
    ...config,
    instance: { format: 'orlib_gap', text },
  });
  expect(answer.optimality).toMatchObject({ status: 'optimal', bound: expected['total_value'] });
  expect(answer.result).toMatchObject(expected);
  expect(bestFitness).toBe(expected['total_value']);
  const numbers = text.trim().split(/\s+/).map(Number);
  const [agents, jobs] = numbers;
  const at = (block: number, i: number, j: number): number => numbers[2 + block * agents * jobs + i * jobs + j];
  const loads = Array.from({ length: agents }, () => 0);
  let total = 0;
  bestSolution.forEach((agent, j) => {
    total += at(0, agent - 1, j);
    loads[agent - 1] += at(1, agent - 1, j);
  });
  expect(bestSolution).toHaveLength(jobs);
  expect(total).toBe(expected['total_value']);
  loads.forEach((load, i) => expect(load).toBeLessThanOrEqual(numbers[2 + 2 * agents * jobs + i]));
}
