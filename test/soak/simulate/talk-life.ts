import type { Person } from '../../../src/fake-slack/fake-slack.ts';
import type { Random } from './random.ts';
import type { Talk } from './talks.ts';
import type { World } from './world.ts';

/** What people do with a message. */
const ways = [
  'react',
  'react',
  'react',
  'react',
  'unreact',
  'unreact',
  'unreact',
  'unreact',
  'edit',
  'edit',
  'edit',
  'delete',
] as const;
const emoji = ['memo', 'memo', 'pushpin', 'eyes'];

/** Lets somebody react to one of the last messages, take a reaction back, or edit or delete a message of their own. */
export function changeTalk(world: World, person: Person, random: Random): void {
  const { readers, talks } = world.witness;
  const isHere = ({ incident, message }: Talk) => {
    const room = readers.knownRoomOf(incident);
    const { channel, deleted, subtype } = message;
    return room?.id === channel && room.members.has(person.id) && !room.isArchived && !deleted && subtype === undefined;
  };
  const here = talks.all.slice(-8).filter(isHere);
  if (here.length === 0) return;
  const tell = (what: string, { mark }: Talk) => world.history.add(person.name, `${what} ${mark}`);
  const own = here.filter(each => each.authorId === person.id);
  const way = random.pick(ways);
  switch (way) {
    case 'react': {
      const talk = random.pick(here);
      const name = random.pick(emoji);
      tell(`reacts with ${name} to`, talk);
      person.react(talk.message, name);
      break;
    }
    case 'unreact': {
      const reactionOf = ({ message }: Talk) => message.reactions.find(each => each.users.includes(person.id))?.name;
      const talk = here.findLast(each => reactionOf(each) !== undefined);
      const name = talk && reactionOf(talk);
      if (!talk || !name) return;
      tell(`takes back ${name} from`, talk);
      person.unreact(talk.message, name);
      break;
    }
    case 'edit': {
      if (own.length === 0) return;
      const talk = random.pick(own);
      const text = `${talk.mark} the replica lags, put right ${talks.of(talk.message).length + 1}`;
      tell(`edits to “${text}”`, talk);
      person.editMessage(talk.message, text);
      break;
    }
    case 'delete': {
      if (own.length === 0) return;
      const talk = random.pick(own);
      tell('deletes', talk);
      person.deleteMessage(talk.message);
      break;
    }
  }
}
