/**
 * A client that does many things at a time to a service that is being killed, remembers what was acknowledged, and in
 * the end looks whether all of it is there, once. What was asked for without an answer may or may not have happened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng } from '../../src/common/rng.js';
import type { Receiver } from './https-receiver.js';
import { KEY, isDone, largerBudget, resultOf } from './service-process.js';
import { SPHERE, type Json } from './service.js';
import { eventId, heard } from './webhook-world.js';

const RUGGED = `import math
def f(x):
    return sum(v * v - 10 * math.cos(2 * math.pi * v) + 10 for v in x)
`;
/** Of no compiler: the text of a number decides. */
const TEXTUAL = `import re
def f(x):
    return sum(v * v for v in x) + 1e-3 * len(re.findall('7', ' '.join('%.17g' % v for v in x)))
`;

/** Parcels for 60 places on a spiral. Its search takes a part of a second. */
const DELIVERIES = {
  depot: { x: 0, y: 0 },
  customers: Array.from({ length: 60 }, (_, k) => ({
    x: ((k * 37) % 61) - 30,
    y: ((k * k * 11) % 53) - 26,
    demand: 1 + (k % 5),
  })),
  vehicles: [{ count: 10, capacity: 30 }],
};
const ORDERS = { model: 'eoq', demand_rate: 1300, fixed_cost: 8, holding_cost: 0.225 };
/** The same in words: the demand comes with the second message. */
const OPENING =
  'Inventory, how many to order at a time: an order costs $8, holding one part for a year costs 22.5 cents.';
const DEMAND = '1,300 parts a year';

/** A problem that is submitted again and again; every run of it must end with the same bits. */
interface Kind {
  readonly name: string;
  readonly request: object;
  readonly result: object;
  readonly history: readonly number[];
}

type Answer = { readonly status: number; readonly body: Json; readonly text: string; readonly headers: Headers };

interface KnownRun {
  /** Null: endless; it is cancelled. */
  readonly kind: Kind | null;
  readonly tag: string;
  /** As it was when it was first seen to have ended, without its metadata. */
  end: Json | null;
  revision: Uncertain;
  /** Every change of the metadata that was acknowledged. */
  readonly revisions: number[];
  /** Bodies of events, as streamed. */
  streamed: readonly string[];
}

/** A value that was acknowledged, and those that were asked for since without an answer. */
interface Uncertain {
  known: number;
  perhaps: number[];
}

/** A study of a lane: it asks, and tells all that it got. */
interface KnownStudy {
  readonly id: string;
  asked: number;
  told: number;
}

interface Keyed {
  readonly path: string;
  readonly key: string;
  readonly body: object;
  readonly text: string;
}

export interface LoadOptions {
  /** Where the service answers at the moment. */
  readonly url: () => string;
  readonly seed: number;
  readonly lanes: number;
  /** Whether the service has CPython. */
  readonly python: boolean;
  /** Trusted by the service: it is to hear of everything. */
  readonly receiver: Receiver;
}

/** What the store itself says of a run. */
export interface StoredRun {
  readonly id: string;
  readonly attempt: number;
  readonly losses: number;
}

const REQUEST_TIMEOUT_MS = 60_000;
const RETRY_MS = 80;
/** Of a request that is repeated until it is answered. */
const ANSWERED_WITHIN_MS = 300_000;
const LONG_SECONDS = 0.7;
const OUTSTANDING = 12;
const PAGE = 100;
const STUDY = {
  bounds: [
    [-5, 4],
    [-5, 4],
    [-5, 4],
  ],
  max_evaluations: 60,
  seed: 21,
};
const ASKED_AT_ONCE = 3;
/** Of a delivery whose sender was killed: until its lease has run out, and it is made again. */
const HEARD_WITHIN_MS = 120_000;

export class MixedLoad {
  private readonly options: LoadOptions;
  private readonly violationTexts = new Set<string>();
  private kinds: readonly Kind[] = [];
  /** What the first of them becomes when it is extended. */
  private extended: Kind | null = null;
  private functions = { sphere: '', rugged: '', textual: '' };
  private stopping = false;
  private abandoned = false;
  private serial = 0;
  private lanes: Promise<unknown> = Promise.resolve();

  /** Texts of events of which the webhook must hear. */
  private readonly toBeHeard = new Set<string>();
  // What was acknowledged.
  private readonly runs = new Map<string, KnownRun>();
  private readonly outstanding = new Set<string>();
  private readonly keyed: Keyed[] = [];
  private readonly uploads = new Map<string, { readonly name: string; readonly code: string }>();
  private readonly gone = new Set<string>();
  private readonly batches = new Map<string, readonly string[]>();
  private readonly studies: KnownStudy[] = [];
  /** The run that each was completed with. */
  private readonly conversations = new Map<string, string>();
  /** By lane. */
  private readonly studyOf = new Map<number, KnownStudy>();
  /** What an undisturbed study of the same questions proposes, in its order. */
  private proposed: readonly (readonly number[])[] = [];
  private readonly revokedKeys: string[] = [];
  private readonly liveKeys: string[] = [];
  private readonly timeout: Uncertain = { known: 0, perhaps: [] };
  /** How many runs, or functions, have a tag: exactly so many, or that many or none. */
  private readonly tags = new Map<string, { readonly count: number; readonly sure: boolean }>();
  readonly counts = {
    requests: 0,
    unanswered: 0,
    replays: 0,
    streams: 0,
    cancels: 0,
    patches: 0,
    reports: 0,
    asks: 0,
    conversations: 0,
    givenUp: 0,
    deliveries: 0,
    repeated: 0,
  };

