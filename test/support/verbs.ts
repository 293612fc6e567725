import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { toHouse, toSurroundings } from '../../src/app.ts';
import { Dispatcher } from '../../src/bot/dispatch/dispatcher.ts';
import { noTurn, type Received } from '../../src/bot/dispatch/feature/arrival.ts';
import { toDraft } from '../../src/bot/dispatch/feature/delivery.ts';
import { followChannels } from '../../src/bot/dispatch/surfaces/newcomers.ts';
import { features } from '../../src/bot/features.ts';
import { followPeople } from '../../src/bot/inbox/follow-people.ts';
import { listen } from '../../src/bot/inbox/listen.ts';
import { beginComparing } from '../../src/bot/incident/lines/known-state.ts';
import { isLine } from '../../src/bot/incident/lines/mark.ts';
import { lineText } from '../../src/bot/incident/lines/words.ts';
import { noSources } from '../../src/bot/incident/state/room-store.ts';
import { createSnapshots } from '../../src/bot/incident/state/snapshots.ts';
import { openDeps } from '../../src/bot/open-deps.ts';
import type { BotOptions } from '../../src/bot/options.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { openBolt, openReceiver, openSlack } from '../../src/bot/slack/connection.ts';
import { NewerBlocks } from '../../src/bot/slack/newer-blocks.ts';
import { toMessage } from '../../src/bot/text/spoken.ts';
import { createClient } from '../../src/client/client.ts';
import { readConfig } from '../../src/config/config.ts';
import type { ActivityKind } from '../../src/contract/activity.ts';
import type { Api } from '../../src/contract/contract.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { deadlines } from '../../src/deadlines.ts';
import { createFakeSlack, type Message, type Person, renderMessage } from '../../src/fake-slack/fake-slack.ts';
import { renderMrkdwn } from '../../src/fake-slack/render/mrkdwn.ts';
import { createService } from '../../src/service/service.ts';
import { toAppHandler } from './app-handler.ts';
import { makeDatabase } from './databases/fresh.ts';
import { grants } from './grants.ts';
import { type LogRecord, openWatchedLog } from './watched-log.ts';

/** How {@link openVerbs} differs from the usual. */
export interface VerbOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The incident's room has alice alone, and nobody else sees it. */
  readonly isPrivate?: boolean;
  /** Runs before the incident is declared. */
  readonly prepare?: (api: Api, bob: Person) => Promise<unknown>;
  /** `error` records that are part of the test; any other fails it. */
  readonly expectErrors?: (record: LogRecord) => boolean;
}

/**
 * The incident “Checkout answers 500” of `openIncident`, for the rules of verbs, buttons and forms: what somebody types becomes an answer,
 * intents, and facts of the API. Slack's payloads, Bolt, the dispatcher, the features, the journal, the service and the database are real.
 * They meet in this process, without sockets, the inbox and the board, so a line costs a fifth of what it costs in a story. Nobody posts
 * the room's lines, and nobody keeps the card up to date: `publicLines` and `showCard` tell how they would read.
 */
export function openVerbs(options: VerbOptions = {}): Promise<Verbs> {
  return open(options, onTestFinished);
}

/** Opens the incident of {@link openVerbs} once for all tests of a file: for tables whose rows leave each other alone. */
export function shareVerbs(options: VerbOptions = {}): () => Verbs {
  let shared: Verbs;
  let end: () => Promise<void>;
  beforeAll(async () => {
    shared = await open(options, close => {
      end = close;
    });
  });
  afterAll(() => end());
  return () => shared;
}

/** What a test of verbs has. */
type Verbs = Awaited<ReturnType<typeof open>>;

