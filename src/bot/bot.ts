/*
 * The bot is put together in this order. It takes the database, brings its tables up to date, shows that it lives, and asks Slack who it is; it
 * opens the parts that features use, with which the journal begins (`open-deps.ts`); it listens; it starts the chores that run while people act.
 * It stops listening first and answers the people who wait, each within a deadline; the next process takes up the rest.
 */
import type { RequestListener } from 'node:http';
import type { App } from '@slack/bolt';
import { type Kysely, sql } from 'kysely';
import { isNotFound } from '../contract/errors.ts';
import { processTimers } from '../contract/timers.ts';
import type { Database } from '../db/database.ts';
import type { NoTables } from '../db/engine.ts';
import { Heart } from '../db/heart.ts';
import { migrate } from '../db/migrate.ts';
import { bindOvertaken, isOvertaken } from '../db/pulse.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import { followChannels } from './dispatch/surfaces/newcomers.ts';
import { countDeliveries } from './doctor/inbox.ts';
import { toInstallation } from './doctor/installation.ts';
import { noteArrivals } from './doctor/sightings.ts';
import { FirstCheck, type KnownFault } from './first-check.ts';
import { DeliveryStore } from './inbox/delivery-store.ts';
import { Inbox } from './inbox/inbox.ts';
import { listen } from './inbox/listen.ts';
import type { IntentJournal } from './incident/acts/intent-kind.ts';
import type { PageReaders } from './incident/acts/page-readers.ts';
import { guardCalls, recordSnapshots, watchRecovery, withAllHolders } from './incident/api/calls.ts';
import { parseKnownState } from './incident/lines/known-state.ts';
import { takeOverElsewhere } from './incident/room/take-over.ts';
import { countChange } from './incident/state/room-store.ts';
import { DatabaseSnapshots } from './incident/state/snapshots.ts';
import { keepFor } from './keep-for.ts';
import { type OpenDeps, openDeps } from './open-deps.ts';
import type { BotOptions } from './options.ts';
import { startRetention } from './retention.ts';
import { botMigrations } from './schema/migrations.ts';
import type { BotTables } from './schema/tables.ts';
import { type Identity, isAway, type Slack } from './slack/clients.ts';
import { openBolt, openReceiver, openSlack, refusedEntry } from './slack/connection.ts';
import type { HttpReceiver } from './slack/http-receiver.ts';
import { MissingScopes } from './slack/missing-scopes.ts';
import { type SlackStanding, SlackWatch, toStanding, watchRevocation } from './slack/slack-watch.ts';
import { openPollStore } from './sync/poll-store.ts';
import { Sync } from './sync/sync.ts';
import { settlesWithin } from './text/timeout.ts';

/** The running bot. */
export interface Bot extends AsyncDisposable {
  /** Takes Slack's requests at `POST /slack/events`; undefined in Socket Mode. */
  readonly handle: HttpReceiver['handle'] | undefined;
  /** Brings over changes made elsewhere. */
  readonly sync: Pick<Sync, 'hook' | 'nudge'>;
  /** Takes alerts at `/hooks/alerts/<name>`; undefined where no source may send any. */
  readonly alerts: RequestListener | undefined;
  /** Takes what pagers say of pages at `/hooks/pages/<name>`; undefined where the team has no pager. */
  readonly pages: RequestListener | undefined;
  readonly readers: PageReaders;
  readonly identity: Identity;
  readonly journal: IntentJournal;
  /** Counts the deliveries that are not done. */
  deliveries(): ReturnType<typeof countDeliveries>;
  /** Whether Slack reaches the bot, answers it and takes its token. */
  standing(): SlackStanding;
  /** Scopes that Slack has asked for since the start. */
  missingScopes(): readonly string[];
  /** Tries what nobody notices until an incident is declared. Waits two seconds for it at most; it then goes on by itself. */
  tryOut(): Promise<void>;
  /** What failed when it was last tried. */
  faults(): readonly KnownFault[];
  /** Resolves when everything begun is done: deliveries, intents, cards. */
  idle(): Promise<void>;
}

/**
 * Starts the bot: asks Slack who it is, prepares its tables, and listens. Throws with a sentence when Slack refuses the token,
 * when it cannot be reached and `untilAnswered` does not wait for it, or when another bot uses the same SQLite file. Disposing stops listening, then finishes what was begun.
 */
