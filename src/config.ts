/**
 * The operator's settings: environment variables, or `--kebab-case` flags, which win. Parsed once, at start; everything
 * below gets the typed object. A bad value stops the start with its name, the value and the rule.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Rates } from './analytics/cost.js';
import { nearMatch } from './common/near-match.js';
import type { LanguageModelSettings } from './conversations/language-model.js';
import { LEAST_MEMORY_BYTES } from './model/objective.js';
import type { PythonLimits } from './runs/python-host.js';
import type { EvaluationLogs } from './runs/run-context.js';
import type { Retention } from './runs/run-removal.js';
import { parseNetwork, type Network } from './webhooks/addresses.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Tasks of a process: it answers the API, carries out runs, or both. */
export const ROLES = ['all', 'api', 'engine'] as const;
export type Role = (typeof ROLES)[number];

/** The settings of CPython, all that a run without a service needs. */
export interface PythonConfig {
  /** Interpreter of the CPython backend; null: switched off. */
  readonly python: string | null;
  readonly pythonLimits: PythonLimits;
  /** Whether CPython confirms values of compiled code. */
  readonly verify: boolean;
}

export interface Config extends PythonConfig {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Absolute. Unused with MongoDB. */
  readonly dataDir: string;
  /** Null: the embedded database in `dataDir`. */
  readonly mongodbUrl: string | null;
  /** `all`, unless several processes share a MongoDB. */
  readonly role: Role;
  /** How long a run stays with a process that nothing is heard of. */
  readonly leaseSeconds: number;
  /** A full key that becomes the first account's admin key where no key exists yet. */
  readonly bootstrapApiKey: string | null;
  /** Per key; 0 = off. */
  readonly rateLimitPerMinute: number;
  /** Streams of events that one key may have open at a process; 0 = no limit. */
  readonly streamsPerKey: number;
  /** Threads that carry out runs. */
  readonly workers: number;
  readonly maxEvaluations: number;
  readonly maxDimensions: number;
  readonly runTimeoutSeconds: number;
  /** Prices that analytics puts on the resources that runs used. */
  readonly rates: Rates;
  /** Sum of the epsilons that an account may spend on updates for other deployments. */
  readonly federatedEpsilonLimit: number;
  /** Rules by which ended runs are removed without a request; no run is, unless set. */
  readonly retention: Retention;
  /** Where the evaluations of all runs are written, a file for each; null: nowhere. */
  readonly evaluationLogs: EvaluationLogs | null;
  /** Address by which clients know the service; null: as it listens. */
  readonly publicUrl: PublicUrl | null;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** Files of a certificate with its chain, and of its key; null: plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly maxBodyBytes: number;
  /** Origins that browsers may call from; empty: none. */
  readonly corsOrigins: readonly string[];
  /** Host names by which clients of `/mcp` may ask, beside those of this machine; empty: see `api/mcp/origins.ts`. */
  readonly mcpHosts: readonly string[];
  /** Otherwise refused networks that webhooks may reach. */
  readonly webhookAllowNetworks: readonly Network[];
  /** Certificates of further authorities for targets of webhooks, as PEM text. */
  readonly webhookExtraCa: string | null;
  /** Reads messages of conversations first; null: the rules alone do. */
  readonly languageModel: LanguageModelSettings | null;
  readonly logLevel: LogLevel;
}

export interface PublicUrl {
  /** As `https://example.org/optimizer`, without a slash at the end. */
  readonly url: string;
  readonly origin: string;
  /** Name and port, as browsers send them. */
  readonly host: string;
  readonly hostname: string;
  /** As `/optimizer`; empty: there is none. */
  readonly prefix: string;
}

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** A setting that cannot be used. Its message is for the operator, complete as it stands. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

interface Setting<T> {
  readonly rule: string;
  readonly fallback: () => T;
  /** Undefined: the value breaks the rule. */
  readonly parse: (text: string) => T | undefined;
}

const integer = (minimum: number, maximum: number, fallback: number): Setting<number> => ({
  rule: `a whole number from ${minimum} to ${maximum}`,
  fallback: () => fallback,
  parse: (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  },
});

