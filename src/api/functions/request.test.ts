import { describe, expect, it } from 'vitest';
import { REQUEST_LIMITS as limits } from '../../../test/support/request-limits.js';
import { validate } from '../../common/validation.js';
import { evaluateRequest, functionRequest } from './request.js';

/** The `field` and message of the refusal; fails where the body is accepted. */
function refusal(schema: Parameters<typeof validate>[0], body: unknown): { field?: string; message: string } {
  try {
    validate(schema, body, 'body');
  } catch (error) {
    return error as { field?: string; message: string };
  }
  return expect.unreachable(`accepted ${JSON.stringify(body)}`);
}

describe('requests about functions', () => {
  it('take names by characters and code by bytes', () => {
    const schema = functionRequest(limits);
    const upload = { name: '😀'.repeat(200), code: 'x', language: 'Python3' };
    expect(validate(schema, upload, 'body')).toEqual(upload);
    expect(refusal(schema, { ...upload, name: 'x'.repeat(201) }).field).toBe('name');
    expect(refusal(schema, { ...upload, name: ' ' }).field).toBe('name');
    expect(refusal(schema, { ...upload, name: '' }).field).toBe('name');
    expect(refusal(schema, { ...upload, code: 'é'.repeat(131_073) })).toMatchObject({ field: 'code' });
    expect(refusal(schema, { ...upload, language: 'ruby' }).field).toBe('language');
    expect(refusal(schema, { ...upload, language: 3 }).field).toBe('language');
  });

  it('ask for limits of an evaluation within the ceilings of the operator', () => {
    const schema = functionRequest(limits);
    const upload = { name: 'f', code: 'x', language: 'python' };
    const asked = (evaluation_limits: unknown): object => ({ ...upload, evaluation_limits });
    for (const wanted of [{ seconds: 60, memory_bytes: 2 ** 31 }, { seconds: 0.1 }, { memory_bytes: 2 ** 28 }, {}]) {
      expect(validate(schema, asked(wanted), 'body')).toEqual(asked(wanted));
    }
    expect(validate(schema, asked(null), 'body')).toEqual(asked(undefined));
    for (const [wanted, field, message] of [
      [{ seconds: 60.5 }, 'seconds', '`evaluation_limits.seconds` must be at most 60, not 60.5.'],
      [{ seconds: 0 }, 'seconds', '`evaluation_limits.seconds` must be at least 0.1, not 0.'],
      [{ seconds: '5' }, 'seconds', '`evaluation_limits.seconds` must be a finite number, not "5".'],
      [
        { memory_bytes: 2 ** 31 + 1 },
        'memory_bytes',
        '`evaluation_limits.memory_bytes` must be at most 2147483648, not 2147483649.',
      ],
      [{ seconds: 1e308 }, 'seconds', '`evaluation_limits.seconds` must be at most 60, not 1e+308.'],
      [
        { memory_bytes: 1e308 },
        'memory_bytes',
        '`evaluation_limits.memory_bytes` must be at most 2147483648, not 1e+308.',
      ],
      [
        { memory_bytes: -1e308 },
        'memory_bytes',
        '`evaluation_limits.memory_bytes` must be at least 268435456, not -1e+308.',
      ],
      [
        { memory_bytes: 1e6 },
        'memory_bytes',
        '`evaluation_limits.memory_bytes` must be at least 268435456, not 1000000.',
      ],
      [{ memory: 2 ** 29 }, 'memory', expect.stringMatching(/^Unknown field `evaluation_limits\.memory`/)],
    ] as const) {
      expect(refusal(schema, asked(wanted))).toMatchObject({ field: `evaluation_limits.${field}`, message });
    }
    expect(refusal(schema, asked(5)).field).toBe('evaluation_limits');
  });

  it('evaluate points of one length only', () => {
    const schema = evaluateRequest(limits);
    expect(
      validate(
        schema,
        {
          points: [
            [1, 2],
            [3, 4],
          ],
        },
        'body',
      ),
    ).toEqual({
      points: [
        [1, 2],
        [3, 4],
      ],
    });
    for (const [points, field] of [
      [[], 'points'],
      [[[]], 'points[0]'],
      [[[1], [1, 2]], 'points[1]'],
      [[[1], ['x']], 'points[1][0]'],
      [[[1, 2, 3, 4, 5, 6]], 'points[0]'],
    ]) {
      expect(refusal(schema, { points }).field).toBe(field);
    }
  });
});
