/** A service behind Caddy and nginx, as docs/guides/proxies.md configures them: `npm run check:proxies`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { ask, checkFront } from '../support/behind-proxy.js';
import { createAuthority } from '../support/certificates.js';
import { startTestService, type TestService } from '../support/service.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-proxies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guide = readFileSync(path.join(packageRoot(), 'docs/guides/proxies.md'), 'utf8');
/** The first block of the guide after its heading. */
const configurationOf = (name: string): string =>
  new RegExp(`^## ${name}\\n.*?^\`\`\`\\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1] ?? '';

const authority = createAuthority();
const issued = authority.issue({ names: ['localhost'] });
const certificate = path.join(folder, 'cert.pem');
const key = path.join(folder, 'key.pem');
writeFileSync(certificate, issued.cert);
writeFileSync(key, issued.key);

const programOf = (name: string): string | null =>
  [name, `/usr/sbin/${name}`].find((program) => spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined) ??
  null;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

let proxy: ChildProcess | null = null;
let service: TestService | null = null;
afterEach(async () => {
  if (proxy !== null && proxy.exitCode === null) {
    const exit = once(proxy, 'exit');
    proxy.kill('SIGTERM');
    await exit;
  }
  await service?.cleanUp();
});

/** `start`: the proxy on `port`, to the service at `target`. */
async function behind(start: (port: number, target: string) => ChildProcess): Promise<void> {
  const port = await freePort();
  const url = `https://localhost:${port}/optimizer`;
  service = await startTestService({ flags: ['--public-url', url, '--trust-proxy', 'loopback', '--python', 'off'] });
  proxy = start(port, service.url.replace('http://', ''));
  const front = { url, key: service.key, ca: authority.cert };
  for (;;) {
    const answers = await ask(front, `${url}/livez`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (answers) break;
    if (proxy.exitCode !== null) throw new Error('the proxy has ended');
    await sleep(50);
  }
  await checkFront(front);
}

describe('the configurations of the guide', () => {
  it('Caddy', async (context) => {
    const program = programOf('caddy');
    context.skip(program === null, 'Caddy is not installed (Debian: apt-get install caddy)');
    await behind((port, target) => {
      const file = path.join(folder, 'Caddyfile');
      // As in the guide, but for names: no certificate is to be fetched, and nothing but this port is to be opened.
      const site = configurationOf('Caddy')
        .replace('example.org {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`)
        .replace('127.0.0.1:8080', target);
      writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      return spawn(program!, ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
    });
  }, 120_000);

  it('nginx', async (context) => {
    const program = programOf('nginx');
    context.skip(program === null, 'nginx is not installed (Debian: apt-get install nginx-light)');
    await behind((port, target) => {
      const home = path.join(folder, 'nginx');
      mkdirSync(home);
      const file = path.join(home, 'nginx.conf');
      const site = configurationOf('nginx')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('server_name example.org', 'server_name localhost')
        .replace('/etc/ssl/example.org.pem', certificate)
        .replace('/etc/ssl/example.org.key', key)
        .replace('127.0.0.1:8080', target);
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const temporary = places.map((name) => `  ${name}_temp_path ${home}/${name};`).join('\n');
      writeFileSync(
        file,
        `pid ${home}/nginx.pid;\nerror_log ${home}/error.log;\nevents {}\nhttp {\n  access_log off;\n${temporary}\n${site}}\n`,
      );
      return spawn(program!, ['-c', file, '-p', home, '-g', 'daemon off;'], { stdio: 'ignore' });
    });
  }, 120_000);
});
