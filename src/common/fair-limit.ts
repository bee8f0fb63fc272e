/** Turns at something scarce, shared between owners (accounts): who asks for much keeps nobody else waiting. */
import { ExtremumError } from './errors.js';

interface Owned {
  readonly owner: string;
}

/**
 * Index of the one that has waited longest among those whose owner has the fewest at work and may have more; -1: none.
 */
export function nextInTurn(waiting: readonly Owned[], atWork: Iterable<Owned>, perOwner: number): number {
  const held = new Map<string, number>();
  for (const { owner } of atWork) held.set(owner, (held.get(owner) ?? 0) + 1);
  let next = -1;
  let fewest = perOwner;
  for (const [i, { owner }] of waiting.entries()) {
    const own = held.get(owner) ?? 0;
    if (own < fewest) [next, fewest] = [i, own];
  }
  return next;
}

export interface FairLimits {
  /** Works at a time in all. */
  readonly atOnce: number;
  /** Works at a time of one owner. */
  readonly perOwner: number;
  /** Works that may wait, in all; one more is refused at once. */
  readonly waiting: number;
  /** Works of one owner that may wait. */
  readonly waitingPerOwner: number;
  /** Bytes of the waiting works, in all and of one owner; where nothing else waits, one may have more. */
  readonly waitingBytes: number;
  readonly waitingBytesPerOwner: number;
  /** Time that one waits before it is refused. */
  readonly patienceMs: number;
}

interface Waiting extends Owned {
  readonly bytes: number;
  start(): void;
}

export class FairLimit {
  private readonly limits: FairLimits;
  private readonly atWork = new Set<Owned>();
  private readonly queue: Waiting[] = [];

  constructor(limits: FairLimits) {
    this.limits = limits;
  }

  /** How many wait. */
  get waiting(): number {
    return this.queue.length;
  }

  /**
   * @param bytes What waiting keeps in memory.
   * @throws {ExtremumError} `unavailable`: too many wait, or this one waited too long.
   */
  async run<T>(owner: string, work: () => Promise<T>, bytes = 0): Promise<T> {
    const place = await this.turn(owner, bytes);
    try {
      return await work();
    } finally {
      this.atWork.delete(place);
      this.startNext();
    }
  }

  private turn(owner: string, bytes: number): Promise<Owned> {
    const { waiting, waitingPerOwner, waitingBytes, waitingBytesPerOwner, patienceMs } = this.limits;
    const own = this.queue.filter((one) => one.owner === owner);
    const hasRoom =
      isRoom(this.queue, waiting, waitingBytes, bytes) && isRoom(own, waitingPerOwner, waitingBytesPerOwner, bytes);
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        const message = 'Too many short jobs are waiting; try again.';
        reject(new ExtremumError('unavailable', message, { retryable: true }));
      };
      if (!hasRoom) return refuse();
      const place = {
        owner,
        bytes,
        start: () => {
          clearTimeout(timer);
          this.atWork.add(place);
          resolve(place);
        },
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(place), 1);
        refuse();
      }, patienceMs);
      this.queue.push(place);
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.atWork.size >= this.limits.atOnce) return;
    const next = nextInTurn(this.queue, this.atWork, this.limits.perOwner);
    if (next >= 0) this.queue.splice(next, 1)[0].start();
  }
}

/** Whether there is room for one more of so many bytes. */
function isRoom(waiting: readonly Waiting[], most: number, mostBytes: number, bytes: number): boolean {
  const held = waiting.reduce((sum, one) => sum + one.bytes, 0);
  return waiting.length < most && (held + bytes <= mostBytes || held === 0);
}