/** Null where it is not set. */
const optionalInteger = (minimum: number, maximum: number): Setting<number | null> => ({
  ...integer(minimum, maximum, minimum),
  fallback: () => null,
});

const rate = (fallback: number): Setting<number> => ({
  rule: 'a number of at least 0, such as 0.00002',
  fallback: () => fallback,
  parse: (text) => {
    const value = /^\d{1,12}(\.\d{1,18})?(e-?\d{1,2})?$/i.test(text) ? Number(text) : NaN;
    return value <= 1e12 ? value : undefined;
  },
});

const text = (rule: string, fallback: string): Setting<string> => ({
  rule,
  fallback: () => fallback,
  parse: (value) => (value.trim() === '' || value.includes('\0') ? undefined : value),
});

function parseOrigins(value: string): readonly string[] | undefined {
  const origins = value.split(',').map((part) => part.trim());
  const valid = origins.every(
    (origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin),
  );
  return valid ? origins : undefined;
}

function parseNetworks(value: string): readonly Network[] | undefined {
  const networks = value.split(',').map((part) => parseNetwork(part.trim()));
  return networks.includes(undefined) ? undefined : networks.flatMap((network) => network ?? []);
}

/** The text of the file; undefined where it cannot be read, or holds no certificate or a damaged one. */
function readCertificates(path: string): string | undefined {
  try {
    const pem = readFileSync(path, 'utf8');
    const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    return found.map((text) => new X509Certificate(text)).length > 0 ? pem : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing but an address and a path of plain segments. */
function parsePublicUrl(value: string): PublicUrl | undefined {
  const isWhole = /^https?:\/\/[^\s/?#@]+(\/[\w.~-]+)*\/?$/.test(value) && URL.canParse(value);
  if (!isWhole) return undefined;
  const { origin, host, hostname, pathname } = new URL(value);
  const prefix = pathname.replace(/\/$/, '');
  return { url: origin + prefix, origin, host, hostname, prefix };
}

function parseProxies(value: string): readonly string[] | undefined {
  if (value === 'off') return [];
  const proxies = value.split(',').map((part) => part.trim());
  const isProxy = (text: string): boolean => {
    const [address = '', length, ...rest] = text.split('/');
    const family = isIP(address);
    if (text === 'loopback') return true;
    if (family === 0 || rest.length > 0) return false;
    if (length === undefined) return true;
    return /^[1-9]\d{0,2}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
  };
  return proxies.every(isProxy) ? proxies : undefined;
}

function isPrivateKey(path: string): boolean {
  try {
    createPrivateKey(readFileSync(path));
    return true;
  } catch {
    return false;
  }
}

function parseHosts(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => /^([\w-]+(\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(name)) ? names : undefined;
}

const MIB = 1024 ** 2;

const SETTINGS = {
  HOST: text('an address or host name to listen on', '127.0.0.1'),
  PORT: integer(0, 65535, 8080),
  DATA_DIR: text('a folder', './data'),
  MONGODB_URL: {
    rule: 'a MongoDB connection string, as `mongodb://host:27017/extremum?replicaSet=rs0`',
    fallback: () => null,
    parse: (value: string) => (/^mongodb(\+srv)?:\/\/[^\s/]/.test(value) ? value : undefined),
  } satisfies Setting<string | null>,
  ROLE: {
    rule: `one of ${ROLES.join(', ')}`,
    fallback: () => 'all',
    parse: (value: string) => ROLES.find((role) => role === value),
  } satisfies Setting<Role>,
  LEASE_SECONDS: integer(1, 3_600, 60),
  BOOTSTRAP_API_KEY: {
    rule: 'a full API key, as `extremum keys generate` prints one',
    fallback: () => null,
    parse: (value: string) => (value === '' ? undefined : value),
  } satisfies Setting<string | null>,
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000_000, 600),
  STREAMS_PER_KEY: integer(0, 1_000_000, 100),
  WORKERS: integer(1, 1024, Math.max(1, availableParallelism())),
  PYTHON: text('a Python 3 interpreter, or `off`', 'python3'),
  PYTHON_MEMORY_BYTES: integer(LEAST_MEMORY_BYTES, 2 ** 46, 1024 * MIB),
  PYTHON_MAX_MEMORY_BYTES: optionalInteger(LEAST_MEMORY_BYTES, 2 ** 46),
  PYTHON_CPU_SECONDS: integer(1, 31_536_000, 3_600),
  PYTHON_EVALUATION_SECONDS: integer(1, 86_400, 10),
  PYTHON_MAX_EVALUATION_SECONDS: optionalInteger(1, 86_400),
  PYTHON_LOAD_SECONDS: integer(1, 3_600, 60),
  PYTHON_OUTPUT_BYTES: integer(64 * 1024, 1024 * MIB, 2 * MIB),
  PYTHON_PROCESSES_PER_RUN: integer(1, 1024, Math.max(1, availableParallelism())),
  PYTHON_SPARES: integer(0, 64, 2),
  VERIFY: {
    rule: '`on` or `off`',
    fallback: () => 'on',
    parse: (value: string) => (['on', 'off'] as const).find((each) => each === value),
  } satisfies Setting<'on' | 'off'>,
  MAX_EVALUATIONS: integer(1, 1_000_000_000, 1_000_000_000),
  MAX_DIMENSIONS: integer(1, 10_000, 10_000),
  RUN_TIMEOUT_SECONDS: integer(1, 31_536_000, 3_600),
  COST_PER_CPU_SECOND: rate(0),
  COST_PER_GPU_SECOND: rate(0),
  COST_PER_EVALUATION: rate(0),
  CURRENCY: {
    rule: 'a currency code of three capital letters (ISO 4217), such as EUR',
    fallback: () => 'USD',
    parse: (value: string) => (/^[A-Z]{3}$/.test(value) ? value : undefined),
  } satisfies Setting<string>,
  FEDERATED_EPSILON_LIMIT: rate(10),
  RETAIN_RUNS_DAYS: optionalInteger(1, 36_500),
  RETAIN_RUNS_COUNT: optionalInteger(1, 1_000_000_000),
  LOG_EVALUATIONS: {
    rule: 'a folder',
    fallback: () => null,
    parse: (value: string) => (value.trim() === '' || value.includes('\0') ? undefined : value),
  } satisfies Setting<string | null>,
  PUBLIC_URL: {
    rule: 'an address with or without a path, as `https://example.org/optimizer`',
    fallback: () => null,
    parse: parsePublicUrl,
  } satisfies Setting<PublicUrl | null>,
  TRUST_PROXY: {
    rule: '`off`, or addresses and networks of proxies such as `127.0.0.1` or `10.0.0.0/8`, separated by commas; `loopback`: this machine',
    fallback: () => [],
    parse: parseProxies,
  } satisfies Setting<readonly string[]>,
  TLS_CERTIFICATE: {
    rule: 'a readable file of a certificate and its chain in PEM form',
    fallback: () => null,
    parse: (value: string) => (readCertificates(value) === undefined ? undefined : value),
  } satisfies Setting<string | null>,
  TLS_KEY: {
    rule: "a readable file of the certificate's private key in PEM form",
    fallback: () => null,
    parse: (value: string) => (isPrivateKey(value) ? value : undefined),
  } satisfies Setting<string | null>,
  MAX_BODY_BYTES: integer(1_024, 1_073_741_824, 4_194_304),
  CORS_ORIGINS: {
    rule: '`*`, or origins such as `https://app.example.org`, separated by commas',
    fallback: () => [],
    parse: parseOrigins,
  } satisfies Setting<readonly string[]>,
  MCP_HOSTS: {
    rule: 'host names such as `optimizer.example.org`, separated by commas',
    fallback: () => [],
    parse: parseHosts,
  } satisfies Setting<readonly string[]>,
  WEBHOOK_ALLOW_NETWORKS: {
    rule: 'networks such as `10.0.0.0/8` or `fd00::/8`, separated by commas',
    fallback: () => [],
    parse: parseNetworks,
  } satisfies Setting<readonly Network[]>,
  WEBHOOK_EXTRA_CA: {
    rule: 'a readable file of certificates in PEM form',
    fallback: () => null,
    parse: readCertificates,
  } satisfies Setting<string | null>,
  LANGUAGE_MODEL_URL: {
    rule: 'the base address of an OpenAI-compatible service, as `https://models.example.org/v1`',
    fallback: () => null,
    parse: (value: string) =>
      /^https?:\/\/[^\s/@]+(\/[^\s?#]*)?$/.test(value) && URL.canParse(value) ? value : undefined,
  } satisfies Setting<string | null>,
  LANGUAGE_MODEL_NAME: {
    rule: 'the name of a model there',
    fallback: () => null,
    parse: (value: string) => (value.trim() === '' ? undefined : value),
  } satisfies Setting<string | null>,
  LANGUAGE_MODEL_KEY: {
    rule: 'a key, in printable ASCII',
    fallback: () => null,
    parse: (value: string) => (/^[\x21-\x7e]+$/.test(value) ? value : undefined),
  } satisfies Setting<string | null>,
  LOG_LEVEL: {
    rule: `one of ${LOG_LEVELS.join(', ')}`,
    fallback: () => 'info',
    parse: (value: string) => LOG_LEVELS.find((level) => level === value),
  } satisfies Setting<LogLevel>,
} as const;

type SettingName = keyof typeof SETTINGS;
/** Never shown, also where they are wrong. */
const SECRETS: ReadonlySet<SettingName> = new Set(['BOOTSTRAP_API_KEY', 'MONGODB_URL', 'LANGUAGE_MODEL_KEY']);
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

const MEANINGS: Readonly<Record<SettingName, string>> = {
  HOST: 'where to listen; 0.0.0.0 for all addresses',
  PORT: '0: a free one, which the first line names',
  DATA_DIR: 'embedded database and the secret of the keys',
  MONGODB_URL: 'instead of the embedded database; shared by all processes that are given it',
  ROLE: 'with MongoDB: `api` only answers requests, `engine` only carries out runs',
  LEASE_SECONDS: 'with MongoDB: so long after a process was last heard of others take over its runs',
  BOOTSTRAP_API_KEY:
    'becomes the first admin key where no key exists; else the first start makes one and prints it once',
  RATE_LIMIT_PER_MINUTE: 'requests per key; 0: no limit',
  STREAMS_PER_KEY: 'event streams that a key may have open at a time; 0: no limit',
  WORKERS: 'threads that carry out runs (default: one per core)',
  PYTHON: 'for objectives that are not compiled',
  PYTHON_MEMORY_BYTES: 'memory of one CPython process',
  PYTHON_MAX_MEMORY_BYTES: 'the most that a function may ask for (default: PYTHON_MEMORY_BYTES)',
  PYTHON_CPU_SECONDS: 'processor time in the life of one CPython process',
  PYTHON_EVALUATION_SECONDS: 'for one call of an objective in CPython',
  PYTHON_MAX_EVALUATION_SECONDS: 'the most that a function may ask for (default: PYTHON_EVALUATION_SECONDS)',
  PYTHON_LOAD_SECONDS: 'for loading a source in CPython',
  PYTHON_OUTPUT_BYTES: 'error texts in one answer of a CPython process',
  PYTHON_PROCESSES_PER_RUN: 'CPython processes for one run (default: one per core)',
  PYTHON_SPARES: 'warm CPython processes kept ready',
  VERIFY: 'whether CPython confirms values of compiled code, beside each run',
  MAX_EVALUATIONS: 'ceiling for one run',
  MAX_DIMENSIONS: 'ceiling for one run',
  RUN_TIMEOUT_SECONDS: 'ceiling for one run',
  COST_PER_CPU_SECOND: 'in CURRENCY, for analytics',
  COST_PER_GPU_SECOND: 'in CURRENCY, for analytics',
  COST_PER_EVALUATION: 'in CURRENCY, for analytics',
  CURRENCY: 'of the costs in analytics',
  FEDERATED_EPSILON_LIMIT: 'sum of the epsilons that an account may spend on updates for other deployments; 0: none',
  RETAIN_RUNS_DAYS: 'runs are deleted so many days after their end',
  RETAIN_RUNS_COUNT: 'ended runs that each account keeps: those that ended last',
  LOG_EVALUATIONS: 'a CSV file for each run is written there, with a row for each evaluation',
  PUBLIC_URL: 'address by which clients know the service, behind a proxy: with its path prefix, if there is one',
  TRUST_PROXY: 'proxies whose X-Forwarded-For says who asks',
  TLS_CERTIFICATE: 'serve HTTPS, with TLS_KEY; files that change are read again within a minute',
  TLS_KEY: 'of TLS_CERTIFICATE',
  MAX_BODY_BYTES: 'of a request, uncompressed',
  CORS_ORIGINS: 'origins whose pages may call from a browser',
  MCP_HOSTS: 'host names by which clients of /mcp may ask, beside those of this machine',
  WEBHOOK_ALLOW_NETWORKS: 'networks that webhooks may reach though they are not public',
  WEBHOOK_EXTRA_CA: 'authorities that are trusted for targets of webhooks, besides the public ones',
  LANGUAGE_MODEL_URL: 'a language model that reads messages of conversations first; none is needed',
  LANGUAGE_MODEL_NAME: 'which model, with LANGUAGE_MODEL_URL',
  LANGUAGE_MODEL_KEY: 'where LANGUAGE_MODEL_URL asks for a key',
  LOG_LEVEL: 'of the JSON lines on standard error',
};

/** Help text of the settings, for `--help`. */
export function settingsHelp(): string {
  const defaultOf = (name: SettingName): string => {
    const value = SETTINGS[name].fallback();
    return value === null || (Array.isArray(value) && value.length === 0) ? 'none' : String(value);
  };
  return SETTING_NAMES.map(
    (name) =>
      `  ${flagOf(name)} ...\n      ${MEANINGS[name]}\n      ${SETTINGS[name].rule}; default: ${defaultOf(name)}`,
  ).join('\n');
}

/** The texts of `--name value` and `--name=value`. @throws {ConfigError} on a flag that is no setting. */
function readFlags(argv: readonly string[]): Map<SettingName, string> {
  const byFlag = new Map(SETTING_NAMES.map((name) => [flagOf(name), name]));
  const found = new Map<SettingName, string>();
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    const equals = argument.indexOf('=');
    const flag = equals < 0 ? argument : argument.slice(0, equals);
    const name = byFlag.get(flag);
    if (name === undefined) {
      const settings = [...byFlag.keys()];
      const meant = nearMatch(flag, settings);
      const advice = meant === null ? `Settings: ${settings.join(' ')}.` : `Did you mean ${meant}?`;
      throw new ConfigError(`Unknown argument ${JSON.stringify(argument)}. ${advice}`);
    }
    const value = equals < 0 ? argv[++i] : argument.slice(equals + 1);
    if (value === undefined) throw new ConfigError(`${flag} needs a value: ${SETTINGS[name].rule}.`);
    found.set(name, value);
  }
  return found;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Read = <T>(name: SettingName, setting: Setting<T>) => T;

function reader(env: Environment, argv: readonly string[]): Read {
  const flags = readFlags(argv);
  return (name, setting) => {
    const fromFlag = flags.get(name);
    const given = fromFlag ?? env[name];
    if (given === undefined) return setting.fallback();
    const value = setting.parse(given);
    if (value !== undefined) return value;
    const shown = SECRETS.has(name) ? (given === '' ? 'empty' : 'not usable') : JSON.stringify(given);
    throw new ConfigError(`${fromFlag === undefined ? name : flagOf(name)} is ${shown}; it must be ${setting.rule}.`);
  };
}

/** The most that may be asked for instead of `limit`. */
function ceilingOf(
  read: Read,
  name: 'PYTHON_MAX_MEMORY_BYTES' | 'PYTHON_MAX_EVALUATION_SECONDS',
  limitName: SettingName,
  limit: number,
): number {
  const ceiling = read<number | null>(name, SETTINGS[name]) ?? limit;
  if (ceiling >= limit) return ceiling;
  throw new ConfigError(`${name} is ${ceiling}; it must be at least ${limitName}, which is ${limit}.`);
}

function pythonConfig(read: Read): PythonConfig {
  const python = read('PYTHON', SETTINGS.PYTHON);
  const memoryBytes = read('PYTHON_MEMORY_BYTES', SETTINGS.PYTHON_MEMORY_BYTES);
  const evaluationSeconds = read('PYTHON_EVALUATION_SECONDS', SETTINGS.PYTHON_EVALUATION_SECONDS);
  return {
    python: python === 'off' ? null : python,
    pythonLimits: {
      memoryBytes,
      mostMemoryBytes: ceilingOf(read, 'PYTHON_MAX_MEMORY_BYTES', 'PYTHON_MEMORY_BYTES', memoryBytes),
      cpuSeconds: read('PYTHON_CPU_SECONDS', SETTINGS.PYTHON_CPU_SECONDS),
      evaluationSeconds,
      mostEvaluationSeconds: ceilingOf(
        read,
        'PYTHON_MAX_EVALUATION_SECONDS',
        'PYTHON_EVALUATION_SECONDS',
        evaluationSeconds,
      ),
      loadSeconds: read('PYTHON_LOAD_SECONDS', SETTINGS.PYTHON_LOAD_SECONDS),
      outputBytes: read('PYTHON_OUTPUT_BYTES', SETTINGS.PYTHON_OUTPUT_BYTES),
      processesPerRun: read('PYTHON_PROCESSES_PER_RUN', SETTINGS.PYTHON_PROCESSES_PER_RUN),
      spares: read('PYTHON_SPARES', SETTINGS.PYTHON_SPARES),
    },
    verify: read<'on' | 'off'>('VERIFY', SETTINGS.VERIFY) === 'on',
  };
}

/**
 * Those of CPython alone, for runs without a service: the rest of the environment is not looked at. `python`, `verify`:
 * instead of `PYTHON`, `VERIFY`.
 * @throws {ConfigError} naming the first bad setting.
 */
export const parsePythonConfig = (env: Environment, python?: string, verify?: string): PythonConfig =>
  pythonConfig(
    reader(env, [
      ...(python === undefined ? [] : ['--python', python]),
      ...(verify === undefined ? [] : ['--verify', verify]),
    ]),
  );

function tlsOf(read: Read): TlsFiles | null {
  const certificate = read<string | null>('TLS_CERTIFICATE', SETTINGS.TLS_CERTIFICATE);
  const key = read<string | null>('TLS_KEY', SETTINGS.TLS_KEY);
  if (certificate === null && key === null) return null;
  if (certificate === null || key === null) {
    throw new ConfigError('TLS_CERTIFICATE and TLS_KEY belong together: set both, or neither.');
  }
  const fits = new X509Certificate(readFileSync(certificate)).checkPrivateKey(createPrivateKey(readFileSync(key)));
  if (!fits) throw new ConfigError('TLS_KEY is not the key of the first certificate in TLS_CERTIFICATE.');
  return { certificate: resolve(certificate), key: resolve(key) };
}

function languageModelOf(read: Read): LanguageModelSettings | null {
  const url = read<string | null>('LANGUAGE_MODEL_URL', SETTINGS.LANGUAGE_MODEL_URL);
  const name = read<string | null>('LANGUAGE_MODEL_NAME', SETTINGS.LANGUAGE_MODEL_NAME);
  const key = read<string | null>('LANGUAGE_MODEL_KEY', SETTINGS.LANGUAGE_MODEL_KEY);
  if (url !== null && name !== null) return { url, name, key };
  if (url === null && name === null && key === null) return null;
  throw new ConfigError(
    'LANGUAGE_MODEL_URL and LANGUAGE_MODEL_NAME belong together: set both, or neither and no LANGUAGE_MODEL_KEY.',
  );
}

/**
 * The language model alone, for conversations without a service. @throws {ConfigError} naming the first bad setting.
 */
export const parseLanguageModel = (env: Environment): LanguageModelSettings | null => languageModelOf(reader(env, []));

/** @throws {ConfigError} naming the first bad setting. */
export function parseConfig(env: Environment = process.env, argv: readonly string[] = []): Config {
  const read = reader(env, argv);
  const mongodbUrl = read<string | null>('MONGODB_URL', SETTINGS.MONGODB_URL);
  const role = read<Role>('ROLE', SETTINGS.ROLE);
  const logFolder = read<string | null>('LOG_EVALUATIONS', SETTINGS.LOG_EVALUATIONS);
  if (role !== 'all' && mongodbUrl === null) {
    throw new ConfigError(
      `ROLE is ${role}, but MONGODB_URL is not set: only processes that share a MongoDB divide roles.`,
    );
  }
  return {
    host: read('HOST', SETTINGS.HOST),
    port: read('PORT', SETTINGS.PORT),
    dataDir: resolve(read('DATA_DIR', SETTINGS.DATA_DIR)),
    mongodbUrl,
    role,
    leaseSeconds: read('LEASE_SECONDS', SETTINGS.LEASE_SECONDS),
    bootstrapApiKey: read<string | null>('BOOTSTRAP_API_KEY', SETTINGS.BOOTSTRAP_API_KEY),
    rateLimitPerMinute: read('RATE_LIMIT_PER_MINUTE', SETTINGS.RATE_LIMIT_PER_MINUTE),
    streamsPerKey: read('STREAMS_PER_KEY', SETTINGS.STREAMS_PER_KEY),
    workers: read('WORKERS', SETTINGS.WORKERS),
    ...pythonConfig(read),
    maxEvaluations: read('MAX_EVALUATIONS', SETTINGS.MAX_EVALUATIONS),
    maxDimensions: read('MAX_DIMENSIONS', SETTINGS.MAX_DIMENSIONS),
    runTimeoutSeconds: read('RUN_TIMEOUT_SECONDS', SETTINGS.RUN_TIMEOUT_SECONDS),
    rates: {
      perCpuSecond: read('COST_PER_CPU_SECOND', SETTINGS.COST_PER_CPU_SECOND),
      perGpuSecond: read('COST_PER_GPU_SECOND', SETTINGS.COST_PER_GPU_SECOND),
      perEvaluation: read('COST_PER_EVALUATION', SETTINGS.COST_PER_EVALUATION),
      currency: read('CURRENCY', SETTINGS.CURRENCY),
    },
    federatedEpsilonLimit: read('FEDERATED_EPSILON_LIMIT', SETTINGS.FEDERATED_EPSILON_LIMIT),
    retention: {
      days: read<number | null>('RETAIN_RUNS_DAYS', SETTINGS.RETAIN_RUNS_DAYS),
      count: read<number | null>('RETAIN_RUNS_COUNT', SETTINGS.RETAIN_RUNS_COUNT),
    },
    evaluationLogs: logFolder === null ? null : { folder: resolve(logFolder) },
    publicUrl: read<PublicUrl | null>('PUBLIC_URL', SETTINGS.PUBLIC_URL),
    trustProxy: read<readonly string[]>('TRUST_PROXY', SETTINGS.TRUST_PROXY),
    tls: tlsOf(read),
    maxBodyBytes: read('MAX_BODY_BYTES', SETTINGS.MAX_BODY_BYTES),
    corsOrigins: read<readonly string[]>('CORS_ORIGINS', SETTINGS.CORS_ORIGINS),
    mcpHosts: read<readonly string[]>('MCP_HOSTS', SETTINGS.MCP_HOSTS),
    webhookAllowNetworks: read<readonly Network[]>('WEBHOOK_ALLOW_NETWORKS', SETTINGS.WEBHOOK_ALLOW_NETWORKS),
    webhookExtraCa: read<string | null>('WEBHOOK_EXTRA_CA', SETTINGS.WEBHOOK_EXTRA_CA),
    languageModel: languageModelOf(read),
    logLevel: read<LogLevel>('LOG_LEVEL', SETTINGS.LOG_LEVEL),
  };
}
