import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { distEntry } from '../../common/dist-entry.js';
import { randomIr } from '../../../test/support/random-ir.js';
import { IrBuilder } from '../../ir/builder.js';
import { straightLine } from '../../../test/conformance/ir-programs.js';
import { generateLane } from './generate.js';

describe('generateLane', () => {
  it('writes one function for a short program and several for a long one', () => {
    expect(generateLane(randomIr(1), 1).match(/^function /gm)).toHaveLength(1);
    const long = generateLane(straightLine(6_000), 1);
    expect(long.match(/^function part\d+\(X, o, F\)/gm)!.length).toBeGreaterThanOrEqual(5);
    expect(long.match(/^function lane\(X, o, F\)/gm)).toHaveLength(1);
  });

  it('uses nothing but numbers, its own names and the library', () => {
    const b = new IrBuilder('"; process.exit(1); //', 1);
    const text = generateLane(b.finish(b.op('add', b.x(0), b.const(-1e-7))), 1);
    expect(text).toBe('function lane(X, o, F) {\nconst v0 = X[o + 0];\nconst v2 = v0 + (-1e-7);\nreturn v2;\n}');
  });
});

it('is unavailable, with the reason, where code may not be generated from text', () => {
  const script = `
    import { JavaScriptBackend } from ${JSON.stringify(distEntry('backends/javascript/javascript-backend'))};
    console.log(JSON.stringify(await new JavaScriptBackend().probe()));`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({
    available: false,
    reason: expect.stringContaining('may not generate code'),
  });
});
