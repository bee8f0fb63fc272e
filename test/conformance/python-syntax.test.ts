/**
 * Our parser against CPython's own: same trees with the same positions, same programs refused. Uses the snippets of
 * `test/fixtures/python-syntax`, mutations of them, and a sample of the standard library.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { Rng } from '../../src/common/rng.js';
import { parsePython } from '../../src/frontend/syntax/parser.js';
import { askCPython, firstDifference, type CPythonSyntax } from '../support/cpython-syntax.js';
import { findPython } from '../support/python.js';

/** PEP 701 and PEP 695 are Python 3.12; 3.14 takes more than we do (`except A, B:`, t-strings). */
const OUR_MINOR = 12;
const LAST_MINOR_ALIKE = 13;

function readSnippets(name: string): string[] {
  const file = fileURLToPath(new URL(`../fixtures/python-syntax/${name}.txt`, import.meta.url));
  const text = readFileSync(file, 'utf8').replace(/\n$/, '');
  return text.split('\n====\n').map((snippet) => `${snippet}\n`);
}

const accepted = readSnippets('accepted');
const acceptedSince312 = readSnippets('accepted-3.12');
const refused = readSnippets('refused');

it('a tree with one wrong place is told from the right one', () => {
  const { module } = parsePython('x = [1, 2.5]\n');
  const other = JSON.parse(JSON.stringify(module), (key, value: unknown) => (key === 'column' ? 1 : value)) as unknown;
  expect(firstDifference(module, other)).toMatch(/body\[0\]/);
});

describe('the snippets', () => {
  it('are accepted where they are valid', () => {
    const wrong = [...accepted, ...acceptedSince312].filter((source) => parsePython(source).module === null);
    expect(wrong).toEqual([]);
  });

  it('are refused with a place and a message where they are not', () => {
    for (const source of refused) {
      const { module, errors } = parsePython(source);
      const lineCount = source.split('\n').length;
      expect(module, source).toBeNull();
      expect(errors.length, source).toBeGreaterThan(0);
      for (const { kind, message, line, column } of errors) {
        expect(kind, source).toBe('syntax');
        expect(message, source).not.toBe('');
        expect(line >= 1 && line <= lineCount && column >= 1, `${source} at ${line}:${column}`).toBe(true);
      }
    }
  });
});

const { command: python, reason } = findPython();

describe('CPython', () => {
  const minor = python === null ? 0 : ask([]).minor;

  beforeEach(({ skip }) => skip(python === null, reason));

  function ask(sources: readonly string[]) {
    if (python === null) throw new Error('these tests are skipped without Python');
    return askCPython(python, sources);
  }

  it('has the same trees for the valid snippets', () => {
    const sources = minor >= OUR_MINOR ? [...accepted, ...acceptedSince312] : accepted;
    expect(listDifferences(sources, ask(sources).results)).toEqual([]);
  });

  it('refuses the same snippets, and nearly always for the same reason at the same place', ({ skip }) => {
    skip(minor > LAST_MINOR_ALIKE, `Python 3.${minor} has a larger grammar`);
    const { results } = ask(refused);
    expect(refused.filter((_, i) => results[i] === undefined || 'tree' in results[i])).toEqual([]);
    const alike = refused.filter((source, i) => {
      const [ours] = parsePython(source).errors;
      const theirs = results[i];
      if (ours === undefined || theirs === undefined || !('error' in theirs)) return false;
      return ours.message === theirs.error && ours.line === theirs.line && ours.column === theirs.column;
    });
    // The words changed from version to version; 3.12 is ours.
    if (minor === OUR_MINOR) expect(alike.length / refused.length).toBeGreaterThan(0.85);
    else expect(alike.length / refused.length).toBeGreaterThan(0.6);
  });

  it('agrees on snippets with one character changed', ({ skip }) => {
    skip(minor > LAST_MINOR_ALIKE, `Python 3.${minor} has a larger grammar`);
    const usable = minor >= OUR_MINOR ? accepted : accepted.filter((source) => !/f["']/i.test(source));
    const sources = mutate(usable, 1500);
    const { results } = ask(sources);
    const acceptedCount = results.filter((result) => 'tree' in result).length;
    expect(acceptedCount).toBeGreaterThan(100);
    expect(acceptedCount).toBeLessThan(1400);
    expect(listDifferences(sources, results)).toEqual([]);
  });

  it('has the same trees for a sample of its standard library', ({ skip }) => {
    skip(minor > LAST_MINOR_ALIKE, `Python 3.${minor} has a larger grammar`);
    const sources = sampleStandardLibrary(150, 24 * 1024);
    expect(sources.length).toBeGreaterThan(20);
    expect(listDifferences(sources, ask(sources).results)).toEqual([]);
  }, 60_000);

  function sampleStandardLibrary(count: number, maxBytes: number): string[] {
    const program = 'import sysconfig; print(sysconfig.get_paths()["stdlib"])';
    const folder = spawnSync(python ?? '', ['-c', program], { encoding: 'utf8' }).stdout.trim();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.py') && !/site-packages|dist-packages|lib2to3|badsyntax|bad_coding/.test(file))
      .sort();
    const step = Math.max(1, Math.floor(files.length / (count * 2)));
    const sources: string[] = [];
    for (let i = 0; i < files.length && sources.length < count; i += step) {
      const file = files[i];
      if (file === undefined) continue;
      const bytes = readFileSync(path.join(folder, file));
      const source = bytes.toString('utf8');
      // Files in other encodings have been decoded before they reach a parser of text.
      if (bytes.length <= maxBytes && Buffer.from(source).equals(bytes)) sources.push(source);
    }
    return sources;
  }
});

/** Where we and CPython disagree: on whether a source is valid, or on its tree. */
function listDifferences(sources: readonly string[], results: readonly CPythonSyntax[]): string[] {
  return sources.flatMap((source, i) => {
    const theirs = results[i];
    if (theirs === undefined) return [`no answer for ${JSON.stringify(source)}`];
    const { module, errors } = parsePython(source);
    const title = JSON.stringify(source.slice(0, 300));
    if ('error' in theirs)
      return module === null || isKnownException(theirs.error) ? [] : [`${title}: ${theirs.error}`];
    if (module === null) return [`${title}: we say ${JSON.stringify(errors)}`];
    const difference = firstDifference({ ...module, newest: undefined }, theirs.tree);
    return difference === null ? [] : [`${title}: ${difference}`];
  });
}

/** JavaScript has no table of character names, so every name in `\N{name}` is taken. */
function isKnownException(error: string): boolean {
  return error.includes('unknown Unicode character name');
}

/** Each result is a snippet with one character removed, inserted, replaced or doubled. The same on every run. */
function mutate(snippets: readonly string[], count: number): string[] {
  const rng = Rng.create(20240229);
  const below = (limit: number) => rng.nextUint32() % limit;
  const characters = [...'()[]{}:,;.=+-*/%@&|^~<>!\'"\\# \n\t_0123456789abefjnorx$?`é€\u00a0\f'];
  return Array.from({ length: count }, () => {
    const snippet = [...(snippets[below(snippets.length)] ?? '')];
    const at = below(snippet.length);
    const character = characters[below(characters.length)] ?? ' ';
    const original = snippet[at] ?? '';
    const replacements = ['', original + character, character, original + original];
    snippet[at] = replacements[below(replacements.length)] ?? '';
    return snippet.join('');
  });
}
