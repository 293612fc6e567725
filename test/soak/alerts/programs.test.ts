import { expect, onTestFinished, test } from 'vitest';
import { type Message, renderMessage } from '../../../playground/fake-slack/fake-slack.ts';
import { type Broken, lacksMonitoring, openMonitoring } from '../../support/alerts/programs.ts';
import { openInstalledSlack, openWorkplace } from '../../support/workplace.ts';

/*
 * Debian's Prometheus and Alertmanager tell Muster of alerts, as an installation does: a repeat every 200 ms, as fast as they can.
 */

const token = 'of-the-programs-0123456789';

/** An alert that is offered, and one that declares. Each grows by another instance. */
const offered: Broken = { name: 'SlowAnswers', service: 'search', instance: 'a', severity: 'minor' };
const declared: Broken = { name: 'HighErrorRate', service: 'checkout', instance: 'a', severity: 'critical' };
const more = (alert: Broken): Broken => ({ ...alert, instance: 'b' });

/** Muster with a source of alerts, the programs that send to it, and what alice reads of both alerts. */
async function openWatched() {
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const incidents = slack.addChannel({ name: 'incidents', members: [alice], botIsMember: true });
  const place = await openWorkplace({
    slack,
    settings: {
      ANNOUNCE_CHANNEL: incidents.id,
      ALERTS: `prometheus=${token}`,
      ALERTS_DECLARE: 'critical',
      SEVERITIES: 'minor,major,critical',
    },
  });
  const monitoring = await openMonitoring({ url: `${place.muster.url}/hooks/alerts/prometheus`, token });
  onTestFinished(() => monitoring[Symbol.asyncDispose]());
  const rooms = () => slack.channels.filter(each => each.name.startsWith('inc-'));
  const read = (messages: readonly Message[]) => messages.map(each => renderMessage(slack, each));
  return {
    ...{ place, monitoring, rooms },
    /** The messages of the announcement channel about an alert. */
    about: ({ name }: Broken) => read(incidents.messages).filter(each => each.includes(name)),
    /** The lines of the only room that have these words. */
    inRoom: (words: string) => {
      const lines = read(rooms()[0]?.messages ?? []).flatMap(each => each.split('\n'));
      return lines.filter(each => each.includes(words));
    },
    incidents: async () => {
      const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
      return incidentPreviews.map(each => `${each.title}: ${each.status}`);
    },
  };
}

/** How many notices a message counts. */
const noticesOf = (words = '') => Number(/(\d+) notices/.exec(words)?.[1] ?? 1);

test.skipIf(lacksMonitoring)(
  'alerts of the real programs: each group is one offer or one incident, through ten repeats, growth, a killed Alertmanager, its end and its return',
  async () => {
    const { place, monitoring, rooms, about, inRoom, incidents } = await openWatched();
    monitoring.breaks(offered, declared);
    await expect.poll(() => about(offered).length).toBe(1);
    await expect.poll(() => rooms().length).toBe(1);
    await expect.poll(() => noticesOf(about(offered)[0])).toBeGreaterThan(10);

    monitoring.breaks(more(offered), more(declared));
    await expect.poll(() => about(offered)[0]).toMatch(/2 alerts: .*search on a.*search on b/s);
    await expect.poll(() => inRoom('1 more alert').length).toBe(1);

    await monitoring.killAlertmanager();
    await monitoring.startAlertmanager();
    const before = noticesOf(about(offered)[0]);
    await expect.poll(() => noticesOf(about(offered)[0])).toBeGreaterThan(before + 3);

    monitoring.mends(offered, more(offered), declared, more(declared));
    await expect.poll(() => about(offered)[0]).toContain('nobody had to act');
    await expect.poll(() => inRoom('The alert ended').length).toBe(1);
    await place.quiet();
    expect({ offers: about(offered).length, rooms: rooms().length, ends: inRoom('The alert ended').length }).toEqual({
      ...{ offers: 1, rooms: 1, ends: 1 },
    });
    expect(await incidents()).toEqual(['HighErrorRate: active']);

    monitoring.breaks(offered, declared);
    await expect.poll(() => about(offered)[0]).toMatch(/fires since/i);
    await expect.poll(() => inRoom('fires again').length).toBe(1);
    await place.quiet();
    expect(about(offered)).toHaveLength(1);
    expect(await incidents()).toEqual(['HighErrorRate: active']);
    expect(place.troubles).toEqual([]);
  },
);
