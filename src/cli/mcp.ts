/**
 * `extremum mcp`: the Model Context Protocol over standard input and output. It hands messages on to `/mcp` of a
 * service, a running one or one of its own, so that both ways are one.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { isInitializedNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ConfigError, parseConfig } from '../config.js';
import { generateKey } from '../identity/key-format.js';
import { startService } from '../main.js';

const KEY_FILE = 'mcp-key';
/** JSON-RPC leaves these numbers to servers. */
const NOT_REACHED = -32_000;

interface Reached {
  readonly url: string;
  readonly key: string;
  close(): Promise<void>;
}

/** Serves until the input ends. @throws {ConfigError} */
export async function mcp(argv: readonly string[]): Promise<number> {
  const { url, dataDir, settings } = parse(argv);
  const service = url === undefined ? await ownService(dataDir, settings) : running(url, settings);
  try {
    await pass(service);
  } finally {
    await service.close();
  }
  return 0;
}

function parse(argv: readonly string[]): {
  readonly url?: string;
  readonly dataDir?: string;
  readonly settings: readonly string[];
} {
  const own = new Map<string, string>();
  const settings: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [flag = '', inline] = (argv[i] ?? '').split(/=(.*)/s, 2);
    if (flag !== '--url' && flag !== '--data-dir') {
      settings.push(argv[i] ?? '');
      continue;
    }
    const value = inline ?? argv[++i];
    if (value === undefined || value === '') throw new ConfigError(`${flag} needs a value.`);
    own.set(flag, value);
  }
  const url = own.get('--url');
  const dataDir = own.get('--data-dir');
  if (url !== undefined && dataDir !== undefined) throw new ConfigError('--url and --data-dir exclude each other.');
  return { ...(url === undefined ? {} : { url }), ...(dataDir === undefined ? {} : { dataDir }), settings };
}

function running(url: string, settings: readonly string[]): Reached {
  const key = process.env['EXTREMUM_API_KEY'];
  if (key === undefined || key === '')
    throw new ConfigError('--url needs the API key of the service in EXTREMUM_API_KEY.');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`--url is ${JSON.stringify(url)}; it must be an address such as http://127.0.0.1:8080.`);
  }
  const [extra] = settings;
  if (extra !== undefined) throw new ConfigError(`${extra} does not go with --url.`);
  return { url, key, close: async () => {} };
}

async function ownService(dataDir: string | undefined, settings: readonly string[]): Promise<Reached> {
  const folder = dataDir ?? mkdtempSync(path.join(tmpdir(), 'extremum-mcp-'));
  const removeFolder = (): void => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const key = keyOf(folder);
    const env = { LOG_LEVEL: 'warn', ...process.env, MONGODB_URL: undefined, BOOTSTRAP_API_KEY: key };
    const config = parseConfig(env, [...settings, '--host', '127.0.0.1', '--port', '0', '--data-dir', folder]);
    const service = await startService(config);
    const close = async (): Promise<void> => {
      await service.close();
      removeFolder();
    };
    return { url: service.url, key, close };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** The key of the folder, made at the first start. Whoever may read the file may read the database beside it, too. */
function keyOf(folder: string): string {
  const file = path.join(folder, KEY_FILE);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${generateKey()}\n`, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8').trim();
}

/** Hands messages on in both directions until the input ends. */
async function pass({ url, key }: Reached): Promise<void> {
  const here = new StdioServerTransport();
  const there = new StreamableHTTPClientTransport(new URL(`${url.replace(/\/$/, '')}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  let initializing: string | number | null = null;
  there.onmessage = (message) => {
    // What was agreed on goes with each request that follows.
    if ('id' in message && message.id === initializing && 'result' in message) {
      const { protocolVersion } = message.result as { protocolVersion?: unknown };
      if (typeof protocolVersion === 'string') there.setProtocolVersion(protocolVersion);
    }
    void here.send(message);
  };
  const send = async (message: JSONRPCMessage): Promise<void> => {
    if (isJSONRPCRequest(message) && message.method === 'initialize') initializing = message.id;
    try {
      await there.send(message);
    } catch (error) {
      // Without the stream of what the server says by itself a session goes on.
      if (isInitializedNotification(message)) return;
      const text = error instanceof Error ? error.message : String(error);
      process.stderr.write(`extremum mcp: ${text}\n`);
      if (isJSONRPCRequest(message)) {
        await here.send({ jsonrpc: '2.0', id: message.id, error: { code: NOT_REACHED, message: text } });
      }
    }
  };
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  here.onmessage = (message) => void send(message);
  await there.start();
  await here.start();
  await ended;
  await there.terminateSession().catch(() => {});
  await there.close();
  await here.close();
}
