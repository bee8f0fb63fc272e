/** What stands where in a picture: texts with their boxes, read from its SVG. */
import { widthOf } from '../../src/explanation/visuals/text.js';

export interface DrawnText {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];

export const sizeOf = (svg: string): { readonly width: number; readonly height: number } => ({
  width: Number(attribute(svg, 'width')),
  height: Number(attribute(svg, 'height')),
});

/** Texts that are not turned. */
export const textsOf = (svg: string): DrawnText[] =>
  [...svg.matchAll(/<text ([^>]*)>([^<]*)/g)].flatMap(([, attributes = '', content = '']) => {
    if (attributes.includes('transform=') || content === '') return [];
    const text = unescaped(content);
    const [at, base] = ['x', 'y'].map((name) => Number(attribute(attributes, name)));
    const size = Number(attribute(attributes, 'font-size') ?? 13);
    const width = widthOf(text, size);
    const anchor = attribute(attributes, 'text-anchor');
    const left = at - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0);
    return [{ text, left, right: left + width, top: base - 0.75 * size, bottom: base + 0.2 * size }];
  });

/** Pairs of texts that lie on each other. */
export const overlapsIn = (svg: string): string[] => {
  const texts = textsOf(svg);
  return texts.flatMap((one, i) =>
    texts
      .slice(i + 1)
      .filter(
        (other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom,
      )
      .map((other) => `${one.text} / ${other.text}`),
  );
};

/** Texts that do not end within the picture. */
export const clippedIn = (svg: string): string[] => {
  const { width, height } = sizeOf(svg);
  return textsOf(svg)
    .filter((one) => one.left < 0 || one.right > width || one.top < 0 || one.bottom > height)
    .map(({ text }) => text);
};
