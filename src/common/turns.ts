/** Work of about so many characters of JSON takes some milliseconds of the event loop. */
const CHARACTERS_PER_TURN = 250_000;

/** Lets others have a turn of the event loop now and then, within work that may be large and mostly is not. */
export class Turns {
  #characters = 0;

  /** Call between two parts of the work, with the size of the first; undefined: go on at once. */
  after(characters: number): Promise<void> | undefined {
    this.#characters += characters;
    if (this.#characters < CHARACTERS_PER_TURN) return undefined;
    this.#characters = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
