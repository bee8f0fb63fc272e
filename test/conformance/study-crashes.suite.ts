/**
 * A service that dies at an exact point of an `ask` or a `tell` with an `Idempotency-Key`: before the entry is stored,
 * after it, and after the answer was made but not kept. The request is sent again to the next process. Nothing is lost,
 * nothing is done twice, and no point has two solutions, on every store.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Idempotency, type WrittenReply } from '../../src/api/idempotency.js';
import { createIdSource, type IdSource } from '../../src/common/ids.js';
import { silentLogger } from '../../src/common/logger.js';
import { createSeal } from '../../src/identity/seal.js';
import type { Store } from '../../src/storage/store.js';
import { StudyService, type Asked, type Told } from '../../src/studies/study-service.js';
import { work } from '../../src/studies/study-worker.js';
import type { StoreUnderTest } from './store.suite.js';

const ACCOUNT = 'acct_1';
const LEASE_MS = 60_000;
const RECORD = {
  bounds: [
    [-5, 5],
    [-2, 8],
  ] as [number, number][],
  seed: 4,
  maxEvaluations: 300,
  metadata: {},
};
const KINDS = [
  { strategy: 'cma-es', directions: ['minimize'] },
  { strategy: 'sms-emoa', directions: ['minimize', 'maximize'] },
] as const;
type Verb = 'appendStudyEntry' | 'answerRequest';

/** Where the process dies: at the call of that verb with that number, before or after the store has done it. */
interface Death {
  readonly verb: Verb;
  readonly nth: number;
  readonly when: 'before' | 'after';
}

