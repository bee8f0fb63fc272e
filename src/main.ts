/**
 * The composition root of the service. `startService` starts everything and listens; run as
 * a program (`node dist/main.js --port 8080`) it also prints, and stops on SIGTERM and SIGINT.
 */
import { readFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { isIPv6, type AddressInfo, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import { rollUpJob } from './analytics/roll-up.js';
import { TrafficMeter } from './analytics/traffic.js';
import { AnalyticsService } from './analytics/analytics-service.js';
import { createHttpServer, patienceFor, type TlsIdentity } from './api/http-server.js';
import { Idempotency } from './api/idempotency.js';
import { createMetrics, type Metrics } from './api/prometheus.js';
import { createApp, createProbesApp } from './app.js';
import { ExtremumError } from './common/errors.js';
import { createIdSource } from './common/ids.js';
import { giveBackAfterStart } from './common/idle-memory.js';
import { SteadyClock } from './common/steady-clock.js';
import type { Logger } from './common/logger.js';
import { Exporter } from './exports/export-file.js';
import { packageVersion } from './common/version.js';
import { ConfigError, parseConfig, type Config, type TlsFiles } from './config.js';
import { IdentityService } from './identity/identity-service.js';
import { SessionService } from './identity/session-service.js';
import { createSeal } from './identity/seal.js';
import { createJobs } from './jobs/open-jobs.js';
import { FunctionService } from './runs/function-service.js';
import { HealthService } from './runs/health-service.js';
import { FederationService } from './learning/federation/federation-service.js';
import { LearningService } from './learning/learning-service.js';
import { retentionJob, type Retention } from './runs/run-removal.js';
import { RunService } from './runs/run-service.js';
import { WorkerPools, type ThreadFaults } from './runs/worker-pools.js';
import { startPython } from './sandboxed-python.js';
import type { NoteDamage } from './storage/damage.js';
import { openStore } from './storage/open-store.js';
import { strategies } from './planner/all-strategies.js';
import type { StrategyFactory } from './strategies/strategy.js';
import { needsProgram } from './strategies/suitability.js';
import { ConversationService } from './conversations/conversation-service.js';
import { openLanguageModel } from './conversations/language-model.js';
import { StudyService } from './studies/study-service.js';
import { StudyThreads } from './studies/study-threads.js';
import { addressRule } from './webhooks/addresses.js';
import { Sender } from './webhooks/sender.js';
import { HttpsTransport } from './webhooks/transport.js';
import { WebhookService } from './webhooks/webhook-service.js';

const EXPIRE_EVERY_MS = 600_000;
const ROLL_UP_EVERY_MS = 60_000;
const CLOCKS_EVERY_MS = 60_000;
const RETAIN_EVERY_MS = 300_000;
const TLS_EVERY_MS = 60_000;
/** For so long the clock must have gone as it should before anything is removed by its time. */
const STEADY_MS = 3_600_000;
const CONNECTION_GRACE_MS = 2_000;
const STOP_DEADLINE_MS = 9_500;
const ABANDON_MS = 1_000;
/** Threads that hold the states of studies: their work is short. */
const MAX_STUDY_THREADS = 4;
const MAX_DAMAGED_KNOWN = 10_000;

export interface Service {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where clients find it: `PUBLIC_URL`, or the same. */
  readonly publicUrl: string;
  /** The first account's admin key, only where this start has made one. Show it: it cannot be read again. */
  readonly bootstrapKey?: string;
  /** A link that opens the dashboard with that key: once, within a quarter of an hour. */
  dashboardLink(key: string): string;
  /** For people, at the start: what is missing on this machine. */
  readonly notices: readonly string[];
  /** Stops accepting, saves unfinished runs, ends threads and Python processes. Takes less than 10 s. */
  close(): Promise<void>;
  /** Before the end of the process without `close`: resolves when that cannot abort it within SQLite. */
  abandon(): Promise<void>;
}

/**
 * Resolves when the service answers. `faults`: for tests.
 * @throws {ExtremumError} `conflict`: another process has the data directory; `store_unavailable`; `invalid_request`: a
 * bad `BOOTSTRAP_API_KEY`. System errors of listening (`EADDRINUSE`, `EACCES`) come as they are.
 */
export async function startService(config: Config, faults: ThreadFaults = {}): Promise<Service> {
  // Lines for people go to stdout, the log to stderr, so that neither hides the other.
  const logger = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: true }));
  const undo: (() => Promise<unknown>)[] = [];
  try {
    return await start(config, faults, logger, undo);
  } catch (error) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

type Undo = (() => Promise<unknown>)[];

