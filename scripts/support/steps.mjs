/** Says what a set-up does, how long that usually takes here, and how long it has been at work. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export class Steps {
  /** Seconds that steps took here before. */
  #times;

  /**
   * @param {string} file that remembers them
   * @param {(line: string) => void} say
   * @param {() => number} now in milliseconds
   */
  constructor(file, say, now = () => performance.now()) {
    this.file = file;
    this.say = say;
    this.now = now;
    this.startedAt = now();
    this.#times = readTimes(file);
  }

  /** A line with the seconds since the beginning before it. */
  note(text) {
    this.say(`[${Math.round((this.now() - this.startedAt) / 1_000)} s]`.padStart(7) + ` ${text}`);
  }

  /**
   * Carries out `work`. `seconds`: what it takes on two ordinary cores, for where it is done for the first time;
   * `isDone`: whether what it resolved to is the whole work, whose time tells about the next.
   */
  async run(title, seconds, work, isDone = () => true) {
    this.note(`${title} (about ${Math.max(1, Math.round(this.#times[title] ?? seconds))} s) ...`);
    const begun = this.now();
    const result = await work();
    if (isDone(result)) this.#remember(title, (this.now() - begun) / 1_000);
    return result;
  }

  #remember(title, seconds) {
    this.#times = { ...readTimes(this.file), [title]: Math.round(seconds * 10) / 10 };
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, JSON.stringify(this.#times));
  }
}

function readTimes(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
