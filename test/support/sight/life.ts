import { join } from 'node:path';
import { sql } from 'kysely';
import type { Channel, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { openFolder } from '../folder.ts';
import { declareNow } from '../incident-room.ts';
import { openInstalledSlack, openWorkplace, type Workplace } from '../workplace.ts';
import { openOutlets, openReaders } from './outlets.ts';
import { fillIncident, isSecret, secretWords } from './world.ts';

/** What of the embedded service is taken out. */
interface TakenOut {
  /** Statements for its database, which is SQLite. */
  readonly statements?: readonly string[];
  /** The role of the token of somebody who is in no room. */
  readonly role?: 'Viewer' | 'Admin';
}

const forget = (when: string) => `
  create trigger forget after ${when} on incident when new.is_private = 1
  begin update incident set is_private = 0 where id = new.id; end`;

/** For each check of the embedded service, and of what tells it, how it is taken out. */
export const takenOut = {
  'the type of a declaration': { statements: [forget('insert')] },
  'the type that follows the room': { statements: [forget('update of is_private')] },
  'the endpoints that hear of private incidents': {
    statements: ['update webhook_endpoint set include_private = 1'],
  },
  'the role of a token': { role: 'Admin' },
} as const satisfies Readonly<Record<string, TakenOut>>;

/** A life of a room. */
interface Life {
  /** From the start; else it is made private later. */
  readonly isPrivate: boolean;
  /** The times after which outsiders read; all of them when absent. What came by webhook in between they read then. */
  readonly readAfter?: readonly string[];
}

/**
 * The life of the room of incident “Zanzibar burns”, which the embedded service keeps: made, as private or made private later; joined,
 * left, shared, archived. Yields where and when people who are in no room read of it what they may not.
 */
export async function liveThrough({ isPrivate, readAfter }: Life, out: TakenOut = {}): Promise<readonly string[]> {
  const outlets = await openOutlets(out.role);
  const slack = await openInstalledSlack();
  const file = join(await openFolder(), 'muster.db');
  const place = await openWorkplace({ slack, settings: outlets.settings, databaseFile: file });
  const [alice, ursula, olga] = ['alice', 'ursula', 'olga'].map(name => slack.addPerson({ name }));
  const petra = slack.addPerson({ name: 'petra', teamId: 'T0PARTNER01', isStranger: true });
  if (!alice || !ursula || !olga) throw new Error('Nobody is there');
  const general = slack.addChannel({ name: 'general', members: [alice, ursula, olga], botIsMember: true });
  await takeOut(file, out);
  const type = async (line: string, person: Person, channel: Channel) => {
    await person.command(channel, line);
    await place.quiet();
  };
  const room = await declareNow(place, alice, general, `Zanzibar burns${isPrivate ? ' --private' : ''}`);
  await fillIncident({ type, alice, ursula, room });
  const secrets = [...secretWords, ursula.id.toLowerCase()];
  const known = new Set(isPrivate ? [] : [...(await outlets.read(place)).keys()].filter(isWebhook));
  const times: Readonly<Record<string, () => unknown>> = {
    made: () => (isPrivate ? undefined : alice.makePrivate(room)),
    changed: () => type('/incident severity critical', alice, room),
    joined: () => alice.invite(room, olga),
    'changed by somebody who joined': () => type('/incident title Zanzibar still burns --incident 1', olga, general),
    left: () => olga.leave(room),
    shared: () => {
      alice.share(room);
      alice.invite(room, petra);
    },
    resolved: () => type('/incident resolve the Mandrill is caught --now', alice, room),
    archived: () => alice.archive(room),
  };
  const leaks: string[] = [];
  for await (const time of passThrough(place, times)) {
    if (readAfter && !readAfter.includes(time)) continue;
    for (const [where, text] of await outlets.read(place)) {
      if (!isSecret({ secrets }, text) || known.has(where)) continue;
      leaks.push(`${time}: ${where}`);
      if (isWebhook(where)) known.add(where);
    }
  }
  return leaks;
}

/** Lets one moment after the other happen, and yields its name when all is quiet. */
async function* passThrough(
  place: Pick<Workplace, 'quiet'>,
  moments: Readonly<Record<string, () => unknown>>,
): AsyncGenerator<string> {
  for (const [name, happen] of Object.entries(moments)) {
    await happen();
    await place.quiet();
    yield name;
  }
}

/** What an address was told stays there. */
const isWebhook = (where: string) => where.startsWith('webhook');

async function takeOut(file: string, { statements = [] }: TakenOut): Promise<void> {
  if (statements.length === 0) return;
  await using database = await openDatabase(`sqlite:${file}`);
  for (const statement of statements)
    await database.withLock('service', async trx => void (await sql.raw(statement).execute(trx)));
}

/**
 * The life of such a room with PAGES=slack, as people read the pages: alice and ursula are in it, olga and gus, a guest, join and leave,
 * luca is in it until he leaves the workspace. Yields who reads what they may not, or does not read what they may, and when.
 */
export async function readThrough({ isPrivate }: Pick<Life, 'isPrivate'>): Promise<readonly string[]> {
  const slack = await openInstalledSlack();
  const place = await openWorkplace({ slack, settings: { PAGES: 'slack' } });
  const [alice, ursula, olga, luca] = ['alice', 'ursula', 'olga', 'luca'].map(name => slack.addPerson({ name }));
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  if (!alice || !ursula || !olga || !luca) throw new Error('Nobody is there');
  const everybody = [alice, ursula, olga, luca, gus];
  const general = slack.addChannel({ name: 'general', members: everybody, botIsMember: true });
  const readers = await openReaders(place, everybody, general);
  await place.api.Dashboards.save({ dashboard: { uid: 'cpu-load', title: 'CPU load' } });
  const type = async (line: string, person: Person, channel: Channel) => {
    await person.command(channel, line);
    await place.quiet();
  };
  const room = await declareNow(place, alice, general, `Zanzibar burns${isPrivate ? ' --private' : ''}`);
  alice.invite(room, luca);
  await fillIncident({ type, alice, ursula, room });
  for (const line of ['/incident label quagga', '/dash link cpu-load --window incident']) await type(line, alice, room);
  const secrets = [...secretWords, ursula.id.toLowerCase(), room.id.toLowerCase()];
  const gone = new Set<string>();
  const times: Readonly<Record<string, () => unknown>> = {
    made: () => (isPrivate ? undefined : alice.makePrivate(room)),
    joined: () => [olga, gus].map(each => alice.invite(room, each)),
    left: () => [olga, gus].map(each => each.leave(room)),
    'left the workspace': () => {
      luca.change({ deleted: true });
      gone.add(luca.id);
    },
    resolved: () => type('/incident resolve the Mandrill is caught --now', alice, room),
    archived: () => alice.archive(room),
  };
  const faults: string[] = [];
  for await (const time of passThrough(place, times)) {
    const mayRead = (id: string) => slack.channel(room.id).members.has(id) && !gone.has(id);
    const found = await readers.faults(mayRead, text => isSecret({ secrets }, text));
    faults.push(...found.map(each => `${time}: ${each}`));
  }
  return faults;
}
