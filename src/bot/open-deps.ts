import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { AlertSource } from '../config/alert-sources.ts';
import { isMistake } from '../contract/mistakes.ts';
import type { Database } from '../db/database.ts';
import type { Heart } from '../db/heart.ts';
import { Known } from '../db/known.ts';
import type { Deadlines } from '../deadlines.ts';
import { Alerting } from './alerts/alerting.ts';
import { createAlertDoor } from './alerts/door.ts';
import { type HookDelivery, isTaken } from './alerts/hook-door.ts';
import { openLargeBodies } from './alerts/large-bodies.ts';
import type { AlertActs } from './alerts/pending-acts.ts';
import { readAlert } from './alerts/read/read.ts';
import { toSeverity } from './alerts/read/severity.ts';
import { withWindow } from './alerts/read/window.ts';
import { tellOfRefusal } from './alerts/refusals.ts';
import { LateReceipts } from './dispatch/answers/late-receipts.ts';
import type { Deps } from './dispatch/feature/deps.ts';
import { createDrafts } from './dispatch/feature/drafts.ts';
import { inviteRow, wayIn } from './dispatch/feature/faces.ts';
import { type Feature, slashCommands } from './dispatch/feature/feature.ts';
import { createGreetings } from './dispatch/feature/greetings.ts';
import { ReplaceableMessages } from './dispatch/feature/replaceable-messages.ts';
import { openIntentJournal } from './dispatch/open-journal.ts';
import { cardRow } from './dispatch/surfaces/card-buttons.ts';
import { openDoctor } from './doctor/doctor.ts';
import { toInstallation } from './doctor/installation.ts';
import { openSightings, type Sightings } from './doctor/sightings.ts';
import { Reminders } from './duties/reminders.ts';
import { findOpen } from './inbox/delivery-store.ts';
import type { IncidentDeps } from './incident/acts/intent-kind.ts';
import { PageReaders } from './incident/acts/page-readers.ts';
import { createPrivacyReader } from './incident/acts/privacy.ts';
import type { BoardButtons, ReadOnce } from './incident/board/deps.ts';
import { CardLeases } from './incident/board/leases.ts';
import { Cards } from './incident/board/loop.ts';
import { openNextSteps } from './incident/board/next-steps/store.ts';
import { openOverviews } from './incident/board/page-links.ts';
import { Calls } from './incident/lines/calls.ts';
import { KnownStates } from './incident/lines/known-state.ts';
import { Outages } from './incident/lines/outage.ts';
import { reminderLine } from './incident/lines/outbox.ts';
import { type Lines, openLines } from './incident/lines/store.ts';
import { Presence } from './incident/room/come-back.ts';
import { makeRoom } from './incident/room/make.ts';
import { followRoomPrivacy, withRoomPrivacy } from './incident/room/private-room.ts';
import { furnishAgain } from './incident/room/take-over.ts';
import { toolOf } from './incident/state/alert-group.ts';
import { openAlerts } from './incident/state/alert-store.ts';
import { Bursts } from './incident/state/burst-store.ts';
import { ChannelStore, Channels, outsideAge } from './incident/state/channels.ts';
import { openMessageNotes } from './incident/state/message-notes.ts';
import { commanderRole } from './incident/state/roles.ts';
import { createRooms, knownRooms } from './incident/state/room-store.ts';
import { createTaskNumbers } from './incident/state/task-numbers.ts';
import { openUpdates } from './incident/state/update-store.ts';
import { Visits } from './incident/state/visits.ts';
import { coalesce } from './journal/coalesce.ts';
import { openPaging } from './open-paging.ts';
import type { BotOptions } from './options.ts';
import type { Paging } from './pager/paging.ts';
import { Accounts, ApiUsers } from './people/accounts.ts';
import { createPeople, createPersonStore, type PersonStore } from './people/directory.ts';
import { Guests } from './people/guests.ts';
import { Visibility } from './people/visibility.ts';
import { botMigrations } from './schema/migrations.ts';

/** Everything that features use, and the parts behind it that the bot needs itself. */
export interface OpenDeps {
  readonly deps: Deps;
  readonly persons: PersonStore;
  readonly guests: Guests;
  readonly readers: PageReaders;
  readonly sightings: Sightings;
  readonly lines: Lines;
  /** What acts unasked; the journal's tick drives it. */
  readonly unasked: Unasked;
}

/** The parts below. `isSoleProcess`: no other process uses the database. */
type Below = Pick<Deps, 'slack' | 'api' | 'snapshots'> & { readonly heart: Heart; readonly isSoleProcess: boolean };

