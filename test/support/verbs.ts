import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import { renderMrkdwn } from '../../playground/fake-slack/render/mrkdwn.ts';
import { beginComparing } from '../../src/bot/incident/lines/known-state.ts';
import { lineText } from '../../src/bot/incident/lines/words.ts';
import { noSources } from '../../src/bot/incident/state/room-store.ts';
import type { LinePlace } from '../../src/bot/schema/lines.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { toMessage } from '../../src/bot/text/spoken.ts';
import type { ActivityKind } from '../../src/contract/activity.ts';
import { type BareOptions, type BareWorkplace, openBareSlack, openBareWorkplace } from './bare-workplace.ts';
import { addTeam, lastMessage } from './incident-room.ts';
import { roomActs } from './room-acts.ts';
import { readMessage } from './workplace.ts';

/** How the incident of {@link openVerbs} differs from the usual. */
export interface VerbOptions extends Pick<BareOptions, 'settings' | 'deadlines' | 'expectErrors' | 'slack'> {
  /** Incidents are announced in #incidents, which carol reads. */
  readonly announces?: boolean;
  /** Its room has alice alone, and nobody else sees it. */
  readonly isPrivate?: boolean;
  /** Runs before the incident is declared. */
  readonly prepare?: (api: BareWorkplace['api'], bob: Person) => Promise<unknown>;
}

/** The incident “Checkout answers 500” and its people, as `openIncident` has them, in a {@link openBareWorkplace}. */
export function openVerbs(options: VerbOptions = {}) {
  return open(options, onTestFinished);
}

/** What a test of verbs has. */
type Verbs = Awaited<ReturnType<typeof open>>;

/**
 * Opens the incident of {@link openVerbs} once for all tests of a file, for tables whose rows leave each other alone; `furnish` runs once
 * before them.
 */
export function shareVerbs(
  options: VerbOptions = {},
  furnish: (verbs: Verbs) => Promise<unknown> = async () => undefined,
): () => Verbs {
  let shared: Verbs;
  let end: () => Promise<void>;
  beforeAll(async () => {
    shared = await open(options, close => {
      end = close;
    });
    await furnish(shared);
  });
  afterAll(() => end());
  return () => shared;
}

function withAnnouncements(options: BareOptions, clock?: () => Date): BareOptions {
  const slack = options.slack ?? openBareSlack(clock);
  const { id } = slack.addChannel({ name: 'incidents', botIsMember: true });
  return { ...options, slack, settings: { ANNOUNCE_CHANNEL: id, ...options.settings } };
}

async function open(
  { isPrivate = false, announces = false, prepare, ...given }: VerbOptions,
  atEnd: (close: () => Promise<void>) => void,
) {
  let now = new Date('2026-11-20T12:15:00Z');
  // A Grafana has the real time.
  const clock = given.settings?.GRAFANA_URL === undefined ? { clock: () => now } : {};
  const options = announces ? withAnnouncements(given, clock.clock) : given;
  const place = await openBareWorkplace({ ...options, ...clock }, atEnd);
  const { slack, api, deps, database, messages } = place;
  const { alice, bob, carol, wendy, gus, general } = addTeam(slack);
  if (announces) carol.join(slack.channel('incidents'));
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
  await place.quiet();

  const reads = (reader = alice, channel = home) => place.lastRead(reader, channel.id);
  const then = async <T>(act: Promise<T>): Promise<T> => {
    const done = await act;
    await place.quiet();
    return done;
  };
  const last = (reader = alice, channel = home): Message => lastMessage(place, reader, channel);
  /** Minutes go by. */
  const wait = (minutes: number) => {
    now = new Date(now.getTime() + minutes * 60_000);
  };
  /** Types a line and yields the last thing the person reads there. */
  const type = async (line: string, typist = alice, channel = home) => {
    await then(typist.command(channel, line));
    return reads(typist, channel);
  };
  /** Presses a button. */
  const press = async (message: Message, what: Parameters<Person['press']>[1], presser = alice) => {
    await then(presser.press(message, what));
    return reads(presser);
  };
  const itemsOf = async (id: string, activityKind: ActivityKind[]) => {
    const query = { incidentID: id, activityKind, orderDirection: 'ASC' as const, limit: 1000 };
    return (await api.ActivityService.QueryActivity({ query })).activityItems;
  };
  /** The stored lines of a place of the incident, oldest first. */
  const linesOf = (where: LinePlace) =>
    database.as<BotTables>().selectFrom('bot_line').selectAll().where('place', '=', where).orderBy('seq').execute();
  const publicLines = async () => (await linesOf('room')).map(line => renderMrkdwn(slack.directory, lineText(line)));
  const showCard = async (): Promise<Message> => {
    const card = await deps.cards.card((await deps.api.IncidentsService.GetIncident({ incidentID })).incident);
    await deps.slack.web.chat.postMessage({ channel: home.id, ...toMessage(card) });
    return messages(alice, home.id).at(-1) as Message;
  };
  return {
    ...{ place, slack, api, alice, bob, carol, wendy, gus, general, home, reads },
    ...roomActs({ place, slack, api, alice, home }),
    now: () => now,
    /** The texts that carol reads in the channel of the announcements, oldest first. */
    announced: () => place.reads(carol, 'incidents'),
    wait,
    type,
    /** Two minutes later, a line is typed. */
    later: (line: string, typist = alice) => {
      wait(2);
      return type(line, typist);
    },
    /** Types a line and yields everything new that the person reads there, and then what the room would read of it. */
    typeAndReadAll: async (line: string, typist = alice, channel = home) => {
      const [known, told] = [messages(typist, channel.id).length, (await publicLines()).length];
      await then(typist.command(channel, line));
      return [...place.reads(typist, channel.id).slice(known), ...(await publicLines()).slice(told)].join('\n');
    },
    last,
    press,
    /** Presses in the last message that the person reads. */
    pressLast: (what: Parameters<Person['press']>[1], presser = alice) => press(last(presser), what, presser),
    submit: (values: Parameters<Person['submit']>[0] = {}, sender = alice) => then(sender.submit(values)),
    /** Posts the card as it would stand now. */
    showCard,
    /** The card as alice would read it now. */
    readCard: async () => readMessage(slack, await showCard()),
    linesOf,
    /** What the room would read of all changes, oldest first. */
    publicLines,
    incident: async (id = incidentID) => (await api.IncidentsService.GetIncident({ incidentID: id })).incident,
    /** The timeline's items of these kinds, oldest first. */
    items: (...kinds: ActivityKind[]) => itemsOf(incidentID, kinds),
    /** The words of the notes of an incident, oldest first. */
    bodies: async (id = incidentID) => (await itemsOf(id, ['userNote'])).map(note => note.body),
  };
}
