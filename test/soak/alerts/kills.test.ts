import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Message, renderMessage } from '../../../src/fake-slack/fake-slack.ts';
import { openFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';
import { Replica } from '../chaos/processes.ts';
import { Random } from '../simulate/random.ts';

/*
 * Muster is killed while alerts come, at each moment of an alert's life in turn. Their sender does as Alertmanager does: it sends a notice
 * until it is taken, and then the next one of that group.
 */

const kills = 40;
const token = 'of-the-kills-0123456789';
const patience = { timeout: 60_000, interval: 50 };

/** A group of alerts: every third one declares an incident. */
interface Group {
  readonly name: string;
  readonly severity: 'critical' | 'minor';
}

/** What a notice says of a group. */
interface State {
  readonly instances: number;
  readonly isOver: boolean;
}

/** The moments at which Muster is killed. */
const moments = ['while it takes a notice', 'once it took one', 'once Slack has the message'] as const;
type Moment = (typeof moments)[number];

test(`alerts come while Muster is killed ${kills} times: each group is one offer or one incident, none is lost, and its end is told once`, async () => {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const incidents = slack.addChannel({ name: 'incidents', members: [alice], botIsMember: true });
  const databaseFile = `${await openFolder()}/muster.db`;
  const random = new Random(1, 'alerts');
  const port = await freePort();
  const errors: string[] = [];
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: `sqlite:${databaseFile}`,
    ANNOUNCE_CHANNEL: incidents.id,
    ALERTS: `tool=${token}`,
    ALERTS_DECLARE: 'critical',
    ALERTS_STORM: 'off',
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

  const read = (messages: readonly Message[]) => messages.map(each => renderMessage(slack, each));
  const about = ({ name }: Group) => read(incidents.messages).filter(each => each.includes(name));
  const roomsOf = ({ name }: Group) => slack.channels.filter(each => each.name.endsWith(name.toLowerCase()));
  const isThere = (group: Group) => about(group).length > 0;
  const url = `http://127.0.0.1:${port}/hooks/alerts/tool`;
  const hopeless = new AbortController();
  onTestFinished(() => hopeless.abort());

  /** Sends a notice until it is taken. */
  const send = async (group: Group, state: State) => {
    const body = JSON.stringify(toBody(group, state));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    for (;;) {
      const response = await fetch(url, { method: 'POST', headers, body, signal: hopeless.signal }).catch(
        () => undefined,
      );
      if (response?.ok) return;
      if (response !== undefined && response.status < 500)
        throw new Error(`${response.status} ${await response.text()}`);
      await pause(20, undefined, { signal: hopeless.signal });
    }
  };

  const groups: Group[] = [];
  const lives: Promise<void>[] = [];
  /** A group fires, is repeated, grows, and ends once people read of it. */
  const live = async (group: Group) => {
    for (const instances of [1, 1, 2, 2]) await send(group, { instances, isOver: false });
    while (!isThere(group)) await pause(20, undefined, { signal: hopeless.signal });
    for (const _ of [1, 2]) await send(group, { instances: 2, isOver: true });
  };
  const strikes: Readonly<Record<Moment, (group: Group) => Promise<void>>> = {
    'while it takes a notice': async group => {
      void send(group, { instances: 1, isOver: false }).catch(() => undefined);
      await pause(random.whole(0, 8));
    },
    'once it took one': group => send(group, { instances: 1, isOver: false }),
    'once Slack has the message': async group => {
      const method = group.severity === 'critical' ? 'conversations.create' : 'chat.postMessage';
      slack.fail(method, { stallAfterEffect: true }, { times: 1 });
      const before = slack.callsOf(method).length;
      void send(group, { instances: 1, isOver: false }).catch(() => undefined);
      await slack.until(() => slack.callsOf(method).length > before, 20_000);
    },
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const group: Group = { name: `Alert${kill + 100}`, severity: kill % 4 === 3 ? 'critical' : 'minor' };
    groups.push(group);
    await strikes[moments[kill % moments.length] ?? moments[0]](group);
    await muster.kill();
    slack.heal();
    lives.push(live(group));
    await muster.start();
  }
  await Promise.all(lives);
  await muster.terminate();

  const place = await openWorkplace({ slack, databaseFile, settings: { ...settings, PORT: '0' } });
  const isToldOver = (group: Group) => {
    const told = group.severity === 'critical' ? read(roomsOf(group).flatMap(each => each.messages)) : about(group);
    return told.some(each => each.includes('ended'));
  };
  await expect.poll(() => groups.filter(each => !isToldOver(each)), patience).toEqual([]);
  await place.quiet();
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
  const titles = incidentPreviews.map(each => each.title).toSorted();
  expect(titles).toEqual(groups.filter(each => each.severity === 'critical').map(each => each.name));
  for (const group of groups) {
    const rooms = roomsOf(group);
    const lines = read(rooms.flatMap(each => each.messages)).flatMap(each => each.split('\n'));
    const found = { messages: about(group).length, rooms: rooms.length, ends: 0 };
    const isDeclared = group.severity === 'critical';
    found.ends = (isDeclared ? lines : about(group)).filter(each => /ended/.test(each)).length;
    expect(found, group.name).toEqual({ messages: 1, rooms: isDeclared ? 1 : 0, ends: 1 });
  }
  expect(errors).toEqual([]);
}, 300_000);

/** What Alertmanager sends. */
function toBody({ name, severity }: Group, { instances, isOver }: State): object {
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
