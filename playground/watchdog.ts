import { type CourierOptions, openCourier } from './courier.ts';
import type { AlertEvent, SystemView } from './workspace/protocol.ts';

/** The source under which Muster knows the watchdog. */
export const watchdogName = 'watchdog';

/** What a watchdog needs. */
export interface WatchdogOptions extends CourierOptions {
  readonly token: string;
  readonly now: () => Date;
}

/** The monitoring of the shop: it sends groups of alerts to Muster, as Alertmanager does. Disposing ends what waits. */
export interface Watchdog extends AsyncDisposable {
  facts(): SystemView['watchdog'];
  /**
   * Lets something happen. What Muster does not take is sent again, in order. Throws a sentence where nothing can happen. `Fire` may have the
   * name of an alert: one that fires already ends, and fires as a group that nobody has heard of.
   */
  act(event: AlertEvent, name?: string): void;
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
  const { token, now, changed = () => undefined } = options;
  const courier = openCourier('an alert', options);
  const firing = new Map<Ill, readonly Firing[]>();
  /** A watchdog that starts again tells of other groups than the one before. */
  const run = now().toISOString();
  /** Those that became critical. */
  const worse = new Set<Ill>();
  /** How often an alert was asked for by its name. */
  const asked = new Map<Ill, number>();
  let next = 0;
  let ended: Ill | undefined;

  function send(ill: Ill, alerts: readonly Firing[]): void {
    const headers = () => ({ authorization: `Bearer ${token}` });
    courier.send({
      path: `/hooks/alerts/${watchdogName}`,
      headers,
      body: JSON.stringify(toBody(worse.has(ill) ? { ...ill, severity: 'critical' } : ill, alerts, toRun(ill))),
    });
  }

  const toRun = (ill: Ill): string => (asked.has(ill) ? `${run} ${asked.get(ill)}` : run);

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

  function end(ill: Ill): void {
    const endsAt = now().toISOString();
    send(
      ill,
      (firing.get(ill) ?? []).map(each => ({ ...each, endsAt })),
    );
    firing.delete(ill);
    worse.delete(ill);
  }

  function beginByName(name: string): void {
    const found = ills.find(each => each.name === name);
    if (found === undefined) throw new Error(`There is no alert “${name}”.`);
    if (firing.has(found)) end(found);
    asked.set(found, (asked.get(found) ?? 0) + 1);
    begin(found);
  }

  const events: Readonly<Record<AlertEvent, (name?: string) => void>> = {
    Fire: name => {
      if (name !== undefined) return beginByName(name);
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
    Worsen: () => {
      const [ill] = newest();
      worse.add(ill);
      begin(ill);
    },
    Storm: () => {
      for (const each of ills) begin(each);
    },
    'End all': () => {
      [ended] = newest();
      for (const ill of [...firing.keys()]) end(ill);
    },
  };

  return {
    facts: () => ({ firing: firing.size, ...courier.facts() }),
    act: (event, name) => {
      events[event](name);
      changed();
    },
    sent: courier.sent,
    [Symbol.asyncDispose]: () => courier[Symbol.asyncDispose](),
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