/**
 * Opens everything that features use, over Slack, the API, and a database that has the bot's tables. The journal begins at once: its ticks
 * drive the board and what acts unasked, until it is stopped.
 */
export async function openDeps(
  options: BotOptions,
  { slack, api, snapshots, heart, isSoleProcess }: Below,
): Promise<OpenDeps> {
  const { database, log, deadlines, clock, monotonicNow, features, settings } = options;
  const rooms = createRooms(database, clock);
  const channels = new Channels({
    ...{ slack, clock, log },
    store: new ChannelStore(database, slack.identity.teamId),
    meet: userIds => guests.meet(userIds),
    onChanged: incidentID => cards.refresh(incidentID, true),
    onCounted: incidentID => cards.refresh(incidentID),
    onOpened: channelId => {
      cards.reopened(channelId);
      unasked.reminders.reopened(channelId);
    },
    presence: new Presence(() => deps, clock),
    onJoined: async (...joined) => {
      for (const incidentID of await calls.joined(...joined)) cards.refresh(incidentID);
    },
  });
  const leases = await CardLeases.open({ database, owner: heart.owner, isSoleProcess, monotonicNow });
  const leadingRole = () => commanderRole({ api, settings, deadlines }, clock());
  const sightings = openSightings({ database, clock, log });
  const persons = createPersonStore(database, slack.identity.teamId, log);
  const accounts = new Accounts({
    users: new ApiUsers({ api, deadlines, clock, log }),
    ...{ database, slack, clock, log },
  });
  const people = createPeople({ slack, accounts, store: persons, deadlines, clock, log });
  const ofSight = { slack, people, channels, rooms, settings, store: persons, database, deadlines, clock, log };
  const { guests, visibility, readers, visibilityBy } = openSight(ofSight, () => deps);
  const isElsewhere = options.surroundings.apiKind === 'grafana';
  const overviewOf = openOverviews({
    ...{ settings, isElsewhere, knowsReaders: options.pageLink !== undefined },
    ...{ deadlines, monotonicNow, log },
  });
  const kinds = features.flatMap(feature => feature.intents ?? []);
  const leaving = kinds.flatMap(kind => (kind.stateChange ? [kind.kind] : []));
  const knownStates = new KnownStates({ database, kinds: leaving });
  const lines = openLines(database, clock);
  const updates = openUpdates(database);
  const nextSteps = openNextSteps(database, clock);
  const bursts = new Bursts(database, clock);
  const alerts = openAlerts({ database, teamId: slack.identity.teamId, severities: settings.severities, clock });
  const visits = new Visits({ database, teamId: slack.identity.teamId, log });
  const calls = new Calls(database, clock);
  const outages = new Outages({ database, clock, api: settings.apiName, landing: options.landing });
  const knowing = () => readOnce(database, deps, visibilityBy);
  const cards = new Cards({
    ...{ slack, api, visibility, rooms, channels, leases, knownStates, lines, updates, nextSteps, bursts, alerts },
    ...{ outages, snapshots, people, settings, overviewOf, log },
    ...{ clock, monotonicNow, isSoleProcess },
    commanderRole: leadingRole,
    ...boardButtons(features, leadingRole, () => unasked.reminders, options.pageLink !== undefined),
    isRoomBeingMade: async id => (await deps.journal.unfinished(id)).some(each => each.kind.kind === makeRoom.kind),
    knowing,
    furnish: incidentID => furnishAgain(deps, incidentID, clock().toISOString()),
    follow: async (incident, read) => {
      // A Grafana has no call that makes an incident private.
      if (!isElsewhere) await followRoomPrivacy({ ...deps, ...read }, incident);
      await unasked.reminders.follow(incident, read);
    },
  });
  const ofDuties = { rooms, updates, people, commanderRole: leadingRole, teamId: slack.identity.teamId };
  const unasked = openUnasked(options, { ...ofDuties, owner: heart.owner }, () => deps, sightings);
  const journal = await openIntentJournal({
    ...{ database, isSoleProcess, deadlines, clock, monotonicNow, heart, log, cards },
    onTick: () => Promise.all([cards.catchUp(), unasked.look(), visits.flush()]),
    api: withRoomPrivacy(api, () => ({ ...deps, ...knowing() })),
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
    replaceable: new ReplaceableMessages(),
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
    knowing,
    cards,
    settings,
    doctor: openDoctor({
      installation: toInstallation(options),
      commands: slashCommands(features, settings.commandRoot).map(name => `/${name}`),
      api,
      stored: { database, schemas: { bot: botMigrations }, journal },
      others: [{ name: 'readers of alerts', run: () => lookAtAlertChannels(options, channels, visibility, sightings) }],
      ...{ sightings, clock, monotonicNow, log },
    }),
    log,
  };
  const receipts = new LateReceipts(deps, clock, log, {
    outages,
    isAway: () => options.api.health().state !== 'closed',
  });
  return { deps, persons, guests, readers, sightings, lines, unasked };
}

/** The doctor's look at the channels of alerts, and at the people who read them. */
async function lookAtAlertChannels(
  { alerts, settings }: BotOptions,
  channels: Channels,
  visibility: Visibility,
  sightings: Sightings,
) {
  const { checkAlertReaders, checkMovedChannels } = await import('./doctor/checks.ts'); // here: no start needs the checks
  const own = (alerts?.sources ?? []).map(each => each.channel);
  const places = own.map(each => each || settings.announceChannel);
  const nameOf = async (id: string) => (await channels.look(id, outsideAge))?.name || id;
  const moved = await checkMovedChannels({ ALERTS_SOURCES: own }, sightings);
  return [...moved, ...(await checkAlertReaders(places, id => visibility.outsidersIn(id), nameOf))];
}

/** What one act, or one round of the board, reads once. */
function readOnce(database: Database, deps: Deps, visibilityBy: OpenSight['visibilityBy']): ReadOnce {
  const { rooms, channels, updates, alerts } = deps;
  const known = new Known(database);
  const ofAlerts = ['bot_alert_offer', 'bot_alert'];
  const view = {
    known,
    rooms: knownRooms(rooms, known),
    channels: channels.knowing(known),
    updates: {
      ...updates,
      notes: (id: string) => openUpdates(database, known).notes(id),
      latest: (incident: Parameters<typeof updates.latest>[0]) => openUpdates(database, known).latest(incident),
    },
    alerts: {
      ...alerts,
      ofIncident: (id: string) => known.once(`alerts ${id}`, ofAlerts, () => alerts.ofIncident(id)),
      naming: (id: string) => known.once(`offers ${id}`, ofAlerts, () => alerts.naming(id)),
    },
  };
  let facts: IncidentDeps | undefined;
  const visibility = visibilityBy(() => {
    facts ??= { ...deps, ...view };
    return facts;
  }, known);
  return { ...view, visibility };
}

/** Takes alerts; `door` is undefined where no source may send any. */
function openAlerting(
  { alerts, database, features, settings, deadlines, clock, log }: BotOptions,
  incidents: () => IncidentDeps,
  { teamId, owner }: { readonly teamId: string; readonly owner: string },
  sightings: Sightings,
): { readonly alerting: Alerting; readonly door: RequestListener | undefined } {
  const { sources, observe } = alerts ?? { sources: [], observe: () => undefined };
  const alerting = new Alerting({
    ...{ database, teamId, rules: settings, incidents, clock, log },
    // Each act is a feature's own.
    acts: Object.assign({}, ...features.map(feature => feature.alertActs ?? {})) as AlertActs,
    toSeverity: (source, said) => toSeverity(settings.severities, source.severities, said),
    refresh: (id, isUrgent) => incidents().cards.refresh(id, isUrgent),
  });
  const read: Parameters<typeof createAlertDoor>[0]['read'] = (source, body) => {
    const group = readAlert(source.mapping, body);
    const links = group.links.map(link => ({ ...link, url: withWindow(link, group.startedAt) }));
    return { ...group, links };
  };
  const tools = new Map<string, string>();
  const hear = (source: AlertSource, group: ReturnType<typeof readAlert>) => {
    const [tool, before] = [toolOf(group), tools.get(source.name)];
    if (tool !== '' && before !== undefined && tool !== before) sightings.noteOtherTool(source.name);
    if (tool !== '') tools.set(source.name, tool);
    return alerting.hear({ ...source, channel: source.channel || settings.announceChannel }, group);
  };
  const watched = (delivery: HookDelivery) => {
    sightings.noteAlert(delivery.source, isTaken(delivery.result) ? 'stored' : delivery.result);
    const source = delivery.result === 'refused_body' && sources.find(each => each.name === delivery.source);
    const channel = source && (source.channel || settings.announceChannel);
    if (channel) void tellOfRefusal({ database, incidents, clock, log }, { ...delivery, channel });
    observe(delivery);
  };
  const hold = openLargeBodies(database, { owner, clock, log });
  const door = createAlertDoor({ sources, read, hold, hear, observe: watched, deadlines, clock, log });
  return { alerting, door: sources.length === 0 ? undefined : door };
}

/** Reminds people of what is owed; each feature has its own buttons below a reminder. */
function openReminders(
  { database, features, settings, clock, log }: BotOptions,
  parts: Pick<ConstructorParameters<typeof Reminders>[0], 'rooms' | 'updates' | 'people' | 'commanderRole' | 'teamId'>,
  incidents: () => IncidentDeps,
): Reminders {
  const kinds = features.flatMap(feature => feature.intents ?? []);
  return new Reminders({
    ...{ ...parts, database, settings, incidents, clock, log },
    sayingKinds: kinds.flatMap(kind => (kind.update ? [kind.kind] : [])),
    // What one does about it stands before what puts it off.
    buttonsOf: reminded => features.flatMap(feature => feature.onReminder?.(reminded) ?? []),
  });
}

/** The parts of Muster that act unasked: on alerts, on the answers of pagers, and at a time. */
interface Unasked {
  readonly paging: Paging;
  readonly reminders: Reminders;
  /** Take what tools send; undefined where none may send any. */
  readonly doors: { readonly alerts: RequestListener | undefined; readonly pages: RequestListener | undefined };
  /** What they keep for a time. */
  readonly stores: readonly [Paging, Reminders['store']];
  /** Does what is due; happens once a second. Never throws. */
  look(): Promise<void>;
  /** Resolves when nothing goes on. */
  idle(): Promise<void>;
  /** Begins nothing more. */
  stop(): void;
}

/** Opens the parts that act unasked. */
function openUnasked(
  options: BotOptions,
  parts: Parameters<typeof openReminders>[1] & { readonly owner: string },
  deps: () => Deps,
  sightings: Sightings,
): Unasked {
  const { features, clock } = options;
  const reminders = openReminders(options, parts, deps);
  const { alerting, door: alerts } = openAlerting(options, deps, parts, sightings);
  const { paging, door: pages } = openPaging(options, deps, sightings);
  const looks = [paging, reminders].map(each => coalesce(() => each.look()));
  const ofFeatures = coalesce(async () => {
    await Promise.all(features.map(each => each.onTick?.(deps(), clock())));
  });
  let isStopped = false;
  return {
    ...{ paging, reminders, doors: { alerts, pages }, stores: [paging, reminders.store] },
    look: async () => {
      // What features do may take long, and the next tick does not wait for it.
      void ofFeatures.run();
      await Promise.all([alerting.look(), ...(isStopped ? [] : looks.map(each => each.run()))]);
    },
    idle: async () => {
      await alerting.idle();
      await reminders.idle();
      for (const each of [...looks, ofFeatures]) await each.pending();
    },
    stop: () => {
      isStopped = true;
      alerting.stop();
    },
  };
}

/** The one rule for sight in Slack, and what people see of pages by it. */
interface OpenSight {
  readonly guests: Guests;
  readonly visibility: Visibility;
  /** The rule over other readers of its facts. */
  visibilityBy(facts: () => IncidentDeps, known?: Known): Visibility;
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
  const visibilityBy: OpenSight['visibilityBy'] = (facts, known) =>
    new Visibility({ facts: createPrivacyReader(facts, guests, known), rules, log });
  const visibility = visibilityBy(deps);
  const { teamId, url: workspaceUrl } = parts.slack.identity;
  const readers = new PageReaders({ ...parts, visibility, rules, teamId, workspaceUrl });
  return { guests, visibility, readers, visibilityBy };
}

/**
 * Gathers from the features the buttons that the board and the lines show. `commander` is the name of the role that leads an incident, or `""`; `opensByLink`: people need a link of
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
    rowOf: async (incident, isLed) => cardRow(features, incident, { commander: await commander(), opensByLink, isLed }),
    declaredButtonsOf: incidentID => features.flatMap(feature => feature.onDeclared?.(incidentID) ?? []),
    nextRowOf: over => {
      const of = isMistake(over.incident) ? 'onMistake' : 'onOver';
      return features.flatMap(feature => feature[of]?.(over) ?? []);
    },
    joinOf: incidentID => [wayIn(incidentID)],
    inviteRowOf: inviteRow,
    alertButtonsOf: offer => features.flatMap(feature => feature.onAlert?.(offer) ?? []),
    // A reminder has its own buttons, and any other line those of the act that it offers.
    lineButtonsOf: async ({ id, offers, incident_id: incidentID }) =>
      reminderLine.dutyOf(id) === undefined
        ? features.flatMap(feature => feature.onLine?.(offers, incidentID) ?? [])
        : reminders().buttonsOfLine(id),
    offersOf: incidentID => features.flatMap(feature => feature.onOffer?.(incidentID) ?? []),
  };
}
