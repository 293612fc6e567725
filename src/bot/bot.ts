import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { processTimers } from '../contract/timers.ts';
import { migrate } from '../db/migrate.ts';
import { bindOvertaken, isOvertaken } from '../db/pulse.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { followChannels } from './dispatch/surfaces/newcomers.ts';
import { toInstallation } from './doctor/installation.ts';
import { noteArrivals } from './doctor/sightings.ts';
import { FirstCheck, type KnownFault } from './first-check.ts';
import { createGoneIncidents } from './gone-incidents.ts';
import { DeliveryStore } from './inbox/delivery-store.ts';
import { followPeople } from './inbox/follow-people.ts';
import { Inbox } from './inbox/inbox.ts';
import { listen } from './inbox/listen.ts';
import type { IntentJournal } from './incident/acts/intent-kind.ts';
import type { PageReaders } from './incident/acts/page-readers.ts';
import { guardCalls, recordSnapshots, watchRecovery, withAllHolders } from './incident/api/calls.ts';
import { adopt } from './incident/room/adopt.ts';
import { createSnapshots } from './incident/state/snapshots.ts';
import { moveHome } from './move-home.ts';
import { openDeps } from './open-deps.ts';
import type { BotOptions } from './options.ts';
import { startRetention } from './retention.ts';
import { botMigrations } from './schema/migrations.ts';
import { type Identity, isAway } from './slack/clients.ts';
import { openBolt, openReceiver, openSlack, refusedEntry } from './slack/connection.ts';
import type { HttpReceiver } from './slack/http-receiver.ts';
import { MissingScopes } from './slack/missing-scopes.ts';
import { NewerBlocks } from './slack/newer-blocks.ts';
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
  /** Who reads Muster's own pages. */
  readonly readers: PageReaders;
  readonly identity: Identity;
  readonly journal: IntentJournal;
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
  const { database, log, deadlines, clock, steady, awake, features } = options;
  await using stack = new AsyncDisposableStack();
  const { isAlone } = stack.use(await database.occupy('bot'));
  await migrate(database, 'bot', botMigrations, clock());

  const isElsewhere = options.surroundings.apiKind === 'grafana';
  const snapshots = createSnapshots({ database, clock, isElsewhere, log });
  const watched = watchRecovery(
    recordSnapshots(withAllHolders(options.api, log), snapshots),
    () => options.api.health().state !== 'closed',
    () => void deps.journal.wake(),
  );
  const api = guardCalls(watched, isOvertaken);
  const missing = new MissingScopes({ log });
  const watch = new SlackWatch({ clock, log });
  const newerBlocks = new NewerBlocks({ mode: options.blocks, steady, log });
  const slackOptions = { ...options, bindOvertaken, missing, newerBlocks };
  const slack = await openSlack(slackOptions, watch);
  await moveHome(database, slack);
  const { deps, ...behind } = await openDeps(options, { slack, api, snapshots, isAlone });
  const { persons, guests, readers, sightings, lines, unasked } = behind;
  const { journal, rooms, channels, people, cards, bursts, alerts, calls, visits } = deps;
  const kinds = features.flatMap(feature => feature.intents ?? []);

  const way = openReceiver(slackOptions);
  const { receiver, handle, close } = way;
  const bolt = openBolt(slackOptions, receiver, slack);
  const store = new DeliveryStore({ database, owner: randomUUID(), steady });
  const dispatcher = new Dispatcher(deps, features);
  const onUnstored = () => {
    options.observeUnstored?.();
    sightings.noteUnstored();
  };
  const inbox = new Inbox({ dispatcher, store, deadlines, clock, steady, awake, onUnstored, log });
  const inChannels = followChannels(deps, clock);
  listen(bolt, dispatcher, inbox, { channels: inChannels, home: slack, clock, log });
  noteArrivals(bolt, sightings);
  followPeople(bolt, people, log);
  watchRevocation(bolt, watch);
  const connecting = options.untilAnswered
    ? options.untilAnswered(async () => ({ connection: await receiver.start() }), isAway)
    : receiver.start();
  await connecting.catch(async error => {
    await close();
    throw refusedEntry(error, 'SLACK_APP_TOKEN');
  });
  await inbox.start(isAlone);
  watch.start({ ask: () => slack.once.auth.test(), onRestored: () => void journal.wake() });
  const sync = new Sync({
    ...{ api, database, rooms, bursts, cards, deadlines, clock, log },
    store: openPollStore(database, clock),
    declaring: kinds.flatMap(kind => (kind.registers ? [kind.kind] : [])),
    onFound: async incidentIDs => {
      for (const incident of incidentIDs) log.info({ incident }, 'sync: an incident was declared elsewhere');
      await adopt(deps, incidentIDs);
    },
    secret: options.incidentWebhookSecret ?? '',
    onWebhook: () => sightings.noteWebhook(),
    timers: options.timers ?? { after: processTimers.after, steady },
  });
  sync.start();
  const gone = createGoneIncidents({ database, api: options.api, days: options.incidentRetentionDays ?? 0 });
  const own = [store, snapshots, journal, deps.drafts, persons, lines];
  const stores = [...own, alerts, calls, visits, ...unasked.stores, gone];
  const retention = startRetention({ stores, database, clock, log });

  const idle = async () => {
    await sync.idle();
    await inbox.idle();
    await unasked.idle();
    await journal.idle();
    await channels.idle();
    await inChannels.idle();
    await guests.idle();
    await cards.idle();
    await snapshots.idle();
  };
  const { grafana, timers } = options;
  const look = stack.use(new FirstCheck({ installation: toInstallation(options), grafana, timers, clock, log }));
  const hold = stack.move();
  return {
    ...{ handle, sync, ...unasked.doors, readers, identity: slack.identity, journal },
    standing: () => toStanding(watch, way),
    missingScopes: () => missing.names,
    tryOut: () => look.start(),
    faults: () => look.faults,
    idle,
    [Symbol.asyncDispose]: async () => {
      await using _ = hold;
      look[Symbol.dispose]();
      inbox.close();
      unasked.stop();
      watch.stop();
      sync.stop();
      retention[Symbol.dispose]();
      const { stop } = deadlines;
      await settlesWithin(stop.close, close());
      if (!(await settlesWithin(stop.people, inbox.idle()))) {
        log.warn('stop: some people are answered by the next process');
      }
      await journal.stop(stop.intents);
      await settlesWithin(stop.rest, Promise.all([inbox, sync, cards, snapshots, inChannels].map(each => each.idle())));
      await settlesWithin(stop.close, inbox.handBack());
    },
  };
}
