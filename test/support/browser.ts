/** A real Chromium: the one of the environment (`CHROMIUM`), of the system, or the one that playwright downloaded. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium(): string {
  const found = [process.env['CHROMIUM'] ?? '', ...PLACES, chromium.executablePath()].find((place) =>
    existsSync(place),
  );
  if (found !== undefined) return found;
  throw new Error('There is no Chromium: apt-get install chromium, or npx playwright-core install chromium');
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    // As root in a container its sandbox cannot be set up; the pages are our own.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

/** What went wrong in the pages of a context, and what they asked of other origins: both must stay empty. */
export function watch(
  context: BrowserContext,
  origin: () => string,
): { readonly faults: string[]; readonly strangers: string[] } {
  const faults: string[] = [];
  const strangers: string[] = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // What the network says of refused requests is no fault of the page.
      const isOfNetwork = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isOfNetwork) faults.push(message.text());
    });
    page.on('dialog', (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  context.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (asked !== origin() && protocol !== 'blob:' && protocol !== 'data:') strangers.push(request.url());
  });
  return { faults, strangers };
}
