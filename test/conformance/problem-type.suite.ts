/** What every problem type must do, whatever it solves. One line for each type in problem-type.test.ts. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkConfig, configSchema } from '../../src/domains/configs.js';
import type { AnyModel, ProblemType } from '../../src/domains/problem-type.js';
import { DOMAINS, PROOFS, SOLVING_METHODS } from '../../src/model/problem.js';
import { strategies } from '../../src/planner/all-strategies.js';
import { clippedIn, overlapsIn } from '../support/pictures.js';
import { solveConfig, solved } from '../support/problems.js';

const nameOf = (model: AnyModel): string => model.name ?? 'the only model';

/** Seconds differ from run to run. */
const withoutTime = (outcome: object): unknown =>
  JSON.parse(JSON.stringify(outcome, (key, value: unknown) => (key === 'seconds' ? undefined : value)));

export function problemTypeSuite(type: ProblemType): void {
  describe(`${type.domain}: ${type.name}`, () => {
    it('has names in snake_case, and a domain that there is', () => {
      expect(DOMAINS).toContain(type.domain);
      for (const name of [type.name, ...type.aliases]) expect(name).toMatch(/^[a-z0-9_]+$/);
      const names = type.models.map((model) => model.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.length === 1 || !names.includes(null)).toBe(true);
    });

    it('refuses a config that is none', () => {
      for (const config of [undefined, null, 3, 'text', []]) {
        expect(() => checkConfig(type, config)).toThrow(/`config/);
      }
    });

    for (const model of type.models) {
      describe(nameOf(model), () => {
        const example = model.example as Record<string, unknown>;

        it('solves its example, and the answer has what every answer has', async () => {
          const { bestSolution, answer, method, reason } = await solved(type, example);
          expect([...SOLVING_METHODS, ...strategies.map(({ name }) => name)]).toContain(method);
          expect(reason).not.toBe('');
          expect(answer.decisionVariables).toHaveLength(bestSolution.length);
          if (answer.optimality.status === 'optimal') expect(PROOFS).toContain(answer.optimality.proof);
          // What JSON cannot carry would reach the client as null.
          expect(JSON.parse(JSON.stringify(answer.result))).toEqual(answer.result);
        });

        it('says something at level 1, and no sentence has a number that is none', async () => {
          const { answer } = await solved(type, example);
          expect(answer.statements.some(({ level, topic }) => level === 1 && topic === 'result')).toBe(true);
          for (const { text, level } of answer.statements) {
            expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
            expect(level >= 1 && level <= 5).toBe(true);
          }
        });

        it('draws each of its pictures as SVG with finite coordinates', async () => {
          const { bestSolution, bestFitness, answer } = await solved(type, example);
          const { config } = checkConfig(type, example);
          expect(answer.pictures.length).toBeGreaterThan(0);
          for (const kind of answer.pictures) {
            expect(kind).toMatch(/^[a-z0-9_]+$/);
            const { result, alternatives = [] } = answer;
            const svg = model.pictures[kind]?.(config, { bestSolution, bestFitness, result, alternatives }) ?? '';
            expect(svg).toMatch(/^<svg [^]*<\/svg>\s*$/);
            expect(svg).not.toMatch(/NaN|Infinity|undefined/);
            expect(overlapsIn(svg), kind).toEqual([]);
            expect(clippedIn(svg), kind).toEqual([]);
          }
        });

        it('gives the same bits again', async () => {
          const [first, second] = [await solved(type, example, { seed: 7 }), await solved(type, example, { seed: 7 })];
          expect(withoutTime(second)).toEqual(withoutTime(first));
        });

        it('refuses a field that there is not, and names the nearest', () => {
          const [known = ''] = Object.keys(model.fields.shape);
          const misspelt = `${known}x`;
          expect(() => checkConfig(type, { ...example, [misspelt]: 1 })).toThrow(
            new RegExp(`Unknown field \`config.${misspelt}\`. Did you mean \`${known}\``),
          );
        });

        it('names the path of every field of its example that has no number, text or list', () => {
          for (const field of Object.keys(example).filter((name) => name !== 'model')) {
            expect(() => checkConfig(type, { ...example, [field]: { nonsense: { nonsense: [] } } })).toThrow(
              new RegExp(`\`config.${field}`),
            );
          }
        });

        it('has a JSON Schema in which every field is described', () => {
          const schema = z.toJSONSchema(configSchema(type, model), { io: 'input', unrepresentable: 'any' });
          expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
          for (const [name, field] of Object.entries(schema.properties ?? {})) {
            expect([name, (field as { description?: string }).description ?? '']).not.toEqual([name, '']);
          }
        });

        it('ends soon once the run is over, with an answer or without', async () => {
          await solveConfig(type, example, { isOver: () => true }).catch((error: unknown) => {
            expect((error as Error).message).toBe('the run is over');
          });
        });
      });
    }
  });
}
