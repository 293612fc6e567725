import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import type { Channel, Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { Act, Delivery } from '../../src/bot/dispatch/feature/delivery.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { read } from '../support/docs/files.ts';
import { below, type Node, nameOf } from '../support/dust.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { sources } from '../support/imports.ts';
import { openRestarts } from '../support/restarts.ts';
import { readList } from '../support/table.ts';

/*
 * Some acts change the bot's own tables at once, without an intent. A process may die after it stored such a change and before the delivery is
 * done: another one carries the delivery out again, minutes later. Whatever somebody chose in between stays.
 */

const token = 'watchdog-token-of-twenty';

/** An act, and the later one of the kind that must stay. */
interface Choices {
  readonly what: string;
  /** Does the earlier one, then the later one. Yields the earlier as it was delivered. */
  readonly make: (team: Team) => Promise<Delivered>;
  /** What is stored of it. */
  readonly stored: (team: Team) => Promise<unknown>;
  /** What counts in the end: the later one. */
  readonly counts: unknown;
  /** What the answer to the repeated act says: what counts. */
  readonly says: RegExp;
}

interface Delivered {
  readonly key: string;
  readonly body: Omit<Delivery, 'key'>;
  readonly person: Person;
}

type Team = Awaited<ReturnType<typeof openTeam>>;

/** Alice and bob, a Grafana that knows neither, alerts, and reminders. Time goes by when the test says so. */
async function openTeam() {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const grafana = await openFakeGrafana({ users: [{ userID: 'grafana-user:1', name: 'Alice Doe' }] });
  const world = await openRestarts({ clock, settings: grafana.settings });
  const { slack, database, alice, bob, general } = world;
  const settings = { ALERTS: `prometheus=${token}`, ANNOUNCE_CHANNEL: general.id, REMINDERS: 'on', QUIET_HOURS: 'off' };
  const open = () => world.open({ settings: { DATABASE_URL: world.url, ...grafana.settings, ...settings } });
  let place = await open();
  const db = database.as<BotTables>();

  /** Somebody does something. Yields its delivery. */
  async function deliver(person: Person, channel: Channel, act: Act, work: () => Promise<unknown>): Promise<Delivered> {
    await work();
    await place.quiet();
    const { key } = await db
      .selectFrom('bot_delivery')
      .select('key')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    const body = {
      actor: { teamId: slack.teamId, userId: person.id },
      location: { channelId: channel.id, threadTs: '' },
      act,
    };
    return { key, body, person };
  }

  const direct = (person: Person) =>
    slack.channels.find(each => each.isIm && each.members.has(person.id)) ?? expect.fail('Muster wrote nobody');
  const room = () => slack.channels.find(each => each.name.startsWith('inc-')) ?? expect.fail('There is no room');
  return {
    ...{ db, alice, bob, general, direct, room },
    type: (line: string, channel: Channel, person = alice) => {
      const [root = '', ...words] = line.slice(1).split(' ');
      const act = { kind: 'command', root, text: words.join(' ') } as const;
      return deliver(person, channel, act, () => person.command(channel, line));
    },
    press: (label: string, channel: Channel, person = alice) => {
      const message = place.messages(person, channel.id).findLast(each => buttonOf(each, label));
      const button = (message && buttonOf(message, label)) ?? expect.fail(`There is no ${label}`);
      const act = { kind: 'press', actionId: button.action_id, value: button.value, picked: '' } as const;
      return deliver(person, channel, act, () => person.press(message ?? expect.fail(), label));
    },
    submit: async (filled: Record<string, string>) => {
      await alice.submit(filled);
      await place.quiet();
    },
    alert: async () => {
      const labels = { alertname: 'CheckoutErrors', severity: 'critical' };
      const times = { startsAt: now.toISOString(), endsAt: '0001-01-01T00:00:00Z' };
      const alert = { status: 'firing', labels, annotations: {}, ...times, generatorURL: '', fingerprint: '1' };
      const common = { groupLabels: labels, commonLabels: labels, commonAnnotations: {}, externalURL: '' };
      const group = {
        version: '4',
        groupKey: '1',
        status: 'firing',
        receiver: 'muster',
        truncatedAlerts: 0,
        ...common,
      };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ ...group, alerts: [alert] });
      await fetch(`${place.muster.url}/hooks/alerts/prometheus`, { method: 'POST', headers, body });
      await place.quiet();
    },
    wait: async (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
      for (let times = 0; times < 2; times += 1) {
        await place.muster.bot.journal.tick();
        await place.quiet();
      }
    },
    /** Muster died before it noted that the delivery is done. Another one starts. Yields what its person reads last. */
    again: async ({ key, body, person }: Delivered) => {
      await place[Symbol.asyncDispose]();
      const left = { state: 'open', body: JSON.stringify(body), lease_owner: '' } as const;
      await db.updateTable('bot_delivery').set(left).where('key', '=', key).execute();
      place = await open();
      await place.quiet();
      const stored = db.selectFrom('bot_delivery').select('state').where('key', '=', key);
      expect(await stored.executeTakeFirstOrThrow()).toEqual({ state: 'done' });
      return place.lastRead(person, body.location.channelId);
    },
  };
}

