import { readFile, writeFile } from 'node:fs/promises';
import { inject, onTestFinished } from 'vitest';
import type { Channel, FakeSlack, Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import { isLine, nextPart } from '../../src/bot/incident/lines/mark.ts';
import type { ApiClient } from '../../src/client/client.ts';
import type { ActivityKind } from '../../src/contract/activity.ts';
import { makeDatabase } from './databases/fresh.ts';
import { roomActs } from './room-acts.ts';
import { openInstalledSlack, openWorkplace, type Workplace, type WorkplaceOptions } from './workplace.ts';

/** How an incident differs from the usual. */
export interface IncidentOptions extends WorkplaceOptions {
  /** What follows the title in the declaration. A private incident's room has alice alone. */
  readonly flags?: string;
  /** Incidents are announced in #incidents, which carol reads. */
  readonly announces?: boolean;
  /** Runs before the incident is declared. */
  readonly prepare?: (api: ApiClient, bob: Person) => Promise<unknown>;
}

const start = '2026-11-20T12:15:00Z';

/**
 * The incident “Checkout answers 500”, which alice declared in #general at a quarter past noon. Bob, wendy, who only looks on,
 * and gus, a guest, are in its room; carol is not. No guest is in #general. The clock stands still until `wait`; with a Grafana it is the
 * real one.
 */
export async function openIncident(options: IncidentOptions = {}) {
  let now = new Date(start);
  const isRemote = options.settings?.GRAFANA_URL !== undefined;
  const kept = isRemote ? undefined : await findKept(options);
  const { place, home } = kept
    ? await openKept(kept, options, () => now)
    : await openAnew(options, isRemote ? undefined : () => now);
  const { slack, api } = place;
  const alice = slack.person('alice');
  const bob = slack.person('bob');
  const carol = slack.person('carol');
  const wendy = slack.person('wendy');
  const gus = slack.person('gus');
  const general = slack.channel('general');
  const before = home.isPrivate ? 0 : place.reads(wendy, home.id).length;

  const reads = (person = alice, channel = home) => place.lastRead(person, channel.id);
  const last = (person = alice, channel = home) => lastMessage(place, person, channel);
  /** Types a line and yields the last thing the person reads there. */
  const type = async (line: string, person = alice, channel = home) => {
    await person.command(channel, line);
    await place.quiet();
    return reads(person, channel);
  };
  /** Presses a button. */
  const press = async (message: Message, what: Parameters<typeof alice.press>[1], person = alice) => {
    await person.press(message, what);
    await place.quiet();
    return reads(person);
  };
  /** Minutes go by. */
  const wait = (minutes: number) => {
    now = new Date(now.getTime() + minutes * 60_000);
  };
  return {
    ...{ place, slack, api, alice, bob, carol, wendy, gus, general, home, reads, last },
    ...roomActs({ place, slack, api, alice, home }),
    now: () => now,
    /** The texts that carol reads in the channel of the announcements, oldest first. */
    announced: () => place.reads(carol, announcementsName),
    /** The first message of the room. */
    card: (): Message => {
      const [message] = place.messages(alice, home.id);
      if (!message) throw new Error('There is no card');
      return message;
    },
    wait,
    /** The words of an incident's notes, oldest first. */
    bodies: async (incidentID = '1') => (await notesOf(place, incidentID)).map(note => note.body),
    type,
    /** Two minutes later, a line is typed. */
    later: (line: string, person = alice) => {
      wait(2);
      return type(line, person);
    },
    /** Types a line and yields everything new that the person reads there. */
    typeAndReadAll: async (line: string, person = alice, channel = home) => {
      const known = place.reads(person, channel.id).length;
      await type(line, person, channel);
      return place.reads(person, channel.id).slice(known).join('\n');
    },
    press,
    /** Presses in the last message that the person reads. */
    pressLast: (what: Parameters<typeof alice.press>[1], person = alice) => press(last(person), what, person),
    submit: async (values: Parameters<typeof alice.submit>[0] = {}, person = alice) => {
      const answer = await person.submit(values);
      await place.quiet();
      return answer;
    },
    /** What everybody in the room has read since the beginning, as wendy sees it, without what comes next after a resolution. */
    publicLines: () =>
      place
        .reads(wendy, home.id)
        .slice(before)
        .filter(text => !text.includes(nextBegins)),
    /** What wendy reads of what comes next, oldest first. */
    next: () => place.reads(wendy, home.id).filter(text => text.includes(nextBegins)),
    /** The present message about what comes next. */
    nextMessage: (): Message => {
      const message = place.messages(wendy, home.id).findLast(isNext);
      if (!message) throw new Error('Nothing says what comes next');
      return message;
    },
    incident: async (incidentID = '1') => (await api.IncidentsService.GetIncident({ incidentID })).incident,
    /** The timeline's items of these kinds, oldest first. */
    items: async (...activityKind: ActivityKind[]) => {
      const query = { incidentID: '1', activityKind, orderDirection: 'ASC' as const };
      return (await api.ActivityService.QueryActivity({ query })).activityItems;
    },
  };
}

/** Stands in the message about what comes next. */
const nextBegins = 'What comes next:';

function isNext({ metadata }: Message): boolean {
  return JSON.stringify(metadata ?? {}).includes(`"part":"${nextPart}"`);
}

/** The parts of a workplace that these use; `openVerbs` has them too. */
type Place = Pick<Workplace, 'quiet' | 'reads' | 'messages'> & {
  readonly slack: Pick<Workplace['slack'], 'channels'>;
  readonly api: Pick<ApiClient, 'ActivityService'>;
};

/** Declares an incident at once and yields its room. */
export async function declareNow(place: Place, person: Person, from: Channel, title: string): Promise<Channel> {
  const before = new Set(place.slack.channels.map(channel => channel.id));
  await person.command(from, `/incident declare ${title} --now`);
  await place.quiet();
  const made = place.slack.channels.find(channel => !before.has(channel.id) && !channel.isIm);
  if (!made) throw new Error(`No channel was made: ${place.reads(person, from.name).at(-1)}`);
  return made;
}

/** The notes of an incident, at most a thousand, oldest first. */
export async function notesOf(place: Pick<Place, 'api'>, incidentID: string) {
  const { activityItems } = await place.api.ActivityService.QueryActivity({
    query: { incidentID, activityKind: ['userNote'], orderDirection: 'ASC', limit: 1000 },
  });
  return activityItems;
}

/** The last message that a person sees in a channel, lines about changes aside; throws when there is none. */
export function lastMessage(place: Pick<Place, 'messages'>, person: Person, channel: Channel): Message {
  const message = place.messages(person, channel.id).findLast(each => !isLine(each));
  if (!message) throw new Error(`${person.name} sees nothing in #${channel.name}`);
  return message;
}

/** The people of an incident, gus a guest among them, and #general, where wendy and gus are not. */
export function addTeam(slack: Pick<FakeSlack, 'addPerson' | 'addChannel'>) {
  const alice = slack.addPerson({ name: 'alice', tz: 'Europe/Berlin' });
  const bob = slack.addPerson({ name: 'bob', tz: 'America/New_York' });
  const carol = slack.addPerson({ name: 'carol' });
  const wendy = slack.addPerson({ name: 'wendy' });
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  const general = slack.addChannel({ name: 'general', members: [alice, bob, carol] });
  return { alice, bob, carol, wendy, gus, general };
}

const announcementsName = 'incidents';

/** Options with a Slack that has the channel of the announcements. */
async function withAnnouncements(options: WorkplaceOptions): Promise<WorkplaceOptions> {
  const slack = options.slack ?? (await openInstalledSlack(options.clock));
  const { id } = slack.addChannel({ name: announcementsName, botIsMember: true });
  return { ...options, slack, settings: { ANNOUNCE_CHANNEL: id, ...options.settings } };
}

async function openAnew(
  { flags = '', prepare, announces = false, ...given }: IncidentOptions,
  clock: (() => Date) | undefined,
) {
  const options = { ...(clock ? { clock } : {}), ...given };
  const place = await openWorkplace(announces ? await withAnnouncements(options) : options);
  const { slack, api } = place;
  const { alice, bob, carol, wendy, gus, general } = addTeam(slack);
  if (announces) carol.join(slack.channel(announcementsName));
  await prepare?.(api, bob);
  const home = await declareNow(place, alice, general, `Checkout answers 500 ${flags}`.trimEnd());
  if (!home.isPrivate) for (const person of [bob, gus, wendy]) person.join(home.id);
  await place.quiet();
  return { place, home };
}

/** An incident that was declared once, as its Slack (JSON) and its database file keep it. */
interface KeptRoom {
  readonly slack: string;
  readonly file: Buffer;
  readonly homeId: string;
}

/** The incidents of this worker that are copied for each test, by flags and settings; undefined: asked for once. */
const keptRooms = new Map<string, Promise<KeptRoom> | undefined>();
/** Options that change nothing about the declaration. */
const ofLater = new Set(['flags', 'settings', 'logLevel', 'expectErrors', 'deadlines', 'timers', 'monotonicNow']);

/**
 * A declared incident to copy: declaring it costs five times as much. Whoever asks for it the first time gets one of their own, since what
 * a single test asks for is not worth keeping.
 */
async function findKept(options: IncidentOptions): Promise<KeptRoom | undefined> {
  const isSimple = Object.keys(options).every(each => ofLater.has(each));
  if (!isSimple || inject('engine') !== 'sqlite' || inject('api') !== undefined) return undefined;
  const { flags = '', settings = {} } = options;
  const key = JSON.stringify([flags, Object.entries(settings).toSorted()]);
  if (!keptRooms.has(key)) {
    keptRooms.set(key, undefined);
    return undefined;
  }
  const kept = keptRooms.get(key) ?? keepRoom({ flags, settings });
  keptRooms.set(key, kept);
  return await kept;
}

async function keepRoom(options: Required<Pick<IncidentOptions, 'flags' | 'settings'>>): Promise<KeptRoom> {
  await using database = await makeDatabase();
  const databaseFile = database.url.slice('sqlite:'.length);
  const { place, home } = await openAnew({ ...options, databaseFile }, () => new Date(start));
  await place[Symbol.asyncDispose]();
  return { slack: JSON.stringify(place.slack.save()), file: await readFile(databaseFile), homeId: home.id };
}

/** A Muster that finds the incident in its database. */
async function openKept({ slack: state, file, homeId }: KeptRoom, options: IncidentOptions, clock: () => Date) {
  const database = await makeDatabase('no tables');
  const databaseFile = database.url.slice('sqlite:'.length);
  await writeFile(databaseFile, file);
  const slack = await openInstalledSlack(clock, { state: JSON.parse(state) });
  const place = await openWorkplace({ ...options, clock, slack, databaseFile });
  onTestFinished(async () => {
    await place[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  return { place, home: slack.channel(homeId) };
}