async function start(config: Config, faults: ThreadFaults, logger: Logger, undo: Undo): Promise<Service> {
  // First of all: a taken port must not cost a migrated database or started threads.
  const { server, serveRequests } = await openDoor(config, logger);
  undo.push(() => closeServer(server, new Set(), 0));
  const grounds = await layGrounds(config, faults, logger, undo);
  const services = makeServices(config, logger, grounds, undo);
  const { store, python, jobs, identity, version } = grounds;
  const app = makeApp(config, logger, grounds, services);
  await services.runs.start();
  const sockets = trackSockets(server);
  // Late: a key that was made by a start that then failed would never be shown.
  const bootstrapKey = hasApi(config) ? await identity.ensureFirstKey(config.bootstrapApiKey) : null;
  // It cannot fail, and Agenda's timers would hold up the end of a start that does.
  await jobs.start();
  serveRequests(app);

  // A forgotten promise is a defect to be logged, not a reason to take everybody's runs down.
  const logRejection = (error: unknown): void => logger.error({ err: error }, 'unhandled rejection');
  process.on('unhandledRejection', logRejection);
  undo.push(async () => process.off('unhandledRejection', logRejection));

  const url = urlOf(config, (server.address() as AddressInfo).port);
  const publicUrl = config.publicUrl?.url ?? url;
  const { role, dataDir, workers } = config;
  const place = store.capabilities.exclusive ? { dataDir } : {};
  logger.info({ url, role, store: store.kind, ...place, workers, version }, 'listening');

  const keepMemory = giveBackAfterStart();

  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    logger.info({}, 'stopping');
    keepMemory();
    // Much of what is waited for here does not keep the process alive by itself.
    const keepAlive = setInterval(() => {}, 1_000);
    services.health.beginShutdown();
    // Runs first: their end answers the requests that wait for them.
    const serverClosed = closeServer(server, sockets, CONNECTION_GRACE_MS);
    await Promise.all([services.runs.close(), jobs.stop().then(() => services.sender.close())]);
    await serverClosed;
    const { studyThreads, traffic } = services;
    await Promise.all([grounds.pools.close(), studyThreads.close(), python.close(), traffic.store()]);
    await store.close();
    process.off('unhandledRejection', logRejection);
    clearInterval(keepAlive);
    logger.info({}, 'stopped');
  };
  return {
    url,
    bootstrapKey: bootstrapKey ?? undefined,
    // In the fragment, which no browser sends: it is in no log and in no `Referer`.
    publicUrl,
    dashboardLink: (key) => `${publicUrl}/dashboard#/enter/${grounds.sessions.issueTicket(key)}`,
    notices: python.notices,
    close: () => (closing ??= close()),
    abandon: () => (store.capabilities.exclusive ? store.close() : Promise.resolve()),
  };
}

const hasApi = ({ role }: Config): boolean => role !== 'engine';

/** Listens. Whoever connects while the rest starts is answered once it has. */
async function openDoor(
  config: Config,
  logger: Logger,
): Promise<{ server: Server; serveRequests: (app: RequestListener) => void }> {
  let serveRequests: (app: RequestListener) => void = () => {};
  const ready = new Promise<RequestListener>((resolve) => (serveRequests = resolve));
  const answer: RequestListener = (req, res) => void ready.then((app) => app(req, res));
  const { tls } = config;
  const identity = tls === null ? null : readTls(tls);
  const server = createHttpServer(answer, patienceFor(config.maxBodyBytes), identity);
  if (tls !== null) server.once('close', followTls(server as TlsServer, tls, JSON.stringify(identity), logger));
  await listen(server, config.host, config.port);
  return { server, serveRequests };
}

