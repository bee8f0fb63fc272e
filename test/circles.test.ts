/**
 * Circles between the files of `src/`: at run time there is none, so that it does not matter which file is loaded
 * first. Types form circles only where Python is one: its values hold each other, and its statements, expressions and
 * calls run each other.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'(\.[^']+)\.js'/gm;
const NAMING = /^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'(\.[^']+)\.js'/gm;
/** Rooms whose types form circles (docs/adr/0037-rooms-of-the-front-end.md). */
const RECURSIVE = ['frontend/values', 'frontend/machine', 'frontend/arrays', 'frontend/run'];

/** Files that `text`, the source of `file`, loads; with `NAMING` also those of which it takes types alone. */
function loadedBy(file: string, text: string, statement = IMPORT): string[] {
  return [...text.matchAll(statement)].map(([, to]) => path.join(path.dirname(file), `${to}.ts`));
}

/** Groups of files that load each other. Source: Tarjan's strongly connected components. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== own) return;
    const group = path.splice(path.indexOf(file));
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

test('a circle is found', () => {
  const graph = new Map([
    ['a.ts', loadedBy('a.ts', "import { b } from './b.js';\nimport type { d } from './d.js';\n")],
    ['b.ts', loadedBy('b.ts', "export {\n  c,\n} from './c.js';\n")],
    ['c.ts', loadedBy('c.ts', "import './a.js';\n")],
    ['d.ts', loadedBy('d.ts', "import { a } from './a.js';\n")],
  ]);
  expect(circles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  expect(loadedBy('a.ts', "import type { d } from './d.js';\n", NAMING)).toEqual(['d.ts']);
});

/** Files of `src/`, each with those that it loads. */
function graphOf(statement: RegExp): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file));
  return new Map(files.map((file) => [file, loadedBy(file, readFileSync(path.join(src, file), 'utf8'), statement)]));
}

test('no files of src/ load each other', () => {
  const graph = graphOf(IMPORT);
  expect(graph.size).toBeGreaterThan(500);
  expect([...graph.values()].flat().length).toBeGreaterThan(1_500);
  expect(circles(graph)).toEqual([]);
});

test('types form circles within the rooms of the front end alone', () => {
  const graph = graphOf(NAMING);
  expect([...graph.values()].flat().length).toBeGreaterThan(3_000);
  const strange = circles(graph).filter(
    (group) => !RECURSIVE.some((room) => group.every((f) => f.startsWith(`${room}/`))),
  );
  expect(strange).toEqual([]);
});
