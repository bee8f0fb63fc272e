/**
 * Shows that a 64-bit ARM processor gives the bits that this one does: builds the C++ tests for both, runs ARM's under
 * an emulator, and compares the digests of what every operation of the virtual machine gave. There the targets are NEON
 * and portable C++, and the tests compare each with the other.
 *
 *   apt-get install g++-aarch64-linux-gnu qemu-user
 *   node scripts/check-arm.mjs
 *
 * Ends well, with the reason, where the cross compiler, the emulator or cmake is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { root } from './support/paths.mjs';

const ARM = [
  '-DCMAKE_SYSTEM_NAME=Linux',
  '-DCMAKE_SYSTEM_PROCESSOR=aarch64',
  '-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc',
  '-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++',
  '-DCMAKE_EXE_LINKER_FLAGS=-static', // the emulator need not find ARM's libraries
];
const TESTS = ['extremum_native_tests', 'extremum_jit_tests'];
const EMULATOR = 'qemu-aarch64';

const exists = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** What the tests print. */
function run(folder, settings, launcher) {
  const build = path.join(root, 'build', folder);
  execFileSync('cmake', ['-S', root, '-B', build, ...settings], { stdio: 'pipe' });
  const jobs = String(os.availableParallelism());
  execFileSync('cmake', ['--build', build, '--parallel', jobs, '--target', ...TESTS], { stdio: 'pipe' });
  return TESTS.map((test) => {
    const [program, ...args] = [...launcher, path.join(build, test)];
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${folder}: ${test} failed\n${stdout}`);
    return stdout;
  }).join('');
}

const missing = ['cmake', 'aarch64-linux-gnu-g++', EMULATOR].filter((program) => !exists(program));
if (missing.length > 0) {
  console.log(
    `not checked: no ${missing.join(', no ')} here (Debian: apt-get install g++-aarch64-linux-gnu qemu-user)`,
  );
} else {
  const outputs = [run('native-tests', [], []), run('native-tests-arm', ARM, [EMULATOR])];
  const find = (pattern) => outputs.map((output) => pattern.exec(output)?.[1] ?? 'none');
  const [targets, digests] = [find(/^targets: (.*)$/m), find(/^digest: (.*)$/m)];
  console.log(`here: ${targets[0]}, digest ${digests[0]}\nARM:  ${targets[1]}, digest ${digests[1]}`);
  if (digests[0] !== digests[1] || !targets[1].includes('neon')) {
    console.error('the results differ, or NEON was not among the targets');
    process.exitCode = 1;
  }
}
