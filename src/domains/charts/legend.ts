/** The meaning of colours and marks: above the plot where there is room, else below it, never in it. */
import { HEIGHT, label, PLOT, rounded, cut, widthOf } from '../../explanation/visuals/plot.js';

export interface Key {
  readonly name: string;
  readonly colour: string;
  readonly mark: 'line' | 'dashes' | 'dot' | 'box' | 'frame';
}

interface Legend {
  readonly parts: readonly string[];
  /** Height of the picture that has it. */
  readonly height: number;
}

const MARK = 24;
const GAP = 18;
const LINE = 20;
/** Distance from the bottom of the plot to the first line below the name of the axis. */
const BELOW = 66;

/** `taken`: width that is taken above the plot already. `bottom`: lower edge of the plot. */
export function legendOf(keys: readonly Key[], taken: number, bottom: number = PLOT.bottom): Legend {
  const height = HEIGHT + bottom - PLOT.bottom;
  const room = PLOT.right - PLOT.left;
  const named = keys.map((key) => ({ ...key, name: cut(key.name, room - MARK) }));
  const widths = named.map(({ name }) => MARK + widthOf(name) + GAP);
  const whole = widths.reduce((sum, width) => sum + width, -GAP);
  if (taken + GAP + whole <= room) {
    let left = PLOT.right - whole;
    const parts = named.flatMap((key, i) => {
      const from = left;
      left += widths[i] ?? 0;
      return keyAt(key, from, PLOT.top - 10);
    });
    return { parts, height };
  }
  let [left, line] = [PLOT.left as number, 0];
  const parts = named.flatMap((key, i) => {
    const width = widths[i] ?? 0;
    if (left > PLOT.left && left + width - GAP > PLOT.right) [left, line] = [PLOT.left, line + 1];
    const from = left;
    left += width;
    return keyAt(key, from, bottom + BELOW + LINE * line);
  });
  return { parts, height: height + LINE * (line + 1) - 8 };
}

function keyAt({ name, colour, mark }: Key, left: number, base: number): string[] {
  const [from, middle] = [rounded(left), rounded(base - 4)];
  const drawn = {
    line: `<path d="M${from} ${middle}h18" stroke="${colour}" stroke-width="3"/>`,
    dashes: `<path d="M${from} ${middle}h19" stroke="${colour}" stroke-width="3" stroke-dasharray="7 5"/>`,
    dot: `<circle cx="${rounded(left + 9)}" cy="${middle}" r="4" fill="${colour}"/>`,
    box: `<rect x="${rounded(left + 2)}" y="${rounded(base - 11)}" width="14" height="12" fill="${colour}"/>`,
    frame: `<rect x="${rounded(left + 2)}" y="${rounded(base - 11)}" width="14" height="12" fill="none" stroke="${colour}"/>`,
  };
  return [drawn[mark], label([left + MARK, base], name, 'start')];
}
