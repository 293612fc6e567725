import type { Channel, Person } from '../../../src/fake-slack/fake-slack.ts';
import type { Act, ActKind } from './acts.ts';
import { drawChange, drawRival, findUndo, severities } from './change-life.ts';
import type { Crowd, Declared } from './crowd.ts';
import { Actor } from './mail.ts';
import { Random } from './random.ts';
import { changeRoom, peopleOf } from './room-life.ts';
import { changeTalk } from './talk-life.ts';
import type { World } from './world.ts';

/** What people do besides, where rooms change. */
const roomWays = ['change room', 'change room', 'change room', 'change room', 'status', 'list'] as const;
/** The same, where people change what others have just changed. */
const rivalWays = [
  ...['severity', 'severity', 'severity', 'change', 'change', 'change'],
  ...['rival', 'rival', 'rival', 'rival', 'rival', 'rival', 'rival', 'rival'],
  ...['undo', 'undo', 'undo', 'undo', 'undo', 'undo'],
] as const;
/** The same, where talk is noted by reactions. */
const talkWays = ['say', 'say', 'talk', 'talk', 'talk', 'talk', 'talk', 'talk'] as const;
const roles = ['commander', 'investigator', 'observer'];

/** One person at work: acts, reads the answer or does not wait for it, and acts again. */
export class Colleague {
  readonly #world: World;
  readonly #crowd: Crowd;
  readonly #person: Person;
  readonly #random: Random;

  constructor(world: World, crowd: Crowd, person: Person) {
    this.#world = world;
    this.#crowd = crowd;
    this.#person = person;
    this.#random = new Random(world.seed, person.name);
  }

