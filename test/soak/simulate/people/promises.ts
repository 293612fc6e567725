import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import { change } from './changes.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';
import { offering } from './duties.ts';

const ways = [
  ...['promise', 'promise', 'promise', 'promise', 'update', 'update', 'snooze', 'snooze'],
  ...['lead', 'lead', 'no lead', 'mode', 'resolve'],
] as const;

/** Lets somebody promise an update, give one, put a reminder off, take command or step back, or say who is reminded. */
export async function promise(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const { random, person, crowd } = desk;
  const way = random.pick(ways);
  switch (way) {
    case 'promise': {
      const value = String(random.pick([1, 1, 1, 2, 3]));
      const toLine = (mark: string) => `/incident update ${mark} we look into it --next ${value}m`;
      await desk.command('promise', incident, place, toLine, { value });
      break;
    }
    case 'update':
      await change(desk, incident, place, `/incident update ${crowd.nextMark()} we know more`);
      break;
    case 'snooze':
      await putOff(desk);
      break;
    case 'lead':
      crowd.roles.add(`${incident.mark} commander ${person.id}`);
      await change(desk, incident, place, `/role assign @${person.name} commander`);
      break;
    case 'no lead':
      await change(desk, incident, place, `/role unassign @${person.name} commander`);
      break;
    case 'mode':
      await change(desk, incident, place, `/incident reminders ${random.pick(['on', 'owner', 'off'])}`);
      break;
    case 'resolve':
      await desk.command('resolve', incident, place, mark => `/incident resolve ${mark} it is over --now`);
      break;
  }
}

/** Puts one of the last reminders off, or stops it. */
async function putOff(desk: Desk): Promise<void> {
  const { person, random } = desk;
  const reminder = offering(desk, /"text":"Snooze 15 min"/).at(-random.pick([1, 1, 2]));
  if (!reminder) return;
  const label = random.pick(['Snooze 15 min', 'Snooze 60 min', 'Stop']);
  const press = () => person.press(reminder, label);
  const what = `presses “${label}” below “${reminder.text.slice(0, 80)}” in ${reminder.channel}`;
  await desk.do({ kind: 'snooze', what, value: reminder.channel }, () =>
    random.chance(0.2) ? Promise.all([press(), press()]) : press(),
  );
}
