import { sql } from 'kysely';
import type { Channel, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { gather } from './invariants/evidence.ts';
import { untrueIn } from './invariants/rooms.ts';
import { isOnDuty } from './people/calls.ts';
import { change } from './people/changes.ts';
import type { Crowd, Declared } from './people/crowd.ts';
import { declare } from './people/declarations.ts';
import { Desk } from './people/desk.ts';
import { page } from './people/pages.ts';
import { peopleOf } from './people/rooms.ts';
import { Random } from './random.ts';
import { meanwhile } from './virtual-time.ts';
import { countUnfinished, type World } from './world.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** How long people wait for what they did, and for what is due, in milliseconds. */
const awhile = 6 * second;
/** How long they wait at most while something is to be done or shown, in milliseconds. */
const rest = 25 * second;
/** How long after a channel opens everything in it is true, and how often somebody looks, in milliseconds. */
const opening = { within: 5 * minute, every: 15 * second };
/** Where the bot's database says when something is due. */
const dueColumns = [
  ['bot_duty', 'look_at'],
  ['bot_call', 'next_at'],
  ['bot_next_steps', 'look_at'],
  ['bot_alert_offer', 'muted_until'],
] as const;

/**
 * Days of a workplace: time jumps from one moment at which something is due to the next. Meanwhile people leave or become guests, and come back;
 * rooms are archived and unarchived, and Muster is taken out of them and invited; pagers take acknowledgements back.
 */
export class Days {
  readonly #world: World;
  readonly #crowd: Crowd;
  readonly #random: Random;
  /** People who left, or are guests, with the channels that they were in. */
  readonly #gone = new Map<Person, readonly Channel[]>();

  constructor(world: World, crowd: Crowd) {
    this.#world = world;
    this.#crowd = crowd;
    this.#random = new Random(world.seed, 'days');
  }

  /** Lives through some days, at whose end everybody is back and every room is open. */
  async live(): Promise<void> {
    const { time, witness } = this.#world;
    witness.days.from = time.now();
    const scenes = [
      () => this.#leaderGoes(),
      () => this.#roomCloses(),
      () => this.#announcementsClose(),
      () => this.#insiderLeaves(),
      () => this.#nobodyComes(),
    ];
    for (const scene of this.#shuffled(scenes).slice(0, 3)) {
      await scene();
      for (const person of this.#gone.keys()) if (this.#random.chance(0.4)) this.#comeBack(person);
    }
    for (const person of this.#gone.keys()) this.#comeBack(person);
    await this.#pass();
    await this.#fallDue(3);
    witness.days.until = time.now();
  }

  /** Whoever leads an incident goes, at times while another leads it too. */
  async #leaderGoes(): Promise<void> {
    const incident = await this.#begin();
    const [first, second, ...others] = this.#shuffled(this.#present());
    if (!first || !second) return;
    await this.#lead(incident, first);
    if (this.#random.chance(0.4)) await this.#lead(incident, second);
    if (this.#random.chance(0.5)) await this.#promise(incident, first);
    await this.#go(first);
    if (others.length > 0 && this.#random.chance(0.3)) await this.#resolve(incident, second);
    await this.#fallDue(3);
  }

  /** A room closes while an update is owed, its incident changes elsewhere, and it opens again. */
  async #roomCloses(): Promise<void> {
    const incident = await this.#begin();
    const room = this.#world.witness.readers.roomOf(incident.mark);
    const [one] = this.#shuffled(this.#present().filter(each => room?.members.has(each.id)));
    if (!room || !one) return;
    if (this.#random.chance(0.7)) await this.#lead(incident, one);
    if (this.#random.chance(0.7)) await this.#promise(incident, one);
    await this.#closeFor(room, one, async () => {
      const line = this.#random.pick(['/incident severity critical', '/incident severity minor', '/incident title']);
      await this.#change(incident, one, line.endsWith('title') ? `${line} ${incident.mark} is known` : line, 'general');
    });
    await this.#fallDue(3);
  }

  /** The channel of announcements closes, an incident changes, and the channel opens again. */
  async #announcementsClose(): Promise<void> {
    const incident = await this.#begin();
    const { slack, settings } = this.#world;
    const [one] = this.#shuffled(this.#present());
    if (!one) return;
    await this.#closeFor(slack.channel(settings.announceChannel), one, () =>
      this.#change(incident, one, `/incident severity ${this.#random.pick(['critical', 'minor'])}`),
    );
  }

  /** Whoever owes something of an incident leaves its room, which is made private. */
  async #insiderLeaves(): Promise<void> {
    const incident = await this.#begin();
    const { readers } = this.#world.witness;
    const room = readers.roomOf(incident.mark);
    const [one, other] = this.#shuffled(this.#present());
    if (!room || !one || !other) return;
    for (const each of [one, other]) if (!room.isPrivate && !room.isArchived) each.join(room);
    if (!room.members.has(one.id) || !room.members.has(other.id)) return;
    if (!room.isPrivate) {
      this.#world.history.add(one.name, `makes private #${room.name}`);
      readers.change(room, 'made private', '', () => one.makePrivate(room));
    }
    await this.#lead(incident, one);
    await this.#promise(incident, one);
    this.#world.history.add(one.name, `leaves #${room.name}`);
    readers.change(room, 'left', one.id, () => one.leave(room));
    await this.#pass();
    await this.#fallDue(3);
  }

  /** Nobody comes who is called, since they left, or the pager says that somebody has it, and takes that back. */
  async #nobodyComes(): Promise<void> {
    const onDuty = this.#world.slack.people.filter(each => isOnDuty(each) && !this.#gone.has(each));
    if (onDuty.length > 0 && this.#random.chance(0.5)) await this.#go(this.#random.pick(onDuty));
    const incident = await this.#begin();
    const [one] = this.#shuffled(this.#present());
    if (!one) return;
    await this.#change(incident, one, '/incident severity critical');
    const desk = this.#deskOf(one);
    if (this.#world.plan.arePagesSent) await this.#pass(page(desk, incident, desk.placeOf(incident)));
    await this.#fallDue(2);
    this.#world.pagers.runOut();
    await this.#pass();
    await this.#fallDue(3);
  }

  /** Somebody declares an incident; resolves once it has a room. */
  async #begin(): Promise<Declared> {
    const { readers } = this.#world.witness;
    const desk = this.#deskOf(this.#random.pick(this.#present()));
    for (;;) {
      await this.#pass(declare(desk));
      const incident = this.#crowd.declared.at(-1);
      for (let waited = 0; incident && waited < 4; waited += 1) {
        if (readers.knownRoomOf(incident.mark)) return incident;
        await this.#pass();
      }
    }
  }

  /** People who are here, and may act. */
  #present(): readonly Person[] {
    return peopleOf(this.#world).colleagues.filter(each => !isOnDuty(each) && !this.#gone.has(each));
  }

  #shuffled<T>(all: readonly T[]): readonly T[] {
    const keyed = all.map(each => [this.#random.unit(), each] as const);
    return keyed.toSorted(([one], [other]) => one - other).map(([, each]) => each);
  }

  #deskOf(person: Person): Desk {
    return new Desk(this.#world, this.#crowd, person, this.#random);
  }

  async #change(incident: Declared, person: Person, line: string, where?: 'general'): Promise<void> {
    const desk = this.#deskOf(person);
    await this.#pass(change(desk, incident, where ?? desk.placeOf(incident), line));
  }

  async #lead(incident: Declared, person: Person): Promise<void> {
    this.#crowd.roles.add(`${incident.mark} commander ${person.id}`);
    await this.#change(incident, person, `/role assign @${person.name} commander`);
  }

  async #promise(incident: Declared, person: Person): Promise<void> {
    const desk = this.#deskOf(person);
    const value = String(this.#random.pick([2, 5, 20, 90]));
    const toLine = (mark: string) => `/incident update ${mark} we look into it --next ${value}m`;
    await this.#pass(desk.command('promise', incident, desk.placeOf(incident), toLine, { value }));
  }

  async #resolve(incident: Declared, person: Person): Promise<void> {
    const desk = this.#deskOf(person);
    const toLine = (mark: string) => `/incident resolve ${mark} it is over --now`;
    await this.#pass(desk.command('resolve', incident, desk.placeOf(incident), toLine));
  }

  /** Somebody leaves, or becomes a guest, who keeps no channel but one. */
  async #go(person: Person): Promise<void> {
    const { slack, history, witness } = this.#world;
    const channels = slack.channels.filter(each => !each.isIm && !each.isArchived && each.members.has(person.id));
    this.#gone.set(person, channels);
    const isGuest = this.#random.chance(0.4);
    history.add('days', `${person.name} ${isGuest ? 'becomes a guest' : 'is deactivated'}`);
    person.change(isGuest ? { isRestricted: true } : { deleted: true });
    const kept = isGuest ? channels.find(each => each.creator === slack.botUserId) : undefined;
    for (const each of isGuest ? channels : [])
      if (each !== kept) witness.readers.change(each, 'left', person.id, () => person.leave(each));
    await this.#pass();
  }

  #comeBack(person: Person): void {
    this.#world.history.add('days', `${person.name} is back`);
    person.change({ deleted: false, isRestricted: false });
    for (const each of this.#gone.get(person) ?? [])
      if (!each.isPrivate && !each.isArchived && !each.members.has(person.id)) person.join(each);
    this.#gone.delete(person);
  }

  /** Closes a channel to Muster for some hours, in which something else happens. */
  async #closeFor(channel: Channel, person: Person, meanwhileDo: () => Promise<void>): Promise<void> {
    const { slack, history } = this.#world;
    if (!channel.members.has(person.id)) person.join(channel);
    const isKept = channel.isPrivate && this.#random.chance(0.5);
    history.add(person.name, `${isKept ? 'takes Muster out of' : 'archives'} #${channel.name}`);
    if (isKept) person.remove(channel, slack.botUserId);
    else person.archive(channel);
    await this.#pass();
    await meanwhileDo();
    // Muster tries what was refused again after ten minutes, and some times.
    const until = this.#world.time.now() + this.#random.whole(40, 90) * minute;
    while (this.#world.time.now() < until) await this.#fallDue(1, 25 * minute);
    await this.#open(channel, person);
  }

  /** Opens a channel, and looks whether everything in it becomes true in time. */
  async #open(channel: Channel, person: Person): Promise<void> {
    const { slack, history, time, witness } = this.#world;
    history.add(person.name, `opens #${channel.name}`);
    if (channel.isArchived) person.unarchive(channel);
    const isInvited = channel.isPrivate || this.#random.chance(0.5);
    if (isInvited && !channel.members.has(slack.botUserId)) person.invite(channel, slack.botUserId);
    const until = time.now() + opening.within;
    for (;;) {
      await time.until(time.now() + opening.every);
      const untrue = untrueIn(await meanwhile(time, gather(this.#world)), channel.id);
      if (untrue.length === 0) return;
      if (time.now() < until) continue;
      for (const each of untrue) witness.stale.push(`#${channel.name} is open again, and ${each}`);
      return;
    }
  }

  /** Lets time jump to the next moments at which something is due, so many milliseconds at most, and Muster do it. */
  async #fallDue(times: number, longest = this.#random.whole(4, 12) * hour): Promise<void> {
    const { time, history } = this.#world;
    for (let count = 0; count < times; count += 1) {
      const due = (await meanwhile(time, this.#nextDue())) ?? Number.POSITIVE_INFINITY;
      const jump = Math.min(due - second - time.now(), longest);
      if (jump > 0) history.add('days', `${Math.round(jump / second)} s pass`);
      if (jump > 0) time.skip(jump);
      await this.#pass();
    }
  }

  async #nextDue(): Promise<number | undefined> {
    const { botDatabase, databaseQueue, time } = this.#world;
    const moments = dueColumns.map(
      ([table, column]) =>
        sql`select min(${sql.ref(column)}) as at from ${sql.table(table)} where ${sql.ref(column)} > ${time.now()}`,
    );
    const query = sql<{ at: number | null }>`select min(at) as at from (${sql.join(moments, sql` union all `)})`;
    const { rows } = await databaseQueue.run(() => query.execute(botDatabase.as()));
    return rows[0]?.at ?? undefined;
  }

  /** Lets a while pass, or as long as people are at something, or Muster, which may rest for a while after a failure. */
  async #pass(work: Promise<unknown> = Promise.resolve()): Promise<void> {
    const { time } = this.#world;
    const begun = time.now();
    await meanwhile(time, work, second);
    await time.until(Math.max(time.now(), begun + awhile));
    while (time.now() < begun + rest && (await meanwhile(time, countUnfinished(this.#world))) > 0)
      await time.until(time.now() + 5 * second);
  }
}
