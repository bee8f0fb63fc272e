/** Lets so many at a time do their work; the others wait, first come, first served. */
export class Limit {
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(readonly atOnce: number) {
    this.free = atOnce;
  }

  /** Nobody is at work. */
  get isIdle(): boolean {
    return this.free === this.atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Handed over, so that nobody slips in between.
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

/** The same for each owner. */
export class LimitPerOwner {
  private readonly limits = new Map<string, Limit>();

  constructor(readonly atOnce: number) {}

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const limit = this.limits.get(owner) ?? new Limit(this.atOnce);
    this.limits.set(owner, limit);
    try {
      return await limit.run(work);
    } finally {
      if (limit.isIdle) this.limits.delete(owner);
    }
  }
}