export async function createBot(options: BotOptions): Promise<Bot> {
  const { database, log, clock, monotonicNow, bootTimeNow } = options;
  await using stack = new AsyncDisposableStack();
  const { isSoleProcess } = stack.use(await database.occupy('bot'));
  await migrate(database, 'bot', botMigrations, clock());
  const heart = stack.use(
    new Heart({
      ...options.life,
      ...{ database, isSoleProcess, clock, monotonicNow, bootTimeNow, log },
      keptFor: keepFor.processes,
    }),
  );
  await heart.start();

  const watch = new SlackWatch({ clock, log });
  const missing = new MissingScopes({ log });
  const slackOptions = { ...options, bindOvertaken, missing };
  const slack = await openSlack(slackOptions, watch);
  await moveHome(database, slack);
  const isElsewhere = options.surroundings.apiKind === 'grafana';
  const snapshots = new DatabaseSnapshots({ database, clock, isElsewhere, log });
  const wake = () => void parts.deps.journal.wake();
  const isApiThere = () => options.api.health().state !== 'closed';
  const recorded = recordSnapshots(withAllHolders(options.api, log), snapshots);
  const api = guardCalls(watchRecovery(recorded, isApiThere, wake), isOvertaken);
  const parts = await openDeps(options, { slack, api, snapshots, heart, isSoleProcess });
  const { deps, guests, readers, unasked } = parts;
  const { journal, channels, cards } = deps;

  const ears = await openEars(options, slackOptions, parts, heart, watch);
  const { inbox, inChannels } = ears;
  await inbox.start(isSoleProcess);
  watch.start({ ask: () => slack.once.auth.test(), onRestored: wake });
  const sync = startSync(options, parts);
  const retention = startRetention({ stores: storesOf(options, parts, heart, ears.store), database, clock, log });
  const { grafana, timers } = options;
  const look = stack.use(new FirstCheck({ installation: toInstallation(options), grafana, timers, clock, log }));
  const hold = stack.move();
  return {
    ...{ handle: ears.way.handle, sync, ...unasked.doors, readers, identity: slack.identity, journal },
    deliveries: () => countDeliveries(database, clock()),
    standing: () => toStanding(watch, ears.way),
    missingScopes: () => missing.names,
    tryOut: () => look.start(),
    faults: () => look.faults,
    idle: async () => {
      for (const each of [sync, inbox, unasked, journal, channels, inChannels, guests, cards, snapshots])
        await each.idle();
    },
    [Symbol.asyncDispose]: async () => {
      await using _ = hold;
      look[Symbol.dispose]();
      retention[Symbol.dispose]();
      watch.stop();
      sync.stop();
      await finish(options, parts, ears, [sync, snapshots]);
    },
  };
}

/** Ends the work that was begun: people who wait first, then intents, then the rest. The next process takes up what does not end in time. */
async function finish(
  { deadlines: { stop }, log }: BotOptions,
  { deps: { journal, cards }, unasked }: OpenDeps,
  { inbox, inChannels, way }: Awaited<ReturnType<typeof openEars>>,
  others: readonly { idle(): Promise<void> }[],
): Promise<void> {
  inbox.close();
  unasked.stop();
  await settlesWithin(stop.close, way.close());
  if (!(await settlesWithin(stop.people, inbox.idle()))) log.warn('stop: some people are answered by the next process');
  await journal.stop(stop.intents);
  await settlesWithin(stop.rest, Promise.all([inbox, cards, inChannels, ...others].map(each => each.idle())));
  await settlesWithin(stop.close, inbox.handBack());
}

/** Listens to Slack. Resolves when Slack is connected, or is waited for; throws with a sentence when it refuses the connection. */
async function openEars(
  options: BotOptions,
  slackOptions: Parameters<typeof openReceiver>[0],
  { deps, sightings }: OpenDeps,
  heart: Heart,
  watch: SlackWatch,
) {
  const { database, features, deadlines, clock, monotonicNow, log } = options;
  const { slack, journal, visits } = deps;
  const way = openReceiver(slackOptions);
  const bolt = openBolt(slackOptions, way.receiver, slack, watch);
  const store = new DeliveryStore({ database, owner: heart.owner, hasOthers: () => heart.hasOthers(), monotonicNow });
  const dispatcher = new Dispatcher(deps, features);
  const onUnstored = () => {
    options.observeUnstored?.();
    sightings.noteUnstored();
  };
  const isLive = async (channelId: string) => {
    const here = await deps.rooms.allOfChannel(slack.identity.teamId, channelId, clock());
    const known = await Promise.all(here.map(each => deps.snapshots.get(each.incidentID)));
    return here.length > 0 && known.every(each => each?.summary.status !== 'resolved');
  };
  const inbox = new Inbox({
    ...{ dispatcher, store, journal, visits, deadlines, clock, monotonicNow, heart, isLive, onUnstored, log },
    onGivenUp: options.observeGivenUp,
  });
  const inChannels = followChannels(deps, clock);
  listen(bolt, dispatcher, inbox, { channels: inChannels, home: slack, clock, log });
  noteArrivals(bolt, sightings);
  followPeople(bolt, deps, database);
  watchRevocation(bolt, watch);
  const connecting = options.untilAnswered
    ? options.untilAnswered(async () => ({ connection: await way.receiver.start() }), isAway)
    : way.receiver.start();
  await connecting.catch(async error => {
    await way.close();
    throw refusedEntry(error, 'SLACK_APP_TOKEN');
  });
  return { way, store, inbox, inChannels };
}

