import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Absolute path of the first of `names` on PATH, or null. A name with a slash is looked up as a file. */
export function findProgram(...names) {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    const places = name.includes('/') ? [path.resolve(name)] : folders.map((folder) => path.join(folder, name));
    for (const place of places) {
      try {
        accessSync(place, constants.X_OK);
        if (statSync(place).isFile()) return place;
      } catch {
        // Not here: look on.
      }
    }
  }
  return null;
}

/** One line `path size mtime` per file under the given files and folders (relative to the root), in a fixed order. */
export function listFiles(entries, keep = () => true) {
  const lines = [];
  const visit = (relative) => {
    const info = statSync(path.join(root, relative), { throwIfNoEntry: false });
    if (info === undefined) return;
    if (info.isDirectory()) {
      for (const name of readdirSync(path.join(root, relative)).sort()) visit(`${relative}/${name}`);
    } else if (keep(relative)) {
      lines.push(`${relative} ${info.size} ${info.mtimeMs}`);
    }
  };
  for (const entry of entries) visit(entry);
  return lines;
}
