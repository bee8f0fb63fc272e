/** A real Chromium: the one of the environment (`CHROMIUM`), of the system, or the one that playwright downloaded. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function launchBrowser() {
  const places = [process.env['CHROMIUM'] ?? '', ...PLACES, chromium.executablePath()];
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error('There is no Chromium: apt-get install chromium, or npx playwright-core install chromium');
  }
  // As root in a container its sandbox cannot be set up; the pages are our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}
