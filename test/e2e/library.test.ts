/**
 * The package as its users have it: `import ... from 'extremum'` in a folder of their own. The guide's examples are the
 * program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { outcomeOf, type Outcome } from '../support/run-program.js';

interface Example {
  readonly name: string;
  readonly code: string;
  /** What the comments say that it prints. */
  readonly prints: string;
}

const guide = ['docs/guides/library.md', 'README.md']
  .map((file) => readFileSync(path.join(packageRoot(), file), 'utf8'))
  .join('\n');
const blocks = [...guide.matchAll(/^```(ts|js)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
  language,
  code,
}));
const modules = blocks.filter(({ language }) => language === 'js');
const examples: Example[] = blocks
  .filter(({ language }) => language === 'ts')
  .map(({ code }, i) => ({
    name: `example-${i + 1}.ts`,
    code,
    prints: [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => `${line}\n`).join(''),
  }));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-library-'));
  mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(packageRoot(), path.join(folder, 'node_modules/extremum'));
  symlinkSync(path.join(packageRoot(), 'node_modules/@types/node'), path.join(folder, 'node_modules/@types/node'));
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  for (const { code } of modules) writeFileSync(path.join(folder, /^\/\/ (\S+)/.exec(code)?.[1] ?? ''), code);
  for (const { name, code } of examples) {
    writeFileSync(path.join(folder, name), code);
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    writeFileSync(
      path.join(folder, name.replace('.ts', '.js')),
      ts.transpileModule(code, { compilerOptions: options }).outputText,
    );
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (...args: string[]): Promise<Outcome> =>
  outcomeOf(spawn(process.execPath, args, { cwd: folder, env: { PYTHON: 'off' } }));

describe('the guide to the library, and the README', () => {
  it.each(examples)(
    '$name prints what it says, and its process ends by itself',
    async ({ name, prints }) => {
      expect(prints).not.toBe('');
      expect(await node(name.replace('.ts', '.js'))).toEqual({ code: 0, stdout: prints, stderr: '' });
    },
    60_000,
  );

  it('has types that strict programs take with nodenext, and wrong calls are refused', () => {
    const wrong = path.join(folder, 'wrong.ts');
    const lines = [
      "import { minimize } from 'extremum';",
      'await minimize((x) => x[0]!, { bounds: [[0, 1]], budjet: 10 });',
      "await minimize((x) => 'text', { bounds: [[0, 1]] });",
      "await minimize({ python: 'x' }, { bounds: [[0, 1]], batch: true });",
      'const r = await minimize((x) => x[0]!, { bounds: [[0, 1]] }); r.value = 3;',
    ];
    writeFileSync(wrong, lines.join('\n'));
    const program = ts.createProgram([...examples.map(({ name }) => path.join(folder, name)), wrong], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [path.join(folder, 'node_modules/@types')],
    });
    // Not those of Node and of the language, which are none of ours.
    const own = [`${folder}${path.sep}`, path.join(packageRoot(), 'dist')];
    const files = program
      .getSourceFiles()
      .filter(({ fileName }) => own.some((start) => path.normalize(fileName).startsWith(start)));
    expect(files.length).toBeGreaterThan(examples.length + 3);
    const findings = files
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ file, start = 0, messageText }) => ({
        file: path.basename(file?.fileName ?? ''),
        line: file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1,
        text: ts.flattenDiagnosticMessageText(messageText, ' '),
      }));
    expect(findings.filter(({ file }) => file !== 'wrong.ts')).toEqual([]);
    expect([...new Set(findings.map(({ line }) => line))]).toEqual([2, 3, 4, 5]);
  }, 60_000);

  it('is all that can be imported', async () => {
    const list = "import * as e from 'extremum'; console.log(Object.keys(e).join())";
    writeFileSync(path.join(folder, 'all.js'), list);
    expect((await node('all.js')).stdout).toBe('ExtremumError,maximize,minimize\n');
    writeFileSync(path.join(folder, 'deep.js'), "import 'extremum/dist/main.js'");
    expect((await node('deep.js')).stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

describe('the packed package', () => {
  it('has what it needs, types included, and nothing of its tests', () => {
    const npm = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: packageRoot(),
      encoding: 'utf8',
    });
    expect(npm.status).toBe(0);
    const [packed] = JSON.parse(npm.stdout) as [{ files: { path: string }[] }];
    const files = new Set(packed.files.map((file) => file.path));
    const needed = [
      'dist/cli/main.js',
      'dist/library/module-worker.js',
      'dist/runs/run-worker.js',
      'scripts/extremum.mjs',
      'scripts/install.mjs',
    ];
    const read = ['src/backends/cpython/python/worker.py', 'native/sandbox/launcher.c', 'CMakeLists.txt', 'LICENSE'];
    const data = ['src/domains/ai-ml/datasets/iris.csv.gz', 'src/domains/ai-ml/datasets/README.md'];
    const told = ['examples/rastrigin.py', 'docs/guides/operating.md', 'docs/guides/domains/financial.md'];
    for (const file of [...needed, ...read, ...data, ...told]) expect(files).toContain(file);
    const readme = readFileSync(path.join(packageRoot(), 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(20);
    const isThere = (link: string): boolean => [...files].some((file) => file === link || file.startsWith(`${link}`));
    expect(links.filter((link) => !isThere(link))).toEqual([]);
    expect([...files].filter((file) => /\.test\.|^test\/|\.map$|^native\/test\//.test(file))).toEqual([]);
    const types = [...files].filter((file) => file.endsWith('.d.ts'));
    expect(types).toContain('dist/library/index.d.ts');
    for (const file of types) {
      const text = readFileSync(path.join(packageRoot(), file), 'utf8');
      for (const [, imported = ''] of text.matchAll(/from '(\.[^']*)\.js'/g)) {
        expect(files).toContain(path.posix.join(path.posix.dirname(file), `${imported}.d.ts`));
      }
    }
  }, 60_000);
});