const readTls = ({ certificate, key }: TlsFiles): TlsIdentity => ({
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

/**
 * Certificates are renewed while the service runs: connections from then on see the new one. Returns what ends that.
 * `shown`: what the server has, as JSON.
 */
function followTls(server: TlsServer, files: TlsFiles, shown: string, logger: Logger): () => void {
  let trouble = '';
  const timer = setInterval(() => {
    try {
      const identity = readTls(files);
      if (JSON.stringify(identity) === shown) return;
      server.setSecureContext(identity);
      shown = JSON.stringify(identity);
      trouble = '';
      logger.info({}, 'the renewed certificate is shown from now on');
    } catch (error) {
      // Perhaps half of a renewal, and the other file will follow.
      const { message } = error as Error;
      if (message !== trouble)
        logger.warn({ err: error }, 'a changed certificate cannot be used; the earlier one stays');
      trouble = message;
    }
  }, TLS_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** What all services stand on: the store, threads, Python, and what becomes due by itself. */
async function layGrounds(config: Config, faults: ThreadFaults, logger: Logger, undo: Undo) {
  const clock = Date.now;
  const ids = createIdSource(clock);
  const version = packageVersion();
  const metrics = createMetrics(version);
  const store = await openStore(config, true, damageNotes(logger, metrics));
  undo.push(() => store.close());
  const pepper = await store.keySecret();
  const identity = new IdentityService({ store, pepper, ids, clock, logger });
  const sessions = new SessionService({ store, identity, clock, logger });
  // The attempts of an earlier process are over.
  if (store.capabilities.exclusive) await Promise.all([store.expireRequests(), store.expireDeliveries()]);
  const pools = new WorkerPools(config.role === 'api' ? 0 : config.workers, logger, faults);
  undo.push(() => pools.close());
  const leaseMs = config.leaseSeconds * 1_000;
  const steady = new SteadyClock(clock, STEADY_MS);
  const jobs = createJobs(config, { clock, logger, metrics });
  undo.push(() => jobs.stop());
  const { retention } = config;
  defineUpkeep(jobs, { store, steady, clock, leaseMs, logger, retention });
  const python = await startPython(config, logger, { taken: metrics.pythonTaken, ended: metrics.pythonEnded });
  undo.push(() => python.close());
  return {
    clock,
    ids,
    version,
    metrics,
    store,
    pepper,
    identity,
    sessions,
    pools,
    leaseMs,
    steady,
    jobs,
    python,
  };
}

type Grounds = Awaited<ReturnType<typeof layGrounds>>;

/** What has to be done in the store from time to time, whatever else happens. */
function defineUpkeep(
  jobs: Grounds['jobs'],
  {
    store,
    steady,
    clock,
    leaseMs,
    logger,
    retention,
  }: Pick<Grounds, 'store' | 'steady' | 'clock' | 'leaseMs'> & { logger: Logger; retention: Retention },
): void {
  const bringBackTimes = async (): Promise<null> => {
    if (await store.bringBackTimes(clock(), leaseMs)) {
      logger.warn({}, 'a clock was ahead: leases and times that it left in the future end now');
    }
    return null;
  };
  // Of 0 nothing has expired; what has no time is done.
  jobs.define('expire', () => store.removeExpired(steady.now() ?? 0).then(() => null), { everyMs: EXPIRE_EVERY_MS });
  jobs.define('clocks', bringBackTimes, { everyMs: CLOCKS_EVERY_MS });
  jobs.define('roll-up', rollUpJob(store, clock), { everyMs: ROLL_UP_EVERY_MS });
  jobs.define(
    'retain',
    retentionJob(store, retention, () => steady.now()),
    { everyMs: RETAIN_EVERY_MS },
  );
}

function makeServices(config: Config, logger: Logger, grounds: Grounds, undo: Undo) {
  const { clock, ids, version, metrics, store, pepper, pools, leaseMs, jobs, python } = grounds;
  const { verify } = config;
  const { sender, webhooks } = makeWebhooks(config, logger, grounds);
  const functions = new FunctionService({ store, pools, python, ids, metrics, logger, verify });
  const federation = new FederationService({ store, clock, epsilonLimit: config.federatedEpsilonLimit });
  const learning = new LearningService(store, federation);
  const runs = new RunService({
    store,
    learning,
    pools,
    python,
    ids,
    clock,
    logger,
    metrics,
    verify,
    leaseMs,
    evaluationLogs: config.evaluationLogs,
    eventsStored: () => sender.eventsStored(),
    runsRemoved: () => jobs.nudge('retain'),
    // Cores that no run occupies help those that evaluate large populations.
    threadsPerRun: Math.max(1, Math.floor(availableParallelism() / config.workers)),
  });
  const studyThreads = new StudyThreads(Math.min(MAX_STUDY_THREADS, availableParallelism()), logger);
  undo.push(() => studyThreads.close());
  const studies = new StudyService({ store, threads: studyThreads, clock, logger });
  const languageModel = config.languageModel === null ? null : openLanguageModel(config.languageModel);
  const conversations = new ConversationService({ store, clock, languageModel });
  metrics.watch(() => ({ runs: runs.status(), quickQueue: pools.quickQueue, python: python.counts() }));
  const health = new HealthService({
    version,
    store,
    runs,
    jobs,
    python,
    probe: () => pools.probe(),
    // A process that carries out no runs has no use for a context on a device.
    devices: () => pools.devices(config.role !== 'api'),
  });
  const analytics = new AnalyticsService({ store, clock, rates: config.rates });
  const traffic = new TrafficMeter(store, logger);
  const seal = createSeal(pepper, 'answers');
  const idempotency = new Idempotency({ store, seal, clock, ids, logger, leaseMs });
  return {
    sender,
    webhooks,
    functions,
    federation,
    learning,
    runs,
    studyThreads,
    studies,
    conversations,
    health,
    analytics,
    traffic,
    idempotency,
  };
}

function makeWebhooks(
  config: Config,
  logger: Logger,
  { store, pepper, jobs, clock, ids, metrics, version, leaseMs, steady }: Grounds,
): { readonly sender: Sender; readonly webhooks: WebhookService } {
  const transport = new HttpsTransport({
    allows: addressRule(config.webhookAllowNetworks),
    extraCa: config.webhookExtraCa,
  });
  const parts = { store, seal: createSeal(pepper, 'webhook secrets'), transport, jobs, clock };
  const isClockSteady = (): boolean => steady.now() !== null;
  return {
    sender: new Sender({ ...parts, logger, metrics, version, leaseMs, isClockSteady }),
    webhooks: new WebhookService({ ...parts, ids }),
  };
}

function makeApp(config: Config, logger: Logger, grounds: Grounds, services: ReturnType<typeof makeServices>) {
  const { clock, version, metrics, store, identity, sessions, python } = grounds;
  const { health, traffic } = services;
  if (!hasApi(config)) return createProbesApp({ config, logger, health, metrics });
  return createApp({
    ...services,
    // What functions may ask for is what holds here, which may be less than what was set.
    config: { ...config, pythonLimits: python.limits ?? config.pythonLimits },
    version,
    logger,
    clock,
    identity,
    sessions,
    metrics,
    settings: store,
    counts: store,
    noteTraffic: traffic.note,
    exporter: new Exporter({}, metrics),
    strategies: strategies.map(choiceOf),
    callingStrategies: strategies.filter(({ capabilities }) => !needsProgram(capabilities)).map(choiceOf),
    pythonMinor: python.pythonMinor,
  });
}

/** Logs one line for each damaged record: a list that it belongs to may be asked for all the time. */
function damageNotes(logger: Logger, metrics: Metrics): NoteDamage {
  const known = new Set<string>();
  return (record, error) => {
    if (known.has(record) || known.size >= MAX_DAMAGED_KNOWN) return;
    known.add(record);
    metrics.recordDamaged();
    logger.error({ err: error, record }, 'a record is damaged in the database');
  };
}

const choiceOf = ({ name, capabilities: { maxDimension, objectives = [1, 1] } }: StrategyFactory) => ({
  name,
  maxDimension,
  objectives,
});

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Stops accepting at once; connections get `graceMs` to finish what they are in. */
async function closeServer(server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

const urlOf = ({ host, tls }: Config, port: number): string =>
  `${tls === null ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Message to the operator about a failed start; null for a defect of ours, which keeps its stack. */
export function startFailure(error: unknown, config?: Config): string | null {
  if (error instanceof ConfigError || error instanceof ExtremumError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  const place = config === undefined ? 'the address' : `${config.host}:${config.port}`;
  switch (code) {
    case 'EADDRINUSE':
      return `Port taken: something already listens on ${place}. Stop it, or choose another port (--port N).`;
    case 'EACCES':
      return `This user may not listen on ${place}. Choose a port above 1023 (--port N).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${place} is no address of this machine (--host).`;
    default:
      return null;
  }
}

/** Serves until SIGTERM or SIGINT; sets the exit code. A second signal ends the process at once. */
export async function serve(argv: readonly string[]): Promise<void> {
  let config: Config | undefined;
  let service: Service;
  try {
    config = parseConfig(process.env, argv);
    service = await startService(config);
  } catch (error) {
    const message = startFailure(error, config);
    if (message === null) throw error;
    console.error(message);
    process.exitCode = 1;
    return;
  }
  let stopping = false;
  /** Ends the process, whatever is under way. */
  const end = (code: number): void => {
    const exit = (): never => process.exit(code);
    service.abandon().then(exit, exit);
    // A disk that does not answer: only this ends a process that is within SQLite in good order.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ABANDON_MS);
  };
  const stop = (): void => {
    if (stopping) return end(130);
    stopping = true;
    setTimeout(() => {
      console.error('Stopping took too long; unfinished runs go on from their last checkpoint at the next start.');
      end(1);
    }, STOP_DEADLINE_MS).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Now: who has read this may stop it in good order.
  if (service.bootstrapKey !== undefined) console.log(`API key (shown only this once): ${service.bootstrapKey}`);
  console.log(`Extremum listens on ${service.url}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await serve(process.argv.slice(2));
}
