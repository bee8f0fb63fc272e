import { expect, test } from 'vitest';
import { budgetText, numbersText, parseBudget, parseNumbers } from './notation.js';

test.each([
  ['1-5', [1, 2, 3, 4, 5]],
  ['10, 2,2', [2, 10]],
  ['3-4,1', [1, 3, 4]],
  ['5', [5]],
])('%j is %j', (text, numbers) => {
  expect(parseNumbers(text, 1, 10)).toEqual(numbers);
});

test.each(['', 'a', '0', '11', '5-3', '1-', '-1', '1.5', '1,,2', '1-2-3'])('%j is no list from 1 to 10', (text) => {
  expect(parseNumbers(text, 1, 10)).toBeNull();
});

test.each([
  [[1, 2, 3, 5, 7, 8], '1-3,5,7,8'],
  [[4], '4'],
])('%j is written %j', (numbers, text) => {
  expect(numbersText(numbers)).toBe(text);
});

test('budgets are numbers of evaluations, or multiples of the dimension', () => {
  expect(parseBudget('1000')).toEqual({ evaluations: 1000, perDimension: false });
  for (const text of ['200D', '200*D', '200 d', '200n']) {
    expect(parseBudget(text)).toEqual({ evaluations: 200, perDimension: true });
  }
  for (const text of ['0', '-1', '1e3', 'D', '1.5D', '10DD']) expect(parseBudget(text)).toBeNull();
  expect([parseBudget('200D')!, parseBudget('7')!].map(budgetText)).toEqual(['200D', '7']);
});