  /** Works until people stop acting. */
  async work(): Promise<void> {
    const { time, actingUntil, history } = this.#world;
    await time.pause(this.#random.whole(1000, 15_000));
    while (time.now() < actingUntil) {
      try {
        if (!this.#person.record.deleted) await this.#actOnce();
      } catch (error) {
        history.add(this.#person.name, `cannot do that: ${error instanceof Error ? error.stack : error}`);
      }
      await time.pause(this.#random.whole(100, this.#random.pick([500, 8_000, 40_000])));
    }
  }

  /** Late, presses Undo, and looks from outside, in every way, at incidents that are not for them. */
  async lookAround(): Promise<void> {
    // It is too late for that.
    await this.#undo();
    const { witness } = this.#world;
    const hidden = this.#crowd.declared.filter(each => !witness.readers.maySee(this.#person, each.mark));
    const [first] = hidden;
    if (!first) return;
    const look = (incident: Declared, line: string, isAnywhere = false) =>
      this.#command('look', incident, 'general', () => line, { mark: '', isAnywhere });
    await look(first, '/incident list', true);
    for (const incident of hidden.slice(-3))
      for (const line of ['/incident status', '/task list', '/note list', '/role list']) await look(incident, line);
    const message = this.#person.say('general', 'where does this belong');
    await this.#do({ kind: 'look', what: 'opens the form for a message' }, () =>
      this.#person.shortcut('add_timeline', message),
    );
  }

  async #actOnce(): Promise<unknown> {
    const { declared } = this.#crowd;
    if (declared.length === 0 || this.#random.chance(0.08)) return this.#declare();
    const incident = this.#random.pick(declared);
    const place = this.#placeOf(incident);
    const way = this.#random.pick([
      'note',
      'note',
      'note',
      'mention',
      'mention',
      'edit',
      'edit',
      'say',
      'message',
      'message',
      'task',
      'task',
      'done',
      'role',
      'severity',
      'resolve',
      'reopen',
      'status',
      'list',
      'outside',
      'pick',
      'change',
      'change',
      'change',
      'undo',
      'undo',
      'undo',
      ...(this.#world.plan.isContended ? rivalWays : []),
      ...(this.#world.plan.areRoomsChanged ? roomWays : []),
      ...(this.#world.plan.isTalkChanged ? talkWays : []),
    ]);
    switch (way) {
      case 'note':
        return this.#command('note', incident, place, mark => `/note add ${mark} something was seen`);
      case 'mention':
        return this.#mention(incident, place);
      case 'edit':
        return this.#editMention();
      case 'say':
        return this.#say(incident, place);
      case 'message':
        return this.#addMessage();
      case 'task':
        return this.#addTask(incident, place);
      case 'done':
        return this.#finishTask();
      case 'role':
        return this.#giveRole(incident, place);
      case 'severity': {
        const value = this.#random.pick(severities);
        return this.#change(incident, place, `/incident severity ${value}`);
      }
      case 'resolve':
        return this.#command('resolve', incident, place, mark => `/incident resolve ${mark} it is over --now`);
      case 'reopen':
        return this.#command('reopen', incident, place, () => '/incident reopen', { mark: '' });
      case 'status':
        return this.#command('look', incident, place, () => '/incident status', { mark: '' });
      case 'list':
        return this.#command('look', incident, 'general', () => '/incident list', { mark: '', isAnywhere: true });
      case 'change': {
        const line = drawChange(this.#world, this.#crowd, incident, this.#random);
        return line && this.#change(incident, place, line);
      }
      case 'rival':
        return this.#rival();
      case 'undo':
        return this.#undo();
      case 'talk':
        return this.#talk(incident, place);
      case 'change room':
        return this.#changeRoom(incident);
      case 'outside':
        return this.#command('note', incident, 'general', mark => `/note add ${mark} seen from outside`);
      default:
        return this.#pick(incident);
    }
  }

  async #declare(): Promise<void> {
    const mark = this.#crowd.nextMark();
    const isPrivate = this.#random.chance(0.1);
    if (isPrivate) this.#world.witness.readers.declaredPrivate.add(mark);
    const isCommander = this.#random.chance(0.2);
    if (isCommander) this.#crowd.roles.add(`${mark} commander ${this.#person.id}`);
    const flags = [
      `--severity ${this.#random.pick(severities)}`,
      ...(this.#random.chance(0.15) ? ['--drill'] : []),
      ...(isPrivate ? ['--private'] : []),
      ...(isCommander ? ['--commander'] : []),
    ].join(' ');
    const isForm = this.#random.chance(0.3);
    const line = `/incident declare ${mark} checkout is down ${flags}${isForm ? '' : ' --now'}`;
    if (isForm) {
      await this.#do({ kind: 'ask for a form', what: line }, () => this.#person.command('general', line));
      await this.#world.time.pause(this.#random.whole(1500, 5000));
      if (!JSON.stringify(this.#person.view?.blocks ?? '').includes(`${mark} `)) return;
      this.#crowd.declared.push({ mark, isPrivate });
      await this.#do({ kind: 'declare', what: `submits the form of ${mark}`, mark, incident: mark }, () =>
        this.#random.chance(0.3) ? this.#person.submitTwice() : this.#person.submit(),
      );
      return;
    }
    this.#crowd.declared.push({ mark, isPrivate });
    await this.#do({ kind: 'declare', what: line, mark, incident: mark }, () => this.#person.command('general', line));
  }

  async #command(
    kind: ActKind,
    incident: Declared,
    place: Channel | 'general' | undefined,
    toLine: (mark: string) => string,
    options: { mark?: string; value?: string; isAnywhere?: boolean } = {},
  ): Promise<Act | undefined> {
    const id = place === 'general' || !place ? this.#idOf(incident) : '';
    if (!place && id === '') return undefined;
    if (place === 'general' && id === '' && !options.isAnywhere) return undefined;
    const mark = options.mark ?? this.#crowd.nextMark();
    const line = `${toLine(mark)}${id && !options.isAnywhere ? ` --incident ${id}` : ''}`;
    const details = { kind, what: line, mark, incident: incident.mark, value: options.value ?? '' };
    return this.#do(details, () => this.#person.command(place ?? 'general', line));
  }

  async #mention(incident: Declared, place: Channel | undefined): Promise<void> {
    if (!place) return;
    const mark = this.#crowd.nextMark();
    const line = `note add ${mark} by mention`;
    await this.#do({ kind: 'note', what: `@muster ${line}`, mark, incident: incident.mark }, async () => {
      const message = this.#person.mention(place, line);
      this.#crowd.mentions.push({ mark, incident: incident.mark, message, edits: 0 });
    });
  }

  async #editMention(): Promise<void> {
    const own = this.#crowd.mentions.filter(each => each.message.userId === this.#person.id);
    if (own.length === 0) return;
    const mention = this.#random.pick(own.slice(-3));
    if (this.#world.slack.channel(mention.message.channel).isArchived) return;
    mention.edits += 1;
    const { mark, incident, message } = mention;
    const value = `put right ${mention.edits}`;
    const line = `note add ${mark} ${value}`;
    await this.#do({ kind: 'edit', what: `edits to @muster ${line}`, mark, incident, value }, async () => {
      this.#person.editMention(message, line);
    });
  }

