import type { Channel, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Act, ActKind } from './acts.ts';
import type { Crowd, Declared } from './crowd.ts';
import { Actor } from './mail.ts';

/** How a person acts: what they know, where they may go, and how they wait for an answer. */
export class Desk {
  readonly world: World;
  readonly crowd: Crowd;
  readonly person: Person;
  readonly random: Random;

  constructor(world: World, crowd: Crowd, person: Person, random = new Random(world.seed, person.name)) {
    this.world = world;
    this.crowd = crowd;
    this.person = person;
    this.random = random;
  }

  /** Does something, and then mostly waits for the answer. */
  async do(
    act: Pick<Act, 'kind' | 'what'> & Partial<Pick<Act, 'mark' | 'incident' | 'value' | 'original'>>,
    work: () => Promise<unknown>,
  ): Promise<Act> {
    const { time, history, acts } = this.world;
    const begun = acts.begin({
      mark: '',
      incident: '',
      value: '',
      ...act,
      userId: this.person.id,
      name: this.person.name,
      at: time.now(),
    });
    history.add(begun.name, `act ${begun.number}: ${begun.what}`);
    await time.as(new Actor(begun), work);
    const patience = time.now() + (this.random.chance(0.7) ? 20_000 : 0);
    while (begun.answers.length === 0 && time.now() < patience) await time.pause(250);
    return begun;
  }

  /** Types a line about an incident, in a place or, outside, with its number; not before the number is known. */
  async command(
    kind: ActKind,
    incident: Declared,
    place: Channel | 'general' | undefined,
    toLine: (mark: string) => string,
    options: { mark?: string; value?: string; isAnywhere?: boolean } = {},
  ): Promise<Act | undefined> {
    const id = place === 'general' || !place ? this.idOf(incident) : '';
    if (!place && id === '') return undefined;
    if (place === 'general' && id === '' && !options.isAnywhere) return undefined;
    const mark = options.mark ?? this.crowd.nextMark();
    const line = `${toLine(mark)}${id && !options.isAnywhere ? ` --incident ${id}` : ''}`;
    const details = { kind, what: line, mark, incident: incident.mark, value: options.value ?? '' };
    return this.do(details, () => this.person.command(place ?? 'general', line));
  }

  /** The incident's channel, once there is one that this person can enter. */
  placeOf(incident: Declared): Channel | undefined {
    const channel = this.world.witness.readers.roomOf(incident.mark);
    return channel && !channel.isArchived && this.enters(channel) ? channel : undefined;
  }

  /** Joins a channel, where that is possible. */
  enters(channel: Channel): boolean {
    if (channel.members.has(this.person.id)) return true;
    if (channel.isPrivate) return false;
    this.person.join(channel);
    return true;
  }

  /** The incident's number, once something that everybody reads says it; `""` before. */
  idOf(incident: Declared): string {
    const sign = new RegExp(`^Incident (\\d+) \\(.*\\b${incident.mark}\\b`);
    for (const { messages } of this.world.slack.channels) {
      for (const message of messages) {
        const id = message.ephemeralTo === undefined ? sign.exec(message.text)?.[1] : undefined;
        if (id) return id;
      }
    }
    return '';
  }
}
