/**
 * Makes dist/ of src/ without looking at types, in a second or two: enough to serve. What tsc makes (`npm run build`)
 * does the same; declarations and source maps are its alone. A program of its own, so that the transformer's memory
 * goes with it.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformWithOxc } from 'vite';
import { root } from './paths.mjs';

const source = path.join(root, 'src');
const target = path.join(root, 'dist');

// What tsc remembers of dist/ is no longer so.
rmSync(path.join(target, '.tsbuildinfo'), { force: true });
for (const relative of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (!relative.endsWith('.ts') || relative.endsWith('.test.ts')) continue;
  const { code } = await transformWithOxc(readFileSync(path.join(source, relative), 'utf8'), relative, {
    tsconfig: false,
    sourcemap: false,
    target: 'es2022',
    typescript: { onlyRemoveTypeImports: true },
  });
  const file = path.join(target, relative.replace(/\.ts$/, '.js'));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, code);
}
