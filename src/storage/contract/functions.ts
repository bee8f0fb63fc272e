/** The store's part for uploaded functions, and what is known against their compiled code. */
import type { FunctionRecord } from '../../model/function-record.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { Misreading } from '../../model/verification.js';
import type { VerbsOf } from './verbs.js';

export interface FunctionStore {
  /** Where the identifier exists already nothing happens. `misread` is not stored with it. */
  saveFunction(record: FunctionRecord): Promise<void>;
  findFunction(accountId: string, id: string): Promise<FunctionRecord | null>;
  listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>>;
  /** False: there was none. Runs of the function keep their own copy of its source. */
  deleteFunction(accountId: string, id: string): Promise<boolean>;
  /**
   * From now on functions of the account whose text has that hash (`FunctionRecord.sha256`) have `misread`, those that
   * are there and those to come. The first one stays.
   */
  saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void>;
  findMisreading(accountId: string, sha256: string): Promise<Misreading | null>;
  /** Counts them over all accounts. */
  countMisreadings(): Promise<number>;
}

export const FUNCTION_VERBS: VerbsOf<FunctionStore> = {
  saveFunction: 'writes',
  findFunction: 'reads',
  listFunctions: 'reads',
  deleteFunction: 'writes',
  saveMisreading: 'writes',
  findMisreading: 'reads',
  countMisreadings: 'reads',
};
