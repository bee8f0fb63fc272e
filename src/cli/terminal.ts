/** Abilities of a terminal. Everything that moves a cursor or colours text asks here first. */

export type TerminalStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'> &
  Partial<Pick<NodeJS.WriteStream, 'columns' | 'rows'>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether escape sequences are welcome: a terminal that is not `dumb`, and nobody has set `NO_COLOR`. */
export const takesEscapes = ({ isTTY }: TerminalStream, env: Environment): boolean =>
  isTTY && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === '';

/**
 * Whether it shows more than ASCII. A locale that is not set says nothing against it; the console of Linux has no such
 * font.
 */
export function showsUnicode(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] !== 'linux' && (locale === '' || /utf-?8/i.test(locale));
}

const DEFAULT_SIZE = { columns: 80, rows: 24 };

/** As it is now: it changes when the window is resized. */
export const sizeOf = ({ columns, rows }: TerminalStream): { readonly columns: number; readonly rows: number } => ({
  columns: columns || DEFAULT_SIZE.columns,
  rows: rows || DEFAULT_SIZE.rows,
});

/**
 * A few lines that are drawn over again; what is above them stays. The cursor waits at their beginning: there it does
 * not matter how a window that is resized breaks them, or that Ctrl-C is echoed.
 */
export class LiveRegion {
  private isDrawn = false;

  constructor(private readonly stream: TerminalStream) {}

  /** Lines are cut to the terminal's width. One write, so that no half a frame is seen. */
  draw(lines: readonly string[]): void {
    const { columns } = sizeOf(this.stream);
    const cut = lines.map((line) =>
      Array.from(line)
        .slice(0, columns - 1)
        .join(''),
    );
    const back = lines.length > 1 ? `\x1b[${lines.length - 1}A` : '';
    this.stream.write(`\r\x1b[J${cut.join('\n')}${back}\r`);
    this.isDrawn = true;
  }

  /** Removes the lines. */
  clear(): void {
    if (this.isDrawn) this.stream.write('\r\x1b[J');
    this.isDrawn = false;
  }
}
