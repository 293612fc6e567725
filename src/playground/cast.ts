import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import type { Actor } from './actor.ts';

/** The channel in which Muster announces incidents. */
export const announceChannel = 'incidents';

/** The people of the story. */
export interface Cast {
  /** Is on call for the shop. */
  readonly alice: Actor;
  /** Runs the incident. */
  readonly bob: Actor;
  /** Talks with customers. */
  readonly carol: Actor;
  /** Is an administrator of the workspace. */
  readonly root: Actor;
  /** Another app. It posts alerts. */
  readonly watchdog: Actor;
}

/** Somebody whom the incident API knows and Slack does not, at least not under that address. */
export const knownToApiAlone = { userID: 'grafana-user:7', name: 'Rita Root', email: 'rita@shop.example' };

/** Adds the people to the workspace, then the channels, so that everybody is in them. */
export function addPeopleAndChannels(slack: FakeSlack): void {
  slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' });
  slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' });
  slack.addPerson({ name: 'carol', realName: 'Carol Chen', email: 'carol@example.com' });
  slack.addPerson({ name: 'root', realName: 'Root', isAdmin: true });
  slack.addPerson({ name: 'watchdog', realName: 'Watchdog', isBot: true });
  slack.addChannel({
    name: 'checkout',
    topic: 'Carts, orders, payments. In an incident: /dash link checkout overview last 3h',
  });
  slack.addChannel({ name: announceChannel, botIsMember: true });
  slack.addChannel({ name: 'database', botIsMember: true });
  slack.addChannel({
    name: 'security',
    botIsMember: true,
    isPrivate: true,
    members: ['alice', 'bob'].map(name => slack.person(name)),
  });
}

/** Adds a guest and somebody of a partner, each in their own channels alone. */
export function addVisitors(slack: FakeSlack): void {
  const gina = slack.addPerson({ name: 'gina', realName: 'Gina Garcia', isRestricted: true });
  const petra = slack.addPerson({ name: 'petra', realName: 'Petra Patel', isStranger: true, teamId: 'T0PARTNER01' });
  const alice = slack.person('alice');
  alice.invite('checkout', gina);
  const members = [alice, ...['bob', 'carol'].map(name => slack.person(name)), petra];
  slack.addChannel({ name: 'acme-and-partner', isExtShared: true, botIsMember: true, members });
}
