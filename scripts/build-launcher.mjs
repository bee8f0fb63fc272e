/**
 * Builds build/Release/extremum-launcher from native/sandbox with one compiler call. Does nothing when it is newer than
 * its sources. Without Linux or a C compiler it says so in one line and succeeds: the service then runs without the
 * Python backend.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceFolder = path.join(root, 'native/sandbox');
const output = path.join(root, 'build/Release/extremum-launcher');
const sources = ['launcher.c', 'filters.c', 'filters.h'].map((name) => path.join(sourceFolder, name));
const without = 'sources that need CPython will be refused';

const modified = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const works = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

function build() {
  if (process.platform !== 'linux') return `sandbox launcher: needs Linux; ${without}`;
  if (sources.every((file) => modified(file) < modified(output))) return null;
  const compiler = [process.env.CC, 'cc', 'gcc', 'clang'].find(
    (name) => name !== undefined && name !== '' && works(name),
  );
  if (compiler === undefined) return `sandbox launcher: no C compiler (install gcc or clang); ${without}`;
  fs.mkdirSync(path.dirname(output), { recursive: true });
  // Into place by rename: a running launcher's file must not be written to, and no half-made one may be started.
  const draft = `${output}.${process.pid}`;
  const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-fstack-protector-strong', '-o', draft];
  const result = spawnSync(compiler, [...flags, ...sources.filter((file) => file.endsWith('.c'))], {
    encoding: 'utf8',
  });
  if (result.status !== 0) {
    fs.rmSync(draft, { force: true });
    return `sandbox launcher: ${compiler} failed; ${without}\n${result.stderr}`;
  }
  fs.renameSync(draft, output);
  return null;
}

const problem = build();
if (problem !== null) console.error(problem);