/** Brings over changes that are made elsewhere. */
function startSync(options: BotOptions, { deps, sightings }: OpenDeps): Sync {
  const { database, deadlines, clock, monotonicNow, features, log } = options;
  const { api, rooms, bursts, cards } = deps;
  const kinds = features.flatMap(feature => feature.intents ?? []);
  const sync = new Sync({
    ...{ api, database, rooms, bursts, cards, deadlines, clock, log },
    store: openPollStore(database, clock),
    declaring: kinds.flatMap(kind => (kind.declares ? [kind.kind] : [])),
    onFound: async incidentIDs => {
      for (const incident of incidentIDs) log.info({ incident }, 'sync: an incident was declared elsewhere');
      await takeOverElsewhere(deps, incidentIDs);
    },
    secret: options.incidentWebhookSecret ?? '',
    onWebhook: () => sightings.noteWebhook(),
    timers: options.timers ?? { after: processTimers.after, monotonicNow },
  });
  sync.start();
  return sync;
}

/** The stores whose old rows are deleted. */
function storesOf(
  { database, api, incidentRetentionDays: days = 0 }: BotOptions,
  { deps, persons, lines, unasked }: OpenDeps,
  heart: Heart,
  deliveries: DeliveryStore,
) {
  const { snapshots, journal, drafts, alerts, calls, visits } = deps;
  const gone = createGoneIncidents({ database, api, days });
  return [
    heart,
    deliveries,
    snapshots,
    journal,
    drafts,
    persons,
    lines,
    alerts,
    calls,
    visits,
    ...unasked.stores,
    gone,
  ];
}

/**
 * Takes note of people who become guests, leave, come back or rename themselves, as soon as Slack says so. Bolt acknowledges these
 * events at once: one that is lost costs no more than a minute, since a change is preceded by a look at the person.
 */
export function followPeople(bolt: App, deps: Deps, database: Database): void {
  const { people, cards, log } = deps;
  bolt.event('user_change', async ({ event }) => {
    const isNews = await people.learn(event.user, 'changed');
    log.debug({ user: event.user.id }, 'people: Slack says that somebody changed');
    if (!isNews) return;
    for (const incidentID of await incidentsOf(deps, database, event.user.id)) {
      await database.single<NoTables, void>(db => countChange(db, incidentID));
      cards.refresh(incidentID, true);
    }
  });
  bolt.event('team_join', async ({ event }) => {
    await people.learn(event.user, 'new');
  });
}

/** The incidents that go on and in which a person holds a role or owes something. */
async function incidentsOf({ people }: Deps, database: Database, userId: string): Promise<readonly string[]> {
  const db = database.as<BotTables>();
  const duties = db.selectFrom('bot_duty').select('incident_id').where('user_id', '=', userId);
  const owed = await duties.where('state', 'in', ['owed', 'stopped']).execute();
  const found = new Set(owed.map(each => each.incident_id));
  const active = db.selectFrom('bot_known_state').selectAll().where('state', 'like', '%"status":"active"%');
  for (const { incident_id: id, state } of await active.execute())
    for (const { userID } of parseKnownState(state)?.roles ?? [])
      if ((await people.toSlackId(userID)) === userId) found.add(id);
  return [...found];
}

/** What is kept for a home, with what names a row there. People are left out: Slack describes them again. */
export const homeTables = {
  bot_room: [],
  bot_message_note: [],
  bot_draft: [],
  bot_account: ['user_id'],
  bot_greeting: ['user_id'],
  bot_channel: ['channel_id'],
  bot_channel_member: ['channel_id', 'user_id'],
} as const satisfies Partial<Readonly<Record<keyof BotTables, readonly string[]>>>;

/**
 * Gives this home what an earlier installation in the same organisation stored: an app of one workspace may have become one of all of
 * them, or the other way round. What the home has already stays. It changes nothing when it is called again.
 */
