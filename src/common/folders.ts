/** Folders on disk. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the folder and those above it that are missing. Not `mkdirSync`'s own `recursive`, which never returns where a
 * file system takes no folders but says that the one above is missing, as /proc does.
 * @throws what the system says.
 */
export function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      // A folder, or a link to one; else what the system says about a file in this place.
      mkdirSync(path, { recursive: true });
      return;
    }
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path) throw error;
    makeFolder(above, mode);
    mkdirSync(path, { mode });
  }
}
