#!/usr/bin/env node
/** `extremum COMMAND ...`: the table of commands, and how one is found. */
import { nearMatch } from '../common/near-match.js';
import { packageVersion } from '../common/version.js';
import { ConfigError, parseConfig, settingsHelp } from '../config.js';
import { bench, BENCH_USAGE } from './bench.js';
import { createKey, KEYS_USAGE, listKeys, newSecret, revokeKey } from './keys.js';
import { ExitCode, optimize } from './optimize.js';
import { OPTIMIZE_USAGE } from './optimize-options.js';
import { complain } from './text-safety.js';
import { generateKey } from '../identity/key-format.js';

interface Command {
  readonly name: string;
  /** Its lines in the usage. */
  readonly usage: string;
  /** Carries it out. Returns the exit code; undefined: it sets its own, or succeeds. */
  run(argv: readonly string[]): Promise<number | void>;
  /** Whoever reads what it prints may have seen enough: no more is written, and nothing is wrong. */
  readonly isQuietPipe: boolean;
}

/** In the order of the usage. What takes longer to load than a short search takes is loaded by its `run`. */
const COMMANDS: readonly Command[] = [
  { name: 'optimize', usage: OPTIMIZE_USAGE, run: optimize, isQuietPipe: true },
  { name: 'bench', usage: BENCH_USAGE, run: bench, isQuietPipe: false },
  {
    name: 'devices',
    usage: 'extremum devices [--json]                        the GPUs of this host, measured and checked',
    run: async (argv) => (await import('./devices.js')).devices(argv),
    isQuietPipe: true,
  },
  {
    name: 'domains',
    usage: 'extremum domains list | example | solve          business problems; "extremum domains --help"',
    run: async (argv) => (await import('./domains.js')).domains(argv),
    isQuietPipe: true,
  },
  {
    name: 'ask',
    usage: 'extremum ask ["DESCRIPTION"]                     the same in your own words; "extremum ask --help"',
    run: async (argv) => (await import('./ask.js')).ask(argv),
    isQuietPipe: true,
  },
  {
    name: 'serve',
    usage: 'extremum serve [--port N] [--data-dir DIR] ...   start the service; "extremum serve --help"',
    run: async (argv) => (asksForHelp(argv) ? console.log(serveHelp()) : (await import('../main.js')).serve(argv)),
    isQuietPipe: false,
  },
  {
    name: 'mcp',
    usage:
      'extremum mcp [--url URL | --data-dir DIR] ...    tools for agents, over standard input and output; "extremum mcp --help"',
    run: async (argv) => (asksForHelp(argv) ? console.log(MCP_HELP) : (await import('./mcp.js')).mcp(argv)),
    isQuietPipe: false,
  },
  {
    name: 'keys',
    usage: `${KEYS_USAGE}; "extremum keys --help"
  extremum keys generate                           a new key for BOOTSTRAP_API_KEY; stores nothing`,
    run: keys,
    isQuietPipe: false,
  },
];

const usage = (): string => `Extremum searches for the best values of a function's variables.

Usage:
${COMMANDS.map((command) => `  ${command.usage}\n`).join('')}  extremum --version

A first search: extremum optimize examples/rastrigin.py --bounds=-5:5x10`;

const serveHelp = (): string => `Usage: extremum serve [settings]

Starts the service and prints its address. The first start on a new database also prints the first API key, once. Ends at SIGTERM or
Ctrl-C: unfinished runs are saved and go on at the next start.

  extremum serve                                          on 127.0.0.1:8080, data in ./data
  extremum serve --host 0.0.0.0 --port 80 --data-dir /var/lib/extremum
  MONGODB_URL=mongodb://db/extremum?replicaSet=rs0 extremum serve --role engine --workers 16

Exit codes: 0 stopped as asked; 1 not started, with the reason in one line, or not stopped in time (runs go on from their last checkpoint
at the next start); 130 ended by a second signal.

Settings, each also by the environment (--data-dir is DATA_DIR); a flag wins:
${settingsHelp()}`;

