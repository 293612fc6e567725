import { type FakeSlackBase, type Person, renderMessage } from '../../playground/fake-slack/fake-slack.ts';

/** Adds a person of each kind, and a channel that all of them are in. */
export function addAcme(slack: FakeSlackBase) {
  const alice = slack.addPerson({ name: 'alice' });
  const guest = slack.addPerson({ name: 'guest', isRestricted: true });
  const oneChannelGuest = slack.addPerson({ name: 'visitor', isUltraRestricted: true });
  const stranger = slack.addPerson({ name: 'stranger', teamId: 'T0OTHER', isStranger: true });
  const partner = slack.addPerson({ name: 'partner', teamId: 'T0PARTNER' });
  const gone = slack.addPerson({ name: 'gone', deleted: true });
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  const everybody = [alice, guest, oneChannelGuest, stranger, partner, gone, robot];
  const shared = slack.addChannel({ name: 'shared', members: everybody, botIsMember: true, isExtShared: true });
  /** What was last said to a person, which Slack does not show one whose account is deactivated. */
  const lastSaid = (person: Person) => {
    const last = shared.messages.findLast(message => person.canRead(message));
    return last ? renderMessage(slack, last) : '';
  };
  return { alice, shared, lastSaid };
}
