/**
 * How each client is generated, compiled and started: those of openapi-generator by its names, and one for Python
 * alone.
 */
import path from 'node:path';
import { root } from '../support/paths.mjs';
import { pythonPackages } from '../support/python-packages.mjs';

const HERE = import.meta.dirname;
const MAVEN = ['-q', '-B', '-Dstyle.color=never'];
const EXAMPLE = path.join(root, 'examples', 'python-client');
const TSC = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** Of Maven, pinned like all that it fetches. */
export const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';
export const mvn = (goal, ...options) => ['mvn', ...MAVEN, `${DEPENDENCY_PLUGIN}:${goal}`, ...options];

/**
 * `tools`: commands without which it is skipped. `files`: those that are copied beside the client, from the folder of
 * its name. `options`: of openapi-generator; `generate`: the command, where that is not it. `compile`: commands, all
 * run in the folder of the client, as `drive` is, which takes the steps; without `drive` the examples take them.
 *
 * @typedef {{ tools: string[], files: string[], output: string, options?: string[], generate?: (document: string) =>
 * string[],
 *   env?: () => Record<string, string>, compile: string[][], drive?: string[] }} Generator
 */

/** With what the client of openapi-generator needs. */
const mypy = (python) => pythonPackages('check-clients', path.join(HERE, 'python', 'requirements.txt'), python);
export const pythonClientGenerator = (python) =>
  pythonPackages('openapi-python-client', path.join(EXAMPLE, 'requirements.txt'), python);

/** @type {(python: string) => Record<string, Generator>} */
export const generators = (python) => ({
  python: {
    tools: [python],
    files: ['drive.py'],
    options: ['-g', 'python', '--additional-properties=packageName=extremum_client'],
    output: '.',
    env: () => ({
      PYTHONPATH: mypy(python),
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
  'openapi-python-client': {
    tools: [python],
    files: [],
    output: 'extremum_client',
    generate: (document) => [
      ...[python, '-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none', '--fail-on-warning'],
      ...['--config', path.join(EXAMPLE, 'config.yml'), '--output-path', 'extremum_client'],
    ],
    env: () => ({
      PYTHONPATH: [mypy(python), pythonClientGenerator(python)].join(path.delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
    }),
    compile: [[python, '-m', 'mypy', '--strict', '--config-file=', '--cache-dir=.mypy', 'extremum_client']],
  },
});
