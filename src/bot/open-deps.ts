import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { isMistake } from '../contract/mistakes.ts';
import type { Database } from '../db/database.ts';
import type { Deadlines } from '../deadlines.ts';
import { LateReceipts } from './dispatch/answers/late-receipts.ts';
import { inviteRow, wayIn } from './dispatch/answers/way-in.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import { createDrafts } from './dispatch/feature/drafts.ts';
import { type Feature, slashCommands } from './dispatch/feature/feature.ts';
import { createGreetings } from './dispatch/feature/greetings.ts';
import { ReplaceableMessages } from './dispatch/feature/replaceable-messages.ts';
import { openIntentJournal } from './dispatch/open-journal.ts';
import { cardRow } from './dispatch/surfaces/card-buttons.ts';
import { openDoctor } from './doctor/doctor.ts';
import { toInstallation } from './doctor/installation.ts';
import { openSightings, type Sightings } from './doctor/sightings.ts';
import type { Reminders } from './duties/reminders.ts';
import { findOpen } from './inbox/delivery-store.ts';
import { createPageReaders, type PageReaders } from './incident/acts/page-readers.ts';
import { createPrivacyReader } from './incident/acts/privacy.ts';
import { CardLeases } from './incident/board/leases.ts';
import { createCards } from './incident/board/loop.ts';
import { openNextSteps } from './incident/board/next-steps/store.ts';
import { openCalls } from './incident/lines/calls.ts';
import { openKnownStates } from './incident/lines/known-state.ts';
import { openOutages } from './incident/lines/outage.ts';
import { type Lines, openLines } from './incident/lines/store.ts';
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
import { createTaskNumbers } from './incident/state/task-numbers.ts';
import { openUpdates } from './incident/state/update-store.ts';
import { openVisits } from './incident/state/visits.ts';
import { openUnasked, type Unasked } from './open-unasked.ts';
import type { BotOptions } from './options.ts';
import { Accounts } from './people/accounts.ts';
import { ApiUsers } from './people/api-users.ts';
import { createPeople } from './people/directory.ts';
import { Guests } from './people/guests.ts';
import { createPersonStore, type PersonStore } from './people/person-store.ts';
import { Visibility } from './people/visibility.ts';
import { botMigrations } from './schema/migrations.ts';

/** The one rule for sight in Slack, and what people see of pages by it. */
interface OpenSight {
  readonly guests: Guests;
  readonly visibility: Visibility;
  readonly readers: PageReaders;
}

/** Opens sight. `deps` are there once the bot has started. */
function openSight(
  parts: Pick<Deps, 'slack' | 'people' | 'channels' | 'rooms' | 'settings'> & {
    readonly store: PersonStore;
    readonly database: Database;
    readonly deadlines: Deadlines;
    readonly clock: () => Date;
    readonly log: Logger;
  },
  deps: () => Deps,
): OpenSight {
  const { settings: rules, log } = parts;
  const guests = new Guests(parts);
  const visibility = new Visibility({ facts: createPrivacyReader(deps, guests), rules, log });
  const { teamId, url: workspaceUrl } = parts.slack.identity;
  const readers = createPageReaders({ ...parts, visibility, rules, teamId, workspaceUrl });
  return { guests, visibility, readers };
}

/** The buttons of every feature, where the board and the lines show them. */
type BoardButtons = Pick<
  Parameters<typeof createCards>[0],
  | 'opensByLink'
  | 'rowOf'
  | 'declaredButtonsOf'
  | 'nextRowOf'
  | 'joinOf'
  | 'inviteRowOf'
  | 'alertButtonsOf'
  | 'lineButtonsOf'
  | 'offersOf'
>;

/**
 * Gathers them from the features. `commander` is the name of the role that leads an incident, or `""`; `opensByLink`: people need a link of
 * their own for a page.
 */
function boardButtons(
  features: readonly Feature[],
  commander: () => Promise<string>,
  reminders: () => Reminders,
  opensByLink: boolean,
): BoardButtons {
  return {
    opensByLink,
    rowOf: async incident => cardRow(features, incident, await commander(), opensByLink),
    declaredButtonsOf: incidentID => features.flatMap(feature => feature.onDeclared?.(incidentID) ?? []),
    nextRowOf: over => {
      const of = isMistake(over.incident) ? 'onMistake' : 'onOver';
      return features.flatMap(feature => feature[of]?.(over) ?? []);
    },
    joinOf: incidentID => [wayIn(incidentID)],
    inviteRowOf: inviteRow,
    alertButtonsOf: offer => features.flatMap(feature => feature.onAlert?.(offer) ?? []),
    // A reminder has its own buttons, and any other line those of the act that it offers.
    lineButtonsOf: async (offers, incidentID) =>
      offers === 'update' || offers === 'lead'
        ? reminders().buttonsOf({ incidentID, kind: offers, about: '', audience: 'room' })
        : features.flatMap(feature => feature.onLine?.(offers, incidentID) ?? []),
    offersOf: incident => features.flatMap(feature => feature.onOffer?.(incident) ?? []),
  };
}

/** Everything that features use, and the parts behind it that the bot needs itself. */
interface OpenDeps {
  readonly deps: Deps;
  readonly persons: PersonStore;
  readonly guests: Guests;
  readonly readers: PageReaders;
  readonly sightings: Sightings;
  readonly lines: Lines;
  /** What acts unasked; the journal's tick drives it. */
  readonly unasked: Unasked;
}

/** The parts below. `isAlone`: no other process uses the database. */
type Below = Pick<Deps, 'slack' | 'api' | 'snapshots'> & { readonly isAlone: boolean };

/**
 * Opens everything that features use, over Slack, the API, and a database that has the bot's tables. The journal begins at once: its ticks
 * drive the board and what acts unasked, until it is stopped.
 */
export async function openDeps(options: BotOptions, { slack, api, snapshots, isAlone }: Below): Promise<OpenDeps> {
  const { database, log, deadlines, clock, steady, awake, features, settings } = options;
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
  const leadingRole = () => commanderRole({ api, settings, deadlines }, clock());
  const sightings = openSightings({ database, clock, log });
  const persons = createPersonStore(database, slack.identity.teamId, log);
  const accounts = new Accounts({
    users: new ApiUsers({ api, deadlines, clock, log }),
    ...{ database, slack, clock, log },
  });
  const people = createPeople({ slack, accounts, store: persons, deadlines, clock, log });
  const ofSight = { slack, people, channels, rooms, settings, store: persons, database, deadlines, clock, log };
  const { guests, visibility, readers } = openSight(ofSight, () => deps);
  const isElsewhere = options.surroundings.apiKind === 'grafana';
  const overviewOf = openOverviews({
    ...{ settings, isElsewhere, knowsReaders: options.pageLink !== undefined },
    ...{ deadlines, steady, log },
  });
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
  const outages = openOutages(database, clock, settings.apiName);
  const cards = createCards({
    ...{ slack, api, visibility, rooms, channels, leases, knownStates, lines, updates, nextSteps, bursts, alerts },
    ...{ outages, snapshots, people, settings, overviewOf, log },
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
    ...{ database, isAlone, deadlines, clock, steady, awake, log, cards },
    onTick: () => Promise.all([cards.catchUp(), unasked.look(), visits.flush()]),
    api: withRoomPrivacy(api, () => deps),
    kinds,
    landing: options.landing,
    onRetry: options.api.hurry,
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
    deadlines,
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
  const receipts = new LateReceipts(deps, clock, log, {
    ...outages,
    isAway: () => options.api.health().state !== 'closed',
  });
  return { deps, persons, guests, readers, sightings, lines, unasked };
}
