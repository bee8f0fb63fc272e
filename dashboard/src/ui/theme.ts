/** Light or dark: as the system has it, unless somebody chose. */
import { signal } from './signal.js';

export type Theme = 'light' | 'dark';

const KEY = 'extremum-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const stored = localStorage.getItem(KEY);

export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : ofSystem());

function ofSystem(): Theme {
  return system.matches ? 'dark' : 'light';
}

const apply = (): void => void (document.documentElement.dataset['theme'] = theme.get());
apply();
system.addEventListener('change', () => {
  if (localStorage.getItem(KEY) !== null) return;
  // First the document, for whoever watches reads its colors.
  document.documentElement.dataset['theme'] = ofSystem();
  theme.set(ofSystem());
});

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  document.documentElement.dataset['theme'] = next;
  theme.set(next);
}
