/**
 * Whether several processes may share the calls of a function: said by the upload or judged, told in answers and
 * records.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython();
const OTHER = 'import os\ndef f(x):\n    os.getpid()\n    return (x[0] - 1) ** 2 + x[1] ** 2';

describe.skipIf(python.command === null)(`functions whose calls are free of each other${python.reason}`, () => {
  let service: TestService;
  beforeAll(async () => {
    const flags = ['--python', python.command ?? 'off', '--python-processes-per-run', '3'];
    service = await startTestService({ flags });
  });
  afterAll(() => service.cleanUp());

  const upload = async (rest: object, code = OTHER): Promise<Json> => {
    const body = { name: 'f', code, language: 'python', ...rest };
    const answer = await service.call('POST', '/v1/functions', { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const run = async ({ id }: Json): Promise<Json> => {
    const bounds = [[-5, 5], [-5, 4]]; // prettier-ignore
    const body = { objective_function_id: id, bounds, max_evaluations: 20, seed: 3, strategy: 'cma-es' };
    return (await service.call('POST', '/v1/optimize', { body })).body;
  };

  it('are taken at their word, and candidates are asked for by the number of processes', async () => {
    const { compilation, ...declared } = await upload({ stateless: true });
    expect(compilation.stateless).toEqual({ value: true, reason: 'the upload says so' });
    const record = await run(declared);
    expect(record.backend.sharing).toEqual({ stateless: compilation.stateless, processes: 3 });
    expect((await run(declared)).best_solution).toEqual(record.best_solution);
    expect((await service.call('GET', `/v1/functions/${declared.id}`)).body.compilation.stateless).toEqual(
      compilation.stateless,
    );
  });

  it('are judged without it, with the reason', async () => {
    const judged = await upload({});
    const stateless = {
      value: false,
      reason: 'line 1: the source imports os, which may keep something between calls',
    };
    expect(judged.compilation).toMatchObject({ compiled: false, stateless });
    expect((await run(judged)).backend.sharing).toEqual({ stateless, processes: 1 });
    const compiled = await upload({}, 'def f(x): return x[0] ** 2');
    expect(compiled.compilation.stateless).toEqual({
      value: true,
      reason: 'compiled code keeps nothing between calls',
    });
  });
});
