import { describe, expect, it } from 'vitest';
import { REQUEST_LIMITS as limits } from '../../../test/support/request-limits.js';
import { validate } from '../../common/validation.js';
import { metadataRequest, optimizeRequest, orderOf, runListQuery } from './request.js';

const minimal = { objective_function_id: 'func_1', bounds: [[0, 1]] };

/** The `field` and message of the refusal; fails where the body is accepted. */
function refusal(schema: Parameters<typeof validate>[0], body: unknown): { field?: string; message: string } {
  try {
    validate(schema, body, 'body');
  } catch (error) {
    return error as { field?: string; message: string };
  }
  return expect.unreachable(`accepted ${JSON.stringify(body)}`);
}

describe('optimization requests', () => {
  const schema = optimizeRequest(limits, [
    { name: 'planner', maxDimension: 10 },
    { name: 'cma-es', maxDimension: 2 },
  ]);

  it('get every documented default', () => {
    expect(validate(schema, minimal, 'body')).toEqual({
      ...minimal,
      black_box: false,
      math: 'exact',
      precision: 'f64',
      objectives: 1,
    });
  });

  it('take `null` and `[]` for an array that nobody gave, and `null` for a config', () => {
    const unset = { ...minimal, initial_solution: [], reference_point: null, config: null };
    expect(validate(schema, unset, 'body')).toEqual(validate(schema, minimal, 'body'));
    const problem = { domain: 'supply_chain', problem_type: 'inventory', config: {} };
    const given = validate(schema, { ...problem, bounds: null, initial_solution: [], reference_point: [] }, 'body');
    expect(given).toEqual(validate(schema, problem, 'body'));
    expect(given.config).toEqual({});
  });

  it.each<[object, string, RegExp]>([
    [{ objective_function_id: 'func_1' }, 'bounds', /`bounds` is required/],
    [{ bounds: [[0, 1]] }, 'objective_function_id', /is required/],
    [{ ...minimal, bounds: 'x' }, 'bounds', /array of \[min, max\] pairs, not "x"/],
    [{ ...minimal, bounds: [] }, 'bounds', /`bounds` is required/],
    [{ ...minimal, bounds: Array(6).fill([0, 1]) }, 'bounds', /1 to 5 pairs/],
    [
      {
        ...minimal,
        bounds: [
          [0, 1],
          [0, 1],
          ['a', 1],
        ],
      },
      'bounds[2][0]',
      /`bounds\[2\]\[0\]` must be a finite number, not "a"/,
    ],
    [{ ...minimal, bounds: [[0, 1e400]] }, 'bounds[0][1]', /beyond the range of float64/],
    [{ ...minimal, bounds: [[1, 0]] }, 'bounds[0]', /min 1 must be below max 0/],
    [{ ...minimal, bounds: [[1, 1]] }, 'bounds[0]', /must be below/],
    [{ ...minimal, bounds: [[0, 1, 2]] }, 'bounds[0]', /pair of numbers, not an array of 3/],
    [{ ...minimal, bounds: [null] }, 'bounds[0]', /pair of numbers, not null/],
    [{ ...minimal, max_evaluations: 0 }, 'max_evaluations', /at least 1, not 0/],
    [{ ...minimal, max_evaluations: 1001 }, 'max_evaluations', /at most 1000, not 1001/],
    [{ ...minimal, max_evaluations: 1.5 }, 'max_evaluations', /whole number/],
    [{ ...minimal, max_evaluations: '10' }, 'max_evaluations', /not "10"/],
    [{ ...minimal, max_evaluations: null }, 'max_evaluations', /not null/],
    [{ ...minimal, seed: 2 ** 53 }, 'seed', /./],
    [{ ...minimal, mode: 'quick' }, 'mode', /one of "fast", "balanced", "accurate", not "quick"/],
    [{ ...minimal, strategy: 'simplex' }, 'strategy', /one of "planner", "cma-es", not "simplex"/],
    [
      { ...minimal, strategy: 'cma-es', bounds: Array(3).fill([0, 1]) },
      'strategy',
      /"cma-es" takes at most 2 dimensions, not 3/,
    ],
    [{ ...minimal, preset: 'prod' }, 'preset', /one of "development"/],
    [{ ...minimal, initial_solution: [0.5, 0.5] }, 'initial_solution', /has 2 numbers, `bounds` has 1 pairs/],
    [{ ...minimal, initial_solution: [1.5] }, 'initial_solution[0]', /lies outside its bounds \[0, 1\]/],
    [{ ...minimal, initial_solution: [null] }, 'initial_solution[0]', /finite number, not null/],
    [{ ...minimal, bounds: [0], initial_solution: [2] }, 'bounds[0]', /pair of numbers, not 0/],
    [{ ...minimal, timeout_seconds: 0 }, 'timeout_seconds', /above 0/],
    [{ ...minimal, timeout_seconds: 61 }, 'timeout_seconds', /at most 60/],
    [{ ...minimal, stagnation_evaluations: 0 }, 'stagnation_evaluations', /at least 1/],
    [{ ...minimal, objectives: 5 }, 'objectives', /at most 4/],
    [{ ...minimal, objectives: 2, strategy: 'cma-es' }, 'strategy', /searches for one objective, not for 2/],
    [{ ...minimal, objectives: 2, target_fitness: 0 }, 'target_fitness', /is for one objective/],
    [{ ...minimal, objectives: 2, reference_point: [1] }, 'reference_point', /has 1 numbers, for 2 objectives/],
    [{ ...minimal, reference_point: [1] }, 'reference_point', /`objectives` is 1/],
    [{ ...minimal, math: 'sloppy' }, 'math', /exact/],
    [{ ...minimal, metadata: [] }, 'metadata', /must be an object/],
    [{ ...minimal, metadata: { text: 'x'.repeat(4096) } }, 'metadata', /at most 4096 bytes of JSON, not 4107/],
    [
      { ...minimal, intelligence_config: { explanation_level: 6 } },
      'intelligence_config.explanation_level',
      /at most 5/,
    ],
    [{ ...minimal, intelligence_config: { use_magic: true } }, 'intelligence_config.use_magic', /Unknown field/],
    [
      { domain: 'financial', problem_type: 'portfolio', config: {}, bounds: [[0, 1]] },
      'bounds',
      /search over a function/,
    ],
    [{ problem_type: 'portfolio', config: {} }, 'domain', /is required with/],
    [{ ...minimal, budget: 5 }, 'budget', /Unknown field `budget`/],
    [
      JSON.parse('{"objective_function_id":"f","bounds":[[0,1]],"__proto__":{"seed":1}}') as object,
      '__proto__',
      /Unknown/,
    ],
  ])('%j are refused at %s', (body, field, message) => {
    const refused = refusal(schema, body);
    expect(refused.field).toBe(field);
    expect(refused.message).toMatch(message);
  });

  it.each([null, 5, 'x', [minimal], true])('%j is no body', (body) => {
    expect(refusal(schema, body)).toMatchObject({
      field: undefined,
      message: expect.stringMatching(/must be a JSON object/) as string,
    });
  });

  it('stop at the first bad element of a long array', () => {
    let reads = 0;
    const bounds = new Proxy(
      Array.from({ length: 300_000 }, () => ['a', 'b']),
      {
        get: (array, key, receiver) => {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
          return Reflect.get(array, key, receiver) as unknown;
        },
      },
    );
    expect(refusal(optimizeRequest({ ...limits, maxDimensions: 1e6 }, []), { ...minimal, bounds }).field).toBe(
      'bounds[0][0]',
    );
    expect(reads).toBeLessThan(10);
  });

  it('refuse metadata nested too deeply instead of failing', () => {
    const metadata = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as object;
    expect(refusal(metadataRequest, { metadata }).field).toBe('metadata');
  });
});

