import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { ConfigError, type parseConfig } from '../config.js';
import { IdentityService } from '../identity/identity-service.js';
import { SCOPES, type Scope } from '../model/api-key.js';
import { openStore } from '../storage/open-store.js';

export const KEYS_USAGE =
  'extremum keys create --account NAME --scopes read,run,admin [--name NAME] [--data-dir DIR | --mongodb-url URL]';

function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((part) => {
    const scope = SCOPES.find((known) => known === part.trim());
    if (scope === undefined)
      throw new ConfigError(`--scopes is ${JSON.stringify(text)}; it must list some of ${SCOPES.join(',')}.`);
    return scope;
  });
  return [...new Set(scopes)];
}

/**
 * Makes a key in the data directory's store, whether the service runs or not, and returns it: it is shown only here.
 * @throws {ConfigError} on bad arguments.
 */
export async function createKey(argv: readonly string[], readConfig: typeof parseConfig): Promise<string> {
  const own = new Map<string, string>();
  const settings: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', inline] = (argv[i] ?? '').split(/=(.*)/s, 2);
    if (!['--account', '--scopes', '--name'].includes(flag)) {
      settings.push(argv[i] ?? '');
      continue;
    }
    const value = inline ?? argv[++i];
    if (value === undefined || value.trim() === '')
      throw new ConfigError(`${flag} needs a value. Usage: ${KEYS_USAGE}`);
    own.set(flag, value);
  }
  const account = own.get('--account');
  const scopes = own.get('--scopes');
  if (account === undefined || scopes === undefined) {
    throw new ConfigError(`--account and --scopes are needed. Usage: ${KEYS_USAGE}`);
  }
  const parsedScopes = parseScopes(scopes);
  // Not exclusive: a running service keeps its directory, and SQLite orders the writes of both.
  const store = await openStore(readConfig(process.env, settings), false);
  try {
    const pepper = await store.keySecret();
    const parts = { store, pepper, ids: createIdSource(), clock: Date.now, logger: silentLogger };
    return await new IdentityService(parts).createKey(account, own.get('--name') ?? 'made by the CLI', parsedScopes);
  } finally {
    await store.close();
  }
}
