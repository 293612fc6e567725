import { expect, onTestFinished, test } from 'vitest';
import { renderMessage } from '../../../playground/fake-slack/fake-slack.ts';
import { lacksMonitoring, type SentAlert, startAlertmanagers } from '../../support/alerts/programs.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';

/*
 * Debian's Alertmanager over the days of an alert, with its intervals shortened: Muster's clock jumps. It is told of alerts as a Prometheus
 * tells it.
 */

const token = 'of-the-alertmanagers-0123456789';

async function startDays(options: { readonly count?: number; readonly repeat?: string } = {}) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const slack = await openInstalledSlack(clock);
  const alice = slack.addPerson({ name: 'alice' });
  const incidents = slack.addChannel({ name: 'incidents', members: [alice], botIsMember: true });
  const settings = { ANNOUNCE_CHANNEL: incidents.id, ALERTS: `prometheus=${token}` };
  const place = await openWorkplace({ slack, clock, settings });
  const { count = 1, repeat = '1h' } = options;
  const tools = await startAlertmanagers({ url: `${place.muster.url}/hooks/alerts/prometheus`, token, repeat }, count);
  onTestFinished(() => tools[Symbol.asyncDispose]());
  const startsAt = new Date(Date.now() - 60_000).toISOString();
  const alert = (
    group: string,
    more: Partial<SentAlert> & { readonly severity?: string; readonly on?: string } = {},
  ) => {
    const { severity = 'warning', on = 'a', ...rest } = more;
    return { labels: { alertname: group, group, severity, instance: on }, startsAt, ...rest };
  };
  const offers = () => incidents.messages.filter(each => each.text.startsWith('🔔') || each.text.startsWith('✅'));
  return {
    ...{ place, slack, alice, incidents, alert, send: tools.send },
    /** The messages of the channel that stand. */
    reads: () => offers().map(each => renderMessage(slack, each)),
    room: () => slack.channels.find(each => each.name.startsWith('inc-')),
    passes: (minutes: number) => {
      ahead += minutes * 60_000;
    },
    declare: async () => {
      await alice.press(offers().at(-1) ?? expect.fail('There is no offer'), 'Declare');
      await place.quiet();
      await alice.submit({});
      await place.quiet();
    },
  };
}

const ended = () => new Date(Date.now() - 100).toISOString();

test.skipIf(lacksMonitoring)(
  'an alert that ends by one Prometheus and fires by the other one, with its old beginning, is offered again',
  async () => {
    const { alert, send, reads, passes } = await startDays();
    await send(alert('Disk'));
    await expect.poll(() => reads().join()).toMatch(/Disk[\s\S]*\[Declare\]/);
    await send(alert('Disk', { endsAt: ended() }));
    await expect.poll(() => reads().join()).toContain('nobody had to act');
    passes(5);
    await send(alert('Disk'));
    await expect.poll(() => reads().join()).toMatch(/Disk[\s\S]*\[Declare\]/);
    expect(reads()).toHaveLength(1);
  },
);

test.skipIf(lacksMonitoring)(
  '1,200 and 5,000 alerts of one group are counted, without max_alerts, and their end is heard',
  async () => {
    const { alert, send, reads } = await startDays();
    const many = (count: number, more: Partial<SentAlert> = {}) =>
      Array.from({ length: count }, (_, each) => alert('CrashLooping', { ...more, on: `pod ${each}` }));
    await send(...many(1200));
    await expect.poll(() => reads().join()).toContain('1200 alerts');
    await send(...many(5000));
    await expect.poll(() => reads().join(), { timeout: 20_000 }).toContain('5000 alerts');
    await send(...many(5000, { endsAt: ended() }));
    await expect.poll(() => reads().join(), { timeout: 20_000 }).toContain('nobody had to act');
  },
);

test.skipIf(lacksMonitoring)(
  'a critical alert that inhibits a warning makes the offer of its group a new message, and is a line in a room',
  async () => {
    const { alert, send, reads, declare, room, slack } = await startDays();
    await send(alert('Latency'));
    await expect.poll(() => reads().join()).toMatch(/Latency[\s\S]*minor/);
    const [before] = reads();
    await send(alert('Latency', { severity: 'critical', on: 'b' }));
    await expect.poll(() => reads().join()).toMatch(/Latency[\s\S]*critical/);
    expect(reads()).toHaveLength(1);
    expect(reads()).not.toContain(before);
    await send(alert('Queue'));
    await expect.poll(() => reads().at(-1)).toMatch(/Queue[\s\S]*\[Declare\]/);
    await declare();
    await send(alert('Queue', { severity: 'critical', on: 'b' }));
    const lines = () => (room()?.messages ?? []).map(each => renderMessage(slack, each)).join('\n');
    await expect.poll(lines).toMatch(/Queue.* is .*critical.* now/);
    expect(lines()).toContain('[Raise severity]');
  },
);

test.skipIf(lacksMonitoring)(
  'a cluster of two tells once of a group, and burning on after a person resolved it is offered',
  async () => {
    const { alert, send, reads, declare, room, alice, place } = await startDays({ count: 2, repeat: '500ms' });
    await send(alert('Checkout'));
    await expect.poll(() => reads().join()).toMatch(/Checkout[\s\S]*\[Declare\]/);
    await declare();
    await alice.command(room() ?? expect.fail('There is no room'), '/incident resolve --now it was the pool');
    await place.quiet();
    await expect.poll(() => reads().join('\n')).toMatch(/Before, it was incident 1[\s\S]*\[Reopen\]/);
    expect(reads().filter(each => each.includes('[Declare]'))).toHaveLength(1);
  },
);
