import type { Person } from '../../../src/fake-slack/fake-slack.ts';
import { findVariant } from './variants.ts';
import { openWorld } from './world.ts';

/*
 * A busy minute in virtual time: four people do forty things in one room, one every second and a half. Prints each write to Slack that
 * not one person alone sees, a line each: where, and its method and text.
 * `node busy-minute.ts must be noticed`: among them are changes that people must notice.
 */

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
const mustBeNoticed = ['/incident severity critical', '/incident update We roll back'];

/** One process of the bot, so that its pace is the only one. */
async function openAlone(): ReturnType<typeof openWorld> {
  for (let seed = 1; ; seed += 1) {
    const world = await openWorld(seed, findVariant('nothing befalls it'));
    if (world.places === 1) return world;
    world.hosts.end();
  }
}

const world = await openAlone();
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

const began = time.now();
const isNoticed = process.argv.length > 2;
for (let act = 0; act < 40; act += 1) {
  const line = (isNoticed && act % 20 === 12 ? mustBeNoticed[(act - 12) / 20] : undefined) ?? common[act % 20] ?? '';
  const person = people[act % people.length] ?? alice;
  void person.command(room, line.startsWith('/note') ? `${line} ${act}` : line);
  await time.until(began + (act + 1) * 1500);
}
const writes =
  /^(chat\.(postMessage|update|delete)|conversations\.(?!info|members|history|replies|list)|(pins|bookmarks|reactions)\.)/;
const isPublic = ({ method, args, at }: (typeof slack.calls)[number]) =>
  at.getTime() >= began && writes.test(method) && !/^[UD]/.test(String(args.channel ?? ''));
for (const { method, args, at } of slack.calls.filter(isPublic)) {
  const where = args.channel === room.id ? 'room' : 'elsewhere';
  const text = String(args.text ?? args.topic ?? '').replaceAll('\n', ' ⏎ ');
  process.stdout.write(`${((at.getTime() - began) / 1000).toFixed(1)} ${where} ${method} ${text}\n`);
}
process.exit(0);
