/** The store's part for studies and their logs. */
import type { Page, PageRequest } from '../../model/page.js';
import type { StudyEntry, StudyRecord, StudyState } from '../../model/study.js';
import type { VerbsOf } from './verbs.js';

/** State of a study after the entry `seq`, encoded: spares reading the entries up to it. */
export interface StudySnapshot {
  readonly seq: number;
  readonly checkpoint: Uint8Array;
}

/**
 * Studies: a record that never changes, and a log that only grows. Of several who add an entry of the same number one
 * wins; that is all the agreement that processes on one store need. Snapshots are only a help: they may be lost.
 */
export interface StudyStore {
  /** Where the identifier exists already nothing happens. */
  createStudy(study: StudyRecord): Promise<void>;
  findStudy(accountId: string, id: string): Promise<StudyState | null>;
  listStudies(accountId: string, page: PageRequest): Promise<Page<StudyState>>;
  /** With its log. False: there was none. */
  deleteStudy(accountId: string, id: string): Promise<boolean>;
  /**
   * False: there is an entry of that number from somebody else already, or no such study; nothing was written. True
   * also where the same entry (by its token) was added before.
   * @throws {ExtremumError} `payload_too_large`.
   */
  appendStudyEntry(id: string, entry: StudyEntry): Promise<boolean>;
  /** Entries after that number, in their order: at most `limit`, and no more than about 8 MiB (but at least one). */
  studyEntries(id: string, after: number, limit: number): Promise<readonly StudyEntry[]>;
  /** By its token. */
  findStudyEntry(id: string, token: string): Promise<StudyEntry | null>;
  /** Nothing happens where a later one is there, or no such study. The bytes are moved as those of `ProgressReport`. */
  saveStudySnapshot(id: string, snapshot: StudySnapshot): Promise<void>;
  /** The latest. */
  studySnapshot(id: string): Promise<StudySnapshot | null>;
}

/** Bytes of entries that are read at a time. */
export const STUDY_READ_BYTES = 8 * 1024 ** 2;

export const STUDY_VERBS: VerbsOf<StudyStore> = {
  createStudy: 'writes',
  findStudy: 'reads',
  listStudies: 'reads',
  deleteStudy: 'writes',
  appendStudyEntry: 'writes',
  studyEntries: 'reads',
  findStudyEntry: 'reads',
  saveStudySnapshot: 'writes',
  studySnapshot: 'reads',
};