interface PressedButton {
  readonly action_id: string;
  readonly value: string;
}

function buttonOf({ blocks }: Message, label: string): PressedButton | undefined {
  const elements = JSON.parse(JSON.stringify(blocks ?? [])) as {
    elements?: (PressedButton & { text?: { text: string } })[];
  }[];
  return elements.flatMap(each => each.elements ?? []).find(each => each.text?.text === label);
}

async function openReminder({ type, wait, room, general }: Team): Promise<void> {
  await type('/incident declare the disk is full --now', general);
  await type('/role assign me commander', room());
  await type('/incident update we look --next 30m', room());
  await wait(26);
}

/** By the method that makes the change. */
const acts: Readonly<Record<string, Choices>> = {
  'rooms.setReceipts': {
    what: '/incident receipts',
    make: async ({ type, room, general }) => {
      await type('/incident declare the disk is full --now', general);
      const earlier = await type('/incident receipts thread', room());
      await type('/incident receipts channel', room());
      return earlier;
    },
    stored: ({ db }) => db.selectFrom('bot_room').select('receipts').executeTakeFirst(),
    counts: { receipts: 'channel' },
    says: /a line in the channel/,
  },
  'rooms.setReminders': {
    what: '/incident reminders',
    make: async ({ type, room, general }) => {
      await type('/incident declare the disk is full --now', general);
      const earlier = await type('/incident reminders off', room());
      await type('/incident reminders owner', room());
      return earlier;
    },
    stored: ({ db }) => db.selectFrom('bot_room').select('reminders').executeTakeFirst(),
    counts: { reminders: 'owner' },
    says: /the channel never is/,
  },
  'calls.answer': {
    what: 'the answer to a call',
    make: async ({ type, press, direct, room, general, bob }) => {
      await type('/incident declare the disk is full --now', general);
      await type('/incident call @bob come', room());
      const earlier = await press('Coming in 5 min', direct(bob), bob);
      await press('Cannot', direct(bob), bob);
      return earlier;
    },
    stored: ({ db }) => db.selectFrom('bot_called').select('answer').executeTakeFirst(),
    counts: { answer: 'cannot' },
    says: /you cannot come/,
  },
  'duties.putOff': {
    what: 'Snooze of a reminder',
    make: async team => {
      await openReminder(team);
      const earlier = await team.press('Snooze 15 min', team.direct(team.alice));
      await team.press('Stop', team.direct(team.alice));
      return earlier;
    },
    stored: ({ db }) =>
      db
        .selectFrom('bot_duty')
        .select('state')
        .where('kind', '=', 'update')
        .where('audience', '=', 'owner')
        .executeTakeFirst(),
    counts: { state: 'stopped' },
    says: /Stopped/,
  },
  'alerts.mute': {
    what: 'Mute of an alert',
    make: async team => {
      await team.alert();
      const earlier = await team.press('Mute 1 h', team.general);
      await team.press('Unmute', team.general, team.bob);
      return earlier;
    },
    stored: ({ db }) => db.selectFrom('bot_alert_offer').select(['state', 'muted_until']).executeTakeFirst(),
    counts: { state: 'open', muted_until: 0 },
    says: /No longer muted/,
  },
  'accounts.claim': {
    what: 'Unlink of the user in the API',
    make: async ({ type, press, submit, general }) => {
      const link = async () => {
        await type('/incident whoami', general);
        await press('This is me', general);
        await submit({ user: 'grafana-user:1' });
      };
      await link();
      const earlier = await press('Unlink', general);
      await link();
      return earlier;
    },
    stored: ({ db }) => db.selectFrom('bot_account').select('claimed_user_id').executeTakeFirst(),
    counts: { claimed_user_id: 'grafana-user:1' },
    says: /linked to/i,
  },
};

