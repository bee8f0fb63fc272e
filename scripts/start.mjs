/**
 * `npm start [-- --port N --data-dir DIR --no-example ...]`: sets up what is missing, starts the service in this
 * process, and shows it at work with the bundled example. Serves until Ctrl-C. A first start serves before all is
 * built: objectives run as WebAssembly until the native addon is there, which takes a minute or two.
 */
import './support/require-node.mjs';
import { buildBeside, BuildError, buildToServe, note } from './build.mjs';
import { curlCommand, ExampleError, runExample } from './support/example-run.mjs';

const say = (line) => console.log(line);

function stopWith(message) {
  console.error(message);
  process.exit(1);
}

const argv = process.argv.slice(2);
const withExample = !argv.includes('--no-example');
const settings = argv.filter((argument) => argument !== '--no-example');

if (argv.includes('--help') || argv.includes('-h')) {
  say('Usage: npm start -- [--no-example] [settings]');
  say('Sets up what is missing, starts the service and, without --no-example, shows it at work. Serves until Ctrl-C.');
  say(
    'The settings, once something is built: npx --no-install extremum serve --help. Or see docs/guides/operating.md.',
  );
  process.exit(0);
}

// At a terminal the lines for people come first; a log that is collected keeps every request.
const logLevelGiven = process.env['LOG_LEVEL'] !== undefined || settings.some((flag) => flag.startsWith('--log-level'));
if (process.stderr.isTTY && !logLevelGiven) settings.push('--log-level', 'warn');

const HINT = '(--no-example starts without the example run.)';
let config;
let setUp;
try {
  setUp = await buildToServe(async () => {
    const { parseConfig, ConfigError } = await import('../dist/config.js');
    try {
      config = parseConfig(process.env, settings);
    } catch (error) {
      throw error instanceof ConfigError ? new BuildError(`${error.message} ${HINT}`) : error;
    }
  });
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  stopWith(error.message);
}
for (const notice of setUp.notices) say(notice);

const { startFailure, startService } = await import('../dist/main.js');
let service;
try {
  service = await startService(config);
} catch (error) {
  const message = startFailure(error, config);
  if (message === null) throw error;
  stopWith(message);
}

let stopping = false;
let stoppingSince = 0;
const beside = new AbortController();

function stop() {
  stopping = true;
  stoppingSince = Date.now();
  beside.abort();
  say('Stopping ...');
  service.close().then(
    () => process.exit(0),
    (error) => stopWith(`The service did not stop cleanly: ${error.stack}`),
  );
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (!stopping) stop();
    // One Ctrl-C may come twice: from the terminal and passed on by npm. A later one means it.
    else if (Date.now() - stoppingSince > 1_500) process.exit(130);
  });
}
// `npm start` does not pass every signal on: a service whose npm is gone would run on unseen.
if (process.env['npm_lifecycle_event'] === 'start') {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !stopping) stop();
  }, 1_000).unref();
}

const served = service.publicUrl === service.url ? service.url : `${service.url}, known as ${service.publicUrl}`;
const place = config.mongodbUrl === null ? `data in ${config.dataDir}` : 'data in MongoDB';
say(
  config.role === 'engine'
    ? `Extremum carries out runs; ${service.url} has /livez, /readyz and /metrics (${place}; documentation: README.md)`
    : `Extremum serves on ${served} (${place}; documentation: README.md)`,
);
for (const notice of service.notices) say(notice);
const { isAddonLater, isDashboardLater } = setUp;
if (isAddonLater) {
  say(
    'The native addon is built beside it: until it is there, objectives run as WebAssembly, slower, to the same bits.',
  );
}
const { dashboard, rest } = isAddonLater || isDashboardLater ? buildRest() : {};

/** Resolved each: once the dashboard can be opened, and once all is done. */
function buildRest() {
  let onDashboard;
  const dashboard = new Promise((resolve) => (onDashboard = resolve));
  const rest = buildBeside({ onDashboard, signal: beside.signal }).then(
    ({ notices }) => {
      if (stopping) return;
      if (isAddonLater && notices.length === 0) note('The native addon is ready: runs that begin now use it.');
      for (const notice of notices) note(notice);
    },
    (error) => {
      onDashboard();
      note(`The rest could not be built: ${error.stack}`);
    },
  );
  return { dashboard, rest };
}

if (service.bootstrapKey) {
  say('');
  say(`API key of the first account, shown only this once:  ${service.bootstrapKey}`);
  say('');
}
const withKeys = config.role !== 'engine';
const key = service.bootstrapKey ?? process.env['EXTREMUM_API_KEY'] ?? config.bootstrapApiKey;
if (!withKeys) {
  // Nobody asks anything here.
} else if (key === null) {
  say(
    'Keys of earlier starts still work. A new one: npx --no-install extremum keys create --account default --scopes read,run,admin',
  );
  if (withExample) say('The example runs when EXTREMUM_API_KEY holds a key (it is uploaded through the API).');
} else if (withExample && config.tls !== null) {
  say('The example does not run: it asks by HTTP, and this service has TLS_CERTIFICATE.');
} else if (withExample) {
  try {
    const { request } = await runExample(service.url, key, say);
    say('');
    say('Run it yourself:');
    say('');
    for (const line of curlCommand(service.publicUrl, service.bootstrapKey ? key : '$EXTREMUM_API_KEY', request))
      say(line);
    say('');
  } catch (error) {
    if (stopping) {
      // Ctrl-C during the example: the connection went away with the service.
    } else if (error instanceof ExampleError) say(`The example did not work: ${error.message}`);
    else throw error;
  }
}
await dashboard;
if (!stopping && withKeys && key !== null) {
  say('The dashboard, without pasting a key (this link works once, for 15 minutes):');
  say('');
  say(`  ${service.dashboardLink(key)}`);
  say('');
}
if (!stopping && withKeys) say(`Every call of the API, to try in a browser: ${service.publicUrl}/docs`);
if (!stopping) say('Serving until Ctrl-C.');
await rest;
