/** The objectives under `test/fixtures/objectives/`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface ObjectiveFixture {
  readonly file: string;
  readonly dimensions: readonly number[];
  /** One pair for every coordinate, or one pair per coordinate. */
  readonly bounds: readonly [number, number] | readonly (readonly [number, number])[];
  readonly features: readonly string[];
  readonly minimum?: number;
  readonly minimizer?: number | readonly number[];
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