test.each(Object.values(acts))(
  '$what, carried out again, does not cover a later choice',
  async ({ make, stored, counts, says }) => {
    const team = await openTeam();
    const earlier = await make(team);
    expect(await stored(team)).toEqual(counts);
    const answer = await team.again(earlier);
    expect(await stored(team)).toEqual(counts);
    expect(answer).toMatch(says);
  },
);

/** Methods of stores that read (`find` is a method of lists too, and left out), also from Slack or the API, and keep what these said. */
const reads = readList(`
  accounts.of | accounts.free | accounts.userOf | alerts.readNewest | alerts.ofIncident | alerts.isFor | bursts.decide
  calls.actors | calls.due | calls.isWanted | calls.ofIncident | calls.over | calls.read | channels.look | doctor.examine
  channels.hasGuests | channels.hasKnownGuests | channels.isKnownMember | channels.isKnownPrivate
  channels.isMember | channels.isOpenNow | channels.knowsMembers | duties.buttonsOf | duties.ofIncident
  journal.findAll | journal.findByKey | journal.isRegistered | journal.unfinished | journal.unregistered
  lines.newest | messageNotes.itemOf | messageNotes.of | nextSteps.of | pagers.isAcknowledged | pagers.lastSince
  people.absentUsers | people.identify | people.resolveUserID | people.toKnown | people.toNamed | people.toSlackId | rooms.allOfChannel | rooms.currentID
  rooms.declaredBy | rooms.isTaken | rooms.ofIncident | snapshots.get | snapshots.latest | snapshots.idle
  snapshots.takeAnswer | snapshots.typeOf | taskNumbers.get | taskNumbers.of | updates.latest | updates.notes | visibility.isPrivate
  visibility.outsidersIn | visibility.sees | visibility.seesWithoutRoom | visibility.share | visibility.shareAsRoom
  visits.last
`);

