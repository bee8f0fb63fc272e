/**
 * SVG to PNG, in a worker thread: tens of milliseconds of computing. resvg as WebAssembly: no native code, the same pixels on every
 * machine, with the font that our documents have. Loaded when the first picture is asked for.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Pixels for each unit of the picture. */
const ZOOM = 2;
const FONT = 'DejaVu Sans Condensed';

const require = createRequire(import.meta.url);

type Draw = (svg: string) => Uint8Array;
let draw: Promise<Draw> | null = null;

async function load(): Promise<Draw> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const [program, font] = await Promise.all([
    readFile(require.resolve('@resvg/resvg-wasm/index_bg.wasm')),
    readFile(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')),
  ]);
  await initWasm(program);
  return (svg) => {
    const fonts = { fontBuffers: [font], defaultFontFamily: FONT, sansSerifFamily: FONT };
    const picture = new Resvg(svg, { font: fonts, fitTo: { mode: 'zoom', value: ZOOM } });
    const image = picture.render();
    // Both live outside of JavaScript's memory.
    try {
      return image.asPng();
    } finally {
      image.free();
      picture.free();
    }
  };
}

/** A picture of our own making: it names no file, font or address. */
export async function rasterize(svg: string): Promise<Uint8Array> {
  draw ??= load();
  return (await draw)(svg);
}
