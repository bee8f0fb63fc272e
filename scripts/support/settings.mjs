/**
 * Tells about bad settings before a first build, which takes a minute. The settings are parsed by src/config.ts, which needs
 * nothing but Node: its own text, stripped of its types, will do.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** What is wrong with the settings, for the operator; null: nothing. Needs the npm dependencies. */
export async function settingsProblem(env, argv) {
  const { default: ts } = await import('typescript');
  const source = readFileSync(path.join(root, 'src', 'config.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
  });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
  try {
    module.parseConfig(env, argv);
    return null;
  } catch (error) {
    if (error instanceof module.ConfigError) return error.message;
    throw error;
  }
}
