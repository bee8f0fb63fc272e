/**
 * Reads of the same thing at the same time. Whoever asks while one is under way shares the next one with all others
 * that do: a read begins after it was asked for, so each sees what was written before. Where one fails, so do those
 * that wait.
 */
export class SharedReads<T> {
  private readonly lines = new Map<string, { readonly current: Promise<T>; next: Promise<T> | null }>();

  /** @param key Tells what `body` reads. What it gives is shared, so nobody may change it. */
  read(key: string, body: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key);
    if (line === undefined) return this.begin(key, body);
    line.next ??= line.current.then(() => this.begin(key, body));
    return line.next;
  }

  private begin(key: string, body: () => Promise<T>): Promise<T> {
    const current = body();
    const line = { current, next: null };
    this.lines.set(key, line);
    current.then(
      () => {
        if (line.next === null) this.lines.delete(key);
      },
      () => this.lines.delete(key),
    );
    return current;
  }
}
