/**
 * What batches cost in a place, by their size: measured where they have been, elsewhere by the shape that such costs
 * have. A processor's are proportional to the candidates. A device's are flat up to its width, because that many
 * candidates are evaluated at once.
 */

/** What a device is like, whatever the program: measured once. */
export interface DeviceProfile {
  /** A call for one candidate of a program that does next to nothing. */
  readonly launchSeconds: number;
  readonly secondsPerByte: number;
  /** Candidates that are evaluated at once. */
  readonly width: number;
  /** Of a program, for as many candidates as that; programs differ, so that this is a guess. */
  readonly secondsPerOperation: number;
  /** From IR to a kernel. */
  readonly openSeconds: number;
}

/** Candidates and results are 8 bytes a number; status and line of a candidate. */
export const STATUS_BYTES = 5;

/** Samples of a size that are remembered: one or two that were disturbed do not count. */
const REMEMBERED = 5;
/** Of so many samples one may have been disturbed. */
const ENOUGH = 3;
/** Costs are believed up to so many times the largest size that was measured, because calling costs something, too. */
const REACH = 16;
/** Of a batch that took so many seconds, calling was no part to speak of. */
const LONG = 50e-6;

/** Sizes that differ by no more are alike. */
const NEAR = 0.1;
/** So far may costs be off in sizes that were not measured. */
export const EXTRAPOLATION = 2;
/** Of a measurement. */
const PRECISION = 0.1;

interface Sample {
  readonly count: number;
  readonly seconds: number;
}

/** Sizes between powers of two belong together. */
const sizeClass = (count: number): number => 31 - Math.clz32(count);

/** For each class of sizes, the middle one of the last samples. */
class Samples {
  private readonly last: Sample[][] = [];
  private readonly middle: (Sample | undefined)[] = [];
  private readonly latest: (number | undefined)[] = [];

  note(count: number, seconds: number, at: number): void {
    const index = sizeClass(count);
    this.latest[index] = at;
    const samples = (this.last[index] ??= []);
    samples.push({ count, seconds });
    if (samples.length > REMEMBERED) samples.shift();
    const sorted = [...samples].sort((a, b) => a.seconds / a.count - b.seconds / b.count);
    this.middle[index] = sorted[(sorted.length - 1) >> 1];
  }

  /** Forgets the class of this size. */
  forget(count: number): void {
    const index = sizeClass(count);
    this.last[index] = [];
    this.middle[index] = undefined;
  }

  /** When the class of this size was measured last. */
  measuredAt(count: number): number | undefined {
    return this.latest[sizeClass(count)];
  }

  isWellKnown(count: number): boolean {
    return (this.last[sizeClass(count)]?.length ?? 0) >= ENOUGH;
  }

  /** Seconds per candidate in the class where they are least. */
  leastEach(): number | undefined {
    let least: number | undefined;
    for (const sample of this.middle) {
      if (sample === undefined) continue;
      const each = sample.seconds / sample.count;
      if (least === undefined || each < least) least = each;
    }
    return least;
  }

  own(count: number): Sample | undefined {
    return this.middle[sizeClass(count)];
  }

  /** Of the next smaller class that has one. */
  below(count: number): Sample | undefined {
    for (let i = Math.min(sizeClass(count), this.middle.length) - 1; i >= 0; i--) {
      if (this.middle[i] !== undefined) return this.middle[i];
    }
    return undefined;
  }

  /** Of the next larger class that has one. */
  above(count: number): Sample | undefined {
    for (let i = sizeClass(count) + 1; i < this.middle.length; i++) {
      if (this.middle[i] !== undefined) return this.middle[i];
    }
    return undefined;
  }
}

export class HostCosts {
  private readonly samples = new Samples();
  private largest = 0;

  /** `guess`: seconds per candidate, until there are measurements. */
  constructor(private readonly guess: number) {}

