import { describe, expect, it } from 'vitest';
import { clientSchema } from './client-schema.js';

const NUMBER = { type: 'number' };
const DOUBLE = { type: 'number', format: 'double' };
const NULL = { type: 'null' };

describe('schemas for generators of clients', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'close objects so that they may stand in each other',
      { type: 'object', properties: { a: { type: 'object', properties: {}, additionalProperties: false } } },
      { type: 'object', properties: { a: { type: 'object', properties: {}, unevaluatedProperties: false } } },
    ],
    [
      'leave maps as they are',
      { type: 'object', additionalProperties: NUMBER },
      { type: 'object', additionalProperties: DOUBLE },
    ],
    ['give numbers their size', { type: ['integer', 'null'] }, { type: ['integer', 'null'], format: 'int64' }],
    ['keep a size that is given', { type: 'integer', format: 'int32' }, { type: 'integer', format: 'int32' }],
    [
      'have one choice instead of choices in each other',
      { description: 'd', anyOf: [{ anyOf: [{ anyOf: [{ type: 'string' }, NUMBER] }, NULL] }, NULL] },
      { description: 'd', anyOf: [{ type: 'string' }, DOUBLE, NULL] },
    ],
    [
      'put what an array and something else can be where generators pass over it',
      { anyOf: [{ anyOf: [NUMBER, { type: 'array', items: NUMBER }] }, NULL] },
      { 'x-schema': { anyOf: [DOUBLE, { type: 'array', items: DOUBLE }, NULL] } },
    ],
    [
      'keep an array that may be null',
      { anyOf: [{ type: 'array', items: NUMBER }, NULL] },
      { anyOf: [{ type: 'array', items: DOUBLE }, NULL] },
    ],
    [
      'have no pattern beside the format of a time',
      { type: 'string', format: 'date-time', pattern: '^2' },
      { type: 'string', format: 'date-time' },
    ],
    ['keep other patterns', { type: 'string', pattern: '^a$' }, { type: 'string', pattern: '^a$' }],
    [
      'name a number by its least and most',
      { type: 'number', const: 0.5 },
      { type: 'number', format: 'double', minimum: 0.5, maximum: 0.5 },
    ],
    [
      'list values of one name as a pattern',
      { type: 'string', enum: ['a-b', 'a_b', 'c.d'] },
      { type: 'string', pattern: '^(a-b|a_b|c\\.d)$' },
    ],
    ['keep other lists', { type: 'string', enum: ['a-b', 'a c'] }, { type: 'string', enum: ['a-b', 'a c'] }],
    ['keep other constants', { type: 'string', const: 'a' }, { type: 'string', const: 'a' }],
    [
      'take fields for fields, whatever their names',
      { type: 'object', properties: { const: NUMBER, pattern: NUMBER, format: { const: 'date-time' } } },
      { type: 'object', properties: { const: DOUBLE, pattern: DOUBLE, format: { const: 'date-time' } } },
    ],
    ['leave data alone', { examples: [{ type: 'number' }], default: NUMBER }, { examples: [NUMBER], default: NUMBER }],
  ])('%s', (_, schema, wanted) => {
    expect(clientSchema(schema)).toEqual(wanted);
  });
});
