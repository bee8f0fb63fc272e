/** Commands that are one slow test file with settings of their own. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, BuildError } from '../build.mjs';
import { root } from './paths.mjs';

const SLOW = ['--config', 'vitest.slow.config.ts', '--disable-console-intercept', '--reporter', 'dot'];

/**
 * Builds, and runs the tests of `file`. `settings`, from the values of the command line's `names`, gives what the tests
 * find in their environment, under `prefix`, and the line that is printed first. Bad values end with their message and
 * `usage`.
 */
export async function runSlowTest({ usage, names, prefix, file, settings }) {
  try {
    const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
    const { line, ...given } = settings(values);
    await build();
    console.log(line);
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    const env = Object.fromEntries(named.map(([name, value]) => [prefix + name.toUpperCase(), String(value)]));
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const options = { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' };
    process.exitCode = spawnSync(process.execPath, [vitest, 'run', file, ...SLOW], options).status ?? 1;
  } catch (error) {
    console.error(error instanceof BuildError ? error.message : `${error.message}\n${usage}`);
    process.exitCode = 1;
  }
}

export function wholeNumber(name, text, least = 1) {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= least) return value;
  throw new Error(`--${name} ${text} must be a whole number from ${least}`);
}

export const anySeed = () => String(1 + Math.floor(Math.random() * 1e9));
