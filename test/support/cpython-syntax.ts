/** CPython's opinion of sources, from `dump-python-ast.py`, and how to compare it with ours. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type CPythonSyntax =
  { readonly tree: unknown } | { readonly error: string; readonly line: number; readonly column: number };

export interface CPythonAnswers {
  /** Minor version of the Python 3 that answered. */
  readonly minor: number;
  /** One per source. */
  readonly results: readonly CPythonSyntax[];
}

/** Takes about 0.1 s, and 1 s per 500 kB of source. */
export function askCPython(python: string, sources: readonly string[]): CPythonAnswers {
  const script = fileURLToPath(new URL('./dump-python-ast.py', import.meta.url));
  const run = spawnSync(python, [script], { input: JSON.stringify(sources), encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`dump-python-ast.py failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as CPythonAnswers;
}

/**
 * The first difference as `path: ours != theirs`, or null where both are the same tree. The parts of f-strings are null
 * on their side, and not compared, before Python 3.12.
 */
export function firstDifference(ours: unknown, theirs: unknown, path = 'module'): string | null {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${path}: ${ours.length} items != ${theirs.length}`;
    for (let i = 0; i < ours.length; i++) {
      const difference = firstDifference(ours[i], theirs[i], `${path}[${i}]`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isRecord(ours) && isRecord(theirs)) {
    const left = comparable(ours);
    const keys = new Set([...Object.keys(left), ...Object.keys(theirs)]);
    for (const key of keys) {
      if (left.kind === 'JoinedString' && (key === 'values' || key === 'roles') && theirs.values === null) continue;
      const difference = firstDifference(left[key], theirs[key], `${path}.${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (typeof ours === 'string' && typeof theirs === 'string' && sameText(ours, theirs)) return null;
  return Object.is(ours, theirs) ? null : `${path}: ${JSON.stringify(ours)} != ${JSON.stringify(theirs)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Numbers in the form in which the Python side prints them. */
function comparable(node: Record<string, unknown>): Record<string, unknown> {
  if (node.kind === 'Int') {
    const { value, text, ...rest } = node;
    const exact = BigInt(String(text));
    const isConsistent = value === null ? exact > 2n ** 53n : BigInt(Number(value)) === exact;
    return { ...rest, text: isConsistent ? `0x${exact.toString(16)}` : `${String(text)} with value ${String(value)}` };
  }
  if (node.kind === 'Float' || node.kind === 'Imaginary') return { ...node, value: bits(Number(node.value)) };
  return node;
}

function bits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

/** U+FFFD in our text stands for a character that was given by name, `\N{...}`. */
function sameText(ours: string, theirs: string): boolean {
  if (ours === theirs) return true;
  const left = [...ours];
  const right = [...theirs];
  return left.length === right.length && left.every((character, i) => character === '\ufffd' || character === right[i]);
}
