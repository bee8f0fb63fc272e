/** Boxes one after the other: what a network is made of. */
import { BLUE, label, picture, PLOT, rounded, cut } from '../../../explanation/visuals/plot.js';

export interface Block {
  readonly name: string;
  readonly below: string;
}

const PER_ROW = 5;
const [WIDTH, HEIGHT] = [104, 34];

/** SVG. At most 40 blocks have room. `isChain`: with arrows from each to the next. */
export function chainPicture(title: string, blocks: readonly Block[], isChain = true): string {
  const rows = Math.ceil(blocks.length / PER_ROW);
  const [across, down] = [(PLOT.right - PLOT.left + 20) / PER_ROW, Math.min(90, (PLOT.bottom + 40 - PLOT.top) / rows)];
  const height = Math.round(Math.min(HEIGHT, down * 0.5));
  const place = (i: number): readonly [number, number] => [
    PLOT.left - 60 + (i % PER_ROW) * (across + 8),
    PLOT.top + Math.floor(i / PER_ROW) * down,
  ];
  const parts = blocks.flatMap(({ name, below }, i) => {
    const [left, top] = place(i);
    const arrow =
      !isChain || i === blocks.length - 1 || (i + 1) % PER_ROW === 0
        ? []
        : [
            `<path d="M${rounded(left + WIDTH + 4)} ${rounded(top + height / 2)}h${rounded(across - WIDTH - 4)}l-6 -4m6 4l-6 4" fill="none" stroke="#333"/>`,
          ];
    return [
      `<rect x="${rounded(left)}" y="${rounded(top)}" width="${WIDTH}" height="${height}" rx="5" fill="${BLUE}" fill-opacity="0.15" stroke="${BLUE}"/>`,
      label([left + WIDTH / 2, top + height / 2 + 5], cut(name, WIDTH - 8), 'middle'),
      label([left + WIDTH / 2, top + height + 13], cut(below, across, '', 11), 'middle', ' font-size="11"'),
      ...arrow,
    ];
  });
  return picture(title, parts);
}
