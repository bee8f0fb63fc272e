/**
 * Checkpoints, histories and monitoring traces, which may outgrow a document. Small ones lie in the run's document; a
 * large one is cut into parts, written under a name that was never used before, and the run's document then says which
 * parts count. That one update decides: parts that no run refers to do not exist for anybody, wherever a process died.
 *
 * The names grow: attempt, then a serial number of the process that holds the attempt. Superseded parts are removed by
 * their exact name after the deciding update; what a death left behind is removed by `sweep`, once its run has ended.
 * Snapshots of studies are kept in the same way, under the number of their entry instead of an attempt.
 */
import { Binary } from 'mongodb';
import type { Database } from './database.js';
import { compress, expand, pack, type Packed } from './values.js';

export type PartKind = 'checkpoint' | 'history' | 'monitoring';

interface PartName {
  readonly attempt: number;
  readonly serial: number;
}

/** A field of the run's document. */
export type Growing = { readonly inline: Packed } | (PartName & { readonly parts: number });

interface PartDocument extends PartName {
  _id: string;
  run: string;
  kind: PartKind;
  data: Binary;
}

/** Compressed bytes that may lie in the run's document, which every report of progress rewrites. */
const INLINE_BYTES = 32 * 1024;
const PART_BYTES = 4 * 1024 ** 2;
const SWEEP_BATCH = 500;

export class RunParts {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get parts() {
    return this.db.collection<PartDocument>('run_parts');
  }

  /** Writes what does not fit into the run's document; the result belongs into it. Text is encoded. */
  async save(run: string, kind: PartKind, name: PartName, content: string | Uint8Array): Promise<Growing> {
    if (typeof content === 'string' && content.length <= INLINE_BYTES) return { inline: await pack(content) };
    const bytes = await compress(content);
    if (bytes.length <= INLINE_BYTES) return { inline: new Binary(bytes) };
    const parts = Math.ceil(bytes.length / PART_BYTES);
    for (let i = 0; i < parts; i++) {
      const data = new Binary(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES));
      const _id = `${run}/${kind}/${name.attempt}.${name.serial}/${i}`;
      // Repeatable, as nobody else ever writes this name.
      await this.db.repeatable(() => this.parts.replaceOne({ _id }, { run, kind, ...name, data }, { upsert: true }));
    }
    return { ...name, parts };
  }

  /** Text comes as its bytes. Undefined: its parts have been superseded since the run's document was read. */
  async load(run: string, kind: PartKind, stored: Growing): Promise<Uint8Array | undefined> {
    if ('inline' in stored) {
      const { inline } = stored;
      return typeof inline === 'string' ? new TextEncoder().encode(inline) : plain(await expand(inline.value()));
    }
    const { attempt, serial, parts } = stored;
    const ids = Array.from({ length: parts }, (_, i) => `${run}/${kind}/${attempt}.${serial}/${i}`);
    const found = await this.db.read(() => this.parts.find({ _id: { $in: ids } }).toArray());
    if (found.length < parts) return undefined;
    const byId = new Map(found.map((part) => [part._id, part.data.value()]));
    const bytes = Buffer.concat(ids.map((id) => byId.get(id) ?? new Uint8Array()));
    return plain(await expand(bytes));
  }

  /** Removes a value that the run's document no longer refers to. `sweep` finds later what this could not remove. */
  async remove(run: string, kind: PartKind, stored: Growing | null | undefined): Promise<void> {
    if (stored === null || stored === undefined || 'inline' in stored) return;
    const { attempt, serial } = stored;
    await this.db.write(() => this.parts.deleteMany({ run, kind, attempt, serial })).catch(() => {});
  }

  /** Removes all that runs have here, which were removed. Bears being repeated. */
  async removeAllOf(runs: readonly string[]): Promise<void> {
    await this.db.repeatable(() => this.parts.deleteMany({ run: { $in: [...runs] } }));
  }

  /** Removes all values of earlier attempts. */
  async removeBefore(run: string, kind: PartKind, attempt: number): Promise<void> {
    await this.db.write(() => this.parts.deleteMany({ run, kind, attempt: { $lt: attempt } })).catch(() => {});
  }

  /** Removes the parts of runs that have ended and do not refer to them. Costs a look at every part's name. */
  async sweep(): Promise<void> {
    const name = { run: '$run', kind: '$kind', attempt: '$attempt', serial: '$serial' };
    // The index has all of it: the parts themselves are not read.
    const hint = { run: 1, kind: 1, attempt: 1, serial: 1 };
    const names = await this.db.read(() =>
      this.parts.aggregate<{ _id: FullName }>([{ $group: { _id: name } }], { hint }).toArray(),
    );
    for (let i = 0; i < names.length; i += SWEEP_BATCH) {
      await this.sweepBatch(names.slice(i, i + SWEEP_BATCH).map(({ _id }) => _id));
    }
  }

  private async sweepBatch(names: readonly FullName[]): Promise<void> {
    // Read after the names: what an ended run does not refer to now it never will.
    const filter = { _id: { $in: names.map(({ run }) => run) }, status: { $in: ['completed', 'failed'] } };
    const runs = this.db.collection<{ _id: string } & Partial<Record<PartKind, Growing | null>>>('runs');
    const projection = { history: 1, checkpoint: 1, monitoring: 1 } as const;
    const ended = await this.db.read(() => runs.find(filter, { projection }).toArray());
    const byId = new Map(ended.map((run) => [run._id, run]));
    const unused = names.filter(({ run, kind, attempt, serial }) => {
      const of = byId.get(run);
      if (of === undefined) return false;
      const used = of[kind] ?? null;
      return !(used !== null && 'parts' in used && used.attempt === attempt && used.serial === serial);
    });
    if (unused.length > 0) await this.db.write(() => this.parts.deleteMany({ $or: unused }));
  }
}

/** The same bytes, without the methods that make a `Buffer` another thing to whoever compares. */
const plain = ({ buffer, byteOffset, byteLength }: Buffer): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

type FullName = PartName & { readonly run: string; readonly kind: PartKind };