/** Methods that write, and why the act that calls them may do so a second time. */
const repeatable: Readonly<Record<string, string>> = {
  'bursts.settle': 'an intent calls it',
  'calls.arrivals': 'a timer calls it',
  'calls.asked': 'an intent calls it',
  'calls.begin': 'an intent calls it',
  'calls.close': 'an intent calls it',
  'calls.noteThere': 'the latest moment counts',
  'calls.seen': 'an intent calls it',
  'calls.withdraw': 'an intent calls it',
  'cards.announcement': 'it shows the present',
  'cards.card': 'it shows the present',
  'cards.declared': 'it shows the present',
  'cards.overview': 'it shows the present',
  'cards.refresh': 'it shows the present',
  'cards.stub': 'it shows the present',
  'channels.recordMember': 'it keeps what Slack has just confirmed',
  'channels.learn': 'it keeps what Slack has just said',
  'channels.recordTyped': 'it keeps what Slack has just said',
  'channels.take': 'an event of Slack, and no act',
  'drafts.keep': 'a draft of a delivery is stored once, by its content',
  'drafts.remove': 'what is gone stays so',
  'duties.hear': 'an event of Slack, and no act',
  'greetings.isFirst': 'a person is greeted once',
  'journal.attach': 'the same draft is attached to the same intent',
  'journal.discard': 'what is discarded stays so',
  'journal.retry': 'the intent has its effect once',
  'journal.submit': 'the intent has its effect once, by its key',
  'journal.tellLater': 'an outcome that was told stays so',
  'journal.told': 'an outcome that was told stays so',
  'lines.add': 'a line is stored once, by its id',
  'lines.reword': 'an event of Slack, and no act',
  'nextSteps.choose': 'an intent calls it',
  'people.learnAnswered': 'it keeps what the API has just said',
  'replaceable.keep': 'this process alone has it',
  'rooms.keep': 'an intent calls it',
  'rooms.leave': 'an intent calls it',
  'rooms.show': 'an intent calls it',
  'snapshots.changed': 'it keeps what the API has just said',
  'snapshots.delete': 'it keeps what the API has just said',
  'snapshots.purge': 'a timer calls it',
  'snapshots.record': 'it keeps what the API has just said',
  'snapshots.recordSummaries': 'it keeps what the API has just said',
  'taskNumbers.inherit': 'an intent calls it',
  'visits.flush': 'an event of Slack, and no act',
  'visits.hear': 'an event of Slack, and no act',
  'visits.isFirstOffer': 'a person is offered it once',
  'visits.record': 'the latest moment counts',
};

/** What features get that is no store of the bot. */
const noStores = ['slack', 'api', 'log', 'settings', 'deadlines', 'knowing', 'kindOf', 'pageLink'];

test('an act that changes the bot’s own tables without an intent is one of these', () => {
  const ofActs = /^src\/bot\/(?:features|dispatch|incident\/(?:acts|room|notes|catchup))\//;
  const files = sources.filter(path => ofActs.test(path)).map(path => below(parseAst(read(path), { lang: 'ts' }).body));
  const stores = new Set([
    'accounts',
    ...files
      .flat()
      .flatMap(storesOf)
      .filter(each => !noStores.includes(each)),
  ]);
  expect(stores.size).toBeGreaterThan(20);
  const ofStores = (node: Node) => callOf(node).filter(each => stores.has(each.split('.')[0] ?? ''));
  const isChange = (node: Node) => nameOf((node.callee as Node | undefined)?.property) === 'change';
  const made = files
    .flat()
    .filter(isChange)
    .flatMap(each => below(each.arguments).flatMap(ofStores));
  expect([...new Set(made)].toSorted()).toEqual(Object.keys(acts).toSorted());
  const called = new Set(files.flat().flatMap(ofStores));
  expect([...called].toSorted()).toEqual([...reads, ...Object.keys(repeatable), ...Object.keys(acts)].toSorted());
});

/** The members of what features get. */
function storesOf({ type, id, body }: Node): readonly string[] {
  if (type !== 'TSInterfaceDeclaration' || !['IncidentDeps', 'Deps'].includes(nameOf(id))) return [];
  return ((body as Node).body as readonly Node[]).map(each => nameOf(each.key));
}

/** The method that a node calls, behind the name of its object: `rooms.keep`. Those of lists are none. */
function callOf({ type, callee }: Node): readonly string[] {
  const { object, property } = (callee ?? {}) as { readonly object?: Node; readonly property?: Node };
  const method = nameOf(property);
  if (type !== 'CallExpression' || method === '' || method in Array.prototype) return [];
  return [`${nameOf(object) || nameOf(object?.property)}.${method}`];
}
