import type { Channel, Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { groups } from '../setting.ts';
import type { World } from '../world.ts';
import { buttonsOf } from './aftermath.ts';
import type { Crowd, Declared } from './crowd.ts';
import { Desk } from './desk.ts';
import { offering } from './duties.ts';
import { say } from './notes.ts';

const { sre, leads } = groups;
const targets = [`@${sre}`, `@${leads}`, '@erin', '@frank @gina', `@${sre} and @gina`, `@${leads}, @bob`];

/** People who come when they are called, and do nothing else. */
export function addOnDuty({ slack }: Pick<World, 'slack'>): void {
  const [erin, frank, gina] = ['erin', 'frank', 'gina'].map(name =>
    slack.addPerson({ name, email: `${name}@example.com` }),
  );
  if (!erin || !frank || !gina) return;
  slack.addUserGroup({ handle: sre, members: [erin, frank, slack.person('alice')] });
  slack.addUserGroup({ handle: leads, members: [gina] });
}

/** Whether a person only comes when called. */
export function isOnDuty({ name }: { readonly name: string }): boolean {
  return ['erin', 'frank', 'gina'].includes(name);
}

/** Calls people, or takes a call back. */
export async function call(desk: Desk, incident: Declared, place: Channel | undefined): Promise<void> {
  const { random, person } = desk;
  if (random.chance(0.25)) {
    const receipts = offering(desk, /"text":"Undo"/).filter(each => / I called | call /.test(each.text));
    const receipt = receipts.at(-1);
    if (!receipt) return;
    const press = () => person.press(receipt, 'Undo');
    await desk.do({ kind: 'undo', what: `presses Undo below “${receipt.text.slice(0, 80)}”` }, press);
    return;
  }
  const value = random.pick(targets);
  await desk.command('call', incident, place, mark => `/incident call ${value} ${mark} come and look`, { value });
}

const ways = [
  'Coming in 5 min',
  'Coming in 5 min',
  'In 15 min',
  'In 30 min',
  'Cannot',
  'Cannot',
  'Open',
  'say',
] as const;

/** Somebody who is called at times: reads what Muster asks, and answers, or not. */
export class OnDuty {
  readonly #desk: Desk;

  constructor(world: World, crowd: Crowd, person: Desk['person']) {
    this.#desk = new Desk(world, crowd, person);
  }

  /** Answers until some time after people stop acting. */
  async work(): Promise<void> {
    const { world, random, person } = this.#desk;
    const { time, actingUntil, history } = world;
    const until = actingUntil + random.pick([0, 60_000]);
    for (;;) {
      await time.pause(random.whole(500, random.pick([8000, 40_000])));
      if (time.now() >= until) return;
      try {
        if (!person.record.deleted) await answerOne(this.#desk);
      } catch (error) {
        history.add(person.name, `cannot do that: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }
}

/** Answers one of the last calls to this person, at times otherwise than before. */
export async function answerOne(desk: Desk): Promise<void> {
  const { random, person, world } = desk;
  const direct = world.slack.channels.find(each => each.isIm && each.members.has(person.id));
  const asked = direct ? person.sees(direct).filter(each => callOf(each) !== '') : [];
  if (asked.length === 0 || random.chance(0.2)) return;
  const message = asked.at(-random.pick([1, 1, 2])) ?? random.pick(asked);
  const way = random.pick(ways);
  const incident = desk.crowd.declared.find(({ mark }) => new RegExp(`\\b${mark}\\b`).test(message.text));
  if (way === 'say') {
    const room = incident && desk.world.witness.readers.roomOf(incident.mark);
    if (incident && room?.members.has(person.id) && !room.isArchived) await say(desk, incident, room);
    return;
  }
  const press = () => person.press(message, way);
  const presses = () => (random.chance(0.2) ? Promise.all([press(), press()]) : press());
  const kind = way === 'Open' ? 'look' : 'answer';
  const value = way === 'Open' ? '' : `${callOf(message)} ${way}`;
  const what = `presses “${way}” below “${message.text.slice(0, 80).replaceAll('\n', ' ')}”`;
  await desk.do({ kind, what, value, incident: incident?.mark ?? '' }, presses);
}

/** The id of the call that a message asks about; `""` for none. */
function callOf(message: Message): string {
  const value = buttonsOf(message).find(each => each.actionId.startsWith('call.cannot'))?.value;
  return value === undefined ? '' : String(JSON.parse(value).call);
}