async function open(
  { settings = {}, isPrivate = false, prepare, expectErrors }: VerbOptions,
  atEnd: (close: () => Promise<void>) => void,
) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = createFakeSlack({ ...grants, now: clock, signatureNow: clock });
  const stack = new AsyncDisposableStack();
  const { log, lines: logged } = openWatchedLog({ expectErrors, atEnd, close: () => stack.disposeAsync() });
  const { url } = stack.use(await makeDatabase());
  const { deps, database, quiet } = await openBot(slack, stack, { settings, clock, log, url });
  const { api } = deps;
  const alice = slack.addPerson({ name: 'alice', tz: 'Europe/Berlin' });
  const bob = slack.addPerson({ name: 'bob', tz: 'America/New_York' });
  const [carol, wendy] = ['carol', 'wendy'].map(name => slack.addPerson({ name })) as [Person, Person];
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const general = slack.addChannel({ name: 'general', members: [alice, bob, carol] });
  await prepare?.(api, bob);
  const person = await deps.people.find(alice.id);
  const { incident } = await api.IncidentsService.CreateIncident(
    { title: 'Checkout answers 500', severity: '', labels: [], roomPrefix: '', isDrill: false, status: 'active' },
    {
      people: person ? { actor: await deps.people.toKnown(person) } : {},
      ...(isPrivate ? { incidentType: 'private' } : {}),
    },
  );
  const { incidentID } = incident;
  const name = `inc-${incidentID}-checkout-answers-500`;
  const members = isPrivate ? [alice] : [alice, bob, wendy, gus];
  const home = slack.addChannel({ name, isPrivate, members, botIsMember: true });
  await deps.rooms.keep({
    ...{ incidentID, teamId: slack.teamId, channelId: home.id, channelName: name, isLinked: false, isPrivate },
    ...{ cardTs: '', announcementChannelId: '', announcementTs: '', declaredBy: alice.id, sources: noSources },
  });
  await database.withLock(`declare ${incidentID}`, trx => beginComparing(trx, incidentID, incident));
  await quiet();

  const messages = (reader: Person, channel: string) => reader.sees(slack.channel(channel));
  const read = (message: Message | undefined) => (message ? renderMessage(slack, message) : '');
  const unlined = (reader: Person, channel: string) => messages(reader, channel).findLast(each => !isLine(each));
  const reads = (reader = alice, channel = home) => read(unlined(reader, channel.id));
  const then = async <T>(act: Promise<T>): Promise<T> => {
    const done = await act;
    await quiet();
    return done;
  };
  const itemsOf = async (id: string, activityKind: ActivityKind[]) => {
    const query = { incidentID: id, activityKind, orderDirection: 'ASC' as const };
    return (await api.ActivityService.QueryActivity({ query })).activityItems;
  };
  return {
    ...{ slack, api, deps, url, alice, bob, carol, wendy, gus, general, home, reads },
    /** The parts that helpers of stories use: `reads` yields everything that a person reads in a channel, oldest first. */
    place: {
      ...{ slack, api, messages, quiet, logged },
      reads: (reader: Person, channel: string) => messages(reader, channel).map(read),
      lastRead: (reader: Person, channel: string) => read(unlined(reader, channel)),
    },
    now: clock,
    /** Minutes go by. */
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    /** Somebody does something, and all of its effects happen. */
    act: (what: () => void) => then((async () => what())()),
    /** Types a line and yields the last thing the person reads there. */
    type: async (line: string, typist = alice, channel = home) => {
      await then(typist.command(channel, line));
      return reads(typist, channel);
    },
    /** Types a line and yields everything that the person reads there for it. */
    typeAndReadAll: async (line: string, typist = alice, channel = home) => {
      const known = messages(typist, channel.id).length;
      await then(typist.command(channel, line));
      return messages(typist, channel.id).slice(known).map(read).join('\n');
    },
    last: (reader = alice, channel = home): Message => {
      const message = unlined(reader, channel.id);
      if (!message) throw new Error(`${reader.name} sees nothing in #${channel.name}`);
      return message;
    },
    press: async (message: Message, what: Parameters<Person['press']>[1], presser = alice) => {
      await then(presser.press(message, what));
      return reads(presser);
    },
    submit: (values: Parameters<Person['submit']>[0] = {}, sender = alice) => then(sender.submit(values)),
    /** Posts the card as it would read now. */
    showCard: async (): Promise<Message> => {
      const card = await deps.cards.card((await api.IncidentsService.GetIncident({ incidentID })).incident);
      await deps.slack.web.chat.postMessage({ channel: home.id, ...toMessage(card) });
      return messages(alice, home.id).at(-1) as Message;
    },
    /** What the room would read of all changes, oldest first. */
    publicLines: async () => {
      const lines = database.as<BotTables>().selectFrom('bot_line').selectAll().where('place', '=', 'room');
      return (await lines.orderBy('seq').execute()).map(line => renderMrkdwn(slack.directory, lineText(line)));
    },
    incident: async (id = incidentID) => (await api.IncidentsService.GetIncident({ incidentID: id })).incident,
    /** The timeline's items of these kinds, oldest first. */
    items: (...kinds: ActivityKind[]) => itemsOf(incidentID, kinds),
    /** The words of the notes of an incident, oldest first. */
    bodies: async (id = incidentID) => (await itemsOf(id, ['userNote'])).map(note => note.body),
  };
}

