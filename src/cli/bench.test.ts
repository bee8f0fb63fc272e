import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config.js';
import { parseStrategies } from './bench-options.js';
import { bench } from './bench.js';
import { parseFlags } from './flags.js';
import { parseBounds } from './objective-file.js';
import { createProgressBar } from './progress-bar.js';

describe('extremum bench', () => {
  it.each([
    [['everything'], /There is no benchmark "everything"; known: bbob, .*file/],
    [['bbob', '--dims', '2,x'], /--dims is "2,x"; it must be a list like 2,5,10 or 1-5 of numbers from 2 to 640/],
    [['bbob', '--dims', '1'], /from 2 to 640/],
    [['bbob', '--functions', '25'], /--functions is "25"/],
    [['bbob', '--budget', '1e3'], /--budget is "1e3"; it must be a number of evaluations, as 1000 or 200D/],
    [['bbob', '--strategies', 'luck'], /--strategies names "luck"; known: planner, cma-es/],
    [
      ['bbob', '--dims', '2,320', '--strategies', 'trust-region'],
      /--strategies: trust-region takes at most 200 dimensions, not 320/,
    ],
    [['bbob', '--noise', 'much'], /--noise is "much"/],
    [['bbob', '--mode', 'slow'], /one of fast, balanced, accurate/],
    [['bbob', '--workers', '0'], /--workers is "0"/],
    [['bbob', '--sedd', '1'], /Unknown argument "--sedd"; did you mean --seed\?/],
    [['bbob', '--fresh', '--resume'], /exclude each other/],
    [['bbob', '--out'], /--out needs a value/],
    [['bbob', '--peers', '/no/such.csv'], /\/no\/such\.csv cannot be read/],
    [['file'], /Which file\?/],
    [['file', 'a.py'], /--bounds is needed/],
    [['file', 'a.py', '--bounds', '1:0'], /coordinate 1 has 1:0; the lower bound must be below the upper/],
    [['file', 'a.py', '--bounds', '5'], /it must be LOW:HIGH for each coordinate/],
    [['file', '/no/such.py', '--bounds', '0:1'], /\/no\/such\.py cannot be read/],
  ])('refuses %j with the rule', async (args, message) => {
    const failure: unknown = await bench(args).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toMatch(message);
  });
});

describe('strategies', () => {
  it('are by default all that search in so many dimensions', () => {
    const flags = parseFlags([], ['strategies'], []);
    expect(parseStrategies(flags, 10)).toContain('trust-region');
    expect(parseStrategies(flags, 320)).not.toContain('trust-region');
    expect(parseStrategies(flags, 320)).toContain('planner');
  });
});

describe('flags', () => {
  it('take values that begin with a dash', () => {
    const flags = parseFlags(
      ['a.py', '--bounds', '-5:5', '--budget=7', '--fresh', 'b'],
      ['bounds', 'budget'],
      ['fresh'],
    );
    expect(flags.positionals).toEqual(['a.py', 'b']);
    expect([flags.value('bounds'), flags.value('budget'), flags.value('dims')]).toEqual(['-5:5', '7', undefined]);
    expect([...flags.switches]).toEqual(['fresh']);
  });

  it.each([
    [['--bounds'], '--bounds needs a value.'],
    [['--bounds', '--fresh'], '--bounds needs a value.'],
    [['--bounds', '1:2', '--bounds', '1:3'], '--bounds is given twice.'],
    [['--fresh=yes'], '--fresh takes no value.'],
    [['--other'], 'Unknown argument "--other"; known: --bounds, --fresh.'],
  ])('refuses %j', (argv, message) => {
    expect(() => parseFlags(argv, ['bounds'], ['fresh'])).toThrow(new ConfigError(message));
  });
});

describe('bounds', () => {
  it.each([
    ['0:1', [[0, 1]]],
    [
      '-5:5x2, 1e-3:0.5',
      [
        [-5, 5],
        [-5, 5],
        [0.001, 0.5],
      ],
    ],
    [
      '0:1\r\n-2, 3 x2',
      [
        [0, 1],
        [-2, 3],
        [-2, 3],
      ],
    ],
    [
      '[[0, 1], [-2, 3]]',
      [
        [0, 1],
        [-2, 3],
      ],
    ],
  ])('%j', (text, bounds) => {
    expect(parseBounds(text)).toEqual(bounds);
  });

  it.each(['', '1', '1:', '1:2:3', '0:1x0', '0:1x', 'a:b', '[[0]]', '[0, 1]', '[[0, 1]', '[["0", 1]]', '0:Infinity'])(
    '%j is refused',
    (text) => {
      expect(() => parseBounds(text)).toThrow(/it must be LOW:HIGH for each coordinate/);
    },
  );

  it('have the lower one below the upper', () => {
    expect(() => parseBounds('0:1,3:3')).toThrow(/coordinate 2 has 3:3/);
  });
});

describe('the progress bar', () => {
  const written = (isTTY: boolean): string => {
    let text = '';
    let time = 0;
    const stream = { isTTY, write: (part: string) => ((text += part), true) };
    const bar = createProgressBar(stream, 'runs', () => (time += 1000));
    bar.show(0, 4);
    bar.show(1, 4);
    bar.show(4, 4);
    bar.clear();
    return text;
  };

  it('is one line on a terminal that is gone at the end', () => {
    const shown = written(true).split('\r\x1b[K');
    expect(shown[1]).toBe(`[${'-'.repeat(30)}] 0/4 runs`);
    expect(shown[2]).toMatch(/^\[#{7}-{23}\] 1\/4 runs, \d+ s left$/);
    expect(shown.slice(3)).toEqual([`[${'#'.repeat(30)}] 4/4 runs, 0 s left`, '']);
  });

  it('is silent elsewhere', () => {
    expect(written(false)).toBe('');
  });
});
