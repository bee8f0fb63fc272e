import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import importDirection, { ALLOWED } from '../scripts/lint/import-direction.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Only the rule under test, without type information: the files need not exist. */
const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.ts'],
      plugins: { extremum: { rules: { 'import-direction': importDirection } } },
      languageOptions: { parser: tseslint.parser },
      // A comment cannot switch it off here.
      linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
      rules: { 'extremum/import-direction': 'error' },
    },
  ],
});

async function findings(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path.join(root, file) });
  return (result?.messages ?? []).map((message) => message.message);
}

/** The files that a file imports more than types of. */
function valueImports(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  return statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    if (!isImport || statement.moduleSpecifier === undefined || !ts.isStringLiteral(statement.moduleSpecifier))
      return [];
    if (ts.isImportDeclaration(statement)) {
      const { importClause: clause } = statement;
      if (clause?.isTypeOnly === true) return [];
      const named = clause?.namedBindings;
      const isOfTypes = named !== undefined && ts.isNamedImports(named) && named.elements.every((e) => e.isTypeOnly);
      if (isOfTypes && clause?.name === undefined) return [];
    } else if (statement.isTypeOnly) return [];
    return [path.resolve(path.dirname(file), statement.moduleSpecifier.text.replace(/\.js$/, '.ts'))];
  });
}

describe('import directions', () => {
  test('a strategy that imports a backend is refused, and told what to do instead', async () => {
    const [message, ...more] = await findings(
      'src/strategies/cma-es/cma-es.ts',
      "import { registry } from '../../backends/registry.js';\nexport { registry };\n",
    );
    expect(more).toEqual([]);
    expect(message).toContain("'strategies' must not import 'backends/registry'. Both speak CandidateBatch");
  });

  test.each([
    ['a type import', "import type { Store } from '../storage/sqlite/sqlite-store.js';"],
    ['a re-export', "export * from '../storage/sqlite/sqlite-store.js';"],
    ['a dynamic import', "export const load = () => import('../storage/sqlite/sqlite-store.js');"],
    ['an import type', "export type S = import('../storage/sqlite/sqlite-store.js').Store;"],
  ])('%s counts as an import', async (_kind, code) => {
    const messages = await findings('src/runs/run-service.ts', code);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('Only the contracts src/storage/store.ts, src/storage/contract/runs.ts,');
  });

  test('a folder sees the parts of the store that it uses, and no others', async () => {
    const imported = (part: string): string => `export type * from '../storage/contract/${part}.js';`;
    expect(await findings('src/identity/identity-service.ts', imported('identity'))).toEqual([]);
    const [message] = await findings('src/identity/identity-service.ts', imported('runs'));
    expect(message).toContain(
      'Only the contracts src/storage/contract/identity.ts, src/storage/contract/sessions.ts are open',
    );
  });

  test('contracts of other folders, common, and own files are allowed', async () => {
    const code = [
      "import type { Backend } from '../backends/backend.js';",
      "import type { StrategyFactory } from '../strategies/strategy.js';",
      "import { ExtremumError } from '../common/errors.js';",
      "import { helper } from './helper.js';",
      'export type All = [Backend, StrategyFactory, typeof ExtremumError, typeof helper];',
    ].join('\n');
    expect(await findings('src/engine/run.ts', code)).toEqual([]);
  });

  test('the layers do not reach up to the composition root', async () => {
    const messages = await findings('src/common/clock.ts', "import { config } from '../config.js';\nconfig;\n");
    expect(messages[0]).toContain('Take what you need as an argument');
  });

  test('the library of the front end reaches the evaluator through the narrow interface only', async () => {
    const code = (specifier: string, name: string): string =>
      `import type { ${name} } from '${specifier}';\nexport type T = ${name};\n`;
    const file = 'src/frontend/library/builtins.ts';
    const [message, ...more] = await findings(file, code('../run/evaluator.js', 'Evaluator'));
    expect(more).toEqual([]);
    expect(message).toContain("'frontend/library' must not import 'frontend/run/evaluator.js'");
    expect(await findings(file, code('../machine/machine.js', 'Machine'))).toEqual([]);
  });

  test('no file of the front end imports a value that needs the file itself', () => {
    const folder = path.join(root, 'src/frontend');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => path.join(folder, name));
    const open = new Map(files.map((file) => [file, valueImports(file).filter((to) => files.includes(to))]));
    for (;;) {
      const free = [...open].filter(([, imports]) => !imports.some((to) => open.has(to))).map(([file]) => file);
      if (free.length === 0) break;
      for (const file of free) open.delete(file);
    }
    expect([...open.keys()]).toEqual([]);
  });

  test('Express stays at the edge', async () => {
    const messages = await findings('src/runs/run-service.ts', "import express from 'express';\nexpress();\n");
    expect(messages[0]).toContain("'express' must not be imported here");
  });

  test('composition roots may name concrete classes', async () => {
    const code =
      "import { S } from './storage/sqlite/sqlite-store.js';\nimport express from 'express';\nS;\nexpress;\n";
    expect(await findings('src/main.ts', code)).toEqual([]);
  });

  test('the entry of a worker thread obeys the table like any other file', async () => {
    const code = "import { B } from '../backends/native/native-backend.js';\nB;\n";
    const [message, ...more] = await findings('src/runs/run-worker.ts', code);
    expect(more).toEqual([]);
    expect(message).toContain(
      "'runs' must not import 'backends/native/native-backend'. Ask src/evaluation/ for kernels",
    );
  });

  test('every folder under src/ has its line in the table', () => {
    const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['cli', 'library'].includes(entry.name))
      .map((entry) => entry.name);
    expect(folders.filter((folder) => !(folder in ALLOWED))).toEqual([]);
  });

  test('the table names no folder or file that is not there', () => {
    const names = [...Object.keys(ALLOWED), ...Object.values(ALLOWED).flat()];
    const exists = (name: string): boolean =>
      existsSync(path.join(root, 'src', name)) || existsSync(path.join(root, 'src', `${name}.ts`));
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });

  test('the tree has no violation', async () => {
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `src/${name.replaceAll(path.sep, '/')}`);
    const messages: string[] = [];
    let imports = 0;
    for (const file of files) {
      // What it imports is all that the rule looks at; parsing the rest of the tree takes half a minute.
      const { importedFiles } = ts.preProcessFile(readFileSync(path.join(root, file), 'utf8'));
      imports += importedFiles.length;
      const code = importedFiles.map(({ fileName }) => `import '${fileName}';\n`).join('');
      messages.push(...(await findings(file, code)).map((message) => `${file}: ${message}`));
    }
    expect(messages).toEqual([]);
    expect(imports).toBeGreaterThan(2 * files.length);
  }, 60_000);

  test('every kind of import is seen in the text of a file', () => {
    const code = [
      "import a, { type B } from './1.js';",
      "import type { C } from './2.js';",
      "import * as d from './3.js';",
      "import './4.js';",
      "export * from './5.js';",
      "export type { E } from './6.js';",
      "export const f = () => import('./7.js');",
      "export type G = import('./8.js').G;",
      'export type * from "./9.js";',
    ].join('\n');
    const { importedFiles } = ts.preProcessFile(code);
    expect(importedFiles.map(({ fileName }) => fileName)).toEqual(Array.from({ length: 9 }, (_, i) => `./${i + 1}.js`));
  });
});
