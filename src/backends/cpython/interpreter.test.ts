import { expect, test } from 'vitest';
import { type Interpreter, noticesOf } from './interpreter.js';

const interpreter: Interpreter = {
  executable: '/opt/python/bin/python3',
  version: '3.12.4',
  minor: 12,
  numpy: '2.1.0',
  scipy: '1.14.0',
  isManaged: false,
  readable: [],
  executables: [],
};

const commandIn = (notice: string): string | undefined => notice.split('To install it (and start again): ')[1];

test('each package that an interpreter lacks has a line of its own, with the command that installs it there', () => {
  expect(noticesOf(interpreter)).toEqual([]);
  expect(noticesOf({ ...interpreter, scipy: null })).toEqual([
    'The Python interpreter /opt/python/bin/python3 (3.12.4) has no SciPy: of objectives that use SciPy only what ' +
      'compiles is evaluated, and no value of such objectives is confirmed. To install it (and start again): ' +
      '/opt/python/bin/python3 -m pip install scipy',
  ]);
  const bare = noticesOf({ ...interpreter, numpy: null, scipy: null, isManaged: true });
  expect(bare.map(commandIn)).toEqual(['apt-get install python3-numpy', 'apt-get install python3-scipy']);
});
