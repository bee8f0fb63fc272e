import { expect, it } from 'vitest';
import { fieldPath } from './validation.js';

it('writes paths as documented', () => {
  expect(fieldPath(['requests', 3, 'bounds', 2, 0])).toBe('requests[3].bounds[2][0]');
});
