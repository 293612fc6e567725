import { expect } from 'vitest';
import type { Message, Person } from '../../../playground/fake-slack/fake-slack.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from '../workplace.ts';

/** The token of the source `prometheus`. */
const watchdogToken = 'watchdog-token-of-twenty';

/** How a notice of Alertmanager differs from the usual one. */
export interface NoticeOptions {
  readonly group?: string;
  readonly status?: 'firing' | 'resolved';
  readonly severity?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The instances that fire. */
  readonly instances?: readonly string[];
  readonly startsAt?: string;
  readonly endsAt?: string;
  /** The key of the group; absent: one of its own. */
  readonly key?: string;
  /** The address of the tool. */
  readonly tool?: string;
}

/**
 * A team with the source `prometheus` and the channel #alerts, which alice, bob and wendy read. The clock stands still until `wait`; its
 * sender's clock is the same.
 */
export async function openAlerted(options: WorkplaceOptions = {}) {
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const slack = options.slack ?? (await openInstalledSlack(clock));
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob' });
  const carol = slack.addPerson({ name: 'carol' });
  const channel = slack.addChannel({ name: 'alerts', members: [alice, bob, carol], botIsMember: true });
  const settings = {
    ALERTS: `prometheus=${watchdogToken}`,
    ANNOUNCE_CHANNEL: channel.id,
    ...options.settings,
  };
  const place = await openWorkplace({ clock, ...options, slack, settings });
  const send = async (body: unknown) =>
    await fetch(`${place.muster.url}/hooks/alerts/prometheus`, {
      method: 'POST',
      headers: { authorization: `Bearer ${watchdogToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const toBody = (notice: NoticeOptions = {}) => {
    const { group = 'CheckoutErrors', status = 'firing', severity = 'critical', labels = {} } = notice;
    const { instances = ['web-1'], startsAt = now.toISOString(), endsAt = now.toISOString() } = notice;
    const { key = `{}:{alertname="${group}"}`, tool = 'https://alertmanager.example.com' } = notice;
    const common = { alertname: group, severity, service: 'checkout', ...labels };
    const annotations = {
      summary: `${group}: payments fail`,
      runbook_url: 'https://runbooks.example.com/checkout',
    };
    return {
      version: '4',
      groupKey: key,
      status,
      receiver: 'muster',
      groupLabels: { alertname: group },
      commonLabels: common,
      commonAnnotations: annotations,
      externalURL: tool,
      truncatedAlerts: 0,
      alerts: instances.map(instance => ({
        status,
        labels: { ...common, instance },
        annotations,
        startsAt,
        endsAt: status === 'resolved' ? endsAt : '0001-01-01T00:00:00Z',
        generatorURL: 'https://prometheus.example.com/graph?g0.expr=up&g0.tab=1',
        fingerprint: `${group}-${instance}`,
      })),
    };
  };
  return {
    ...{ place, slack, alice, bob, carol, channel, send, toBody },
    now: () => now,
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    /** Sends a notice, and all of its effects happen. */
    notice: async (notice: NoticeOptions = {}) => {
      const answer = await send(toBody(notice));
      expect(answer.status, await answer.text()).toBe(200);
      await place.quiet();
    },
    /** The messages of the channel as a person reads them. */
    reads: (person: Person = alice, at = channel.id) => place.reads(person, at),
    messages: (at = channel.id, person: Person = alice): Message[] => place.messages(person, at),
    /** The channels of incidents. */
    rooms: () => slack.channels.filter(each => each.name.startsWith('inc-')),
  };
}
