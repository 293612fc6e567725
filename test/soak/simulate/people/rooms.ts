import type { Channel, Person } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Declared } from './crowd.ts';
import type { Desk } from './desk.ts';

/** What people do with a room itself. */
const ways = ['make private', 'leave', 'leave', 'invite', 'invite', 'share'] as const;

/** Lets a person change the room of an incident, if they are in it. */
export function enterAndChange({ world, person, random }: Desk, { mark }: Declared): void {
  const room = world.witness.readers.roomOf(mark);
  if (room && !room.isArchived && room.members.has(person.id)) changeRoom(world, room, person, random);
}

/** Lets somebody who is in the room of an incident change who reads it. */
function changeRoom(world: World, room: Channel, person: Person, random: Random): void {
  const { history } = world;
  const { readers } = world.witness;
  const { colleagues, stranger } = peopleOf(world);
  const tell = (what: string) => history.add(person.name, `${what} #${room.name}`);
  const way = random.pick(ways);
  switch (way) {
    case 'make private':
      if (room.isPrivate) break;
      tell('makes private');
      readers.change(room, 'made private', '', () => person.makePrivate(room));
      break;
    case 'leave':
      if (colleagues.filter(each => room.members.has(each.id)).length < 2) break;
      tell('leaves');
      readers.change(room, 'left', person.id, () => person.leave(room));
      break;
    case 'invite': {
      const outside = colleagues.filter(each => !room.members.has(each.id));
      if (outside.length === 0) break;
      const guest = random.pick(outside);
      tell(`invites ${guest.name} to`);
      person.invite(room, guest);
      break;
    }
    case 'share': {
      if (!stranger) break;
      tell(room.isExtShared ? 'unshares' : 'shares');
      if (room.isExtShared) {
        stranger.leave(room);
        readers.change(room, 'unshared', '', () => person.share(room, false));
      } else {
        readers.change(room, 'shared', '', () => person.share(room));
        person.invite(room, stranger);
      }
    }
  }
}

/** The people of a workplace, and the one of another organisation who comes into rooms that are shared. */
export function peopleOf({ slack }: Pick<World, 'slack'>) {
  return {
    colleagues: slack.people.filter(each => !each.record.isStranger),
    stranger: slack.people.find(each => each.record.isStranger),
  };
}
