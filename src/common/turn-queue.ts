/**
 * Waiting entries, in a line for each owner (account). The lines are served in turns: an owner with many entries keeps
 * nobody else waiting.
 */

/** Number of owners beyond which those that were served longest ago count as never served. */
const REMEMBERED_OWNERS = 10_000;

export class TurnQueue {
  private readonly lines = new Map<string, string[]>();
  private readonly queued = new Set<string>();
  /** When an owner was served last, in turns; the latest last. */
  private readonly served = new Map<string, number>();
  private turns = 0;

  get size(): number {
    return this.queued.size;
  }

  has(id: string): boolean {
    return this.queued.has(id);
  }

  /** All that wait, in no order. */
  ids(): ReadonlySet<string> {
    return new Set(this.queued);
  }

  /** Adds at the end of its owner's line, or `first`. One that waits already keeps its place. */
  add(owner: string, id: string, where: 'last' | 'first' = 'last'): void {
    if (this.queued.has(id)) return;
    this.queued.add(id);
    const line = this.lines.get(owner);
    if (line === undefined) this.lines.set(owner, [id]);
    else if (where === 'first') line.unshift(id);
    else line.push(id);
  }

  /** Takes away all that do not pass. */
  keep(passes: (id: string) => boolean): void {
    for (const [owner, line] of this.lines) {
      const kept = line.filter(passes);
      for (const id of line) if (!passes(id)) this.queued.delete(id);
      if (kept.length === 0) this.lines.delete(owner);
      else this.lines.set(owner, kept);
    }
  }

  /**
   * Takes the first one in the line of who has the fewest at work; of several, of who was served longest ago.
   * Undefined: nobody waits.
   */
  take(atWork: ReadonlyMap<string, number>): { readonly owner: string; readonly id: string } | undefined {
    let next: { readonly owner: string; readonly held: number; readonly turn: number } | undefined;
    for (const owner of this.lines.keys()) {
      const held = atWork.get(owner) ?? 0;
      const turn = this.served.get(owner) ?? -1;
      if (next === undefined || held < next.held || (held === next.held && turn < next.turn)) {
        next = { owner, held, turn };
      }
    }
    if (next === undefined) return undefined;
    const { owner } = next;
    const line = this.lines.get(owner) ?? [];
    const id = line.shift();
    if (line.length === 0) this.lines.delete(owner);
    if (id === undefined) throw new Error('an empty line in a queue');
    this.queued.delete(id);
    this.noteServed(owner);
    return { owner, id };
  }

  private noteServed(owner: string): void {
    this.served.delete(owner);
    this.served.set(owner, this.turns++);
    const [oldest] = this.served.keys();
    if (this.served.size > REMEMBERED_OWNERS && oldest !== undefined) this.served.delete(oldest);
  }
}
