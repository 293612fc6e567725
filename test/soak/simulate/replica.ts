import type { Logger } from 'pino';
import { slackDeadlines } from '../../../playground/fake-slack/interface.ts';
import { type Bot, createBot } from '../../../src/bot/bot.ts';
import { features } from '../../../src/bot/features.ts';
import { createClient } from '../../../src/client/client.ts';
import type { Transport } from '../../../src/client/transport.ts';
import type { Database } from '../../../src/db/database.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { toPaging } from './pagers.ts';
import type { Act } from './people/acts.ts';
import type { Letter } from './post.ts';
import { handOver } from './post.ts';
import { Random } from './random.ts';
import type { Setting } from './setting.ts';
import { openApiLine } from './trouble/api-line.ts';
import { openDatabaseLine } from './trouble/database-line.ts';
import { strike } from './trouble/faults.ts';
import { Life } from './trouble/life.ts';
import { openMortal } from './trouble/mortal-database.ts';
import { openSlackLine } from './trouble/slack-line.ts';
import { isConnected, sendOverSocket, takeSockets } from './trouble/socket-line.ts';
import type { Doer } from './virtual-time.ts';
import { toAlertOptions } from './watchdog.ts';
import { webhookSecret } from './webhooks.ts';
import type { Witness } from './witness/witness.ts';

/** What a replica does because of one act: everything that it sends meanwhile is about it. */
export class Errand implements Doer {
  readonly life: Life;
  readonly act: Act | undefined;

  constructor(life: Life, act: Act | undefined) {
    this.life = life;
    this.act = act;
  }

  get isAlive(): boolean {
    return this.life.isAlive;
  }

  get standstill(): Promise<void> | undefined {
    return this.life.standstill;
  }
}

/** One process of the bot, from its start to its end. */
export class Replica {
  readonly name: string;
  readonly life = new Life();
  /** It has started, lives, and is not stopping. */
  #isRunning = false;
  /** Its `fetch`. */
  readonly fetch: typeof fetch;
  /** What its clock shows. */
  readonly clock: () => Date;
  readonly #setting: Setting;
  readonly #database: Database;
  readonly #random: Random;
  readonly #witness: Witness;
  /** The pagers. */
  readonly #pager: () => Transport;
  #bot: Bot | undefined;

  constructor(
    setting: Setting,
    witness: Witness,
    { place, name, pager }: { place: number; name: string; pager: () => Transport },
  ) {
    const { time, history, plan, slack, variant } = setting;
    this.name = name;
    this.clock = () => setting.clockOf(place);
    this.#setting = setting;
    this.#witness = witness;
    this.#pager = pager;
    this.#random = new Random(setting.seed, name);
    const random = this.#random;
    const { life } = this;
    life.onDeath(() => {
      this.#isRunning = false;
    });
    this.fetch = openSlackLine({
      name,
      life,
      time,
      random,
      history,
      answer: (input, init) =>
        String(input).endsWith('/apps.connections.open')
          ? Promise.resolve(Response.json({ ok: true, url: this.#socketUrl }))
          : time.asNobody(() => slack.fetch(input, init)),
      fault: () => strike(plan.slack, time.now(), random),
      refusal: () => strike(plan.refusals, time.now(), random),
      lookupRefusal: () => strike(plan.lookups, time.now(), random),
      takeName: taken => {
        if (!slack.channels.some(each => each.name === taken)) slack.addChannel({ name: taken });
      },
      effects: variant.effects ?? (() => 1),
      heard: variant.heard ?? ((_call, body) => body),
      onEffect: call => witness.happened(call, this.clock().getTime()),
      onAskedPause: seconds => witness.pauseAsked(seconds),
    });
    this.#database = openMortal(setting.botDatabase, {
      life,
      queue: setting.databaseQueue,
      time,
      statement: variant.statement ?? (query => query),
      onHeld: from => witness.standstills.push({ replica: undefined, from, until: time.now() }),
      isSoleProcess: setting.places === 1,
      line: openDatabaseLine({
        name,
        time,
        random,
        history,
        spans: plan.database,
        onStored: (table, key) => witness.stored(table, key),
      }),
    });
  }

  /** Whether it takes requests. */
  get isOpen(): boolean {
    return this.#isRunning && (!this.#setting.plan.isOverSockets || isConnected(this.#socketUrl));
  }

  get #socketUrl(): string {
    return `wss://slack.invalid/${this.#setting.seed}/${this.name}`;
  }

