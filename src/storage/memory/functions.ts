/** Functions in memory. */
import type { FunctionRecord } from '../../model/function-record.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { Misreading } from '../../model/verification.js';
import type { FunctionStore } from '../contract/functions.js';
import { copy, nameOf, window } from './lists.js';

export class MemoryFunctions implements FunctionStore {
  private readonly functions = new Map<string, FunctionRecord>();
  private readonly misreadings = new Map<string, Misreading>();

  async saveFunction(record: FunctionRecord): Promise<void> {
    const { misread: _found, ...rest } = record;
    if (!this.functions.has(record.id)) this.functions.set(record.id, copy(rest));
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    const found = this.functions.get(id);
    return found?.accountId === accountId ? this.withMisreading(found) : null;
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    const found = [...this.functions.values()].filter((record) => record.accountId === accountId);
    return window(
      found.map((record) => this.withMisreading(record)),
      page,
    );
  }

  private withMisreading(record: FunctionRecord): FunctionRecord {
    const misread = this.misreadings.get(nameOf(record.accountId, record.sha256));
    return copy(misread === undefined ? record : { ...record, misread });
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    return this.functions.get(id)?.accountId === accountId && this.functions.delete(id);
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    const name = nameOf(accountId, sha256);
    if (!this.misreadings.has(name)) this.misreadings.set(name, copy(misreading));
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    return copy(this.misreadings.get(nameOf(accountId, sha256)) ?? null);
  }

  async countMisreadings(): Promise<number> {
    return this.misreadings.size;
  }
}
