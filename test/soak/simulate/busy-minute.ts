import { parseArgs } from 'node:util';
import type { Person } from '../../../src/fake-slack/fake-slack.ts';
import { Random } from './random.ts';
import { findVariant } from './variants/all.ts';
import { openWorld } from './world.ts';

/*
 * A busy minute in virtual time: four people do forty things in one room. Prints, a line of JSON for each seed, the writes to Slack of two
 * minutes that not one person alone sees. `--seeds 1,2`: each draws who acts when. `--noticed`: among the acts are a rise of the severity and
 * an update, at drawn places. `--processes 3`: so many serve the room.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    noticed: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
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

async function live(seed: number): Promise<readonly PublicWrite[]> {
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
  for (const [act, line] of lines.entries()) {
    void random.pick(people).command(room, line.startsWith('/note') ? `${line} ${act}` : line);
    // Most follow each other closely, and the last one comes within the minute.
    const rest = (minute - 2000 - (time.now() - began)) / (acts - act);
    await time.until(time.now() + random.whole(0, 2 * Math.floor(rest)));
  }
  await time.until(began + 2 * minute);
  const writes =
    /^(chat\.(postMessage|update|delete)|conversations\.(?!info|members|history|replies|list)|(pins|bookmarks|reactions)\.)/;
  const isPublic = ({ method, args, at }: (typeof slack.calls)[number]) =>
    at.getTime() >= began && writes.test(method) && !/^[UD]/.test(String(args.channel ?? ''));
  world.hosts.end();
  return slack.calls.filter(isPublic).map(({ method, args, at }) => ({
    at: (at.getTime() - began) / 1000,
    isInRoom: args.channel === room.id,
    method,
    text: String(args.text ?? args.topic ?? ''),
  }));
}

for (const seed of values.seeds.split(',')) process.stdout.write(`${JSON.stringify(await live(Number(seed)))}\n`);
process.exit(0);
