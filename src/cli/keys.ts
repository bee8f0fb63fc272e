import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { ConfigError, type Config, type parseConfig } from '../config.js';
import { IdentityService } from '../identity/identity-service.js';
import { SCOPES, type Account, type Scope } from '../model/api-key.js';
import { openStore } from '../storage/open-store.js';
import { holdsSqliteStore } from '../storage/sqlite/sqlite-store.js';

export const KEYS_USAGE = `extremum keys create --account NAME --scopes read,run,admin [--name NAME] [--expires-at TIME]
  extremum keys list --account NAME
  extremum keys revoke --account NAME --id KEY_ID
  extremum keys new-secret
                                                   all four: [--data-dir DIR | --mongodb-url URL]`;

function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((part) => {
    const scope = SCOPES.find((known) => known === part.trim());
    if (scope === undefined)
      throw new ConfigError(`--scopes is ${JSON.stringify(text)}; it must list some of ${SCOPES.join(',')}.`);
    return scope;
  });
  return [...new Set(scopes)];
}

const OWN_FLAGS = ['--account', '--scopes', '--name', '--expires-at', '--id'];

/** The flags of `extremum keys`, and what is left: the operator's settings, which say where the store is. */
function splitFlags(argv: readonly string[]): { own: Map<string, string>; settings: string[] } {
  const own = new Map<string, string>();
  const settings: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', inline] = (argv[i] ?? '').split(/=(.*)/s, 2);
    if (!OWN_FLAGS.includes(flag)) {
      settings.push(argv[i] ?? '');
      continue;
    }
    const value = inline ?? argv[++i];
    if (value === undefined || value.trim() === '')
      throw new ConfigError(`${flag} needs a value. Usage: ${KEYS_USAGE}`);
    own.set(flag, value);
  }
  return { own, settings };
}

function needed(own: ReadonlyMap<string, string>, first: string, second: string): [string, string] {
  const [one, two] = [own.get(first), own.get(second)];
  if (one === undefined || two === undefined) {
    throw new ConfigError(`${first} and ${second} are needed. Usage: ${KEYS_USAGE}`);
  }
  return [one, two];
}

function refuseOthers(own: ReadonlyMap<string, string>, allowed: readonly string[]): void {
  const other = [...own.keys()].find((flag) => !allowed.includes(flag));
  if (other !== undefined) throw new ConfigError(`${other} does not belong here. Usage: ${KEYS_USAGE}`);
}

/**
 * Where the secret that keys are checked with is lost: makes another one. Returns how many keys are invalid now.
 * @throws {ExtremumError} `conflict`: it is not lost, or the service is running.
 */
export async function newSecret(argv: readonly string[], readConfig: typeof parseConfig): Promise<number> {
  const { own, settings } = splitFlags(argv);
  refuseOthers(own, []);
  const config = readConfig(process.env, settings);
  refuseMissing(config);
  const store = await openStore(config, true);
  // The end of the store's thread, which is waited for, does not keep the process alive by itself.
  const keepAlive = setInterval(() => {}, 1_000);
  try {
    return await store.newKeySecret(Date.now());
  } finally {
    await store.close();
    clearInterval(keepAlive);
  }
}

/**
 * Of what only reads or changes what is there: a mistyped folder gets no database.
 * @throws {ConfigError} where there is none.
 */
function refuseMissing({ dataDir, mongodbUrl }: Config): void {
  if (mongodbUrl !== null || holdsSqliteStore(dataDir)) return;
  throw new ConfigError(`There is no database in ${dataDir}; give the --data-dir of the service.`);
}

/** Runs `body` on the store of the data directory or of MongoDB, whether the service runs or not. */
async function withIdentity<T>(config: Config, body: (identity: IdentityService) => Promise<T>): Promise<T> {
  // Not exclusive: a running service keeps its directory, and SQLite orders the writes of both.
  const store = await openStore(config, false);
  try {
    const pepper = await store.keySecret();
    return await body(
      new IdentityService({ store, pepper, ids: createIdSource(), clock: Date.now, logger: silentLogger }),
    );
  } finally {
    await store.close();
  }
}

function parseExpiry(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (time > Date.now()) return time;
  throw new ConfigError(`--expires-at is ${JSON.stringify(text)}; it must be a time to come, as 2030-01-31T12:00:00Z.`);
}

/**
 * Makes a key and returns it: it is shown only here.
 * @throws {ConfigError} on bad arguments.
 */
export async function createKey(argv: readonly string[], readConfig: typeof parseConfig): Promise<string> {
  const { own, settings } = splitFlags(argv);
  refuseOthers(own, ['--account', '--scopes', '--name', '--expires-at']);
  const [account, scopeText] = needed(own, '--account', '--scopes');
  const scopes = parseScopes(scopeText);
  const expiresAt = parseExpiry(own.get('--expires-at'));
  return withIdentity(readConfig(process.env, settings), (identity) =>
    identity.createKey(account, own.get('--name') ?? 'made by the CLI', scopes, expiresAt),
  );
}

async function accountOf(identity: IdentityService, name: string): Promise<Account> {
  const account = await identity.findAccount(name);
  if (account === null) throw new ConfigError(`There is no account ${JSON.stringify(name)}.`);
  return account;
}

const day = (epochMs: number | null): string => (epochMs === null ? 'never' : new Date(epochMs).toISOString());

/** One line for each key of the account that was not revoked, newest first; nothing secret. */
export async function listKeys(argv: readonly string[], readConfig: typeof parseConfig): Promise<string[]> {
  const { own, settings } = splitFlags(argv);
  refuseOthers(own, ['--account']);
  const name = own.get('--account');
  if (name === undefined) throw new ConfigError(`--account is needed. Usage: ${KEYS_USAGE}`);
  const config = readConfig(process.env, settings);
  refuseMissing(config);
  return withIdentity(config, async (identity) => {
    const { id } = await accountOf(identity, name);
    const { items } = await identity.listKeys(id, { limit: 1_000_000, offset: 0 });
    return items.map((key) =>
      [
        key.id,
        key.scopes.join(','),
        `expires ${day(key.expiresAt)}`,
        `last used ${day(key.lastUsedAt)}`,
        JSON.stringify(key.name),
      ].join('  '),
    );
  });
}

/** @throws {ConfigError} where the account has no such key. */
export async function revokeKey(argv: readonly string[], readConfig: typeof parseConfig): Promise<void> {
  const { own, settings } = splitFlags(argv);
  refuseOthers(own, ['--account', '--id']);
  const [name, keyId] = needed(own, '--account', '--id');
  const config = readConfig(process.env, settings);
  refuseMissing(config);
  await withIdentity(config, async (identity) => {
    const { id } = await accountOf(identity, name);
    if (!(await identity.revokeKey(id, keyId))) throw new ConfigError(`The account has no key ${keyId}.`);
  });
}
