/** The hand-written kernels of `micro/hand/`, and programs like them that evaluate on command. */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/support/paths.mjs';

export const handFolder = path.join(root, 'bench', 'micro', 'hand');

/** A program that answers commands: see `hand/kernels.cpp`. */
export class Child {
  constructor(command, args) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }
  async ask(request, count) {
    this.process.stdin.write(`${request}\n`);
    const answers = [];
    while (answers.length < count) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`${this.process.spawnfile} ended at "${request}"`);
      answers.push(Number(value));
    }
    return answers;
  }
  close() {
    this.process.stdin.end();
  }
}

/** Null, and why in `missing`, where `make` fails. */
export function tryTo(make, missing, name) {
  try {
    return make();
  } catch (error) {
    missing[name] = String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .at(-1);
    return null;
  }
}

/** Flags of `compileHandWritten` by instruction set. */
export const INSTRUCTION_SETS = {
  avx512: ['-mavx512f', '-mprefer-vector-width=512'],
  avx2: ['-mavx2', '-mno-avx512f', '-mprefer-vector-width=256'],
};

/** Compiles `hand/kernels.cpp`; its path. Throws where the compiler or the processor cannot. */
export function compileHandWritten(folder, name, candidatesFile, flags = INSTRUCTION_SETS.avx512) {
  const program = path.join(folder, name);
  const all = ['-std=c++17', '-O3', '-march=native', '-ffast-math', ...flags];
  const source = path.join(handFolder, 'kernels.cpp');
  execFileSync('g++', [...all, source, '-o', program, '-lmvec', '-pthread'], { stdio: 'pipe' });
  // Ends at once without input; a processor without the instructions ends it otherwise.
  execFileSync(program, [candidatesFile], { input: 'time rosenbrock-tiles 1\n', stdio: 'pipe' });
  return program;
}
