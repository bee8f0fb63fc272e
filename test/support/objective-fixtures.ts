/** The objectives under `test/fixtures/objectives/`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** See the folder's README for what each field means. */
export interface ObjectiveFixture {
  readonly file: string;
  readonly kind: 'benchmark' | 'real-world';
  readonly list: '90' | '95' | '99' | 'cpython';
  readonly purity: 'pure' | 'library' | 'random' | 'stateful';
  readonly tier: 'compiled' | 'cpython';
  readonly dimensions: readonly number[];
  /** One pair for every coordinate, or one pair per coordinate. */
  readonly bounds: readonly [number, number] | readonly (readonly [number, number])[];
  readonly source: string;
  readonly features: readonly string[];
  readonly minimum?: number;
  readonly minimizer?: number | readonly number[];
  readonly known?: { readonly x: readonly number[]; readonly value: number; readonly within: number };
  readonly guards?: true;
  readonly tolerance?: number;
  readonly singular?: true;
}

export const objectiveFolder = fileURLToPath(new URL('../fixtures/objectives/', import.meta.url));

export function loadObjectiveFixtures(): readonly ObjectiveFixture[] {
  return JSON.parse(readFileSync(`${objectiveFolder}manifest.json`, 'utf8')) as ObjectiveFixture[];
}

export function boundsFor(fixture: ObjectiveFixture, dimension: number): (readonly [number, number])[] {
  const first = fixture.bounds[0];
  if (typeof first === 'number') {
    const pair = fixture.bounds as readonly [number, number];
    return Array.from({ length: dimension }, () => pair);
  }
  return [...(fixture.bounds as readonly (readonly [number, number])[])];
}

export const fixtureCode = (fixture: ObjectiveFixture): string => readFileSync(objectiveFolder + fixture.file, 'utf8');

/** Every end of the box that is likely to matter: all lower, all upper, alternating, the middle. */
export function corners(bounds: readonly (readonly [number, number])[]): number[][] {
  return [
    bounds.map(([lower]) => lower),
    bounds.map(([, upper]) => upper),
    bounds.map(([lower, upper], k) => (k % 2 === 0 ? lower : upper)),
    bounds.map(([lower, upper]) => lower + 0.5 * (upper - lower)),
  ];
}

/** Those that are meant to compile, once for each dimension. */
export function compiledPrograms() {
  return loadObjectiveFixtures()
    .filter((fixture) => fixture.tier === 'compiled')
    .flatMap((fixture) =>
      fixture.dimensions.map((dimension) => ({
        name: `${fixture.file}, n = ${dimension}`,
        code: fixtureCode(fixture),
        dimension,
        bounds: boundsFor(fixture, dimension),
        ...(fixture.tolerance !== undefined && { tolerance: fixture.tolerance }),
        ...(fixture.singular && { singular: fixture.singular }),
      })),
    );
}
