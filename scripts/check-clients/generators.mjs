/** How each client is generated, compiled and started. All of openapi-generator, by its names. */
import path from 'node:path';
import { root } from '../support/paths.mjs';
import { pythonPackages } from '../support/python-packages.mjs';

const HERE = import.meta.dirname;
const MAVEN = ['-q', '-B', '-Dstyle.color=never'];
const TSC = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** Of Maven, pinned like all that it fetches. */
export const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';
export const mvn = (goal, ...options) => ['mvn', ...MAVEN, `${DEPENDENCY_PLUGIN}:${goal}`, ...options];

/**
 * `tools`: commands without which it is skipped. `files`: those that are copied beside the client. `compile`: commands, all
 * run in that folder, as `drive` is, which takes the steps.
 *
 * @typedef {{ tools: string[], files: string[], options: string[], output: string, env?: () => Record<string, string>,
 *   compile: string[][], drive: string[] }} Generator
 */

/** @type {(python: string) => Record<string, Generator>} */
export const generators = (python) => ({
  python: {
    tools: [python],
    files: ['drive.py'],
    options: ['-g', 'python', '--additional-properties=packageName=extremum_client'],
    output: '.',
    env: () => ({
      PYTHONPATH: pythonPackages('check-clients', path.join(HERE, 'python', 'requirements.txt'), python),
      PYTHONDONTWRITEBYTECODE: '1',
    }),
    compile: [[python, '-m', 'mypy', '--config-file=', '--cache-dir=.mypy', 'extremum_client', 'drive.py']],
    drive: [python, 'drive.py'],
  },
  'typescript-fetch': {
    tools: [],
    files: ['drive.mts', 'tsconfig.json'],
    options: ['-g', 'typescript-fetch', '--additional-properties=importFileExtension=.js'],
    output: 'client',
    compile: [[process.execPath, TSC]],
    drive: [process.execPath, 'build/drive.mjs'],
  },
  go: {
    tools: ['go'],
    files: ['drive.go', 'go.mod', 'go.sum'],
    options: ['-g', 'go', '--additional-properties=packageName=extremum,withGoMod=false'],
    output: 'client',
    env: () => ({ GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }),
    compile: [
      ['go', 'build', '-o', 'drive', '.'],
      ['go', 'vet', '.', './client'],
    ],
    drive: ['./drive'],
  },
  java: {
    tools: ['javac'],
    files: ['Drive.java', 'pom.xml'],
    options: [
      ...['-g', 'java', '--library', 'native'],
      '--additional-properties=invokerPackage=extremum,apiPackage=extremum.api,modelPackage=extremum.model',
    ],
    output: 'client',
    compile: [
      mvn('copy-dependencies', '-DoutputDirectory=libraries'),
      ['javac', '-nowarn', '-cp', 'libraries/*', '-sourcepath', 'client/src/main/java', '-d', 'build', 'Drive.java'],
    ],
    drive: ['java', '-cp', `build${path.delimiter}libraries/*`, 'Drive'],
  },
});
