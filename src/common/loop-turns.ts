/** Work of about so many characters of JSON takes some milliseconds of the event loop. */
const CHARACTERS_PER_TURN = 250_000;

/**
 * Rounds of the event loop between two large pieces of shared work. In each of them Node accepts one new connection:
 * with one round, who comes after 300 others would wait for 300 pieces.
 */
const ROUNDS = 16;

/** Lets others have a turn of the event loop now and then, within work that may be large and mostly is not. */
export class LoopTurns {
  private characters = 0;

  /** Call between two parts of the work, with the size of the first; undefined: go on at once. */
  after(characters: number): Promise<void> | undefined {
    this.characters += characters;
    if (this.characters < CHARACTERS_PER_TURN) return undefined;
    this.characters = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The same for pieces of work that many ask for at a time: each piece that begins where a turn's share is used up waits
 * for a later turn, first come, first served. What follows a piece without waiting happens in its turn.
 */
export class SharedTurns {
  private readonly waiting: (() => void)[] = [];
  private characters = 0;
  private isNextComing = false;

  /** `work` says what it made, and its size. */
  async run<T>(work: () => readonly [made: T, characters: number]): Promise<T> {
    if (this.characters >= CHARACTERS_PER_TURN || this.waiting.length > 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      const [made, characters] = work();
      this.characters += characters;
      return made;
    } finally {
      this.goOn();
    }
  }

  private goOn(): void {
    if (this.characters < CHARACTERS_PER_TURN) this.waiting.shift()?.();
    if (this.isNextComing || this.characters === 0) return;
    this.isNextComing = true;
    afterRounds(ROUNDS, () => {
      this.isNextComing = false;
      this.characters = 0;
      this.waiting.shift()?.();
    });
  }
}

function afterRounds(rounds: number, then: () => void): void {
  setImmediate(rounds <= 1 ? then : () => afterRounds(rounds - 1, then));
}
