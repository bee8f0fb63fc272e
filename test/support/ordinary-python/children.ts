/** Child processes that answer one line with one line, in order; what takes too long ends them. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Waiting {
  readonly line: string;
  readonly resolve: (answer: unknown) => void;
}

/** What a request gets whose process ended, or was ended, over it. */
export interface Lost {
  readonly lost: 'timeout' | 'death';
  readonly detail: string;
}

export const isLost = (answer: object): answer is Lost => 'lost' in answer;

export class LineChild {
  private child: ChildProcessWithoutNullStreams | null = null;
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private said = '';
  private closing = false;
  private readonly first: Promise<unknown>;
  private greet!: (line: unknown) => void;

  constructor(
    private readonly command: string,
    private readonly given: readonly string[],
    private readonly timeoutMs: number,
    private readonly greets: boolean,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {
    this.first = new Promise((resolve) => (this.greet = resolve));
    if (!greets) this.greet(null);
  }

  /** The line that it says first. */
  greeting(): Promise<unknown> {
    if (this.child === null) this.start();
    return this.first;
  }

  ask(request: object): Promise<unknown> {
    return new Promise((resolve) => {
      this.waiting.push({ line: JSON.stringify(request), resolve });
      if (this.child === null) this.start();
      else this.child.stdin.write(`${this.waiting[this.waiting.length - 1].line}\n`);
      if (this.waiting.length === 1) this.arm();
    });
  }

  /** Ends it and waits for that; a child that ends by itself at the end of its input has time to. */
  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.timer);
    const { child } = this;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(kill);
  }

  private start(): void {
    const child = spawn(this.command, this.given, { env: this.env });
    this.child = child;
    this.said = '';
    let greeted = !this.greets;
    child.stdin.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.said = (this.said + text).slice(-4000)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer: unknown = JSON.parse(line);
      if (!greeted) {
        greeted = true;
        this.greet(answer);
        return;
      }
      this.waiting.shift()?.resolve(answer);
      this.arm();
    });
    child.on('close', () => {
      if (this.child !== child) return;
      this.child = null;
      if (!this.closing) this.lose('death', this.said);
    });
    for (const { line } of this.waiting) child.stdin.write(`${line}\n`);
  }

  private arm(): void {
    clearTimeout(this.timer);
    if (this.waiting.length === 0) return;
    this.timer = setTimeout(() => {
      const { child } = this;
      this.child = null;
      child?.kill('SIGKILL');
      this.lose('timeout', `no answer in ${this.timeoutMs} ms`);
    }, this.timeoutMs);
  }

  /** The request at work is lost; the others are asked again. */
  private lose(lost: Lost['lost'], detail: string): void {
    this.waiting.shift()?.resolve({ lost, detail } satisfies Lost);
    if (this.waiting.length > 0) this.start();
    this.arm();
  }
}
