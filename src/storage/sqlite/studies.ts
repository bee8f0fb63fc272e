/** Studies in SQLite. */
import { encode } from '../../common/codec.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { StudyEntry, StudyRecord, StudyState, StudySummary } from '../../model/study.js';
import type { StudySnapshot, StudyStore } from '../contract/studies.js';
import { decodeObject, decodeRecord } from '../damage.js';
import { fittingEntries } from '../rules/study-portions.js';
import { bytesOf, type Database, idIn, type Row, textOf } from './database.js';

/** A study with the end of its log. */
const STATE = `SELECT s.id, s.body AS study, e.seq, e.summary FROM studies s LEFT JOIN study_entries e
               ON e.study_id = s.id AND e.seq = (SELECT max(seq) FROM study_entries WHERE study_id = s.id)`;

export class SqliteStudies implements StudyStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  async createStudy(study: StudyRecord): Promise<void> {
    const { id, accountId } = study;
    const body = encode(study);
    await this.db.write(() =>
      this.db.run(
        'INSERT INTO studies (id, account_id, body) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        accountId,
        body,
      ),
    );
  }

  async findStudy(accountId: string, id: string): Promise<StudyState | null> {
    const row = this.db.get(`${STATE} WHERE s.id = ? AND s.account_id = ?`, id, accountId);
    return row === undefined ? null : this.db.records.one(id, () => stateOf(row));
  }

  async listStudies(accountId: string, page: PageRequest): Promise<Page<StudyState>> {
    const rows = this.db.all(
      `${STATE} WHERE s.account_id = ? ORDER BY s.id DESC LIMIT ? OFFSET ?`,
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.db.get('SELECT count(*) AS n FROM studies WHERE account_id = ?', accountId);
    return { items: this.db.records.all(rows, idIn, stateOf), total: Number(count?.['n']) };
  }

  async deleteStudy(accountId: string, id: string): Promise<boolean> {
    return this.db.write(() => {
      if (this.db.get('SELECT id FROM studies WHERE id = ? AND account_id = ?', id, accountId) === undefined) {
        return false;
      }
      this.db.run('DELETE FROM study_snapshots WHERE study_id = ?', id);
      this.db.run('DELETE FROM study_entries WHERE study_id = ?', id);
      this.db.run('DELETE FROM studies WHERE id = ?', id);
      return true;
    });
  }

  async appendStudyEntry(id: string, entry: StudyEntry): Promise<boolean> {
    const { seq, token } = entry;
    const summary = encode(entry.summary);
    const body = entry.body.slice();
    return this.db.write(() => {
      const same = this.db.get('SELECT seq FROM study_entries WHERE study_id = ? AND token = ?', id, token);
      if (same !== undefined) return same['seq'] === seq;
      // Only where the study is there, and the number is the next one.
      const sql = `INSERT INTO study_entries (study_id, seq, token, summary, body)
                   SELECT s.id, ?2, ?3, ?4, ?5 FROM studies s WHERE s.id = ?1
                   AND ?2 = 1 + (SELECT coalesce(max(seq), 0) FROM study_entries WHERE study_id = ?1)`;
      return this.db.run(sql, id, seq, token, summary, body) > 0;
    });
  }

  async studyEntries(id: string, after: number, limit: number): Promise<readonly StudyEntry[]> {
    const sizes = this.db.all(
      'SELECT seq, length(body) AS bytes FROM study_entries WHERE study_id = ? AND seq > ? ORDER BY seq LIMIT ?',
      id,
      after,
      limit,
    );
    const count = fittingEntries(sizes.map((row) => Number(row['bytes'])));
    const upTo = Number(sizes[count - 1]?.['seq'] ?? after);
    const rows = this.db.all(
      'SELECT * FROM study_entries WHERE study_id = ? AND seq > ? AND seq <= ? ORDER BY seq',
      id,
      after,
      upTo,
    );
    return rows.map((row) => this.db.records.one(id, () => entryOf(row)));
  }

  async findStudyEntry(id: string, token: string): Promise<StudyEntry | null> {
    const row = this.db.get('SELECT * FROM study_entries WHERE study_id = ? AND token = ?', id, token);
    return row === undefined ? null : this.db.records.one(id, () => entryOf(row));
  }

  async saveStudySnapshot(id: string, { seq, checkpoint }: StudySnapshot): Promise<void> {
    await this.db.write(() =>
      this.db.run(
        `INSERT INTO study_snapshots (study_id, seq, body) SELECT id, ?, ? FROM studies WHERE id = ?
         ON CONFLICT (study_id) DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE excluded.seq > seq`,
        seq,
        checkpoint,
        id,
      ),
    );
  }

  async studySnapshot(id: string): Promise<StudySnapshot | null> {
    const row = this.db.get('SELECT seq, body FROM study_snapshots WHERE study_id = ?', id);
    return row === undefined ? null : { seq: Number(row['seq']), checkpoint: bytesOf(row, 'body') };
  }
}

function stateOf(row: Row): StudyState {
  const isEmpty = row['summary'] === null;
  return {
    study: decodeRecord<StudyRecord>(idIn(row), textOf(row, 'study')),
    head: isEmpty
      ? { seq: 0, summary: null }
      : { seq: Number(row['seq']), summary: decodeObject<StudySummary>(textOf(row, 'summary')) },
  };
}

const entryOf = (row: Row): StudyEntry => ({
  seq: Number(row['seq']),
  token: textOf(row, 'token'),
  summary: decodeObject<StudySummary>(textOf(row, 'summary')),
  body: bytesOf(row, 'body'),
});
