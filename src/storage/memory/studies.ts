/** Studies in memory. */
import type { Page, PageRequest } from '../../model/page.js';
import type { StudyEntry, StudyRecord, StudyState } from '../../model/study.js';
import type { StudySnapshot, StudyStore } from '../contract/studies.js';
import { fittingEntries } from '../rules/study-portions.js';
import { copy, window } from './lists.js';

interface StoredStudy {
  readonly record: StudyRecord;
  readonly entries: StudyEntry[];
  snapshot: StudySnapshot | null;
}

const stateOf = ({ record, entries }: StoredStudy): StudyState => {
  const last = entries.at(-1);
  return copy({ study: record, head: { seq: last?.seq ?? 0, summary: last?.summary ?? null } });
};

export class MemoryStudies implements StudyStore {
  private readonly studies = new Map<string, StoredStudy>();

  async createStudy(study: StudyRecord): Promise<void> {
    if (!this.studies.has(study.id)) {
      this.studies.set(study.id, { record: copy(study), entries: [], snapshot: null });
    }
  }

  async findStudy(accountId: string, id: string): Promise<StudyState | null> {
    const found = this.studies.get(id);
    return found?.record.accountId === accountId ? stateOf(found) : null;
  }

  async listStudies(accountId: string, page: PageRequest): Promise<Page<StudyState>> {
    const own = [...this.studies.values()].filter(({ record }) => record.accountId === accountId);
    const { items, total } = window(
      own.map(({ record }) => record),
      page,
    );
    return { items: items.map(({ id }) => stateOf(this.studies.get(id)!)), total };
  }

  async deleteStudy(accountId: string, id: string): Promise<boolean> {
    return this.studies.get(id)?.record.accountId === accountId && this.studies.delete(id);
  }

  async appendStudyEntry(id: string, entry: StudyEntry): Promise<boolean> {
    const found = this.studies.get(id);
    if (found === undefined) return false;
    const same = found.entries.find(({ token }) => token === entry.token);
    if (same !== undefined) return same.seq === entry.seq;
    if (entry.seq !== found.entries.length + 1) return false;
    found.entries.push(copy(entry));
    return true;
  }

  async studyEntries(id: string, after: number, limit: number): Promise<readonly StudyEntry[]> {
    const some = (this.studies.get(id)?.entries ?? []).slice(after, after + limit);
    return copy(some.slice(0, fittingEntries(some.map(({ body }) => body.length))));
  }

  async findStudyEntry(id: string, token: string): Promise<StudyEntry | null> {
    return copy(this.studies.get(id)?.entries.find((entry) => entry.token === token) ?? null);
  }

  async saveStudySnapshot(id: string, snapshot: StudySnapshot): Promise<void> {
    const found = this.studies.get(id);
    if (found !== undefined && snapshot.seq > (found.snapshot?.seq ?? 0)) found.snapshot = copy(snapshot);
  }

  async studySnapshot(id: string): Promise<StudySnapshot | null> {
    return copy(this.studies.get(id)?.snapshot ?? null);
  }
}
