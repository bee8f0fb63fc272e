/**
 * Shows that COCO's and IOHprofiler's own programs read our data sets:
 *
 *   python3 -m venv /tmp/coco && /tmp/coco/bin/pip install cocopp==2.9.1 iohinspector==0.0.8 six
 *   node scripts/check-coco.mjs /tmp/coco/bin/python          (with --full, cocopp makes all its figures: minutes)
 *
 * Runs a small experiment of each suite, then checks instances, evaluations and final values as read against runs.csv.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './support/paths.mjs';

const [python, ...options] = process.argv.slice(2);
if (python === undefined) {
  console.error('Usage: node scripts/check-coco.mjs PYTHON [--full]');
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), 'extremum-coco-'));
const EXPERIMENTS = [
  ['bbob', '--dims', '2,7', '--instances', '1-5', '--repetitions', '3', '--budget', '300'],
  ['bbob', '--dims', '3', '--instances', '1-3', '--budget', '200', '--noise', '0.01', '--stretched'],
  ['bbob-largescale', '--dims', '40', '--instances', '1-2', '--budget', '100'],
];
try {
  for (const [i, experiment] of EXPERIMENTS.entries()) {
    const out = path.join(folder, String(i));
    const extremum = path.join(root, 'dist', 'cli', 'main.js');
    execFileSync(process.execPath, [extremum, 'bench', ...experiment, '--strategies', 'cma-es', '--out', out]);
    console.log(experiment.join(' '));
    const check = path.join(root, 'scripts', 'support', 'check_coco.py');
    execFileSync(python, [check, out, ...(i === 0 ? options : [])], { stdio: 'inherit' });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