export function studyCrashSuite(name: string, make: () => StoreUnderTest): void {
  describe(`studies of a service that dies: ${name}`, () => {
    let own: StoreUnderTest;
    let store: Store;
    let now: number;
    let serial = 0;
    beforeEach(async () => {
      own = make();
      store = await own.open();
      await store.ensureAccount({ id: ACCOUNT, name: 'one', createdAt: 1 });
      now = 1_700_000_000_000;
    });
    afterEach(async () => {
      await store.close();
      await own.cleanUp();
    });

    /** What a dead process asks for does not happen; `died` resolves when it is dead. */
    function dying({ verb, nth, when }: Death): { readonly store: Store; readonly died: Promise<void> } {
      const never = new Promise<never>(() => {});
      let die = (): void => {};
      const died = new Promise<void>((resolve) => (die = resolve));
      let calls = 0;
      let isDead = false;
      const mortal = new Proxy(store, {
        get: (target, member) => {
          const method = Reflect.get(target, member) as unknown;
          if (typeof method !== 'function') return method;
          return async (...given: unknown[]): Promise<unknown> => {
            if (isDead) return never;
            if (member !== verb || ++calls < nth) return Reflect.apply(method, target, given) as unknown;
            isDead = true;
            if (when === 'after') await Reflect.apply(method, target, given);
            die();
            return never;
          };
        },
      });
      return { store: mortal, died };
    }

    /** A process: a service with nothing in memory. */
    function start(on: Store): {
      ask(id: string, count: number, key: string): Promise<Asked>;
      tell(id: string, results: readonly object[], key: string): Promise<Told>;
      service: StudyService;
    } {
      const clock = (): number => now;
      const threads = { work: async (job: Parameters<typeof work>[0]) => work(structuredClone(job)) };
      const service = new StudyService({ store: on, threads, clock, logger: silentLogger });
      const seal = createSeal(Buffer.alloc(32, 7), 'test');
      const parts = { store: on, seal, clock, ids: createIdSource(clock), logger: silentLogger, leaseMs: LEASE_MS };
      const idempotency = new Idempotency(parts);
      const once = async <T>(key: string, body: (ids: IdSource) => Promise<T | null>): Promise<T> => {
        const answer = async (ids: IdSource): Promise<WrittenReply> => {
          const found = await body(ids);
          const text = JSON.stringify(found, (_, value: unknown) =>
            value instanceof Float64Array ? Array.from(value) : value,
          );
          return { status: 200, headers: {}, text };
        };
        const { reply } = await idempotency.once({ accountId: ACCOUNT, key, fingerprint: key }, answer);
        return JSON.parse(reply.text ?? '') as T;
      };
      return {
        service,
        ask: (id, count, key) => once(key, (ids) => service.ask(ACCOUNT, id, count, ids)),
        tell: (id, results, key) => once(key, (ids) => service.tell(ACCOUNT, id, () => results as never, ids)),
      };
    }

    const begin = async (kind: (typeof KINDS)[number]): Promise<string> => {
      const id = `study_${String(++serial).padStart(29, '0')}`;
      await store.createStudy({ ...RECORD, ...kind, id, accountId: ACCOUNT, createdAt: now });
      return id;
    };
    const valuesOf = ([x, y]: readonly number[] | Float64Array, objectives: number): number[] =>
      [(x - 1) ** 2 + (y - 2) ** 2, -(x ** 2) - y ** 2].slice(0, objectives);

    const deaths: [string, Death][] = [
      ['before the entry is stored', { verb: 'appendStudyEntry', nth: 1, when: 'before' }],
      ['after the entry is stored', { verb: 'appendStudyEntry', nth: 1, when: 'after' }],
      ['before the answer is kept', { verb: 'answerRequest', nth: 1, when: 'before' }],
      ['after the answer is kept', { verb: 'answerRequest', nth: 1, when: 'after' }],
    ];
    const cases = deaths.flatMap(([when, death]) => KINDS.map((kind) => [when, kind.strategy, death, kind] as const));

    it.each(cases)(
      'asks once, and has the course of a study that nothing happened to: %s (%s)',
      async (_, __, death, kind) => {
        const [id, undisturbed] = [await begin(kind), await begin(kind)];
        const objectives = kind.directions.length;
        const points = new Map<number, string>();
        const round = async (study: string, k: number, isDisturbed: boolean): Promise<number[][]> => {
          const key = `${study} ${k}`;
          let process = start(store);
          if (isDisturbed) {
            const first = dying(death);
            void start(first.store).ask(study, 3, `${key} ask`);
            await first.died;
            now += LEASE_MS + 1;
          }
          const asked = await process.ask(study, 3, `${key} ask`);
          // And once more, as a client may that has not heard of it.
          expect((await process.ask(study, 3, `${key} ask`)).candidates).toEqual(asked.candidates);
          for (const { serial: point, solution } of asked.candidates) {
            const text = JSON.stringify(solution);
            if (study === id) expect(points.get(point) ?? text).toBe(text);
            if (study === id) points.set(point, text);
          }
          const results = asked.candidates.map(({ serial: point, solution }) => ({
            point,
            values: valuesOf(solution, objectives),
          }));
          if (isDisturbed) {
            const second = dying(death);
            void start(second.store).tell(study, results, `${key} tell`);
            await second.died;
            now += LEASE_MS + 1;
            process = start(store);
          }
          expect(await process.tell(study, results, `${key} tell`)).toEqual({
            accepted: 3,
            evaluations: 3 * (k + 1),
          });
          return asked.candidates.map(({ solution }) => Array.from(solution));
        };
        for (let k = 0; k < 6; k++) {
          expect(await round(id, k, k % 2 === 0)).toEqual(await round(undisturbed, k, false));
        }
        expect(points.size).toBe(18);
        const [one, other] = [await store.findStudy(ACCOUNT, id), await store.findStudy(ACCOUNT, undisturbed)];
        expect(one!.head.summary).toMatchObject({ evaluations: 18, open: 0 });
        expect({ ...one!.head.summary, at: 0 }).toEqual({ ...other!.head.summary, at: 0 });
        const { service } = start(store);
        expect(await service.best(ACCOUNT, id)).toEqual(await service.best(ACCOUNT, undisturbed));
      },
    );

    it('gives its own points to who asks again, though others have asked and told since', async () => {
      const id = await begin(KINDS[0]);
      const first = dying({ verb: 'appendStudyEntry', nth: 1, when: 'after' });
      void start(first.store).ask(id, 2, 'lost');
      await first.died;
      const process = start(store);
      const others = await process.ask(id, 4, 'other');
      const results = others.candidates.map(({ serial: point, solution }) => ({
        point,
        values: valuesOf(solution, 1),
      }));
      await process.tell(id, results, 'other tell');
      await expect(process.ask(id, 2, 'lost')).rejects.toMatchObject({ code: 'conflict', retryable: true });
      now += LEASE_MS + 1;
      const own = await process.ask(id, 2, 'lost');
      expect(own.candidates.map(({ serial: point }) => point)).toEqual([1, 2]);
      expect(others.candidates.map(({ serial: point }) => point)).toEqual([3, 4, 5, 6]);
      expect((await store.findStudy(ACCOUNT, id))!.head.summary).toMatchObject({ evaluations: 4, open: 2 });
    });
  });
}