  async #say(incident: Declared, place: Channel | undefined): Promise<void> {
    if (!place) return;
    const mark = this.#crowd.nextMark();
    const { history, plan, witness } = this.#world;
    const others = witness.talks.all.filter(each => each.message.channel === place.id && !each.message.threadTs);
    const parent = plan.isTalkChanged && this.#random.chance(0.3) ? others.at(-1)?.message : undefined;
    const thread = parent && !parent.deleted ? { threadTs: parent.ts } : {};
    const message = this.#person.say(place, `${mark} the replica lags`, thread);
    history.add(this.#person.name, `says ${mark} in #${place.name}${parent ? ', in a thread' : ''}`);
    witness.talks.all.push({ mark, incident: incident.mark, message, authorId: this.#person.id });
  }

  /** Says something or not, and does a few things with what was said. */
  async #talk(incident: Declared, place: Channel | undefined): Promise<void> {
    if (this.#random.chance(0.3)) await this.#say(incident, place);
    for (let left = this.#random.whole(1, 4); left > 0; left -= 1) {
      changeTalk(this.#world, this.#person, this.#random);
      await this.#world.time.pause(this.#random.whole(100, this.#random.pick([300, 3000, 8000])));
    }
  }

  async #addMessage(): Promise<void> {
    const talks = this.#world.witness.talks.all
      .slice(-6)
      .filter(each => each.message.subtype === undefined && !each.message.deleted);
    if (talks.length === 0) return;
    const { mark, incident, message, authorId } = this.#random.pick(talks);
    const channel = this.#world.slack.channel(message.channel);
    if (channel.isArchived || !this.#enters(channel)) return;
    const original = { time: Number(message.ts) * 1000, userId: authorId };
    await this.#do({ kind: 'message', what: `adds message ${mark} to the timeline`, mark, incident, original }, () =>
      this.#person.shortcut('add_timeline', message),
    );
  }

  async #addTask(incident: Declared, place: Channel | undefined): Promise<void> {
    const assignee = this.#random.chance(0.3) ? ` @${this.#random.pick(peopleOf(this.#world).colleagues).name}` : '';
    const act = await this.#command('task', incident, place, mark => `/task add ${mark} look at the disk${assignee}`);
    if (act) this.#crowd.tasks.push({ mark: act.mark, incident: incident.mark });
  }

  async #finishTask(): Promise<void> {
    const { tasks, declared } = this.#crowd;
    if (tasks.length === 0) return;
    const task = this.#random.pick(tasks);
    const incident = declared.find(each => each.mark === task.incident);
    if (!incident) return;
    const line = `/task done ${task.mark}`;
    await this.#command('done', incident, this.#placeOf(incident), () => line, { mark: '', value: task.mark });
  }

  async #giveRole(incident: Declared, place: Channel | undefined): Promise<void> {
    const role = this.#random.pick(roles);
    const person = this.#random.pick(peopleOf(this.#world).colleagues);
    const name = `${incident.mark} ${role} ${person.id}`;
    if (this.#crowd.roles.has(name)) return;
    this.#crowd.roles.add(name);
    const line = `/role assign @${person.name} ${role}`;
    await this.#command('role', incident, place, () => line, { mark: '', value: `${role} ${person.id}` });
  }