  /** Starts the bot; resolves once it takes requests. Throws when it cannot start, and never ends when it dies meanwhile. */
  async start(log: Logger): Promise<void> {
    const { name, life } = this;
    const { time, history, plan, slack, answerApi, settings, variant } = this.#setting;
    const random = this.#random;
    if (plan.isOverSockets) takeSockets();
    const answer = variant.answer?.(answerApi) ?? answerApi;
    const line = {
      name,
      life,
      time,
      random,
      history,
      onAskedPause: (seconds: number) => this.#witness.pauseAsked(seconds),
    };
    const transport = openApiLine({
      ...line,
      answer: request => time.asNobody(() => answer(request)),
      onRead: request => this.#witness.read(request),
      fault: () => strike(plan.api, time.now(), random),
      frozenFor: () =>
        Math.max(0, ...plan.freezes.filter(({ from }) => from <= time.now()).map(each => each.until - time.now())),
    });
    const toPager = openApiLine({
      ...line,
      answer: request => time.asNobody(() => this.#pager()(request)),
      fault: () => strike(plan.pagers, time.now(), random),
      frozenFor: () => 0,
    });
    const api = createClient({ ...deadlines.api, transport });
    this.#bot = await time.as(life, () =>
      life.hear(() =>
        createBot({
          mode: plan.isOverSockets
            ? { kind: 'socket', appToken: slack.appToken }
            : { kind: 'http', signingSecret: slack.signingSecret },
          botToken: slack.botToken,
          slackApiUrl: slack.apiUrl,
          api,
          database: this.#database,
          features,
          settings: variant.settings?.(settings) ?? settings,
          surroundings: {
            apiKind: 'embedded',
            pages: 'off',
            publicUrl: '',
            databaseUrl: 'sqlite::memory:',
            takesWebhooks: false,
            alertSources: [],
            pagers: [],
          },
          deadlines,
          landing: variant.landing ?? deadlines.landing,
          clock: this.clock,
          monotonicNow: () => performance.now(),
          log,
          alerts: plan.areAlertsSent ? toAlertOptions() : undefined,
          paging: plan.arePagesSent
            ? toPaging(({ url: path, ...request }) => toPager({ method: 'POST', path, ...request }))
            : undefined,
          incidentWebhookSecret: plan.areWebhooksSent ? webhookSecret : '',
          observeDelivery: () => undefined,
          observeWebApi: () => undefined,
        }),
      ),
    );
    this.#isRunning = true;
  }

  /** Hands a request over, about an act; rejects when the process ends before it has answered. */
  take(letter: Letter, act: Act | undefined): Promise<{ status: number; body: string }> {
    if (!this.isOpen) throw new Error(`${this.name} does not take requests`);
    return new Promise((resolve, reject) => {
      this.life.onDeath(() => reject(new Error('the connection broke')));
      this.#setting.time.as(new Errand(this.life, act), () => this.#hand(letter)).then(resolve, reject);
    });
  }

  /** Hands a webhook of the API over. Nobody waits for the answer. */
  hear(webhook: Letter): void {
    const hook = this.#bot?.sync.hook;
    if (hook) void this.#setting.time.as(this.life, () => handOver(hook, webhook));
  }

  /** Hands over what a pager says of a page; resolves to the status, 0 when the process ends before it has answered. */
  hearPager(pager: string, webhook: Letter): Promise<number> {
    return this.#knock(this.#bot?.pages, webhook, `/hooks/pages/${pager}`);
  }

  /** Hands a notice of a source of alerts over; resolves to the status, 0 when the process ends before it has answered. */
  alert(source: string, notice: Letter): Promise<number> {
    return this.#knock(this.#bot?.alerts, notice, `/hooks/alerts/${source}`);
  }

  #knock(door: Bot['alerts'], letter: Letter, path: string): Promise<number> {
    if (!door || !this.#isRunning) return Promise.resolve(0);
    return new Promise(resolve => {
      this.life.onDeath(() => resolve(0));
      const handed = this.#setting.time.as(this.life, () => handOver(door, letter, path));
      void handed.then(({ status }) => resolve(status));
    });
  }

  #hand(letter: Letter): Promise<{ status: number; body: string }> {
    const handle = this.#bot?.handle;
    if (handle) return handOver(handle, letter);
    const late = this.#setting.time.pause(slackDeadlines.acknowledge).then(() => ({ status: 0, body: '' }));
    return Promise.race([sendOverSocket(this.#socketUrl, letter), late]);
  }

  /** Ends it as SIGTERM does. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    const { time } = this.#setting;
    await time.as(this.life, async () => this.#bot?.[Symbol.asyncDispose]());
    this.life.die();
  }

  /** Resolves when everything that it has begun is done. */
  async idle(): Promise<void> {
    if (this.life.isAlive) await this.#bot?.idle();
  }
}
