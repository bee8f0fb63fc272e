/**
 * cocopp and iohinspector read what we write. Needs both (see scripts/check-coco.mjs) in the Python that the variable
 * names.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const python = process.env['EXTREMUM_COCO_PYTHON'];

test('cocopp and iohinspector read the data sets', ({ skip }) => {
  skip(python === undefined, 'EXTREMUM_COCO_PYTHON is not set');
  const script = fileURLToPath(new URL('../scripts/check-coco.mjs', import.meta.url));
  const output = execFileSync(process.execPath, [script, python!], { encoding: 'utf8' });
  expect(output.match(/read by cocopp \S+ and iohinspector/g)).toHaveLength(3);
}, 600_000);