  /** Outside, without saying which: presses the incident that is meant. */
  async #pick(incident: Declared): Promise<void> {
    const { time, slack } = this.#world;
    if (this.#idOf(incident) === '') return;
    const mark = this.#crowd.nextMark();
    const line = `/note add ${mark} where does it belong`;
    const asked = await this.#do({ kind: 'look', what: line, mark }, () => this.#person.command('general', line));
    await time.pause(2000);
    if (asked.answers.length === 0) return;
    const message = this.#person.sees(slack.channel('general')).findLast(each => JSON.stringify(each).includes(mark));
    const text = JSON.stringify(message?.blocks ?? []);
    const button = new RegExp(`"text":"(#\\d+ [^"]*\\b${incident.mark}\\b[^"]*)"`).exec(text)?.[1];
    if (!message || !button) return;
    const press = () => this.#person.press(message, button);
    await this.#do({ kind: 'pick', what: `presses “${button}”`, mark, incident: incident.mark }, () =>
      this.#random.chance(0.3) ? Promise.all([press(), press()]) : press(),
    );
  }

  /** Types a change of something that others may change too. */
  #change(incident: Declared, place: Channel | 'general' | undefined, line: string): Promise<Act | undefined> {
    const { name } = this.#person;
    this.#crowd.changes.push({ line, incident, name });
    const value = /^\/incident severity (\w+)/.exec(line)?.[1];
    const kind = value === undefined ? 'change' : 'severity';
    return this.#command(kind, incident, place, () => line, { value: value ?? '', mark: '' });
  }

  /** Changes what somebody else has just changed. */
  async #rival(): Promise<void> {
    const others = this.#crowd.changes.filter(each => each.name !== this.#person.name).slice(-3);
    if (others.length === 0) return;
    const { line, incident } = this.#random.pick(others);
    await this.#change(incident, this.#placeOf(incident), drawRival(line, this.#random));
  }

  /** Presses Undo below one of the last receipts, at times twice. */
  async #undo(): Promise<void> {
    const receipt = findUndo(this.#world, this.#person, this.#random);
    if (!receipt) return;
    const press = () => this.#person.press(receipt, 'Undo');
    await this.#do({ kind: 'undo', what: `presses Undo below “${receipt.text.slice(0, 80)}”` }, () =>
      this.#random.chance(0.2) ? Promise.all([press(), press()]) : press(),
    );
  }

  #changeRoom({ mark }: Declared): void {
    const room = this.#world.witness.readers.roomOf(mark);
    if (room && !room.isArchived && room.members.has(this.#person.id))
      changeRoom(this.#world, room, this.#person, this.#random);
  }

  /** Does something, and then mostly waits for the answer. */
  async #do(
    act: Pick<Act, 'kind' | 'what'> & Partial<Pick<Act, 'mark' | 'incident' | 'value' | 'original'>>,
    work: () => Promise<unknown>,
  ): Promise<Act> {
    const { time, history, acts } = this.#world;
    const begun = acts.begin({
      mark: '',
      incident: '',
      value: '',
      ...act,
      userId: this.#person.id,
      name: this.#person.name,
      at: time.now(),
    });
    history.add(begun.name, `act ${begun.number}: ${begun.what}`);
    await time.as(new Actor(begun), work);
    const patience = time.now() + (this.#random.chance(0.7) ? 20_000 : 0);
    while (begun.answers.length === 0 && time.now() < patience) await time.pause(250);
    return begun;
  }

  /** The incident's channel, once there is one that this person can enter. */
  #placeOf(incident: Declared): Channel | undefined {
    const channel = this.#world.witness.readers.roomOf(incident.mark);
    return channel && !channel.isArchived && this.#enters(channel) ? channel : undefined;
  }

  #enters(channel: Channel): boolean {
    if (channel.members.has(this.#person.id)) return true;
    if (channel.isPrivate) return false;
    this.#person.join(channel);
    return true;
  }

  /** The incident's number, once something that everybody reads says it; `""` before. */
  #idOf(incident: Declared): string {
    const sign = new RegExp(`^Incident (\\d+) \\(.*\\b${incident.mark}\\b`);
    for (const { messages } of this.#world.slack.channels) {
      for (const message of messages) {
        const id = message.ephemeralTo === undefined ? sign.exec(message.text)?.[1] : undefined;
        if (id) return id;
      }
    }
    return '';
  }
}
