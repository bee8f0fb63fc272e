/** Watches the pages of a browser for what tests of the dashboard must never see. */
import type { BrowserContext } from 'playwright-core';

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
