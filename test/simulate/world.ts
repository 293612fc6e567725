import { pino } from 'pino';
import type { HouseRules } from '../../src/bot/house.ts';
import { botEvents, scopes } from '../../src/bot/manifest.ts';
import type { Transport } from '../../src/client/transport.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createFakeSlack, type DirectFakeSlack } from '../../src/playground/fake-slack.ts';
import { createService } from '../../src/service/service.ts';
import { type Act, Acts, bears } from './acts.ts';
import { drawPlan, type Plan, tellPlan } from './faults.ts';
import { History } from './history.ts';
import { createQueue, type Queue } from './mortal-database.ts';
import { type Letter, readLetter, sign } from './post.ts';
import { Random } from './random.ts';
import { Errand, Replica } from './replica.ts';
import type { SlackCall } from './slack-line.ts';
import type { Variant, WorldOptions } from './variants.ts';
import { beginTime, type VirtualTime } from './virtual-time.ts';

/** A message to one person that was not sent while anything of theirs was being done. */
export interface Loose {
  readonly at: number;
  readonly userId: string;
  readonly text: string;
}

/** A workplace in virtual time: Slack, the API, replicas of the bot on one database, and people. */
export class World {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly history: History;
  readonly plan: Plan;
  readonly acts = new Acts();
  readonly variant: Variant;
  readonly slack: DirectFakeSlack;
  readonly apiDatabase: Database;
  readonly botDatabase: Database;
  readonly databaseQueue: Queue = createQueue();
  readonly answerApi: Transport;
  readonly house: HouseRules;
  /** Replicas of now, by their places. */
  readonly replicas: Replica[] = [];
  readonly loose: Loose[] = [];
  /** Records of the bot's log of level error. */
  readonly errors: { readonly at: number; readonly line: string }[] = [];
  /** Until when people act, and when all trouble is over, in milliseconds since the epoch. */
  readonly actingUntil: number;
  readonly calm: number;
  readonly #began: number;
  readonly #random: Random;
  readonly #actOfUrl = new Map<string, Act>();
  #isOver = false;
  #redelivering = 0;

  private constructor(parts: WorldParts) {
    this.seed = parts.seed;
    this.time = parts.time;
    this.history = parts.history;
    this.plan = parts.plan;
    this.variant = parts.variant;
    this.slack = parts.slack;
    this.apiDatabase = parts.apiDatabase;
    this.botDatabase = parts.botDatabase;
    this.answerApi = parts.answerApi;
    this.house = parts.house;
    this.#began = parts.time.now();
    this.actingUntil = parts.actingUntil;
    this.calm = parts.calm;
    this.#random = new Random(parts.seed, 'world');
  }

  /** Makes the world of a seed; nobody acts yet. */
  static async open(seed: number, options: WorldOptions): Promise<World> {
    const time = beginTime(Date.parse('2026-03-02T09:00:00Z'), seed);
    const history = new History(() => time.now());
    const random = new Random(seed, 'plan');
    const began = time.now();
    const actingUntil = began + random.pick([30_000, 60_000, 150_000]);
    const calm = actingUntil + random.pick([0, 5_000, 120_000]);
    const plan = drawPlan(random, options.troubles, began + random.pick([0, 10_000]), calm);
    const slack = createFakeSlack({
      now: () => new Date(time.now()),
      signatureNow: () => new Date(time.now()),
      scopes: Object.values(scopes).map(each => each.scope),
      events: botEvents,
    });
    const apiDatabase = await openDatabase('sqlite::memory:');
    const botDatabase = await openDatabase('sqlite::memory:');
    const parts = { seed, time, history, plan, slack, apiDatabase, botDatabase, actingUntil, calm };
    const service = await meanwhile(
      time,
      createService({
        database: apiDatabase,
        clock: () => new Date(time.now()),
        log: pino({ enabled: false }),
        options: { rootUrl: 'https://muster.example.com' },
      }),
    );
    const house = toHouse(slack);
    const { variant } = options;
    const world = new World({ ...parts, variant, house, answerApi: request => service.handle(request) });
    tellPlan(plan, history, (moment, tell) => world.at(moment, tell));
    world.#connect(random.pick([1, 2, 2, 3]));
    return world;
  }

