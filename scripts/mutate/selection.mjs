/**
 * The parts that faults are drawn from: all of them, or that called `part`, with those of their files whose names
 * contain `file`. Shares are those of what is left.
 * @throws where nothing is left.
 */
export function selectParts(parts, { part, file = '' }) {
  const selected = parts
    .filter(({ name }) => part === undefined || name === part)
    .map((each) => ({ ...each, files: () => each.files().filter((name) => name.includes(file)) }))
    .filter(({ files }) => files().length > 0);
  if (selected.length === 0) {
    throw new Error(`no faults to draw: the parts are ${parts.map(({ name }) => `'${name}'`).join(', ')}`);
  }
  const total = selected.reduce((sum, { share }) => sum + share, 0);
  return selected.map((each) => ({ ...each, share: each.share / total }));
}
