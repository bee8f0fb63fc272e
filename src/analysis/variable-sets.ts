/** Sets of small whole numbers, each kept once: equal sets have equal numbers. Set 0 is empty. */
export class NumberSets {
  private readonly sets: (readonly number[])[] = [[]];
  private readonly known = new Map<string, number>([['', 0]]);
  private readonly unions = new Map<number, number>();

  of(elements: readonly number[]): number {
    const sorted = [...new Set(elements)].sort((a, b) => a - b);
    const key = sorted.join(',');
    const found = this.known.get(key);
    if (found !== undefined) return found;
    this.known.set(key, this.sets.length);
    return this.sets.push(sorted) - 1;
  }

  union(a: number, b: number): number {
    if (a === b || b === 0) return a;
    if (a === 0) return b;
    const key = a < b ? a * 2 ** 26 + b : b * 2 ** 26 + a;
    let result = this.unions.get(key);
    if (result === undefined) {
      result = this.of([...this.sets[a], ...this.sets[b]]);
      this.unions.set(key, result);
    }
    return result;
  }

  elements(set: number): readonly number[] {
    return this.sets[set];
  }
}
