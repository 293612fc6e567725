import { z } from 'zod';
import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { change } from './changes.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';
import { offering } from './duties.ts';
import { peopleOf } from './rooms.ts';

const ways = [
  ...['resolve', 'resolve', 'archive now', 'archive now', 'own task', 'own task', 'own task'],
  ...['press next', 'press next', 'press next', 'press next', 'press next', 'press next'],
  ...['press home', 'press home', 'press home', 'press home', 'press home'],
] as const;

/** Lets somebody act on what comes after a resolution: its buttons, those of the home tab, and the end of a channel at once. */
export async function consequence(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const way = desk.random.pick(ways);
  switch (way) {
    case 'resolve':
      await desk.command('resolve', incident, place, mark => `/incident resolve ${mark} it is over --now`);
      break;
    case 'own task': {
      const act = await desk.command(
        'task',
        incident,
        place,
        mark => `/task add ${mark} see to it @${desk.person.name}`,
      );
      if (act) desk.crowd.tasks.push({ mark: act.mark, incident: incident.mark });
      break;
    }
    case 'archive now':
      await change(desk, incident, place, '/incident archive now');
      break;
    case 'press next':
      await pressNext(desk);
      break;
    case 'press home':
      await pressHome(desk);
      break;
  }
}

/** A button as Slack shows it. */
const Button = z.object({
  type: z.literal('button'),
  text: z.object({ text: z.string() }),
  action_id: z.string(),
  value: z.string().default('{}'),
});

/** A button, and where it stands. */
interface Placed {
  readonly label: string;
  readonly blockId: string;
  readonly actionId: string;
  readonly value: string;
}

/** The buttons of a message or tab. */
export function buttonsOf({ blocks }: Pick<Message, 'blocks'>): readonly Placed[] {
  return blocks.flatMap(({ block_id, elements, accessory }) =>
    [...(Array.isArray(elements) ? elements : []), accessory].flatMap(each => {
      const { data } = Button.safeParse(each);
      if (!data) return [];
      return [{ label: data.text.text, blockId: String(block_id), actionId: data.action_id, value: data.value }];
    }),
  );
}

/** Presses a button of what comes next, at times one of a message that is not the newest, and fills in its form. */
async function pressNext(desk: Desk): Promise<void> {
  const { person, random, world } = desk;
  const messages = offering(desk, /"text":"Export record"/);
  if (messages.length === 0) return;
  const message = random.pick(messages.slice(-random.pick([1, 3])));
  const button = random.pick(buttonsOf(message));
  const press = () => person.use(message, button);
  const presses = () => (random.chance(0.2) ? Promise.all([press(), press()]) : press());
  const { label, value } = button;
  const what = `presses “${label}” below what comes next in ${message.channel}`;
  switch (label) {
    case 'Export record':
      await desk.do({ kind: 'record', what, value }, presses);
      break;
    case 'Tasks':
      await desk.do({ kind: 'look', what }, presses);
      break;
    case 'Fill in times':
    case 'Severity and times': {
      await desk.do({ kind: 'ask for a form', what }, press);
      const started = new Date(world.time.now() - random.whole(1, 9) * 60_000);
      await submitForm(desk, 'Edit the incident', random.chance(0.3) ? {} : { started });
      break;
    }
    case 'Another day':
      await desk.do({ kind: 'ask for a form', what }, press);
      await submitForm(desk, 'Archive the channel', {
        when: random.pick(['Now', 'In 1 day', 'In 3 days', 'Keep it open']),
      });
      break;
    default:
      await desk.do({ kind: 'change', what }, presses);
  }
}

/** Sends the form of that title, if it has opened. */
async function submitForm(desk: Desk, title: string, values: Parameters<Desk['person']['submit']>[0]): Promise<void> {
  const { person, random, world } = desk;
  await world.time.pause(random.whole(1500, 5000));
  if (!JSON.stringify(person.view?.payload ?? {}).includes(JSON.stringify(title))) return;
  await desk.do({ kind: 'change', what: `submits “${title}” ${JSON.stringify(values)}` }, () => person.submit(values));
}

/** The mark of the task whose buttons these are: its row stands above them, and names it before its incident. */
function taskAbove(blocks: Message['blocks'], { blockId }: Placed): string | undefined {
  const row = blocks[blocks.findIndex(each => each.block_id === blockId) - 1];
  return /\bm\d+\b/.exec(JSON.stringify(row))?.[0];
}

const OfRole = z.object({ incidentID: z.string(), role: z.string() });

/** Presses a button of the home tab as it was when they opened it last, and hands a role over in its form. */
async function pressHome(desk: Desk): Promise<void> {
  const { person, random, world, crowd } = desk;
  if (person.home === undefined || random.chance(0.5)) {
    world.history.add(person.name, 'opens the home tab');
    person.openHome();
    await world.time.pause(random.whole(500, 5000));
  }
  if (person.home === undefined) return;
  const own = buttonsOf(person.home).filter(each => /^(Start|Done|Hand over)$/.test(each.label));
  const button = random.pick(own.length > 0 && random.chance(0.8) ? own : buttonsOf(person.home));
  const press = () => person.use('home', button);
  const presses = () => (random.chance(0.2) ? Promise.all([press(), press()]) : press());
  const what = `presses “${button.label}” on the home tab`;
  switch (button.label) {
    case 'Start':
      await desk.do({ kind: 'change', what }, presses);
      break;
    case 'Done': {
      const value = taskAbove(person.home.blocks, button) ?? '';
      const incident = crowd.tasks.find(each => each.mark === value)?.incident ?? '';
      await desk.do({ kind: 'done', what: `${what}, for ${value}`, value, incident }, presses);
      break;
    }
    case 'Hand over': {
      const { incidentID, role } = OfRole.parse(JSON.parse(button.value));
      const { id } = random.pick(peopleOf(world).colleagues);
      const incident = crowd.declared.find(each => desk.idOf(each) === incidentID);
      crowd.roles.add(`${incident?.mark} ${role} ${id}`);
      await desk.do({ kind: 'ask for a form', what }, press);
      await submitForm(desk, 'Hand over a role', { person: id });
      break;
    }
    default:
      await desk.do({ kind: 'look', what }, presses);
  }
}
