import { describe, expect, it } from 'vitest';
import { watched } from '../common/watch.js';
import { analyzeUpload } from './compile.js';

const upload = (code: string) => analyzeUpload(code, 'f');

describe('sources that take long to check', () => {
  it('are refused nowhere: a key that is built of itself, again and again, is for CPython', () => {
    const code =
      'def f(x):\n    t = (1, 1)\n    for i in range(40):\n        t = (t, t)\n    d = {t: 1}\n    return x[0] + d[t]\n';
    const { errors, source, compiled, reasons } = upload(code);
    expect(errors).toEqual([]);
    expect(source).not.toBeNull();
    expect(compiled).toBe(false);
    expect(reasons[0]).toMatchObject({ kind: 'limit', line: 5 });
  });

  it('are not tried for one dimension after the other when that is in vain', () => {
    const cases = Array.from({ length: 12 }, (_, k) => `    if len(x) == ${150 + k}: return x[0]\n`).join('');
    const code = `def f(x):\n    s = 0\n    for i in range(300000): s += i % 7\n${cases}    raise ValueError("no")\n`;
    let looks = 0;
    const { compiled } = watched(
      () => {
        looks++;
      },
      () => upload(code),
    );
    expect(compiled).toBe(false);
    // Ten times as many if every suggested dimension were tried.
    expect(looks).toBeLessThan(40_000);
  });

  it('are ended from outside, and checked as before the next time', () => {
    const code =
      'def f(x):\n    parts = []\n    for i in range(2000):\n        parts.append(x[0] * (i % 7) if i % 3 else 1.0)\n    return sum(parts)\n';
    const whole = upload(code);
    let looks = 0;
    const look = (): void => {
      if (++looks === 3) throw new Error('enough');
    };
    expect(() => watched(look, () => upload(code))).toThrow('enough');
    expect(upload(code)).toEqual(whole);
  });

  it('are accepted without being compiled where that is too much', () => {
    const analysis = analyzeUpload('def f(x):\n    return x[0]\n', 'f', { isTooMuch: 'because' });
    expect(analysis).toMatchObject({ errors: [], compiled: false, dimension: null });
    expect(analysis.source).toEqual({ code: 'def f(x):\n    return x[0]\n', entry: 'f', argument: 'list' });
    expect(analysis.reasons).toEqual([{ kind: 'limit', message: 'because', line: 1, column: 1 }]);
  });

  it('may turn more indices into numbers of NumPy than a table holds', () => {
    const code =
      'import numpy as np\n\ndef f(x):\n    s = np.float64(0)\n    for i in range(300000):\n        s += np.float64(i)\n    return s + x[0]\n';
    expect(() => upload(code)).not.toThrow();
  });
});
