/** What of the front end programs have reached: every `case`, and every function, from V8's precise coverage. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
}

interface Place {
  readonly what: string;
  readonly line: number;
  readonly count: number;
}

const CASE = /\b(?:case (?<label>'[^']*'|"[^"]*"|[\w.]+)|default):/g;

/** Read from what `reader.mjs --coverage` has written. */
export function coverageReport(file: string): string {
  const scripts = JSON.parse(readFileSync(file, 'utf8')) as readonly ScriptCoverage[];
  const parts = scripts.map(reportOf).sort((a, b) => a.name.localeCompare(b.name));
  const sum = (key: 'cases' | 'reachedCases' | 'functions' | 'reachedFunctions'): number =>
    parts.reduce((total, part) => total + part[key], 0);
  const head = `${sum('reachedCases')} of ${sum('cases')} cases and ${sum('reachedFunctions')} of ${sum('functions')} functions of the front end were reached.`;
  return [head, ...parts.map(({ text }) => text)].join('\n');
}

function reportOf({ url, functions }: ScriptCoverage) {
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (offset: number): number => {
    const line = starts.findLastIndex((start) => start <= offset);
    const entry = map.findEntry(line, offset - starts[line]) as { readonly originalLine?: number };
    return (entry.originalLine ?? line) + 1;
  };
  const ranges = functions.flatMap((f) => f.ranges);
  const countAt = (offset: number): number => {
    let [size, count] = [Infinity, 0];
    for (const range of ranges) {
      if (range.startOffset > offset || range.endOffset <= offset) continue;
      // The last of equal ones is the most precise.
      if (range.endOffset - range.startOffset <= size)
        [size, count] = [range.endOffset - range.startOffset, range.count];
    }
    return count;
  };
  const cases = [...text.matchAll(CASE)].map((match): Place => {
    const end = match.index + match[0].length;
    const body = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
    return { what: match[0].slice(0, -1), line: lineOf(match.index), count: countAt(body) };
  });
  const named = functions.filter((f) => f.functionName !== '' && f.ranges.length > 0);
  const called = named.map((f): Place => ({
    what: `${f.functionName}()`,
    line: lineOf(f.ranges[0].startOffset),
    count: f.ranges[0].count,
  }));
  const name = path.replace(/^.*\/dist\//, 'src/').replace(/\.js$/, '.ts');
  const reached = (places: readonly Place[]): number => places.filter((p) => p.count > 0).length;
  const never = [...cases, ...called].filter((p) => p.count === 0).sort((a, b) => a.line - b.line);
  const missing = never.map(({ what, line }) => `\n    ${line}: ${what}`).join('');
  return {
    name,
    ...{ cases: cases.length, reachedCases: reached(cases) },
    ...{ functions: called.length, reachedFunctions: reached(called) },
    text: `${name}: ${reached(cases)} of ${cases.length} cases, ${reached(called)} of ${called.length} functions${missing === '' ? '' : `; never:${missing}`}`,
  };
}
