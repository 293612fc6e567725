import { setTimeout as pause } from 'node:timers/promises';
import type { AlertEvent, SystemView } from './workspace/protocol.ts';

/** The source under which Muster knows the watchdog. */
export const watchdogName = 'watchdog';

/** What a watchdog needs. */
export interface WatchdogOptions {
  /** Where Muster takes alerts, without a trailing slash: `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly token: string;
  readonly now: () => Date;
  /** Is called whenever its facts change. */
  readonly changed?: () => void;
  /** Milliseconds before it sends again what Muster did not take; a second when absent. */
  readonly again?: number;
}

/** The monitoring of the shop: it sends groups of alerts to Muster, as Alertmanager does. Disposing ends what waits. */
export interface Watchdog extends AsyncDisposable {
  facts(): SystemView['watchdog'];
  /** Lets something happen. What Muster does not take is sent again, in order. Throws a sentence where nothing can happen. */
  act(event: AlertEvent): void;
  /** Resolves when Muster took or refused everything. */
  sent(): Promise<void>;
}

/** What goes wrong in the shop: each a group of alerts. They begin in turn. */
const ills = ['checkout', 'search', 'payments'].flatMap(service =>
  [
    ['Errors', 'minor', `31 % of the requests to ${service} answer 500`],
    ['Slow', 'minor', `${service} answers in 4.2 s, and 1 s is the limit`],
    ['QueueFull', 'major', `The queue of ${service} holds 12,000 jobs`],
    ['Restarts', 'critical', `${service} was restarted 5 times within 10 minutes`],
  ].map(([symptom = '', severity = '', summary = '']) => {
    const name = `${service.charAt(0).toUpperCase()}${service.slice(1)}${symptom}`;
    return { name, service, severity, summary };
  }),
);
type Ill = (typeof ills)[number];

/** An alert of a group. */
interface Firing {
  readonly instance: string;
  readonly startsAt: string;
  readonly endsAt?: string;
}

/** Opens a watchdog that has seen nothing yet. */
export function openWatchdog(options: WatchdogOptions): Watchdog {
  const { url, token, now, changed = () => undefined, again = 1000 } = options;
  const firing = new Map<Ill, readonly Firing[]>();
  /** A watchdog that starts again tells of other groups than the one before. */
  const run = now().toISOString();
  let next = 0;
  let ended: Ill | undefined;
  const closing = new AbortController();
  let waiting = 0;
  let problem: string | undefined;
  let last = Promise.resolve();

  function send(ill: Ill, alerts: readonly Firing[]): void {
    waiting += 1;
    const body = JSON.stringify(toBody(ill, alerts, run));
    last = last
      .then(async () => {
        while (!(await isTaken(body))) await pause(again, undefined, { signal: closing.signal });
      })
      .catch(() => undefined)
      .finally(() => {
        waiting -= 1;
        changed();
      });
  }

  /** Whether nobody needs to send it again: Muster took it, or refused it for good. */
  async function isTaken(body: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const request = { method: 'POST', headers, body, signal: closing.signal };
    const response = await fetch(`${url}/hooks/alerts/${watchdogName}`, request).catch(() => undefined);
    if (response === undefined || response.status >= 500) return false;
    const text = await response.text();
    problem = response.ok ? undefined : `Muster refused an alert: ${response.status} ${text.slice(0, 300)}`.trim();
    return true;
  }

  function begin(ill: Ill): void {
    const alerts = firing.get(ill) ?? [toFiring(ill, 0)];
    firing.set(ill, alerts);
    send(ill, alerts);
  }

  const toFiring = ({ service }: Ill, before: number): Firing => ({
    instance: `${service}-${before + 1}`,
    startsAt: now().toISOString(),
  });

  /** The group that began last. */
  function newest(): readonly [Ill, readonly Firing[]] {
    const found = [...firing].at(-1);
    if (found === undefined) throw new Error('Nothing fires. Press Fire first.');
    return found;
  }

  const events: Readonly<Record<AlertEvent, () => void>> = {
    Fire: () => {
      const found = [...ills.slice(next), ...ills.slice(0, next)].find(each => !firing.has(each));
      if (found === undefined) throw new Error('Everything fires already. Press End all first.');
      next = (ills.indexOf(found) + 1) % ills.length;
      begin(found);
    },
    // One that ended fires again.
    Repeat: () => begin(firing.size === 0 && ended ? ended : newest()[0]),
    Grow: () => {
      const [ill, alerts] = newest();
      firing.set(ill, [...alerts, toFiring(ill, alerts.length)]);
      begin(ill);
    },
    Storm: () => {
      for (const each of ills) begin(each);
    },
    'End all': () => {
      [ended] = newest();
      const endsAt = now().toISOString();
      for (const [ill, alerts] of firing)
        send(
          ill,
          alerts.map(each => ({ ...each, endsAt })),
        );
      firing.clear();
    },
  };

  return {
    facts: () => ({ firing: firing.size, waiting, ...(problem === undefined ? {} : { problem }) }),
    act: event => {
      events[event]();
      changed();
    },
    sent: () => last,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await last;
    },
  };
}

/** What Alertmanager sends (version 4 of its webhook). */
function toBody({ name, service, severity, summary }: Ill, alerts: readonly Firing[], run: string): object {
  const groupLabels = { alertname: name, service };
  const commonLabels = { ...groupLabels, severity };
  const address = `https://prometheus.example.com/graph?g0.expr=${encodeURIComponent(`shop_broken{service="${service}"}`)}`;
  const commonAnnotations = { summary, runbook_url: `https://runbooks.example.com/${name}` };
  return {
    version: '4',
    groupKey: `{}/{run="${run}"}:{alertname="${name}", service="${service}"}`,
    truncatedAlerts: 0,
    receiver: 'muster',
    status: alerts.every(each => each.endsAt !== undefined) ? 'resolved' : 'firing',
    ...{ groupLabels, commonLabels, commonAnnotations },
    externalURL: 'https://alertmanager.example.com',
    alerts: alerts.map(({ instance, startsAt, endsAt }) => ({
      status: endsAt === undefined ? 'firing' : 'resolved',
      labels: { ...commonLabels, instance },
      annotations: commonAnnotations,
      ...{ startsAt, endsAt: endsAt ?? '0001-01-01T00:00:00Z' },
      generatorURL: address,
      fingerprint: Buffer.from(`${name}${instance}`).toString('hex').slice(-16),
    })),
  };
}
