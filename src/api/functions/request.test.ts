import { describe, expect, it } from 'vitest';
import { validate } from '../../common/validation.js';
import { evaluateRequest, functionRequest } from './request.js';

const limits = { maxEvaluations: 1000, maxDimensions: 5, runTimeoutSeconds: 60 };

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
    const upload = { name: '😀'.repeat(200), code: 'x', language: 'Python3' };
    expect(validate(functionRequest, upload, 'body')).toEqual(upload);
    expect(refusal(functionRequest, { ...upload, name: 'x'.repeat(201) }).field).toBe('name');
    expect(refusal(functionRequest, { ...upload, name: ' ' }).field).toBe('name');
    expect(refusal(functionRequest, { ...upload, name: '' }).field).toBe('name');
    expect(refusal(functionRequest, { ...upload, code: 'é'.repeat(131_073) })).toMatchObject({ field: 'code' });
    expect(refusal(functionRequest, { ...upload, language: 'ruby' }).field).toBe('language');
    expect(refusal(functionRequest, { ...upload, language: 3 }).field).toBe('language');
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
