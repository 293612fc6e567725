import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Message, renderMessage } from '../../../playground/fake-slack/fake-slack.ts';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { isLong } from '../../support/length.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';
import { Replica } from '../chaos/processes.ts';
import { Random } from '../simulate/random.ts';

/*
 * Muster is killed while alerts come, at each moment of a notice's life in turn. Their sender does as Alertmanager does: it sends a notice
 * until it is taken, and then the next one of that group.
 */

/** So many run at once, each with its share of the kills: most of the time is that of starts. */
const { kills, stands } = isLong ? { kills: 40, stands: 2 } : { kills: 9, stands: 1 };
const token = 'of-the-kills-0123456789';

/** A group of alerts, and all that was sent of it. */
interface Group {
  readonly name: string;
  /** One that is critical declares an incident, the others are offered. */
  readonly severity: 'critical' | 'minor';
  sent: Promise<void>;
  isOver: boolean;
}

/** The moments at which Muster is killed. */
const moments = [
  'while it takes a notice',
  'once it took one',
  'once Slack took a call and before it is answered',
] as const;
type Moment = (typeof moments)[number];

/** The calls of Slack after which it is killed. */
const calls = ['chat.postMessage', 'chat.update', 'conversations.create', 'pins.add'] as const;

/** A Muster that can be killed, a sender, and what people read of the alerts. */
async function openKilled() {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const incidents = slack.addChannel({ name: 'incidents', members: [alice], botIsMember: true });
  const port = await freePort();
  const errors: string[] = [];
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: `sqlite:${await openFolder()}/muster.db`,
    ANNOUNCE_CHANNEL: incidents.id,
    // A source of its own for each group, so that they are no storm.
    ALERTS: Array.from({ length: kills }, (_, at) => `alert${at + 100}=${token}`).join(','),
    ALERTS_DECLARE: 'critical',
    SEVERITIES: 'minor,major,critical',
    PORT: String(port),
  };
  const muster = new Replica({
    args: ['start'],
    settings,
    ready: /"port":(\d+).*"msg":"muster: ready"/,
    onLine: line => /"level":"(error|fatal)"/.test(line) && errors.push(line),
  });
  onTestFinished(() => muster.kill());
  await muster.start();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  /**
   * Starts Muster within the test, on the same database and port. The leases of those that were killed are soon over: its time jumps while
   * it does nothing, so that its own leases never seem to be over.
   */
  const goOn = async () => {
    let ahead = 0;
    const place = await openWorkplace({ slack, settings, monotonicNow: () => performance.now() + ahead });
    return {
      ...{ place },
      /** Resolves when the list is empty. */
      none: async (list: () => readonly Group[]) => {
        await expect
          .poll(
            async () => {
              await place.quiet();
              ahead += 2000;
              return list();
            },
            { interval: 50 },
          )
          .toEqual([]);
      },
    };
  };

  /** Sends until it is taken. */
  const deliver = async ({ name }: Group, body: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const url = `http://127.0.0.1:${port}/hooks/alerts/${name.toLowerCase()}`;
    while (!over.signal.aborted) {
      const response = await fetch(url, { method: 'POST', headers, body, signal: over.signal }).catch(() => undefined);
      if (response?.ok) return;
      if (response && response.status < 500) throw new Error(`${response.status} ${await response.text()}`);
      await pause(20);
    }
  };
  const read = (messages: readonly Message[]) => messages.map(each => renderMessage(slack, each));
  const about = ({ name }: Group) => read(incidents.messages).filter(each => each.includes(name));
  const roomsOf = ({ name }: Group) => slack.channels.filter(each => each.name.endsWith(name.toLowerCase()));
  return {
    ...{ slack, muster, errors, about, roomsOf, goOn },
    /** Sends a notice after all that was sent of the group before. */
    notify: (group: Group, instances: number) => {
      const body = JSON.stringify(toBody(group, instances));
      group.sent = group.sent.then(() => deliver(group, body));
      group.sent.catch(() => undefined);
      return group.sent;
    },
    /** What says that a group ended: its offer, or a line of its room. */
    endsOf: (group: Group) =>
      group.severity === 'critical'
        ? read(roomsOf(group).flatMap(each => each.messages)).filter(each => each.includes('The alert ended'))
        : about(group).filter(each => each.includes('nobody had to act')),
  };
}

test(`alerts come while Muster is killed ${kills} times: each group is one offer or one incident, none is lost, and its end is told once`, async () => {
  await Promise.all(Array.from({ length: stands }, (_, stand) => killOften(stand, kills / stands)));
});

