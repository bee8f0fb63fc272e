#!/usr/bin/env node
/** The command `extremum`. It is there before anything is built, so that npx links it in a fresh checkout, too. */
import { existsSync } from 'node:fs';

const program = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  console.error('Extremum is not built yet. In this folder: npm start, or npm install && npm run build.');
  process.exitCode = 1;
}
