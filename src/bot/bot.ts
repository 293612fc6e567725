import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { processTimers } from '../contract/timers.ts';
import { migrate } from '../db/migrate.ts';
import { bindOvertaken, isOvertaken } from '../db/pulse.ts';
import { deadlines } from '../deadlines.ts';
import { boardButtons } from './board-buttons.ts';
import { LateReceipts } from './dispatch/answers/late-receipts.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import { createDrafts } from './dispatch/feature/drafts.ts';
import { slashCommands } from './dispatch/feature/feature.ts';
import { createGreetings } from './dispatch/feature/greetings.ts';
import { ReplaceableMessages } from './dispatch/feature/replaceable-messages.ts';
import { openIntentJournal } from './dispatch/open-journal.ts';
import { followChannels } from './dispatch/surfaces/newcomers.ts';
import { openDoctor } from './doctor/doctor.ts';
import { toInstallation } from './doctor/installation.ts';
import { noteArrivals, openSightings } from './doctor/sightings.ts';
import { FirstCheck, type KnownFault } from './first-check.ts';
import { createGoneIncidents } from './gone-incidents.ts';
import { DeliveryStore, findOpen } from './inbox/delivery-store.ts';
import { followPeople } from './inbox/follow-people.ts';
import { Inbox } from './inbox/inbox.ts';
import { listen } from './inbox/listen.ts';
import type { IntentJournal } from './incident/acts/intent-kind.ts';
import type { PageReaders } from './incident/acts/page-readers.ts';
import { guardCalls, recordSnapshots, watchRecovery, withAllHolders } from './incident/api/calls.ts';
import { CardLeases } from './incident/board/leases.ts';
import { createCards } from './incident/board/loop.ts';
import { openNextSteps } from './incident/board/next-steps/store.ts';
import { openCalls } from './incident/lines/calls.ts';
import { openKnownStates } from './incident/lines/known-state.ts';
import { openOutages } from './incident/lines/outage.ts';
import { openLines } from './incident/lines/store.ts';
import { adopt } from './incident/room/adopt.ts';
import { makeRoom } from './incident/room/make.ts';
import { followRoomPrivacy, withRoomPrivacy } from './incident/room/private-room.ts';
import { openAlerts } from './incident/state/alert-store.ts';
import { openBursts } from './incident/state/burst-store.ts';
import { openChannelStore } from './incident/state/channel-store.ts';
import { createChannels } from './incident/state/channels.ts';
import { openMessageNotes } from './incident/state/message-notes.ts';
import { openOverviews } from './incident/state/page-links.ts';
import { commanderRole } from './incident/state/roles.ts';
import { createRooms } from './incident/state/room-store.ts';
import { createSnapshots } from './incident/state/snapshots.ts';
import { createTaskNumbers } from './incident/state/task-numbers.ts';
import { openUpdates } from './incident/state/update-store.ts';
import { openVisits } from './incident/state/visits.ts';
import { moveHome } from './move-home.ts';
import { openSight } from './open-sight.ts';
import { openUnasked } from './open-unasked.ts';
import type { BotOptions } from './options.ts';
import { Accounts } from './people/accounts.ts';
import { ApiUsers } from './people/api-users.ts';
import { createPeople } from './people/directory.ts';
import { createPersonStore } from './people/person-store.ts';
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
  const { database, log, clock, steady, awake, features, settings, stopTimeouts = deadlines.stop } = options;
  await using stack = new AsyncDisposableStack();
  const { isAlone } = stack.use(await database.occupy('bot'));
  await migrate(database, 'bot', botMigrations, clock());

  const isElsewhere = options.surroundings.apiKind === 'grafana';
  const snapshots = createSnapshots({ database, clock, isElsewhere, log });
  const watched = watchRecovery(
    recordSnapshots(withAllHolders(options.api, log), snapshots),
    options.apiLine.isAway,
    () => void journal.wake(),
  );
  const api = guardCalls(watched, isOvertaken);
  const missing = new MissingScopes({ log });
  const watch = new SlackWatch({ clock, log });
  const newerBlocks = new NewerBlocks({ mode: options.blocks, steady, log });
  const slackOptions = { ...options, bindOvertaken, missing, newerBlocks };
  const slack = await openSlack(slackOptions, watch);
  await moveHome(database, slack);
  const rooms = createRooms(database, clock);
  const channels = createChannels({
    ...{ slack, clock, log },
    store: openChannelStore(database, slack.identity.teamId),
    meet: userIds => guests.meet(userIds),
    onChanged: incidentID => cards.refresh(incidentID, true),
    onCounted: incidentID => cards.refresh(incidentID),
    onOpened: channelId => cards.reopened(channelId),
    onJoined: async (...joined) => {
      for (const incidentID of await calls.joined(...joined)) cards.refresh(incidentID);
    },
  });
  const leases = new CardLeases({ database, owner: randomUUID(), steady });
  const leadingRole = () => commanderRole({ api, settings }, clock());
  const sightings = openSightings({ database, clock, log });
  const persons = createPersonStore(database, slack.identity.teamId, log);
  const accounts = new Accounts({
    users: new ApiUsers(api, clock, log),
    ...{ database, slack, clock, log },
  });
  const people = createPeople({ slack, accounts, store: persons, clock, log });
  const ofSight = { slack, people, channels, rooms, settings, store: persons, database, clock, log };
  const { guests, visibility, readers } = openSight(ofSight, () => deps);
  const overviewOf = openOverviews({ settings, isElsewhere, knowsReaders: !!options.pageLink, steady, log });
  const kinds = features.flatMap(feature => feature.intents ?? []);
  const leaving = kinds.flatMap(kind => (kind.room?.leaves ? [kind.kind] : []));
  const knownStates = openKnownStates({ database, kinds: leaving });
  const lines = openLines(database, clock);
  const updates = openUpdates(database);
  const nextSteps = openNextSteps(database, clock);
  const bursts = openBursts(database, clock);
  const alerts = openAlerts(database, slack.identity.teamId, clock);
  const visits = openVisits({ database, teamId: slack.identity.teamId, log });
  const calls = openCalls(database, clock);
  const cards = createCards({
    ...{ slack, api, visibility, rooms, channels, leases, knownStates, lines, updates, nextSteps, bursts, alerts },
    ...{ outages: openOutages(database, clock, settings.apiName), snapshots, people, settings, overviewOf, log },
    ...{ clock, steady },
    commanderRole: leadingRole,
    ...boardButtons(features, leadingRole, () => unasked.reminders, options.pageLink !== undefined),
    isRoomBeingMade: async id => (await deps.journal.unfinished(id)).some(each => each.kind.kind === makeRoom.kind),
    follow: async incident => {
      // A Grafana has no call that makes an incident private.
      if (!isElsewhere) await followRoomPrivacy(deps, incident);
      await unasked.reminders.follow(incident);
    },
  });
  const ofDuties = { rooms, updates, people, commanderRole: leadingRole, teamId: slack.identity.teamId };
  const unasked = openUnasked(options, ofDuties, () => deps, sightings);
  const journal = await openIntentJournal({
    ...{ database, isAlone, clock, steady, awake, log, cards },
    onTick: () => Promise.all([cards.catchUp(), unasked.look(), visits.flush()]),
    api: withRoomPrivacy(api, () => deps),
    kinds,
    budget: options.intentBudget,
    landing: options.landing,
    onRetry: options.apiLine.tryNow,
    openCallers: findOpen,
    deps: () => deps,
    receipts: () => receipts,
  });
  const deps: Deps = {
    slack,
    api,
    journal,
    rooms,
    channels,
    snapshots,
    drafts: createDrafts(database),
    greetings: createGreetings(database),
    places: new ReplaceableMessages(),
    pageLink: options.pageLink,
    kindOf: name => kinds.find(each => each.kind === name),
    taskNumbers: createTaskNumbers(database),
    messageNotes: openMessageNotes(database, journal.findAll),
    lines,
    updates,
    nextSteps,
    bursts,
    alerts,
    visits,
    pagers: unasked.paging,
    duties: unasked.reminders,
    calls,
    people,
    visibility,
    cards,
    settings,
    doctor: openDoctor({
      installation: toInstallation(options),
      commands: slashCommands(features, settings).map(name => `/${name}`),
      api,
      stored: { database, schemas: { bot: botMigrations }, journal },
      ...{ sightings, clock, steady, log },
    }),
    log,
  };
  const receipts = new LateReceipts(deps, clock, log);

  const way = openReceiver(slackOptions);
  const { receiver, handle, close } = way;
  const bolt = openBolt(slackOptions, receiver, slack);
  const store = new DeliveryStore({ database, owner: randomUUID(), steady });
  const dispatcher = new Dispatcher(deps, features);
  const onUnstored = () => {
    options.observeUnstored?.();
    sightings.noteUnstored();
  };
  const inbox = new Inbox({ dispatcher, store, clock, steady, awake, onUnstored, log });
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
    ...{ api, database, rooms, bursts, cards, clock, log },
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
      await settlesWithin(closing, close());
      if (!(await settlesWithin(stopTimeouts.people, inbox.idle()))) {
        log.warn('stop: some people are answered by the next process');
      }
      await journal.stop(stopTimeouts.intents);
      await settlesWithin(closing, Promise.all([inbox, sync, cards, snapshots, inChannels].map(each => each.idle())));
      await settlesWithin(closing, inbox.handBack());
    },
  };
}

/** How long stopping waits for the connection to close, in milliseconds. */
const closing = 1000;
