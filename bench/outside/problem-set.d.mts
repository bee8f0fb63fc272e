export interface Problem {
  readonly name: string;
  readonly group: string;
  /** Where the formula or the model comes from. */
  readonly source: string;
  readonly bounds: readonly (readonly [number, number])[];
  /** Of a classical function: how an instance is made. */
  readonly moves?: 'turn' | 'stretch';
  readonly noise?: { readonly additive: number } | { readonly relative: number };
  /** Not looked at while searches are built. */
  readonly heldOut: boolean;
  readonly best: { readonly value: number; readonly at: readonly number[]; readonly known: 'proven' | 'found' };
}

export interface Instance {
  readonly code: string;
  readonly bounds: Problem['bounds'];
  readonly value: number;
  readonly at: readonly number[];
}

export const GROUPS: readonly string[];
export const SETS: readonly string[];
export function readTable(): readonly Problem[];
export function problemsOf(set: string): readonly Problem[];
export function seedOf(...words: readonly (string | number)[]): number;
export function instanceOf(problem: Problem, instance: number): Instance;
