import { z } from 'zod';
import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { change } from './changes.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';
import { peopleOf } from './rooms.ts';

const ways = [
  ...['hand over', 'hand over', 'hand over', 'second holder', 'choose holders', 'choose holders'],
  ...['home', 'home', 'look', 'look', 'post', 'post', 'post', 'post by mention'],
  ...['archive', 'archive', 'keep', 'resolve', 'resolve', 'reopen'],
] as const;

/** What shows something that can be posted. */
const looks = ['/incident status', '/incident list', '/task list', '/role list'];

/** Lets somebody hand a role over, open the home tab, post a list, or say when a channel is archived. */
export async function doDuty(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const { random, person, world, crowd } = desk;
  const colleague = random.pick(peopleOf(world).colleagues);
  const way = random.pick(ways);
  switch (way) {
    case 'hand over': {
      const role = random.pick(['', 'investigator']);
      // Whoever gives it to them once more gives nothing.
      crowd.roles.add(`${incident.mark} ${role || 'commander'} ${colleague.id}`);
      await change(desk, incident, place, `/role handover @${colleague.name} ${role}`.trim());
      break;
    }
    case 'second holder':
      crowd.roles.add(`${incident.mark} commander ${colleague.id}`);
      await change(desk, incident, place, `/role assign @${colleague.name} commander`);
      break;
    case 'choose holders':
      await chooseHolders(desk);
      break;
    case 'home':
      world.history.add(person.name, 'opens the home tab');
      person.openHome();
      break;
    case 'look': {
      const where = random.chance(0.5) ? 'general' : place;
      await desk.command('look', incident, where, () => random.pick(looks), { mark: '' });
      break;
    }
    case 'post':
      await postToChannel(desk);
      break;
    case 'post by mention': {
      const where = random.chance(0.5) ? world.slack.channel('general') : place;
      if (!where) break;
      world.history.add(person.name, `asks in #${where.name} for a list by mention`);
      person.mention(where, 'list');
      break;
    }
    case 'archive':
      await change(desk, incident, place, '/incident archive in 1 day');
      break;
    case 'keep':
      await change(desk, incident, place, '/incident archive off');
      break;
    case 'resolve':
      await desk.command('resolve', incident, place, mark => `/incident resolve ${mark} it is over --now`);
      break;
    case 'reopen':
      await desk.command('reopen', incident, place, () => '/incident reopen', { mark: '' });
      break;
  }
}

/** Messages with a button of that name, which a person sees, oldest first. */
export function offering({ world, person }: Desk, label: RegExp): readonly Message[] {
  return world.slack.channels
    .filter(channel => !channel.isArchived && channel.members.has(person.id))
    .flatMap(channel => person.sees(channel))
    .filter(({ blocks }) => label.test(JSON.stringify(blocks)))
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
}

/** Says whether two people go on holding a role, where Muster asks. */
async function chooseHolders(desk: Desk): Promise<void> {
  const { person, random } = desk;
  const asked = offering(desk, /"text":"Keep (both|all)"/).at(-1);
  if (!asked) return;
  const shown = JSON.stringify(asked.blocks);
  const [, label = ''] = random.pick([.../"text":"(Hand over|Take over|Keep both|Keep all)"/g[Symbol.matchAll](shown)]);
  await desk.do({ kind: 'change', what: `presses “${label}”` }, () => person.press(asked, label));
}

const Asked = z.object({ asked: z.string() });

/** Shows everybody what one was shown, at times with two presses. */
async function postToChannel(desk: Desk): Promise<void> {
  const { person, random } = desk;
  const offers = offering(desk, /"text":"Post to channel"/);
  if (offers.length === 0) return;
  const offer = random.pick(offers.slice(-random.pick([1, 3])));
  const button = offer.blocks
    .flatMap(
      block =>
        (block.elements ?? []) as readonly { readonly text?: { readonly text?: string }; readonly value?: string }[],
    )
    .find(each => each.text?.text === 'Post to channel');
  const value = Asked.parse(JSON.parse(button?.value ?? '{}')).asked;
  const press = () => person.press(offer, 'Post to channel');
  await desk.do({ kind: 'post', what: `posts “${offer.text.slice(0, 60)}” in ${offer.channel}`, value }, () =>
    random.chance(0.2) ? Promise.all([press(), press()]) : press(),
  );
}

/** Late, reopens some of the incidents whose channels wait for their archiving. */
export async function reopenSome(desk: Desk): Promise<void> {
  for (const incident of desk.crowd.declared)
    if (desk.random.chance(0.15))
      await desk.command('reopen', incident, desk.placeOf(incident), () => '/incident reopen', { mark: '' });
}
