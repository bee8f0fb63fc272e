import { afterAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { ApiContract } from './api-contract.js';
import { ApiFuzz, FUZZ_FLAGS } from './api-fuzz.js';
import { startTestService } from './service.js';

/** `report` is told of every route how its requests were answered. */
export function fuzzSuite(cases: number, seed = 1, report: (line: string) => void = () => {}): void {
  describe(`${cases} random requests`, async () => {
    const service = await startTestService({ flags: FUZZ_FLAGS });
    const document = (await service.call('GET', '/v1/openapi.json')).body;
    const contract = new ApiContract(document);
    const keyOf = (account: string): Promise<string> =>
      createKey(['--account', account, '--scopes', 'read,run,admin', '--data-dir', service.dataDir], parseConfig);
    const fuzz = new ApiFuzz({ service, contract, document, keys: [await keyOf('one'), await keyOf('two')] });
    await fuzz.prepare();
    afterAll(async () => {
      fuzz.close();
      await service.cleanUp();
    });

    // What makes things first, so that there is something to ask for; what removes them last.
    const order = ['POST', 'GET', 'PATCH', 'PUT', 'DELETE'];
    const operations = contract.operations.sort(
      (a, b) => order.indexOf(a.method) - order.indexOf(b.method) || a.path.length - b.path.length,
    );
    it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
      '%s',
      async (_, operation) => {
        const startedAt = performance.now();
        const { statuses, meant } = await fuzz.run(operation, cases, seed);
        const seconds = (performance.now() - startedAt) / 1000;
        const sum = (of: ReadonlyMap<number, number>, from: number, to: number): number =>
          [...of].reduce((all, [status, n]) => all + (status >= from && status < to ? n : 0), 0);
        const share = sum(meant, 200, 300) / sum(meant, 0, 600);
        const name = `${operation.method} ${operation.path}`.padEnd(45);
        const all = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
        report(
          `${name} ${(100 * share).toFixed(0).padStart(3)} % accepted, ${seconds.toFixed(1)} s; ${all.join(', ')}`,
        );
        // A fuzzer that reaches nothing finds nothing.
        expect(share, all.join(', ')).toBeGreaterThan(cases < 1_000 ? 0 : 0.2);
        expect(statuses.has(401)).toBe(operation.scope !== '');
      },
      600_000,
    );
  });
}