describe('a list of optimizations', () => {
  const listQuery = runListQuery([
    { name: 'planner', maxDimension: 10 },
    { name: 'cma-es', maxDimension: 2 },
  ]);

  it('pages by digits only', () => {
    const others = { sort: '-created_at', view: 'full' };
    expect(validate(listQuery, {}, 'query')).toEqual({ limit: 20, offset: 0, ...others });
    expect(validate(listQuery, { limit: '100', offset: '007' }, 'query')).toEqual({ limit: 100, offset: 7, ...others });
    for (const limit of ['0', '101', '', ' 5', '0x10', '1e1', '-1', '1.0', ['1', '2']]) {
      expect(refusal(listQuery, { limit }).field).toBe('limit');
    }
    expect(refusal(listQuery, { offset: '99999999999' }).field).toBe('offset');
    expect(refusal(listQuery, { page: '1' }).field).toBe('page');
    expect(refusal(listQuery, { status: 'done' }).field).toBe('status');
  });

  it.each([
    [{ sort: 'best_fitnes' }, 'Did you mean "best_fitness"?'],
    [{ sort: '-evaluation' }, 'Did you mean "-evaluations"?'],
    [{ sort: '+evaluations' }, 'must be one of "created_at", "-created_at", "best_fitness"'],
    [{ sort: '' }, 'must be one of "created_at"'],
    [{ strategy: 'cmaes' }, 'Did you mean "cma-es"?'],
    [{ strategy: 'closed-form' }, 'Did you mean "closed_form"?'],
    [{ view: 'sumary' }, 'Did you mean "summary"?'],
    [{ status: 'complete' }, 'Did you mean "completed"?'],
    [{ status: 'x'.repeat(10_000) }, 'must be one of "pending", "running", "completed", "failed", not "xxx'],
    [{ q: 'x'.repeat(201) }, '`q` must be at most 200 characters long.'],
    [{ q: ['a', 'b'] }, '`q` must be a string, not an array of 2.'],
    [{ sorted: 'evaluations' }, 'Did you mean `sort`?'],
  ] as [object, string][])('refuses what is not known: %#', (query, message) => {
    expect(refusal(listQuery, query).message).toContain(message);
  });

  it('reads an order from its name', () => {
    expect(orderOf('-best_fitness')).toEqual({ key: 'bestFitness', isDescending: true });
    expect(orderOf('duration_seconds')).toEqual({ key: 'durationSeconds', isDescending: false });
  });
});

describe('a field that was mistyped', () => {
  const schema = optimizeRequest(limits, []);

  it.each([
    [{ objective_function_id: 'func_1', bound: [[0, 1]] }, 'bound', 'Unknown field `bound`. Did you mean `bounds`?'],
    [
      { bounds: [[0, 1]], objective_function_idd: 'f' },
      'objective_function_idd',
      'Did you mean `objective_function_id`?',
    ],
    [{ domain: 'financial', problem_type: 'x', conf: {} }, 'conf', 'Unknown field `conf`. There are '],
    [{ domain: 'financial', problem_type: 'x', conf: {} }, 'conf', 'Missing: '],
    [{ bound: 1 }, 'bound', 'Did you mean `bounds`?'],
    [{ ...minimal, intelligence_config: { use_agentic: true } }, 'intelligence_config.use_agentic', 'Unknown field'],
  ])('is named before one that is missing: %j', (body, field, message) => {
    const refused = refusal(schema, body);
    expect(refused.field).toBe(field);
    expect(refused.message).toContain(message);
  });
});
