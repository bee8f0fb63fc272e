/** The examples of the repository, bundled: name, code, bounds, budget. */
import facts from '../../../examples/examples.json';

const sources = import.meta.glob<string>('../../../examples/*.py', { query: '?raw', import: 'default', eager: true });

export interface Example {
  readonly file: string;
  readonly title: string;
  readonly code: string;
  readonly bounds: readonly (readonly [number, number])[];
  readonly maxEvaluations: number;
}

export const examples: readonly Example[] = facts.map(({ file, title, bounds, max_evaluations }) => ({
  file,
  title,
  code: sources[`../../../examples/${file}`] ?? '',
  bounds: bounds as [number, number][],
  maxEvaluations: max_evaluations,
}));
