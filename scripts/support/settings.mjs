/**
 * Tells about bad settings before a first build, which takes a minute. The settings are parsed by src/config.ts, which
 * needs nothing but Node and a few files of ours: their own text, stripped of its types, will do.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** What is wrong with the settings, for the operator; null: nothing. Needs the npm dependencies. */
export async function settingsProblem(env, argv) {
  const { parseConfig, ConfigError } = await import(await moduleUrl(path.join(root, 'src', 'config.ts')));
  try {
    parseConfig(env, argv);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** A module whose text is its address, and so are those of the modules that it imports. */
async function moduleUrl(file) {
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
  });
  let text = outputText;
  for (const [whole, specifier] of outputText.matchAll(/from '(\.[^']*)\.js'/g)) {
    const url = await moduleUrl(path.resolve(path.dirname(file), `${specifier}.ts`));
    text = text.replaceAll(whole, `from '${url}'`);
  }
  return `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}