  constructor(options: LoadOptions) {
    this.options = options;
  }

  get violations(): readonly string[] {
    return [...this.violationTexts];
  }

  /** What a test may say about the size of it. */
  summary(): object {
    const { size } = this.runs;
    const [uploads, batches, keyed] = [this.uploads.size, this.batches.size, this.keyed.length];
    return { runs: size, uploads, batches, studies: this.studies.length, keyed, ...this.counts };
  }

  violation(text: string): void {
    this.violationTexts.add(text);
  }

  private check(holds: boolean, text: () => string): void {
    if (!holds) this.violation(text());
  }

  // --- requests

  /** Null: no answer, or one that says nothing about what happened. */
  private async ask(method: string, path: string, body?: object, headers: object = {}): Promise<Answer | null> {
    const startedAt = performance.now();
    this.counts.requests += 1;
    try {
      const response = await fetch(this.options.url() + path, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      const parsed = text === '' ? null : JSON.parse(text);
      if (response.status < 500) return { status: response.status, body: parsed, text, headers: response.headers };
      const isClean = response.status === 503 && parsed?.error?.code === 'unavailable';
      this.check(isClean, () => `${method} ${path}: ${response.status} ${text}`);
    } catch {
      const waited = performance.now() - startedAt;
      this.check(waited < REQUEST_TIMEOUT_MS, () => `${method} ${path}: no answer in ${REQUEST_TIMEOUT_MS} ms`);
    }
    this.counts.unanswered += 1;
    return null;
  }

  /** Asks until there is an answer. */
  private async insist(
    method: string,
    path: string,
    body?: object,
    headers: object = {},
  ): Promise<Answer & { readonly tries: number }> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries++) {
      const answer = await this.ask(method, path, body, headers);
      const isAtWork = answer?.status === 409 && answer.headers.has('retry-after');
      if (answer !== null && !isAtWork) return { ...answer, tries };
      if (this.abandoned || performance.now() - startedAt > ANSWERED_WITHIN_MS) {
        throw new Error(`${method} ${path} was not answered in ${ANSWERED_WITHIN_MS} ms`);
      }
      await sleep(RETRY_MS);
    }
  }

  private expectStatus(what: string, { status, text }: Answer, ...wanted: number[]): boolean {
    const isFine = wanted.includes(status);
    this.check(isFine, () => `${what}: ${status} ${text}`);
    return isFine;
  }

  // --- before

  /** Carries out each problem once, undisturbed. */
  async prepare(): Promise<void> {
    const upload = async (name: string, code: string): Promise<string> => {
      const { body } = await this.insist('POST', '/v1/functions', { name, code, language: 'python' });
      this.uploads.set(body.id as string, { name, code });
      this.tags.set(name, { count: 1, sure: true });
      return body.id as string;
    };
    this.functions = {
      sphere: await upload('sphere', SPHERE),
      rugged: await upload('rugged', RUGGED),
      textual: this.options.python ? await upload('textual', TEXTUAL) : '',
    };
    const { sphere, rugged, textual } = this.functions;
    const box = (n: number): number[][] => Array.from({ length: n }, () => [-5, 4]);
    // What was learned by then is no part of a request; a bowl that is read is proven at once.
    const same = { learned_version: 0, black_box: true };
    const short = { objective_function_id: sphere, bounds: box(10), max_evaluations: 1_500, seed: 11, ...same };
    const planned = {
      objective_function_id: rugged,
      bounds: box(5),
      max_evaluations: 4_000,
      seed: 12,
      learned_version: 0,
    };
    const forced = { ...planned, strategy: 'lq-cma-es', max_evaluations: 1_200, seed: 13, direction: 'maximize' };
    const python = { objective_function_id: textual, bounds: box(4), max_evaluations: 600, seed: 14, ...same };
    const long = { objective_function_id: sphere, bounds: box(20), max_evaluations: 100_000, seed: 15, ...same };
    const deliveries = {
      ...{ domain: 'supply_chain', problem_type: 'vehicle_routing', config: DELIVERIES },
      ...{ max_evaluations: 300, seed: 16 },
    };
    const orders = {
      ...{ domain: 'supply_chain', problem_type: 'inventory', config: ORDERS },
      ...{ max_evaluations: 100, seed: 17 },
    };
    this.kinds = [
      await this.undisturbed('short', short),
      await this.undisturbed('planned', planned),
      await this.undisturbed('forced', forced),
      await this.undisturbed('long', long, LONG_SECONDS),
      await this.undisturbed('deliveries', deliveries),
      await this.undisturbed('orders', orders),
      ...(this.options.python ? [await this.undisturbed('python', python)] : []),
    ];
    await this.prepareExtension(short);
    this.proposed = await this.undisturbedStudy();
    const webhook = await this.insist('POST', '/v1/webhooks', { url: this.options.receiver.url, events: ['*'] });
    this.expectStatus('a webhook', webhook, 201);
  }

  /** With a budget that takes at least so long. */
  private async undisturbed(name: string, request: { max_evaluations: number }, seconds = 0): Promise<Kind> {
    const wanted = { ...request, metadata: { tag: `undisturbed ${name}` } };
    for (;;) {
      const { body } = await this.insist('POST', '/v1/optimize', wanted);
      if (body.status !== 'completed') throw new Error(`not carried out: ${JSON.stringify(body)}`);
      if (body.duration_seconds < seconds) {
        wanted.max_evaluations = largerBudget(wanted.max_evaluations, body.duration_seconds as number, seconds);
        continue;
      }
      const backend = String(body.backend?.name);
      if ((name === 'python') !== (backend === 'cpython')) throw new Error(`${name} ran in ${backend}`);
      const { metadata: _tag, ...plain } = wanted;
      const history = await this.insist('GET', `/v1/optimize/${body.id as string}/history`);
      return { name, request: plain, result: resultOf(body), history: fitnessOf(history.body) };
    }
  }

  private async undisturbedStudy(): Promise<number[][]> {
    const { body: study } = await this.insist('POST', '/v1/studies', STUDY);
    const path = `/v1/studies/${study.id as string}`;
    const proposed: number[][] = [];
    while (proposed.length < STUDY.max_evaluations) {
      const { body } = await this.insist('POST', `${path}/ask`, { count: ASKED_AT_ONCE });
      proposed.push(...solutionsIn(body));
      await this.insist('POST', `${path}/tell`, { results: resultsFor(body) });
    }
    await this.insist('DELETE', path);
    return proposed;
  }

  private async prepareExtension(request: { max_evaluations: number }): Promise<void> {
    const wanted = { ...request, metadata: { tag: 'undisturbed extended' } };
    const { body: first } = await this.insist('POST', '/v1/optimize', wanted);
    const further = { max_evaluations: 2 * request.max_evaluations };
    const { body } = await this.insist('POST', `/v1/optimize/${String(first.id)}/extend`, further, {
      prefer: 'wait=60',
    });
    if (body.status !== 'completed') throw new Error(`not carried out: ${JSON.stringify(body)}`);
    const history = await this.insist('GET', `/v1/optimize/${String(body.id)}/history`);
    this.extended = { name: 'extended', request: further, result: resultOf(body), history: fitnessOf(history.body) };
  }

  // --- while it is killed

  start(): void {
    const lane = async (number: number): Promise<void> => {
      const rng = Rng.create(this.options.seed).split(`lane ${number}`);
      const own: string[] = [];
      while (!this.stopping) {
        try {
          await this.step(rng, own, number);
        } catch (error) {
          this.violation(`lane ${number}: ${(error as Error).stack ?? String(error)}`);
        }
        await sleep(rng.below(60));
      }
    };
    this.lanes = Promise.all(Array.from({ length: this.options.lanes }, (_, number) => lane(number)));
  }

  /** Resolves when nothing is under way any more; the service must be up. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.lanes;
  }

  /** The same where nobody will answer any more. */
  async abandon(): Promise<void> {
    this.abandoned = true;
    await this.stop();
  }

  /** `own`: runs whose metadata only this lane changes. */
  private async step(rng: Rng, own: string[], lane: number): Promise<void> {
    if (lane === 0 && rng.below(4) === 0) return this.configure();
    if (rng.below(6) === 0) return this.report(rng);
    if (rng.below(6) === 0) return this.study(lane);
    if (rng.below(10) === 0) return this.converse(own);
    const drawn = rng.below(100);
    if (drawn < 24) return this.submit(rng, own, 'wait=30');
    if (drawn < 58) return this.submit(rng, own, 'respond-async');
    if (drawn < 64) return this.cancelOne(rng);
    if (drawn < 74) return this.upload(rng);
    if (drawn < 82) return this.batch(rng);
    if (drawn < 86) return this.issueKey(rng);
    const id = own[rng.below(Math.max(1, own.length))];
    if (id === undefined) return;
    if (drawn < 94) return this.patch(id);
    if (drawn < 98) return this.extend(id);
    await this.look(id);
  }

  private kind(rng: Rng): Kind {
    const kind = this.kinds[rng.below(this.kinds.length)];
    if (kind === undefined) throw new Error('prepare first');
    return kind;
  }

  private tag(): string {
    return `tag ${++this.serial}`;
  }

  /** Posts; with a key until it is answered, without once. Null: nobody knows. */
  private async post(path: string, body: object, isKeyed: boolean, headers: object = {}): Promise<Answer | null> {
    if (!isKeyed) return this.ask('POST', path, body, headers);
    const key = `key ${++this.serial}`;
    const answer = await this.insist('POST', path, body, { 'idempotency-key': key, ...headers });
    if (answer.status < 300) this.keyed.push({ path, key, body, text: answer.text });
    return answer;
  }

  private async submit(rng: Rng, own: string[], prefer: string): Promise<void> {
    if (this.outstanding.size > OUTSTANDING) return;
    const kind = this.kind(rng);
    const tag = this.tag();
    const isKeyed = rng.below(2) === 0;
    this.tags.set(tag, { count: 1, sure: isKeyed });
    const answer = await this.post('/v1/optimize', { ...kind.request, metadata: { tag, revision: 0 } }, isKeyed, {
      prefer,
    });
    if (answer === null || !this.expectStatus('a submission', answer, 200, 201)) return;
    this.tags.set(tag, { count: 1, sure: true });
    const { id } = answer.body as { id: string };
    this.know(id, kind, tag);
    own.push(id);
    this.seen(id, answer.body);
    if (isDone(answer.body)) return;
    if (rng.below(5) < 3) await this.follow(id);
    else if (rng.below(4) < 3) await this.poll(id);
  }

  private know(id: string, kind: Kind | null, tag: string): KnownRun {
    const run: KnownRun = {
      kind,
      tag,
      end: null,
      revision: { known: 0, perhaps: [] },
      revisions: [],
      streamed: [],
    };
    this.runs.set(id, run);
    this.outstanding.add(id);
    return run;
  }

  /** What has been said about the end of a run stays so. */
  private seen(id: string, record: Json): void {
    const run = this.runs.get(id);
    if (run === undefined || !isDone(record)) return;
    this.outstanding.delete(id);
    const { metadata: _changes, ...end } = record as Record<string, unknown>;
    run.end ??= end;
    this.check(isEqual(run.end, end), () => `${id} ended twice: ${JSON.stringify([run.end, end])}`);
  }

  private async look(id: string): Promise<Json> {
    const answer = await this.insist('GET', `/v1/optimize/${id}`);
    if (this.expectStatus(`${id} was acknowledged`, answer, 200)) this.seen(id, answer.body);
    return answer.body;
  }

  private async poll(id: string): Promise<void> {
    while (!isDone(await this.look(id))) await sleep(RETRY_MS);
  }

  /** Reads the events of a run to its end, going on where a connection broke. */
  private async follow(id: string): Promise<void> {
    const run = this.runs.get(id);
    if (run === undefined) return;
    this.counts.streams += 1;
    const bodies: string[] = [];
    const startedAt = performance.now();
    while (!(await this.readStream(id, bodies))) {
      if (this.abandoned || performance.now() - startedAt > ANSWERED_WITHIN_MS)
        throw new Error(`the stream of ${id} does not end`);
      await sleep(RETRY_MS);
    }
    if (bodies.length > run.streamed.length) run.streamed = bodies;
    await this.look(id);
  }

  /** True: the run has ended, and all of its events are in `bodies`. */
  private async readStream(id: string, bodies: string[]): Promise<boolean> {
    let text = '';
    let status = 0;
    try {
      const response = await fetch(`${this.options.url()}/v1/optimize/${id}/events`, {
        headers: { authorization: `Bearer ${KEY}`, 'last-event-id': String(bodies.length) },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      status = response.status;
      if (status === 204) return true;
      if (status === 200) for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    } catch {
      // What has arrived counts.
    }
    this.check([0, 200, 503].includes(status), () => `the stream of ${id}: ${status}`);
    // The last piece may be cut.
    for (const piece of text.split('\n\n').slice(0, -1)) {
      const found = /^id: (\d+)\nevent: .*\ndata: (.*)$/s.exec(piece);
      if (found === null) continue;
      const [, place, body] = found;
      this.check(Number(place) === bodies.length + 1, () => `the stream of ${id}: ${place} after ${bodies.length}`);
      bodies.push(body ?? '');
    }
    return false;
  }

  private async extend(id: string): Promise<void> {
    const known = this.runs.get(id);
    const kind = this.extended;
    if (kind === null || known?.kind !== this.kinds[0] || known?.end?.status !== 'completed') return;
    const answer = await this.post(`/v1/optimize/${id}/extend`, kind.request, true);
    if (answer === null || !this.expectStatus('an extension', answer, 200, 201)) return;
    const { id: next, metadata } = answer.body as { id: string; metadata: { tag: string; revision: number } };
    this.tags.set(known.tag, { count: (this.tags.get(known.tag)?.count ?? 0) + 1, sure: true });
    this.know(next, kind, known.tag).revision.known = metadata.revision;
    this.seen(next, answer.body);
    await this.follow(next);
  }

  private async cancelOne(rng: Rng): Promise<void> {
    const tag = this.tag();
    // What may be proven before it is cancelled does not belong here: neither problems nor what the planner may read.
    const searches = this.kinds.filter(({ request }) => 'objective_function_id' in request);
    const { request: endless } = searches[rng.below(searches.length)];
    const request = { ...endless, black_box: true, max_evaluations: 1e9, metadata: { tag, revision: 0 } };
    this.tags.set(tag, { count: 1, sure: true });
    const made = await this.post('/v1/optimize', request, true, { prefer: 'respond-async' });
    if (made === null || !this.expectStatus('a submission', made, 200, 201)) return;
    const { id } = made.body as { id: string };
    this.know(id, null, tag);
    await sleep(rng.below(700));
    const answer = await this.insist('POST', `/v1/optimize/${id}/cancel`);
    this.counts.cancels += 1;
    // It may have been given up, or cancelled by the request whose answer was lost.
    if (!this.expectStatus('a cancellation', answer, 200, 409)) return;
    this.seen(id, answer.status === 200 ? answer.body : await this.look(id));
    await this.poll(id);
  }

  private async patch(id: string): Promise<void> {
    const run = this.runs.get(id);
    if (run === undefined) return;
    const revision = ++this.serial;
    this.counts.patches += 1;
    run.revision.perhaps.push(revision);
    const answer = await this.ask('PATCH', `/v1/optimize/${id}`, { metadata: { tag: run.tag, revision } });
    if (answer === null || !this.expectStatus('a change of metadata', answer, 200)) return;
    this.check(answer.body.metadata.revision === revision, () => `${id} was changed: ${answer.text}`);
    run.revision = { known: revision, perhaps: [] };
    run.revisions.push(revision);
  }

  private async configure(): Promise<void> {
    const revision = ++this.serial;
    this.timeout.perhaps.push(revision);
    const answer = await this.ask('PUT', '/v1/configuration', { timeout_seconds: 600 + revision / 1024 });
    if (answer === null || !this.expectStatus('a setting', answer, 200)) return;
    this.timeout.known = revision;
    this.timeout.perhaps = [];
  }

  private async upload(rng: Rng): Promise<void> {
    const name = this.tag();
    const code = `${SPHERE}# ${name}${'.'.repeat(rng.below(20_000))}\n`;
    const isKeyed = rng.below(2) === 0;
    this.tags.set(name, { count: 1, sure: isKeyed });
    const answer = await this.post('/v1/functions', { name, code, language: 'python' }, isKeyed);
    if (answer === null || !this.expectStatus('an upload', answer, 201)) return;
    const { id } = answer.body as { id: string };
    this.tags.set(name, { count: 1, sure: true });
    this.uploads.set(id, { name, code });
    if (rng.below(3) > 0) return;
    await this.delete(`/v1/functions/${id}`);
    this.uploads.delete(id);
    this.gone.add(id);
    this.tags.delete(name);
  }

  /** What was acknowledged is counted at once, and each run once. */
  private async report(rng: Rng): Promise<void> {
    const [known, ended] = [this.runs.size, this.runs.size - this.outstanding.size];
    const name = (['executions', 'performance'] as const)[rng.below(2)];
    const answer = await this.ask('GET', `/v1/analytics/${name}`);
    if (answer === null || !this.expectStatus('a report', answer, 200)) return;
    this.counts.reports += 1;
    const { body, text } = answer;
    if (name === 'performance') {
      this.check(body.error_rate.total >= ended, () => `${ended} runs have ended: ${text}`);
      return;
    }
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    const ofDays = sum((body.time_series as Json[]).map((day) => day.optimizations as number));
    const ofStatuses = sum(Object.values(body.by_status as Record<string, number>));
    const { total } = body;
    const isSound = total >= known && total === ofDays && total === ofStatuses;
    this.check(isSound, () => `${known} runs were acknowledged: ${text}`);
  }

  /** A dialogue whose every request is repeated until it is answered; it ends in one run. */
  private async converse(own: string[]): Promise<void> {
    const kind = this.kinds.find(({ name }) => name === 'orders');
    if (kind === undefined) throw new Error('prepare first');
    const path = '/v1/domains/conversational';
    const made = await this.post(`${path}/create`, { description: OPENING }, true);
    if (made === null || !this.expectStatus('a conversation', made, 201)) return;
    const id = made.body.conversation_id as string;
    const said = await this.post(`${path}/continue/${id}`, { response: DEMAND }, true);
    if (said === null || !this.expectStatus('an answer', said, 200)) return;
    const heardOnce = said.body.messages.filter((one: Json) => one.role === 'user').length === 2;
    this.check(heardOnce && said.body.status === 'ready_to_optimize', () => `${id}: ${said.text}`);
    const tag = this.tag();
    this.tags.set(tag, { count: 1, sure: true });
    const { max_evaluations, seed } = kind.request as { max_evaluations: number; seed: number };
    const wanted = { max_evaluations, seed, metadata: { tag, revision: 0 } };
    const done = await this.post(`${path}/complete/${id}`, wanted, true, { prefer: 'wait=30' });
    if (done === null || !this.expectStatus('a completion', done, 200, 201)) return;
    const run = done.body.id as string;
    this.know(run, kind, tag);
    own.push(run);
    this.conversations.set(id, run);
    this.seen(run, done.body);
    this.counts.conversations += 1;
  }

  /** Asks, and tells, with keys, which repeat what was not answered. */
  private async study(lane: number): Promise<void> {
    let study = this.studyOf.get(lane);
    if (study === undefined || study.told === STUDY.max_evaluations) {
      const tag = this.tag();
      this.tags.set(tag, { count: 1, sure: true });
      const made = await this.post('/v1/studies', { ...STUDY, metadata: { tag } }, true);
      if (made === null || !this.expectStatus('a study', made, 201)) return;
      study = { id: made.body.id as string, asked: 0, told: 0 };
      this.studyOf.set(lane, study);
      this.studies.push(study);
    }
    const path = `/v1/studies/${study.id}`;
    const asked = await this.post(`${path}/ask`, { count: ASKED_AT_ONCE }, true);
    if (asked === null || !this.expectStatus('candidates', asked, 200)) return;
    this.counts.asks += 1;
    const wanted = this.proposed.slice(study.asked, study.asked + ASKED_AT_ONCE);
    const { text } = asked;
    this.check(
      isEqual(solutionsIn(asked.body), wanted),
      () => `${study.id} proposes ${text}, not ${JSON.stringify(wanted)}`,
    );
    study.asked += ASKED_AT_ONCE;
    const told = await this.post(`${path}/tell`, { results: resultsFor(asked.body) }, true);
    if (told === null || !this.expectStatus('results', told, 200)) return;
    study.told += ASKED_AT_ONCE;
    this.check(told.body.evaluations === study.told, () => `${study.id} knows ${told.text}, not ${study.told} results`);
  }

  private async delete(path: string): Promise<void> {
    const answer = await this.insist('DELETE', path);
    // Not there: removed by the request whose answer was lost.
    this.expectStatus(`DELETE ${path}`, answer, 204, ...(answer.tries > 1 ? [404] : []));
  }

  private async batch(rng: Rng): Promise<void> {
    if (this.outstanding.size > OUTSTANDING) return;
    const tag = this.tag();
    const kinds = Array.from({ length: 2 + rng.below(3) }, () => this.kind(rng));
    const requests = kinds.map(({ request }) => ({ ...request, metadata: { tag, revision: 0 } }));
    const isKeyed = rng.below(2) === 0;
    this.tags.set(tag, { count: kinds.length, sure: isKeyed });
    const answer = await this.post('/v1/batch', { requests }, isKeyed);
    if (answer === null || !this.expectStatus('a batch', answer, 201)) return;
    this.tags.set(tag, { count: kinds.length, sure: true });
    const { id, optimization_ids: ids } = answer.body as { id: string; optimization_ids: string[] };
    this.batches.set(id, ids);
    this.check(ids.length === kinds.length, () => `the batch ${id} has ${ids.length} runs of ${kinds.length}`);
    ids.forEach((runId, i) => this.know(runId, kinds[i] ?? null, tag));
    for (const runId of ids) await this.poll(runId);
  }

  private async issueKey(rng: Rng): Promise<void> {
    const name = this.tag();
    const answer = await this.post('/v1/identity/keys', { name, scopes: ['read'] }, true);
    if (answer === null || !this.expectStatus('a key', answer, 201)) return;
    const { id, key } = answer.body as { id: string; key: string };
    if (rng.below(2) === 0) {
      this.liveKeys.push(key);
      return;
    }
    await this.delete(`/v1/identity/keys/${id}`);
    this.revokedKeys.push(key);
  }

  // --- afterwards

  /** Looks whether everything is there, once, with the right bits. The service must be up and stay so. */
  async verify(): Promise<void> {
    for (const id of this.outstanding) await this.poll(id);
    // Also those whose submission was not answered.
    for (const status of ['pending', 'running']) {
      while ((await this.insist('GET', `/v1/optimize?status=${status}&limit=1`)).body.total > 0) await sleep(RETRY_MS);
    }
    await this.verifyList();
    for (const [id, run] of this.runs) await this.verifyRun(id, run);
    for (const [id, ids] of this.batches) await this.verifyBatch(id, ids);
    for (const study of this.studies) await this.verifyStudy(study);
    for (const [id, run] of this.conversations) await this.verifyConversation(id, run);
    for (const [id, { name, code }] of this.uploads) {
      const { body, status } = await this.insist('GET', `/v1/functions/${id}`);
      this.check(status === 200 && body.name === name && body.code === code, () => `the function ${id} is lost`);
    }
    for (const id of this.gone) {
      const { status } = await this.insist('GET', `/v1/functions/${id}`);
      this.check(status === 404, () => `the function ${id} was deleted, and is there`);
    }
    for (const [keys, wanted] of [
      [this.liveKeys, 200],
      [this.revokedKeys, 401],
    ] as const) {
      for (const key of keys) {
        const { status } = await this.insist('GET', '/v1/identity', undefined, { authorization: `Bearer ${key}` });
        // Too many wrong ones from one address say nothing any more.
        if (status === 429 && wanted === 401) break;
        this.check(status === wanted, () => `a key answers ${status} instead of ${wanted}`);
      }
    }
    const { body } = await this.insist('GET', '/v1/configuration');
    const allowed = [this.timeout.known, ...this.timeout.perhaps].map((revision) => 600 + revision / 1024);
    const isSet = this.timeout.known > 0 || this.timeout.perhaps.length > 0;
    this.check(
      !isSet || JSON.stringify(body).match(/"timeout_seconds":([\d.]+)/)?.[1] !== undefined,
      () => 'no setting',
    );
    const found = Number(/"timeout_seconds":([\d.]+)/.exec(JSON.stringify(body))?.[1]);
    const mayBeDefault = this.timeout.known === 0;
    this.check(mayBeDefault || allowed.includes(found), () => `the setting ${found} is none of ${allowed.join()}`);
    for (const one of this.keyed) await this.verifyKeyed(one);
    // Repeating all of that made nothing.
    await this.verifyList();
    await this.verifyWebhook();
  }

  /** Each event has come, once or again, always with the same bytes. */
  private async verifyWebhook(): Promise<void> {
    const startedAt = performance.now();
    const missing = (): string[] => {
      const texts = heard(this.options.receiver);
      return [...this.toBeHeard].filter((body) => !texts.get(eventId(body))?.includes(body));
    };
    while (missing().length > 0 && performance.now() - startedAt < HEARD_WITHIN_MS) await sleep(200);
    for (const body of missing()) this.violation(`the webhook has not heard of ${body}`);
    const texts = heard(this.options.receiver);
    for (const [id, all] of texts) this.check(new Set(all).size === 1, () => `${id} came with different bytes`);
    this.counts.deliveries = this.options.receiver.received.length;
    this.counts.repeated = this.counts.deliveries - texts.size;
  }

  private async all(path: string): Promise<Json[]> {
    const found: Json[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const { body } = await this.insist('GET', `${path}?limit=${PAGE}&offset=${offset}`);
      found.push(...(body.data as Json[]));
      if (found.length >= body.total || body.data.length === 0) return found;
    }
  }

  /** Nothing is there twice, nothing that nobody asked for, and a batch wholly or not at all. */
  private async verifyList(): Promise<void> {
    const runs = await this.all('/v1/optimize');
    const tags = [
      ...runs.map((run) => String(run.metadata.tag)),
      ...(await this.all('/v1/functions')).map((one) => String(one.name)),
      ...(await this.all('/v1/studies')).map((one) => String(one.metadata.tag)),
    ];
    const counts = new Map<string, number>();
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    for (const [tag, { count, sure }] of this.tags) {
      const found = counts.get(tag) ?? 0;
      this.check(found === count || (!sure && found === 0), () => `${tag}: ${found} instead of ${count}`);
    }
    for (const tag of counts.keys()) {
      const isKnown = this.tags.has(tag) || tag.startsWith('undisturbed ');
      this.check(isKnown, () => `nobody asked for ${tag}`);
    }
    const unfinished = runs.filter((run) => !isDone(run) && this.runs.has(run.id as string));
    this.check(unfinished.length === 0, () => `not ended: ${unfinished.map(({ id }) => String(id)).join()}`);
  }

  private async verifyRun(id: string, run: KnownRun): Promise<void> {
    const record = await this.look(id);
    const { known, perhaps } = run.revision;
    const { tag, revision } = record.metadata;
    const isMine = tag === run.tag && [known, ...perhaps].includes(revision as number);
    this.check(isMine, () => `${id}: metadata ${JSON.stringify(record.metadata)}, not revision ${known}`);
    // None of them does what ends a process.
    const isGivenUp = /ended unexpectedly \d+ times/.test(String(record.error?.message));
    if (isGivenUp) this.counts.givenUp += 1;
    this.check(!isGivenUp, () => `${id} was given up: ${String(record.error?.message)}`);
    if (isGivenUp) return;
    if (run.kind === null) {
      this.check(record.termination_reason === 'cancelled', () => `${id}: ${String(record.termination_reason)}`);
    } else {
      const { result, history, name } = run.kind;
      const same = isEqual(resultOf(record), result);
      this.check(same, () => `${id} (${name}) has other bits: ${JSON.stringify([resultOf(record), result])}`);
      const found = fitnessOf((await this.insist('GET', `/v1/optimize/${id}/history`)).body);
      this.check(isEqual(found, history), () => `${id} (${name}) has another history`);
    }
    await this.verifyEvents(id, run, record);
  }

  private async verifyEvents(id: string, run: KnownRun, record: Json): Promise<void> {
    const bodies: string[] = [];
    while (!(await this.readStream(id, bodies)));
    this.check(isEqual(bodies.slice(0, run.streamed.length), run.streamed), () => `${id}: its events have changed`);
    for (const body of bodies) this.toBeHeard.add(body);
    const events = bodies.map((body) => JSON.parse(body));
    this.check(new Set(events.map((one) => one.id)).size === events.length, () => `${id}: an event twice`);
    const ends = events.filter(({ type }) => /optimization\.(completed|failed|cancelled)$/.test(type as string));
    const reason = String(record.termination_reason);
    const wanted = { cancelled: 'optimization.cancelled', error: 'optimization.failed' }[reason];
    const isRight = ends.length === 1 && ends[0].type === (wanted ?? 'optimization.completed');
    this.check(isRight, () => `${id} (${reason}): ends are ${JSON.stringify(ends.map(({ type }) => type as string))}`);
    const starts = events.filter(({ type }) => type === 'optimization.started').length;
    this.check(starts <= 1, () => `${id}: started ${starts} times`);
    const updates = events.filter(({ type }) => type === 'context.updated').map((one) => one.data.metadata.revision);
    this.check(new Set(updates).size === updates.length, () => `${id}: updates are ${updates.join()}`);
    for (const revision of run.revisions) {
      this.check(updates.includes(revision), () => `${id}: no event for revision ${revision}`);
    }
  }

  private async verifyBatch(id: string, ids: readonly string[]): Promise<void> {
    const { body } = await this.insist('GET', `/v1/batch/${id}`);
    const isWhole = isEqual(body.optimization_ids, ids) && body.completed + body.failed === ids.length;
    this.check(isWhole, () => `the batch ${id}: ${JSON.stringify(body)}`);
  }

  private async verifyStudy({ id, asked, told }: KnownStudy): Promise<void> {
    const { body, text } = await this.insist('GET', `/v1/studies/${id}`);
    const isWhole = body.evaluations === told && body.open === asked - told;
    this.check(isWhole, () => `${asked} points were asked for, ${told} told: ${text}`);
    const best = Math.min(...this.proposed.slice(0, told).map(valueOf));
    this.check(told === 0 || body.best_fitness === best, () => `the best of ${told} is ${best}: ${text}`);
  }

  private async verifyConversation(id: string, run: string): Promise<void> {
    const { body, text } = await this.insist('GET', `/v1/domains/conversational/status/${id}`);
    const messages = (body.messages as Json[]).filter(({ role }) => role === 'user').map((one) => one.text as string);
    const isWhole = body.status === 'completed' && body.optimization_id === run;
    this.check(isWhole && isEqual(messages, [OPENING, DEMAND]), () => `${id} led to ${run}: ${text}`);
  }

  private async verifyKeyed({ path, key, body, text }: Keyed): Promise<void> {
    const again = await this.insist('POST', path, body, { 'idempotency-key': key });
    this.counts.replays += 1;
    const idOf = (answer: Json): unknown => answer.id;
    // An optimization goes on after its answer.
    const isWhole = path.startsWith('/v1/studies/') || /conversational\/c(reate|ontinue)/.test(path);
    const isSame = isWhole ? again.text === text : idOf(again.body) === idOf(JSON.parse(text));
    this.check(again.status < 300 && isSame, () => `${path} ${key}: ${again.text} instead of ${text}`);
  }

  /**
   * Compares what the store says with what the processes said they began: each start under an attempt of its own, and
   * every further attempt because the one before was lost, or given back: to be tried alone, or to leave another alone.
   */
  verifyAttempts(
    stored: readonly StoredRun[],
    begun: readonly { run: string; attempt: number }[],
    returned: readonly { run: string }[],
  ): void {
    const starts = new Map<string, number[]>();
    for (const { run, attempt } of begun) starts.set(run, [...(starts.get(run) ?? []), attempt]);
    for (const { id, attempt, losses } of stored) {
      const seen = starts.get(id) ?? [];
      this.check(new Set(seen).size === seen.length, () => `${id} began twice under one attempt: ${seen.join()}`);
      this.check(Math.max(0, ...seen) <= attempt, () => `${id} began as ${seen.join()}, its attempt is ${attempt}`);
      const most = losses + 1 + returned.filter(({ run }) => run === id).length;
      const isExplained = (attempt > losses && attempt <= most) || (attempt === 0 && losses === 0);
      this.check(isExplained, () => `${id}: attempt ${attempt} after ${losses} losses`);
    }
    for (const id of this.runs.keys()) {
      this.check(
        stored.some((one) => one.id === id),
        () => `${id} is not in the store`,
      );
    }
  }
}

const valueOf = (solution: readonly number[]): number => solution.reduce((sum, x) => sum + (x - 0.3) ** 2, 0);

const solutionsIn = (asked: Json): number[][] => asked.candidates.map((one: Json) => one.solution as number[]);

const resultsFor = (asked: Json): object[] =>
  asked.candidates.map(({ id, solution }: Json) => ({ id, values: [valueOf(solution as number[])] }));

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const fitnessOf = (history: Json): number[] => history.data.map((point: Json) => point.best_fitness as number);
