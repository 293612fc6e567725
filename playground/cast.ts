import { Actor, type ActorContext } from './actor.ts';
import type { FakeSlack } from './fake-slack/fake-slack.ts';

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

/** The people of a story, who act in its system. */
export function openCast(context: ActorContext): Cast {
  const open = (name: string) => new Actor(context.system.slack.person(name), context);
  const [alice, bob, carol] = [open('alice'), open('bob'), open('carol')];
  return { alice, bob, carol, root: open('root'), watchdog: open('watchdog') };
}

/** Somebody whom the incident API knows and Slack does not, at least not under that address. */
export const knownToApiAlone = { userID: 'grafana-user:7', name: 'Rita Root', email: 'rita@shop.example' };

/** Who is on duty: the user groups of the workspace. */
const groups: readonly { readonly handle: string; readonly name: string; readonly members: readonly string[] }[] = [
  { handle: 'sre', name: 'On call for the shop', members: ['alice', 'bob'] },
  { handle: 'sre-leads', name: 'On call when @sre cannot', members: ['root'] },
  { handle: 'checkout', name: 'The team of the checkout', members: ['alice', 'carol'] },
];

/**
 * Who is called to which incident. The next group is called after as many minutes as somebody waits who watches. At no time of the day the
 * people of a playground want to be left alone.
 */
export const dutySettings = {
  CALL: 'critical:@sre>@sre-leads; label payments:@checkout',
  CALL_AFTER: '2',
  QUIET_HOURS: 'off',
};

/** Adds the user groups that the workspace lacks: one that was kept from before they were there has none. */
export function addGroups(slack: FakeSlack): void {
  for (const { members, ...group } of groups) {
    if (slack.userGroups.some(each => each.handle === group.handle)) continue;
    slack.addUserGroup({ ...group, members: members.map(name => slack.person(name)) });
  }
}

/** Adds the people to the workspace, then the channels, so that everybody is in them, and the groups, and with `hasGuest` gina in #checkout alone. */
export function addPeopleAndChannels(slack: FakeSlack, { hasGuest = false } = {}): void {
  slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' });
  slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' });
  slack.addPerson({ name: 'carol', realName: 'Carol Chen', email: 'carol@example.com' });
  slack.addPerson({ name: 'root', realName: 'Root', isAdmin: true });
  slack.addPerson({ name: 'watchdog', realName: 'Watchdog', isBot: true });
  const members = [...slack.people];
  const guest = { name: 'gina', realName: 'Gina Garcia', isRestricted: true };
  slack.addChannel({
    name: 'checkout',
    members: hasGuest ? [...members, slack.addPerson(guest)] : members,
    topic: 'Carts, orders, payments. In an incident: /dash link checkout overview last 3h',
  });
  slack.addChannel({ name: announceChannel, members, botIsMember: true });
  slack.addChannel({ name: 'database', members, botIsMember: true });
  slack.addChannel({
    name: 'security',
    botIsMember: true,
    isPrivate: true,
    members: ['alice', 'bob'].map(name => slack.person(name)),
  });
  addGroups(slack);
}

/** Adds somebody of a partner, in their own channel alone. */
export function addPartner(slack: FakeSlack): void {
  const petra = slack.addPerson({ name: 'petra', realName: 'Petra Patel', isStranger: true, teamId: 'T0PARTNER01' });
  const alice = slack.person('alice');
  const members = [alice, ...['bob', 'carol'].map(name => slack.person(name)), petra];
  slack.addChannel({ name: 'acme-and-partner', isExtShared: true, botIsMember: true, members });
}

/** What a person finds who looks for the first time: an alert, as Grafana posts it, that nobody has acted on. */
export function raiseAlert(slack: FakeSlack): void {
  slack.person('watchdog').say('checkout', ':rotating_light: *[FIRING:1] Payments fail in eu-west*', {
    attachments: [
      {
        color: 'danger',
        fallback: '12 % of payments fail, for 4 minutes',
        title: '12 % of payments fail, for 4 minutes',
        title_link: 'https://grafana.example.com/alerting/grafana/payments-fail/view',
        text: 'The limit is 2 %. It began with the release of 1141.',
      },
    ],
  });
}