const MCP_HELP = `Usage: extremum mcp [--url URL] [--data-dir DIR] [settings of extremum serve]

Speaks the Model Context Protocol over standard input and output, for agents: optimise a Python function, check it, solve a business
problem, ask and tell, explain, compare and draw runs. To be started by the agent's host:

  { "mcpServers": { "extremum": { "command": "npx", "args": ["extremum", "mcp"] } } }

  --url URL        a running service, with the key of EXTREMUM_API_KEY; nothing is started here
  --data-dir DIR   a service of its own on a free port of 127.0.0.1 that keeps runs there (default: in a temporary folder that is
                   removed at the end). The key of DIR is in DIR/mcp-key

Exit codes: 0 the input ended; 1 not started, with the reason in one line on standard error.`;

const KEYS_HELP = `Usage: extremum keys create | list | revoke | new-secret | generate

API keys, while the service runs or not. A key is shown once, when it is made; only a keyed hash is stored.

  extremum keys create --account NAME --scopes read,run,admin [--name NAME] [--expires-at TIME]
      Makes a key and prints it, alone on standard output. A new account where the name is new.
      Scopes: read (every GET), run (functions, runs, webhooks), admin (everything, and keys).
      --name is for people; --expires-at is a time such as 2030-01-31T12:00:00Z, absent: never.
  extremum keys list --account NAME
      One line a key: identifier, scopes, expiry, last use, name. Nothing secret.
  extremum keys revoke --account NAME --id KEY_ID
      For good, at once. --id is the identifier that \`list\` shows.
  extremum keys new-secret
      Only where the secret that keys are checked with (DATA_DIR/pepper) is lost, and no backup has it: makes another one, while the
      service is stopped. Every API key becomes invalid; make new ones with \`create\`. Secrets of webhooks are lost, too: rotate them.
  extremum keys generate
      Prints a new key that no store knows yet, for BOOTSTRAP_API_KEY of an automated installation. Stores nothing.

Where the keys are, for the first four: [--data-dir DIR | --mongodb-url URL] as given to the service (environment: DATA_DIR, MONGODB_URL).

  extremum keys create --account team --scopes read,run --name laptop
  extremum keys list --account team

The account of the first start is "default".

Exit codes: 0 done; 1 not done, with the reason in one line on standard error.`;

function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

async function keys([sub, ...rest]: readonly string[]): Promise<number | void> {
  if (sub === undefined || sub === 'help' || asksForHelp([sub, ...rest])) return console.log(KEYS_HELP);
  if (sub === 'generate' && rest.length === 0) return console.log(generateKey());
  if (sub === 'create') return console.log(await createKey(rest, parseConfig));
  if (sub === 'list') {
    for (const line of await listKeys(rest, parseConfig)) console.log(line);
    return;
  }
  if (sub === 'revoke') return revokeKey(rest, parseConfig);
  if (sub === 'new-secret') {
    const invalid = await newSecret(rest, parseConfig);
    return console.log(
      `A new secret is made. API keys that are invalid now: ${invalid}. \`extremum keys create\` makes new ones.`,
    );
  }
  console.error(usage());
  return ExitCode.Failed;
}

async function run([name, ...argv]: readonly string[]): Promise<number | void> {
  if (name === '--version' || name === '-V' || name === 'version') return console.log(packageVersion());
  if (name === undefined || name === 'help' || asksForHelp([name])) return console.log(usage());
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) {
    if (command.isQuietPipe) for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    return command.run(argv);
  }
  const meant = nearMatch(
    name,
    COMMANDS.map((one) => one.name),
  );
  complain(
    `There is no command ${JSON.stringify(name)}${meant === null ? '.' : `; did you mean ${meant}?`}\n${usage()}`,
  );
  return ExitCode.Usage;
}

try {
  const code = await run(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  const message = (await import('../main.js')).startFailure(error);
  if (message === null) throw error;
  complain(message);
  const isUsage = process.argv[2] === 'bench' && error instanceof ConfigError;
  process.exitCode = isUsage ? ExitCode.Usage : ExitCode.Failed;
}
