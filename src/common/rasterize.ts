/**
 * SVG to pixels, in a worker thread: tens of milliseconds of computing. resvg as WebAssembly: no native code, the same
 * pixels on every machine, with the font that our documents have. Loaded when the first picture is asked for.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Pixels for each unit of the picture, where it is sent as PNG. */
const PNG_ZOOM = 2;
const FONT = 'DejaVu Sans Condensed';

const require = createRequire(import.meta.url);

/** A picture without transparency. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row from the top. */
  readonly rgb: Uint8Array;
}

interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  asPng(): Uint8Array;
}

type Draw = <T>(svg: string, zoom: number, take: (image: Image) => T) => T;
let draw: Promise<Draw> | null = null;

async function load(): Promise<Draw> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const [program, font] = await Promise.all([
    readFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm')),
    readFile(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
  ]);
  await initWasm(program);
  return (svg, zoom, take) => {
    const fonts = { fontBuffers: [font], defaultFontFamily: FONT, sansSerifFamily: FONT };
    const picture = new Resvg(svg, { font: fonts, fitTo: { mode: 'zoom', value: zoom } });
    const image = picture.render();
    // Both live outside of JavaScript's memory.
    try {
      return take(image);
    } finally {
      image.free();
      picture.free();
    }
  };
}

/** A picture of our own making: it names no file, font or address. */
export async function rasterize(svg: string): Promise<Uint8Array> {
  draw ??= load();
  return (await draw)(svg, PNG_ZOOM, (image) => image.asPng());
}

/** The same as pixels on white. */
export async function pixelsOf(svg: string, zoom: number): Promise<Pixels> {
  draw ??= load();
  return (await draw)(svg, zoom, ({ width, height, pixels }) => ({ width, height, rgb: onWhite(pixels) }));
}

/** Red, green and blue on white, from red, green, blue and opacity; the colours come multiplied by the opacity. */
function onWhite(pixels: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((pixels.length / 4) * 3);
  for (let from = 0, to = 0; from < pixels.length; from += 4, to += 3) {
    const white = 255 - (pixels[from + 3] ?? 0);
    rgb[to] = (pixels[from] ?? 0) + white;
    rgb[to + 1] = (pixels[from + 1] ?? 0) + white;
    rgb[to + 2] = (pixels[from + 2] ?? 0) + white;
  }
  return rgb;
}
