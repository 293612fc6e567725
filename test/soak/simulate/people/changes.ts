import type { Channel, Message, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Act } from './acts.ts';
import type { Crowd, Declared } from './crowd.ts';
import type { Desk } from './desk.ts';

/** The severities that people set. */
export const severities = ['minor', 'major', 'critical'];

const ways = [
  'title',
  'label',
  'unlabel',
  'drill',
  'start',
  'update',
  'task start',
  'task reopen',
  'task edit',
  'task assign',
  'task delete',
  'unassign',
] as const;

/** Draws a change of an incident, as somebody types it; undefined when there is nothing to change. */
export function drawChange(world: World, crowd: Crowd, { mark }: Declared, random: Random): string | undefined {
  const way = random.pick(ways);
  const tasks = crowd.tasks.filter(each => each.incident === mark);
  const name = random.pick(world.slack.people.filter(each => !each.record.isStranger)).name;
  switch (way) {
    case 'title':
      return `/incident title ${mark} is called ${random.pick(['this', 'that'])}`;
    case 'label':
    case 'unlabel':
      return `/incident ${way} ${random.pick(['storage', 'network'])}`;
    case 'drill':
      return `/incident drill ${random.pick(['on', 'off'])}`;
    case 'start':
      return `/incident started ${random.whole(1, 9)}m ago`;
    case 'update':
      return `/incident update ${crowd.nextMark()} we look into it`;
    case 'task delete':
      return `/task delete ${random.whole(1, 4)}`;
    case 'unassign':
      return `/role unassign @${name} ${random.pick(['investigator', 'observer'])}`;
    default:
      if (tasks.length === 0) return undefined;
  }
  const task = random.pick(tasks).mark;
  if (way === 'task edit') return `/task edit ${task} ${task} look ${random.pick(['closely', 'again'])}`;
  return way === 'task assign' ? `/task assign ${task} @${name}` : `/${way} ${task}`;
}

/** A field changed to another value, or to the value that it has, as a second person types it. */
function drawRival(line: string, random: Random): string {
  if (random.chance(0.3)) return line;
  const other = (all: readonly string[]) => random.pick(all.filter(each => !line.endsWith(each)));
  const [, verb = '', thing = ''] = /^(\/\w+ \w+) (\S+)/.exec(line) ?? [];
  switch (verb) {
    case '/incident severity':
      return `${verb} ${other(severities)}`;
    case '/incident title':
      return `${verb} ${thing} is called ${other(['this', 'that'])}`;
    case '/incident drill':
      return `${verb} ${other(['on', 'off'])}`;
    case '/incident label':
      return `/incident unlabel ${thing}`;
    case '/incident unlabel':
      return `/incident label ${thing}`;
    case '/task start':
    case '/task reopen':
      return `${random.pick(['/task start', '/task reopen'])} ${thing}`;
    case '/role unassign':
      return line.replace('unassign', 'assign');
    default:
      return line;
  }
}

/** One of the last messages that offer a person to undo something; undefined when none does. */
function findUndo({ slack }: World, person: Person, random: Random): Message | undefined {
  const offers = slack.channels
    .filter(channel => !channel.isArchived && channel.members.has(person.id))
    .flatMap(channel => person.sees(channel))
    .filter(({ blocks }) => /"text":"Undo"/.test(JSON.stringify(blocks)))
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
  return offers.length === 0 ? undefined : random.pick(offers.slice(-random.pick([1, 2, 6])));
}

/** Types a change of something that others may change too. */
export function change(
  desk: Desk,
  incident: Declared,
  place: Channel | 'general' | undefined,
  line: string,
): Promise<Act | undefined> {
  const { name } = desk.person;
  desk.crowd.changes.push({ line, incident, name });
  const value = /^\/incident severity (\w+)/.exec(line)?.[1];
  const kind = value === undefined ? 'change' : 'severity';
  return desk.command(kind, incident, place, () => line, { value: value ?? '', mark: '' });
}

/** Changes what somebody else has just changed. */
export async function rival(desk: Desk): Promise<void> {
  const others = desk.crowd.changes.filter(each => each.name !== desk.person.name).slice(-3);
  if (others.length === 0) return;
  const { line, incident } = desk.random.pick(others);
  await change(desk, incident, desk.placeOf(incident), drawRival(line, desk.random));
}

/** Presses Undo below one of the last receipts, at times twice. */
export async function undo(desk: Desk): Promise<void> {
  const receipt = findUndo(desk.world, desk.person, desk.random);
  if (!receipt) return;
  const press = () => desk.person.press(receipt, 'Undo');
  await desk.do({ kind: 'undo', what: `presses Undo below “${receipt.text.slice(0, 80)}”` }, () =>
    desk.random.chance(0.2) ? Promise.all([press(), press()]) : press(),
  );
}
