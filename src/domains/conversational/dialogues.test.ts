/** Whole dialogues: those of the reference, by their rules, and those of the guide's readers. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { converse, solved } from '../../../test/support/problems.js';
import type { JsonObject } from '../../model/problem.js';
import { PROBLEM_TYPES } from '../registry.js';
import type { ConversationState } from './state.js';

const FILE = path.resolve(import.meta.dirname, '../../../../shared/reference/conversations.json');

interface Script {
  readonly id: string;
  readonly opening: string;
  readonly answers: Readonly<Record<string, readonly string[]>>;
  readonly followups: readonly { readonly when: string; readonly text: string }[];
  readonly expected: {
    readonly status: string;
    readonly domain: string;
    readonly problem_type: string;
    readonly config: JsonObject;
    readonly solution: JsonObject;
    readonly must_ask?: readonly string[];
    readonly must_not_ask?: readonly string[];
    readonly flags?: readonly string[];
    readonly tolerance?: Readonly<Record<string, number>>;
  };
}

const scripts = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as { conversations: Script[] }).conversations
  : [];

const MOST_TURNS = 20;

/** Answers whatever is asked: a slot's replies in turn, by its name or the last part of it. */
async function hold({ opening, answers }: Pick<Script, 'opening' | 'answers'>): Promise<{
  readonly state: ConversationState;
  readonly asked: readonly string[];
}> {
  const asked: string[] = [];
  let state = await converse(opening);
  for (let turn = 0; turn < MOST_TURNS && state.question !== null; turn++) {
    const { slot } = state.question;
    const replies = answers[slot] ?? answers[slot.split('.').at(-1)!] ?? [];
    const reply = replies[asked.filter((one) => one === slot).length];
    asked.push(slot);
    state = await converse(reply ?? 'I do not know', state);
  }
  return { state, asked };
}

/** Where `value` differs from the subset that is expected of it. */
function differences(expected: unknown, value: unknown, at: string): string[] {
  if (typeof expected === 'number') {
    const isNear = typeof value === 'number' && Math.abs(value - expected) <= 1e-6 * Math.abs(expected);
    return isNear ? [] : [`${at}: ${JSON.stringify(value)} instead of ${expected}`];
  }
  if (typeof expected === 'string') {
    const isSame = typeof value === 'string' && value.toLowerCase() === expected.toLowerCase();
    return isSame ? [] : [`${at}: ${JSON.stringify(value)} instead of ${expected}`];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value) || value.length !== expected.length) return [`${at}: ${JSON.stringify(value)}`];
    return expected.flatMap((one, i) => differences(one, value[i], `${at}[${i}]`));
  }
  if (typeof value !== 'object' || value === null) return [`${at}: ${JSON.stringify(value)}`];
  return Object.entries(expected as object).flatMap(([name, one]) =>
    differences(one, (value as Record<string, unknown>)[name], `${at}.${name}`),
  );
}

const typeNamed = (name: string | null) => PROBLEM_TYPES.find((type) => type.name === name);

describe.skipIf(scripts.length === 0)('dialogues of the reference', () => {
  const there = scripts.filter(({ expected }) => typeNamed(expected.problem_type) !== undefined);

  test.each(there.map((script) => [script.id, script] as const))(
    '%s ends with the right problem',
    async (_, script) => {
      const { expected } = script;
      const { state, asked } = await hold(script);
      expect([state.status, state.domain, state.problem_type]).toEqual([
        expected.status,
        expected.domain,
        expected.problem_type,
      ]);
      expect(differences(expected.config, state.config, 'config')).toEqual([]);
      const isAsked = (slot: string): boolean => asked.some((one) => one === slot || one.endsWith(`.${slot}`));
      expect((expected.must_ask ?? []).filter((slot) => !isAsked(slot))).toEqual([]);
      expect((expected.must_not_ask ?? []).filter(isAsked)).toEqual([]);
      const notes = state.notes.map(({ kind, slot }) => `${kind}:${slot}`);
      const flags = (expected.flags ?? []).map((flag) => flag.replace(/ .*$/, ''));
      expect(flags.filter((flag) => !notes.includes(flag))).toEqual([]);
    },
  );

  test.each(there.map((script) => [script.id, script] as const))('%s has the known optimum', async (_, script) => {
    const { expected } = script;
    const { state } = await hold(script);
    const { answer, bestSolution, bestFitness } = await solved(typeNamed(state.problem_type)!, state.config);
    const found = { ...answer.result, best_fitness: bestFitness } as Record<string, unknown>;
    for (const [name, value] of Object.entries(expected.solution)) {
      const tolerance = expected.tolerance?.[name];
      const own = name === 'weights' ? bestSolution : found[name];
      for (const [wanted, got] of pairs(value, own, name)) {
        const most = tolerance ?? 1e-3 * Math.abs(wanted);
        expect(Math.abs(got - wanted), `${name}: ${got} instead of ${wanted}`).toBeLessThanOrEqual(most);
      }
    }
  });
});

/** Expected and found numbers, side by side. */
function pairs(wanted: unknown, found: unknown, name: string): [number, number][] {
  if (typeof wanted === 'number')
    return [[wanted, typeof found === 'number' ? found : Array.isArray(found) ? found.length : NaN]];
  if (Array.isArray(wanted)) return wanted.flatMap((one, i) => pairs(one, (found as unknown[])[i], `${name}[${i}]`));
  const byName = new Map(Object.entries(found ?? {}).map(([key, value]) => [key.toLowerCase(), value as unknown]));
  return Object.entries(wanted as object).flatMap(([key, one]) =>
    pairs(one, byName.get(key.toLowerCase()), `${name}.${key}`),
  );
}
