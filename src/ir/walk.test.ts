import { expect, it } from 'vitest';
import { contains, regionsOf, resultsOf, usesOf, walk } from './walk.js';
import { IrBuilder } from './builder.js';
import { constantForm } from './index-form.js';

/** A branch, with a check in it, inside a counted loop. */
function nested() {
  const b = new IrBuilder('nested', 1);
  const [sum] = b.for(constantForm(3), [b.const(0)], (_, [total]) => {
    const isLow = b.op('lt', total, b.x(0));
    return b.if(
      isLow,
      () => [b.op('add', total, b.const(1))],
      () => {
        b.check(b.op('lt', b.const(9), total), 8, 1);
        return [total];
      },
    );
  });
  return b.finish(sum);
}

it('meets every node before those inside, and the end of each region after them', () => {
  const met: string[] = [];
  walk(
    nested().body,
    (node) => met.push(node.kind === 'op' ? node.op : node.kind),
    ({ yields }) => met.push(`yields ${yields.length}`),
  );
  const inner = met.slice(met.indexOf('if') + 1).filter((name) => name !== 'const' && name !== 'x');
  expect(met.indexOf('for')).toBeLessThan(met.indexOf('if'));
  expect(inner).toEqual(['add', 'yields 1', 'lt', 'check', 'yields 1', 'yields 1', 'yields 1']);
});

it('names what a node defines and takes', () => {
  const { body } = nested();
  const loop = body.body.find((node) => node.kind === 'for')!;
  expect(resultsOf(loop)).toEqual(body.yields);
  expect(usesOf(loop)).toEqual(loop.kind === 'for' ? loop.initial : []);
  const branch = regionsOf(loop)[0].body.find((node) => node.kind === 'if')!;
  expect(regionsOf(branch)).toHaveLength(2);
  expect(usesOf(branch)).toHaveLength(1);
  const check = regionsOf(branch)[1].body.at(-1)!;
  expect([regionsOf(check), resultsOf(check), usesOf(check).length]).toEqual([[], [], 1]);
});

it('finds a node at any depth', () => {
  expect(contains(nested().body, (node) => node.kind === 'op' && node.op === 'check')).toBe(true);
  expect(contains(nested().body, (node) => node.kind === 'loop')).toBe(false);
});