  note(count: number, seconds: number, at: number): void {
    this.samples.note(count, seconds, at);
    if (seconds >= LONG) this.largest = Infinity;
    else if (count > this.largest) this.largest = count;
  }

  measuredAt(count: number): number | undefined {
    return this.samples.measuredAt(count);
  }

  /** The largest size for which costs are believed. */
  get reach(): number {
    return REACH * this.largest;
  }

  /**
   * A size that was hardly measured is taken to cost no more for a candidate than the others do: it will be measured.
   */
  seconds(count: number): number {
    const own = this.samples.own(count);
    if (own !== undefined && this.samples.isWellKnown(count)) return (own.seconds * count) / own.count;
    return count * (this.samples.leastEach() ?? this.guess);
  }
}

export class DeviceCosts {
  private readonly samples = new Samples();
  /** Classes that were measured beside other work, with the most that it can have taken. */
  private readonly provisional = new Map<number, number>();
  private measured = false;

  constructor(
    private readonly profile: DeviceProfile,
    private readonly operations: number,
    /** Of a candidate and its results. */
    private readonly bytes: number,
  ) {}

  /** Whether there is more than a guess. */
  get isMeasured(): boolean {
    return this.measured;
  }

  /** Takes the place of what was measured beside other work, unless that took far less: then this was disturbed. */
  note(count: number, seconds: number, at: number): void {
    const index = sizeClass(count);
    const before = this.provisional.get(index);
    if (before !== undefined) {
      const most = before * Math.max(1, count / this.samples.own(count)!.count);
      if (seconds > EXTRAPOLATION * most) this.provisional.set(index, seconds);
      else {
        this.provisional.delete(index);
        this.samples.forget(count);
      }
    }
    this.samples.note(count, seconds, at);
    this.measured = true;
  }

  /**
   * It took between `least` and `most`. Where they are far apart, the least counts until the size is measured properly.
   */
  noteBetween(count: number, least: number, most: number, at: number): void {
    if (most - least < PRECISION * most) return this.note(count, (least + most) / 2, at);
    this.provisional.set(sizeClass(count), most);
    this.samples.forget(count);
    this.samples.note(count, least, at);
    this.measured = true;
  }

  measuredAt(count: number): number | undefined {
    return this.samples.measuredAt(count);
  }

  /** Whether a batch of about this size was measured; where it was not, costs may be off by `EXTRAPOLATION`. */
  isMeasuredNear(count: number): boolean {
    const own = this.samples.own(count);
    return own !== undefined && Math.abs(own.count - count) <= NEAR * count;
  }

  /** What it may take at worst, by all that is known; where there is only a guess, nobody knows. */
  most(count: number): number {
    const sample = this.samples.own(count) ?? this.samples.below(count) ?? this.samples.above(count);
    if (sample === undefined) return Infinity;
    const most = this.provisional.get(sizeClass(sample.count)) ?? sample.seconds;
    const scaled = most * Math.max(1, count / sample.count);
    return this.isMeasuredNear(count) ? scaled : EXTRAPOLATION * scaled;
  }

  /** `factor`: of a guess of what the program takes. */
  seconds(count: number, factor = 1): number {
    return Math.max(this.overhead(count) + this.waves(count) * this.wave(count, factor), 0);
  }

  private wave(count: number, factor: number): number {
    const own = this.samples.own(count);
    if (own !== undefined) return this.waveIn(own);
    const other = this.samples.below(count) ?? this.samples.above(count);
    if (other !== undefined) return Math.max(0, this.waveIn(other));
    return factor * this.operations * this.profile.secondsPerOperation;
  }

  private waveIn({ count, seconds }: Sample): number {
    return (seconds - this.overhead(count)) / this.waves(count);
  }

  /** Launch and copies. */
  overhead(count: number): number {
    return this.profile.launchSeconds + count * this.bytes * this.profile.secondsPerByte;
  }

  private waves(count: number): number {
    return Math.max(1, count / this.profile.width);
  }
}