export async function moveHome(database: Database, { identity, workspaces }: Slack): Promise<void> {
  const { teamId: home } = identity;
  const former = workspaces.formerHomes;
  if (former.length === 0) return;
  await database.withLock<BotTables, void>('move-home', async db => {
    const isFormer = sql`team_id in (${sql.join(former)})`;
    for (const [name, keys] of Object.entries(homeTables)) {
      const table = sql.table(name);
      const isSame = keys.map(key => sql`kept.${sql.ref(key)} = ${table}.${sql.ref(key)}`);
      if (isSame.length > 0) {
        await sql`delete from ${table} where ${isFormer} and exists (
          select 1 from ${table} as kept where kept.team_id = ${home} and ${sql.join(isSame, sql` and `)})`.execute(db);
      }
      await sql`update ${table} set team_id = ${home} where ${isFormer}`.execute(db);
    }
    // The journal knows a person by home and id.
    for (const id of former) {
      await sql`update bot_intent set owner = ${`${home}/`} || substr(owner, ${sql.lit(id.length + 2)})
        where owner like ${`${id}/%`}`.execute(db);
    }
  });
}

/**
 * Forgets incidents that the API does not have any more: their rooms, alerts, calls, pages, duties, updates, lines, task numbers, snapshots,
 * visits and ended intents, and who is in their channels. Only rooms older than `days` are looked at, so that an API that is empty by mistake
 * costs no incident its channel.
 */
export function createGoneIncidents(deps: {
  readonly database: Database;
  readonly api: {
    readonly IncidentsService: { GetIncident(request: { readonly incidentID: string }): Promise<unknown> };
  };
  /** 0: nothing is forgotten. */
  readonly days: number;
}): { purge(now: Date): Promise<number> } {
  const { database, api, days } = deps;

  async function isGone(incidentID: string): Promise<boolean> {
    try {
      await api.IncidentsService.GetIncident({ incidentID });
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  return {
    async purge(now) {
      if (days === 0) return 0;
      const before = new Date(now.getTime() - days * 86_400_000).toISOString();
      const rooms = await database
        .as<BotTables>()
        .selectFrom('bot_room')
        .select('incident_id')
        .where('created_at', '<', before)
        .execute();
      let count = 0;
      // A provisional id is of an incident that the API does not have yet.
      for (const { incident_id } of rooms.filter(each => /^\d+$/.test(each.incident_id))) {
        if (!(await isGone(incident_id))) continue;
        await database.withLock<BotTables, void>('gone-incidents', db => forget(db, incident_id));
        count += 1;
      }
      return count;
    },
  };
}

async function forget(db: Kysely<BotTables>, incidentID: string): Promise<void> {
  const rooms = await db
    .selectFrom('bot_room')
    .select(['team_id', 'channel_id'])
    .where('incident_id', '=', incidentID)
    .execute();
  const calls = db.selectFrom('bot_call').select('id').where('incident_id', '=', incidentID);
  await db.deleteFrom('bot_called').where('call_id', 'in', calls).execute();
  const offers = db.selectFrom('bot_alert_offer').select('id').where('incident_id', '=', incidentID);
  await db.deleteFrom('bot_alert').where('offer', 'in', offers).execute();
  await db.deleteFrom('bot_room').where('incident_id', 'in', offers).execute();
  const tables = [
    'bot_alert_offer',
    'bot_page',
    'bot_call',
    'bot_known_state',
    'bot_update',
    'bot_line',
    'bot_outage',
    'bot_next_steps',
    'bot_duty',
    'bot_task',
    'bot_incident',
    'bot_found',
    'bot_visit',
    'bot_room',
  ] as const;
  for (const table of tables) {
    await db.deleteFrom(table).where('incident_id', '=', incidentID).execute();
  }
  await db
    .deleteFrom('bot_intent')
    .where('subject', '=', incidentID)
    .where('state', 'in', ['done', 'failed', 'discarded'])
    .where('tell', '=', 'nobody')
    .execute();
  for (const room of rooms) await forgetChannel(db, room);
}

/** Forgets a channel in which no incident lives. Where people still use Muster in it, Slack is asked again. */
async function forgetChannel(
  db: Kysely<BotTables>,
  { team_id, channel_id }: { readonly team_id: string; readonly channel_id: string },
): Promise<void> {
  const another = await db
    .selectFrom('bot_room')
    .select('incident_id')
    .where('team_id', '=', team_id)
    .where('channel_id', '=', channel_id)
    .executeTakeFirst();
  if (another) return;
  for (const table of ['bot_channel_member', 'bot_channel'] as const) {
    await db.deleteFrom(table).where('team_id', '=', team_id).where('channel_id', '=', channel_id).execute();
  }
}