  /** Whether Slack may send something again. */
  get isRedelivering(): boolean {
    return this.#redelivering > 0;
  }

  /** Does something at a moment. */
  at(moment: number, work: () => void): void {
    void this.time.pause(Math.max(0, moment - this.time.now())).then(work);
  }

  /** What the clock of the bot shows. */
  botClock(): Date {
    const now = this.time.now();
    const isBehind = this.plan.steps.some(step => step.from <= now && now < step.until);
    return new Date(isBehind ? now - 3_600_000 : now);
  }

  /** Ends the world: no replica starts any more, and none goes on. */
  end(): void {
    this.#isOver = true;
    for (const replica of this.replicas) replica.life.die();
  }

  /** An intent or a delivery was stored, by whoever is at it; one that is taken up later is known by its delivery. */
  onStored(table: 'bot_intent' | 'bot_delivery', key: string): void {
    const { doer } = this.time;
    const here = doer instanceof Errand ? doer.act : undefined;
    if (table === 'bot_delivery') {
      here?.deliveries.add(key);
      return;
    }
    const act =
      here ?? this.acts.all.find(({ deliveries }) => [...deliveries].some(each => key.startsWith(`${each}/`)));
    if (act && !act.intents.has(key)) act.intents.set(key, this.time.now());
  }

  /** Something took effect in Slack: it may be an answer to somebody. */
  onSlackEffect(call: SlackCall): void {
    const { method, args, url } = call;
    const at = this.time.now();
    const text = wordsOf(args);
    const here = this.time.doer instanceof Errand ? this.time.doer.act : undefined;
    if (method === 'response_url') {
      this.#actOfUrl.get(url)?.answers.push({ at, text });
      return;
    }
    if (method === 'views.open') {
      here?.answers.push({ at, text: 'a form' });
      return;
    }
    const userId = method === 'chat.postEphemeral' ? args.user : method === 'chat.postMessage' ? args.channel : '';
    if (typeof userId !== 'string' || !userId.startsWith('U')) return;
    const marked = this.acts.all.filter(act => act.userId === userId && bears(text, act.mark));
    const isHere =
      here?.userId === userId && (marked.length === 0 || bears(text, here.mark) || bears(text, here.incident));
    for (const act of new Set(isHere ? [here, ...marked] : marked)) act.answers.push({ at, text });
    if (!isHere) this.loose.push({ at, userId, text });
  }

