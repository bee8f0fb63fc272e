/**
 * Machine code of kernels on disk, one file each, named by a hash of all that it depends on. A file that is damaged
 * counts as absent; whatever cannot be read or written costs only the time to compile. Processes may share a folder:
 * files appear whole, by renaming.
 *
 * Content: 32 bytes SHA-256 of the rest, then the machine code. That guards against damage, not against somebody who
 * may write to the folder; it is made for its owner only.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface KernelKey {
  readonly text: string;
  /** As NVRTC names it, such as `sm_90`. */
  readonly architecture: string;
  readonly options: readonly string[];
  /** Version of NVRTC. */
  readonly compiler: string;
}

const SUFFIX = '.cubin';
/** A few thousand kernels; the least recently used go first. */
const DEFAULT_LIMIT_BYTES = 256 * 1024 ** 2;
const CHECKSUM_BYTES = 32;

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The folder that the operator has set, or the user's cache; null: kernels are not kept. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string | null {
  const set = env['EXTREMUM_CUDA_CACHE'];
  if (set === 'off') return null;
  if (set !== undefined && set !== '') return set;
  const base = env['XDG_CACHE_HOME'];
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.cache'), 'extremum', 'cuda-kernels');
}

export class KernelCache {
  /** `folder`: made when first written to; null: nothing is kept. */
  constructor(
    private readonly folder: string | null,
    private readonly limitBytes: number = DEFAULT_LIMIT_BYTES,
  ) {}

  /** The machine code, or null where there is none or it is damaged. Never throws. */
  async read(key: KernelKey): Promise<Uint8Array | null> {
    if (this.folder === null) return null;
    const path = this.path(this.folder, key);
    try {
      const content = await readFile(path);
      const image = content.subarray(CHECKSUM_BYTES);
      if (image.length === 0 || !sha256(image).equals(content.subarray(0, CHECKSUM_BYTES))) return null;
      await touch(path);
      return new Uint8Array(image);
    } catch {
      return null;
    }
  }

  /** Never throws: null, or why it is not kept. */
  async write(key: KernelKey, image: Uint8Array): Promise<string | null> {
    if (this.folder === null) return null;
    const path = this.path(this.folder, key);
    const part = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(part, Buffer.concat([sha256(image), image]), { mode: 0o600 });
      await rename(part, path);
      await this.trim(this.folder, path);
      return null;
    } catch (error) {
      await rm(part, { force: true }).catch(() => {});
      return error instanceof Error ? error.message : String(error);
    }
  }

  private path(folder: string, { text, architecture, options, compiler }: KernelKey): string {
    const name = sha256(JSON.stringify([compiler, architecture, options, text])).toString('hex');
    return join(folder, name + SUFFIX);
  }

  /** Removes the least recently used files until the rest is within the limit; `newest` stays in any case. */
  private async trim(folder: string, newest: string): Promise<void> {
    const names = (await readdir(folder)).filter((name) => name.includes(SUFFIX));
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name);
        // Another process may have removed it.
        const facts = await stat(path).catch(() => null);
        return { path, bytes: facts?.size ?? 0, usedMs: facts?.mtimeMs ?? 0 };
      }),
    );
    let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of found.sort((a, b) => a.usedMs - b.usedMs)) {
      if (total <= this.limitBytes) return;
      if (path === newest) continue;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
}

/** Marks a file as used now. A folder that cannot be written to keeps its order instead. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}
