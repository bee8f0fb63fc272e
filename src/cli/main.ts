#!/usr/bin/env node
/** `extremum serve | keys | bench`. */
import { parseConfig } from '../config.js';
import { serve, startFailure } from '../main.js';
import { bench, BENCH_USAGE } from './bench.js';
import { createKey, KEYS_USAGE, listKeys, revokeKey } from './keys.js';
import { generateKey } from '../identity/key-format.js';

const USAGE = `Usage:
  extremum serve [--port N] [--data-dir DIR] ...   start the service
  extremum keys generate                           print a new API key (for BOOTSTRAP_API_KEY); stores nothing
  ${KEYS_USAGE}
  ${BENCH_USAGE}`;

async function run(argv: readonly string[]): Promise<void> {
  const [command, sub, ...rest] = argv;
  if (command === 'serve') return serve(argv.slice(1));
  if (command === 'bench') return bench(argv.slice(1));
  if (command === 'keys' && sub === 'generate' && rest.length === 0) return console.log(generateKey());
  if (command === 'keys' && sub === 'create') return console.log(await createKey(rest, parseConfig));
  if (command === 'keys' && sub === 'list') {
    for (const line of await listKeys(rest, parseConfig)) console.log(line);
    return;
  }
  if (command === 'keys' && sub === 'revoke') return revokeKey(rest, parseConfig);
  const asked = command === undefined || command === 'help' || command === '--help';
  (asked ? console.log : console.error)(USAGE);
  process.exitCode = asked ? 0 : 1;
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const message = startFailure(error);
  if (message === null) throw error;
  console.error(message);
  process.exitCode = 1;
}