/** The bot without sockets, inbox and board, on a fresh database with the service. `quiet`: everything begun is done. */
async function openBot(
  slack: ReturnType<typeof createFakeSlack>,
  stack: AsyncDisposableStack,
  {
    settings,
    clock,
    log,
    url,
  }: Pick<BotOptions, 'clock' | 'log'> & Pick<VerbOptions, 'settings'> & { readonly url: string },
) {
  const { botToken, signingSecret, apiUrl: slackApiUrl, fetch } = slack;
  const config = readConfig({
    ...{ SLACK_BOT_TOKEN: botToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: slackApiUrl },
    ...{ PUBLIC_URL: 'https://muster.example.com', REMINDERS: 'off' },
    ...settings,
  });
  const database = stack.use(await openDatabase(url));
  await migrate(database, 'bot', botMigrations, clock());
  const service = stack.use(await createService({ database, clock, log, options: {}, tokens: [] }));
  const steady = () => clock().getTime();
  const options = {
    ...{ database, features, clock, steady, log, mode: config.slack, botToken, slackApiUrl, fetch, betweenPosts: 0 },
    ...{ settings: toHouse(config), blocks: config.blocks, surroundings: toSurroundings(config) },
    ...{ intentBudget: deadlines.api.budget, observeDelivery: () => undefined, observeWebApi: () => undefined },
    api: createClient({ ...deadlines.api, log, transport: service.handle }),
    newerBlocks: new NewerBlocks({ mode: config.blocks, steady, log }),
  };
  const home = await openSlack(options);
  const below = { api: options.api, slack: home, snapshots: createSnapshots({ database, clock, log }), isAlone: true };
  const { deps } = await openDeps(options, below);
  stack.defer(() => deps.journal.stop(0));
  Object.assign(deps.cards, { refresh: () => undefined, catchUp: async () => undefined });

  const taken = new Map<string, Promise<void>>();
  const take = async ({ key, body, plan, handles, mayStand = false }: Received) => {
    if (taken.has(key) || !('run' in plan)) return;
    const { triggerId = '', respond, replaceable = false } = handles ?? {};
    const arrival = { ...body, key, caller: key, draft: toDraft(body.act), mayStand, triggerId, respond, replaceable };
    taken.set(key, plan.run({ ...arrival, log, now: clock(), order: noTurn }));
  };
  const { receiver, handle } = openReceiver(options);
  const bolt = openBolt(options, receiver, home);
  const inbox = { isNew: (key: string) => !taken.has(key), take, takeStored: take };
  const channels = followChannels(deps, clock);
  listen(bolt, new Dispatcher(deps, features), inbox, { channels, home, clock, log });
  followPeople(bolt, deps.people, log);
  if (handle) slack.connectApp(toAppHandler(handle));
  const quiet = async () => {
    const begun = () => taken.size + slack.calls.length;
    let before: number;
    do {
      before = begun();
      await slack.settled();
      await Promise.all(taken.values());
      for (const each of [deps.journal, deps.channels, channels]) await each.idle();
    } while (begun() !== before);
  };
  return { deps, database, quiet };
}
