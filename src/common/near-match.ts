/** Guess at the name that somebody meant who mistyped it. */

/** The nearest of `known`, at most a third of the letters of `text` away; null: none is. */
export function nearMatch(text: string, known: readonly string[]): string | null {
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of known) {
    const edits = editsBetween(text.toLowerCase(), name.toLowerCase());
    if (edits <= Math.max(1, Math.floor(text.length / 3)) && edits < (best?.edits ?? Infinity)) best = { name, edits };
  }
  return best?.name ?? null;
}

/** Insertions, deletions, replacements, and neighbours that changed places (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > Math.max(a.length, 3) / 3) return Infinity;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2] + 1);
      row.push(edits);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
