import type { Message, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Talk } from './talks.ts';

/** What people do with a message. */
const ways = ['react', 'react', 'react', 'unreact', 'unreact', 'unreact', 'edit', 'edit', 'delete'] as const;
const emoji = ['memo', 'memo', 'memo', 'pushpin', 'eyes'];

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
  const own = here.filter(each => each.authorId === person.id);
  const reacted = here.filter(each => emojiOf(each, person) !== undefined);
  const possible = { react: here, unreact: reacted, edit: own, delete: own };
  const way = random.pick(ways.filter(each => possible[each].length > 0));
  const tell = (what: string, { mark }: Talk) => world.history.add(person.name, `${what} ${mark}`);
  switch (way) {
    case 'react': {
      // Mostly what is talked about just then: several people note the same message.
      const talk = random.chance(0.5) ? here.at(-1) : random.pick(here);
      if (!talk) return;
      const name = random.pick(emoji);
      tell(`reacts with ${name} to`, talk);
      person.react(talk.message, name);
      break;
    }
    case 'unreact': {
      const talk = random.pick(reacted);
      const name = emojiOf(talk, person) ?? '';
      tell(`takes back ${name} from`, talk);
      person.unreact(talk.message, name);
      break;
    }
    case 'edit': {
      const noted = own.filter(({ message }) => isNoted(world, message));
      const talk = random.pick(noted.length > 0 ? noted : own);
      const text = `${talk.mark} the replica lags, put right ${talks.of(talk.message).length + 1}`;
      tell(`edits to “${text}”`, talk);
      person.editMessage(talk.message, text);
      break;
    }
    case 'delete': {
      const talk = random.pick(own);
      tell('deletes', talk);
      person.deleteMessage(talk.message);
      break;
    }
  }
}

/** An emoji that the person has put on the message; undefined when there is none. */
function emojiOf({ message }: Talk, person: Person): string | undefined {
  return message.reactions.find(each => each.users.includes(person.id))?.name;
}

/** Whether a reaction has the message on the timeline. */
function isNoted({ settings }: World, { reactions }: Message): boolean {
  return reactions.some(each => settings.timelineEmoji.has(each.name));
}
