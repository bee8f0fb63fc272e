import { describe, expect, it } from 'vitest';
import { MAX_BODY_CONTAINERS, MAX_BODY_NAMES, MAX_BODY_VALUES, refuseCostlyShape } from './body-shape.js';

const check = (text: string) => () => refuseCostlyShape(Buffer.from(text));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const named = (count: number): string => `{${Array.from({ length: count }, (_, k) => `"k${k}":${k}`).join(',')}}`;

describe('the shape of a body', () => {
  it('may have many fields, arrays and numbers', () => {
    expect(check(nested(MAX_BODY_CONTAINERS))).not.toThrow();
    expect(check(named(MAX_BODY_NAMES))).not.toThrow();
    expect(check(`[${'0.123456,'.repeat(100_000)}1]`)).not.toThrow();
    const run = { objective_function_id: 'func_1', bounds: Array<number[]>(10_000).fill([-5, 5]) };
    expect(check(JSON.stringify({ requests: Array<object>(20).fill(run) }))).not.toThrow();
  });

  it('is refused where parsing it would keep others waiting', () => {
    expect(check(nested(MAX_BODY_CONTAINERS + 1))).toThrow(/too many arrays and objects/);
    expect(check(`[${'{},'.repeat(MAX_BODY_CONTAINERS)}1]`)).toThrow(/too many arrays and objects/);
    expect(check(named(MAX_BODY_NAMES + 1))).toThrow(/too many fields/);
    expect(check(`[${'0,'.repeat(MAX_BODY_VALUES - 1)}0]`)).not.toThrow();
    expect(check(`[${'0,'.repeat(MAX_BODY_VALUES)}0]`)).toThrow(/too many values/);
  });

  it('is not what texts contain', () => {
    expect(check(JSON.stringify({ code: `${'[{:"\\'.repeat(20_000)}` }))).not.toThrow();
    // An escaped backslash ends no text, the quote behind it does.
    expect(check(`{"a":"\\\\","b":${nested(MAX_BODY_CONTAINERS + 1)}}`)).toThrow(/too many arrays and objects/);
  });
});
