import { parseArgs } from 'node:util';
import type { Person } from '../../../playground/fake-slack/fake-slack.ts';
import { Random } from './random.ts';
import { findVariant } from './variants/all.ts';
import { openWorld } from './world.ts';

/*
 * A busy minute in virtual time: four people do forty things in one room. Prints, a line of JSON for each seed, what they did, the writes to
 * Slack that not one person alone sees, until a minute after, and how often Slack was called. `--seeds 1,2`: each draws who acts when.
 * `--noticed`: among the acts are a rise of the severity and an update, at drawn places. `--processes 3`: so many serve the room.
 * `--steady`: one note every five seconds for ten minutes.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    noticed: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    steady: { type: 'boolean', default: false },
  },
});

/** A write to Slack that more than one person sees. */
export interface PublicWrite {
  /** Seconds after the first act. */
  readonly at: number;
  readonly isInRoom: boolean;
  /** The method of the Web API. */
  readonly method: string;
  readonly text: string;
}

/** What a seed has to tell. */
export interface Lived {
  /** What people typed, each in seconds after the first. */
  readonly acts: readonly { readonly at: number; readonly line: string }[];
  readonly writes: readonly PublicWrite[];
  /** The most calls of each method within any minute, and of posts in one channel within any second. */
  readonly perMinute: Readonly<Record<string, number>>;
  readonly postsPerSecond: number;
}

/** What people do in turn. */
const common = [
  '/note add the pool is exhausted',
  '/task add Page the database team',
  '/note add only the shop in Berlin',
  '/task add Look at the last release @carol',
  '/incident label checkout',
  '/note add it began at noon',
  '/task start 1',
  '/role assign @dave investigator',
  '/note add the replica lags',
  '/task done 2',
  '/task assign 1 @dave',
  '/note add we roll back',
  '/note add rolled back to 1140',
  '/task add Tell the shops',
  '/task edit 3 Tell the shops and the press',
  '/note add errors go down',
  '/task done 1',
  '/incident unlabel checkout',
  '/note add the shop in Berlin sells again',
  '/task done 3',
];
const acts = 40;
const minute = 60_000;

/** A world with so many processes of the bot. */
async function openServed(seed: number): ReturnType<typeof openWorld> {
  for (let each = seed * 1000; ; each += 1) {
    const world = await openWorld(each, findVariant('nothing befalls it'));
    if (world.places === Number(values.processes)) return world;
    world.hosts.end();
  }
}

/** The most of these moments within any span, all in milliseconds. */
function mostWithin(span: number, times: readonly number[]): number {
  return Math.max(0, ...times.map(from => times.filter(at => at >= from && at < from + span).length));
}

async function live(seed: number): Promise<Lived> {
  const world = await openServed(seed);
  const random = new Random(seed, 'busy minute');
  const { time, slack } = world;
  const later = (seconds: number) => time.until(time.now() + seconds * 1000);
  const people = ['alice', 'bob', 'carol', 'dave'].map(name => slack.addPerson({ name }));
  const [alice] = people as [Person, ...Person[]];
  slack.addChannel({ name: 'general', botIsMember: true });
  await later(10);
  void alice.command('general', '/incident declare Checkout is down --severity minor --now');
  await later(120);
  const room = slack.channels.find(each => each.name.includes('checkout'));
  if (!room) throw new Error('There is no room');
  for (const person of people) person.join(room);
  await later(120);

  const lines = Array.from({ length: acts }, (_, act) => `${common[act % common.length]}`);
  if (values.noticed) {
    lines[random.whole(0, acts / 2 - 1)] = '/incident severity critical';
    lines[random.whole(acts / 2, acts - 1)] = '/incident update We roll back';
  }
  const began = time.now();
  const done: { at: number; line: string }[] = [];
  const typed = values.steady ? Array.from({ length: 120 }, () => '/note add all is as before') : lines;
  for (const [act, words] of typed.entries()) {
    const line = words.startsWith('/note') ? `${words} ${act}` : words;
    done.push({ at: (time.now() - began) / 1000, line });
    void random.pick(people).command(room, line);
    // Most follow each other closely, and the last one comes within the minute.
    const rest = (minute - 2000 - (time.now() - began)) / (acts - act);
    await time.until(values.steady ? began + (act + 1) * 5000 : time.now() + random.whole(0, 2 * Math.floor(rest)));
  }
  await time.until(time.now() + minute);
  const writing =
    /^(chat\.(postMessage|update|delete)|conversations\.(?!info|members|history|replies|list)|(pins|bookmarks|reactions)\.)/;
  const isPublic = ({ method, args, at }: (typeof slack.calls)[number]) =>
    at.getTime() >= began && writing.test(method) && !/^[UD]/.test(String(args.channel ?? ''));
  world.hosts.end();
  const writes = slack.calls.filter(isPublic).map(({ method, args, at }) => ({
    at: (at.getTime() - began) / 1000,
    isInRoom: args.channel === room.id,
    method,
    text: String(args.text ?? args.topic ?? ''),
  }));
  const byMethod = Map.groupBy(
    slack.calls.filter(each => each.at.getTime() >= began),
    each => each.method,
  );
  const posts = Map.groupBy(byMethod.get('chat.postMessage') ?? [], each => String(each.args.channel));
  const times = (calls: readonly (typeof slack.calls)[number][]) => calls.map(each => each.at.getTime());
  return {
    acts: done,
    writes,
    perMinute: Object.fromEntries([...byMethod].map(([method, calls]) => [method, mostWithin(minute, times(calls))])),
    postsPerSecond: Math.max(0, ...[...posts.values()].map(calls => mostWithin(1000, times(calls)))),
  };
}

for (const seed of values.seeds.split(',')) process.stdout.write(`${JSON.stringify(await live(Number(seed)))}\n`);
process.exit(0);