async function killOften(stand: number, kills: number): Promise<void> {
  const { slack, muster, errors, about, roomsOf, notify, endsOf, goOn } = await openKilled();
  const random = new Random(1 + stand, 'alerts');
  const groups: Group[] = [];
  /** A group that people read of begins to end; else the next one begins. */
  const next = (kill: number): Group => {
    const ending = kill % 2 === 1 ? groups.find(each => !each.isOver && about(each).length > 0) : undefined;
    if (ending) return Object.assign(ending, { isOver: true });
    const severity = groups.length % 3 === 1 ? 'critical' : 'minor';
    groups.push({ name: `Alert${groups.length + 100}`, severity, sent: Promise.resolve(), isOver: false });
    return groups.at(-1)!;
  };
  const countCalls = () => calls.reduce((sum, method) => sum + slack.callsOf(method).length, 0);
  const strikes: Readonly<Record<Moment, (group: Group) => Promise<unknown>>> = {
    'while it takes a notice': group => {
      void notify(group, 1);
      return pause(random.whole(0, 8));
    },
    'once it took one': group => notify(group, 1),
    'once Slack took a call and before it is answered': async group => {
      const before = countCalls();
      for (const method of calls) slack.fail(method, { stallAfterEffect: true });
      void notify(group, 1);
      await slack.until(() => countCalls() > before);
    },
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const group = next(kill);
    await strikes[moments[(kill + stand) % moments.length] ?? moments[0]](group);
    await muster.kill();
    slack.heal();
    // It is told again, and grows.
    for (const instances of [1, 2]) void notify(group, instances);
    await muster.start();
  }
  await Promise.all(groups.map(each => each.sent));
  await muster.terminate();

  const { place, none } = await goOn();
  await none(() => groups.filter(each => about(each).length === 0));
  for (const group of groups) Object.assign(group, { isOver: true });
  await Promise.all([...groups, ...groups].map(each => notify(each, 2)));
  await none(() => groups.filter(each => endsOf(each).length === 0));
  await place.quiet();
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
  const titles = incidentPreviews.map(each => each.title).toSorted();
  expect(titles.length).toBeGreaterThan(0);
  expect(titles).toEqual(groups.filter(each => each.severity === 'critical').map(each => each.name));
  for (const group of groups) {
    const found = { messages: about(group).length, rooms: roomsOf(group).length, ends: endsOf(group).length };
    const rooms = group.severity === 'critical' ? 1 : 0;
    expect(found, [group.name, ...about(group)].join('\n')).toEqual({ messages: 1, rooms, ends: 1 });
  }
  expect(errors).toEqual([]);
}

test('an offer that Slack has and that Muster, killed, knows nothing of is told to have ended', async () => {
  const { slack, muster, about, notify, endsOf, errors, goOn } = await openKilled();
  const group: Group = { name: 'Alert100', severity: 'minor', sent: Promise.resolve(), isOver: false };
  slack.fail('chat.postMessage', { stallAfterEffect: true });
  await notify(group, 1);
  await slack.until(() => about(group).length > 0);
  await muster.kill();
  group.isOver = true;
  void notify(group, 1);
  const { place, none } = await goOn();
  await none(() => (endsOf(group).length === 0 ? [group] : []));
  await place.quiet();
  expect([about(group).length, endsOf(group).length]).toEqual([1, 1]);
  expect(errors).toEqual([]);
});

/** What Alertmanager sends. */
function toBody({ name, severity, isOver }: Group, instances: number): object {
  const labels = { alertname: name, service: 'shop', severity };
  const status = isOver ? 'resolved' : 'firing';
  const [startsAt, endsAt] = ['2026-03-14T02:07:00.168Z', isOver ? '2026-03-14T02:27:00.168Z' : '0001-01-01T00:00:00Z'];
  return {
    version: '4',
    groupKey: `{}:{alertname="${name}"}`,
    status,
    receiver: 'muster',
    groupLabels: { alertname: name },
    commonLabels: labels,
    commonAnnotations: {},
    externalURL: 'https://alertmanager.example.com',
    alerts: Array.from({ length: instances }, (_, index) => ({
      ...{ status, labels: { ...labels, instance: `shop-${index}` }, annotations: {}, startsAt, endsAt },
      ...{ generatorURL: 'https://prometheus.example.com/graph', fingerprint: `${name}${index}` },
    })),
  };
}