  #connect(places: number): void {
    globalThis.fetch = (input, init) => {
      const { doer } = this.time;
      const life = doer instanceof Errand ? doer.life : doer;
      const replica = this.replicas.find(each => each.life === life);
      if (!replica) return new Promise(() => {});
      return replica.fetch(input, init);
    };
    this.slack.connectApp(letter => this.#deliver(letter));
    for (let place = 0; place < places; place += 1) void this.#keepRunning(place);
    const { kills, stops } = this.plan;
    for (let number = 0; number < kills + stops; number += 1) {
      const moment = this.#random.whole(this.#began, this.calm);
      this.at(moment, () => (number < kills ? this.#condemn() : void this.#stop()));
    }
    this.at(this.calm, () => {
      for (const replica of this.replicas) replica.life.condemn({ writes: 0, isBefore: false });
      this.history.add('world', 'all trouble is over');
    });
  }

  /** What a supervisor does: starts a replica, and another one when it has ended. */
  async #keepRunning(place: number): Promise<void> {
    for (let life = 1; !this.#isOver; life += 1) {
      const replica = new Replica(this, `replica${place + 1}.${life}`);
      this.replicas[place] = replica;
      const ended = new Promise<void>(resolve => replica.life.onDeath(resolve));
      this.history.add(replica.name, 'starts');
      const log = pino({ level: 'error', base: null }, { write: line => this.#onError(replica, line) });
      try {
        await Promise.race([replica.start(log), ended]);
        if (replica.isOpen) this.history.add(replica.name, 'runs');
        await ended;
      } catch (error) {
        this.history.add(replica.name, `could not start: ${error}`);
        replica.life.die();
      }
      if (!this.#isOver) this.history.add(replica.name, 'is no more');
      await this.time.pause(this.#random.whole(500, 20_000));
    }
  }

  #onError(replica: Replica, line: string): void {
    this.errors.push({ at: this.time.now(), line });
    this.history.add(replica.name, `log: ${line.slice(0, 1500)}`);
  }

  #condemn(): void {
    const replica = this.#anyReplica();
    if (!replica) return;
    const doom = { writes: this.#random.whole(1, 12), isBefore: this.#random.chance(0.5) };
    this.history.add(
      'fault',
      `${replica.name} is killed ${doom.isBefore ? 'before' : 'after'} its write ${doom.writes}`,
    );
    replica.life.condemn(doom);
  }

  async #stop(): Promise<void> {
    const replica = this.#anyReplica();
    if (!replica) return;
    this.history.add('fault', `${replica.name} is told to stop`);
    await replica.stop();
  }

  #anyReplica(): Replica | undefined {
    const open = this.replicas.filter(each => each.isOpen);
    return open.length === 0 ? undefined : this.#random.pick(open);
  }

  /** Takes what Slack sends; events come again when nobody took them, and sometimes although somebody did. */
  async #deliver(letter: Letter): Promise<{ status: number; body: string }> {
    const { doer } = this.time;
    const act = doer instanceof Actor ? doer.act : undefined;
    const { responseUrl, isEvent } = readLetter(letter);
    if (act && responseUrl !== '') this.#actOfUrl.set(responseUrl, act);
    const first = await this.#hand(letter, act, isEvent, 0);
    if (isEvent) void this.#redeliver(letter, act, first.status);
    return first;
  }

  async #redeliver(letter: Letter, act: Act | undefined, first: number): Promise<void> {
    let status = first;
    this.#redelivering += 1;
    const pauses = [this.#random.whole(0, 1000), 60_000, 300_000];
    for (const [number, pause] of pauses.entries()) {
      await this.time.pause(pause);
      if (status === 200 && !this.#random.chance(0.15)) continue;
      status = (await this.#hand(letter, act, true, number + 1)).status;
    }
    this.#redelivering -= 1;
  }

  async #hand(
    letter: Letter,
    act: Act | undefined,
    isEvent: boolean,
    retry: number,
  ): Promise<{ status: number; body: string }> {
    const replica = this.#anyReplica();
    const who = act ? `act ${act.number}` : 'an event';
    if (!replica) {
      this.history.add('Slack', `${who} is not taken: there is no replica`);
      return { status: 503, body: '' };
    }
    const clock = this.botClock().getTime();
    const { life } = replica;
    const arrived = { at: this.time.now(), clock, life, isEvent, status: undefined as number | undefined };
    act?.arrivals.push(arrived);
    this.history.add('Slack', `${who} goes to ${replica.name}${retry > 0 ? `, again (${retry})` : ''}`);
    try {
      const answer = await replica.take(sign(letter, this.slack.signingSecret, clock, retry), act);
      arrived.status = answer.status;
      if (answer.body.length > 2) act?.answers.push({ at: this.time.now(), text: answer.body });
      if (answer.status !== 200) this.history.add(replica.name, `answers ${who} with ${answer.status} ${answer.body}`);
      return answer;
    } catch (error) {
      this.history.add(replica.name, `does not answer ${who}: ${error}`);
      return { status: 503, body: '' };
    }
  }
}

/** Somebody who acts. */
export class Actor {
  readonly isAlive = true;
  readonly act: Act;

  constructor(act: Act) {
    this.act = act;
  }
}

interface WorldParts {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly history: History;
  readonly plan: Plan;
  readonly variant: Variant;
  readonly slack: DirectFakeSlack;
  readonly apiDatabase: Database;
  readonly botDatabase: Database;
  readonly answerApi: Transport;
  readonly house: HouseRules;
  readonly actingUntil: number;
  readonly calm: number;
}

/** Lets time pass until some work is done. */
export async function meanwhile<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) await time.until(time.now() + 1);
  return done;
}

function toHouse(slack: DirectFakeSlack): HouseRules {
  return {
    severities: ['pending', 'minor', 'major', 'critical'],
    channelPrefix: 'inc-',
    announceChannel: slack.addChannel({ name: 'incidents', botIsMember: true }).id,
    commandRoot: 'muster',
    webUrl: 'https://muster.example.com',
    dashboardHosts: [],
  };
}

/** Everything a message says. */
function wordsOf(args: Readonly<Record<string, unknown>>): string {
  return `${args.text ?? ''}`;
}
