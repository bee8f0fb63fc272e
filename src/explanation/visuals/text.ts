/** How much room text takes in a picture, and text that fits. */

export const FONT_SIZE = 13;

/** Widths of characters of DejaVu Sans Condensed, as parts of the font size, rounded up. */
const WIDTHS: readonly (readonly [characters: RegExp, width: number])[] = [
  [/[ijlI|'.,:; ]/, 0.31],
  [/[frt!()[\]\-"/\\]/, 0.42],
  [/[mW@%]/, 0.9],
  [/[MwOQGDNHU&+<>=~^#]/, 0.78],
  [/[A-Z_]/, 0.64],
  // Of the others the widest ones; a script that the font does not have is a square for each character.
  [/[^\u0020-\u007e]/, 1],
];
const OTHER = 0.585;

/** A letter with accents is as wide as one without. */
const widthOfCharacter = (character: string): number => {
  const [letter = ''] = character.normalize('NFD');
  return WIDTHS.find(([kind]) => kind.test(letter))?.[1] ?? OTHER;
};

/** Upper bound of a text's width, in the units of the picture. */
export const widthOf = (text: string, size: number = FONT_SIZE): number =>
  Array.from(text, widthOfCharacter).reduce((sum, width) => sum + width, 0) * size;

/** The text, or as much of its start as fits with `…` and `end` after it. */
export function cut(text: string, room: number, end = '', size: number = FONT_SIZE): string {
  if (widthOf(text + end, size) <= room) return text + end;
  const characters = Array.from(text);
  while (characters.length > 1 && widthOf(`${characters.join('')}…${end}`, size) > room) characters.pop();
  return `${characters.join('').trimEnd()}…${end}`;
}
