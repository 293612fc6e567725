import { expect, onTestFinished } from 'vitest';
import { intentStates } from '../../src/bot/schema/intents.ts';
import { noteBackup } from '../../src/db/backups.ts';
import { openDatabase } from '../../src/db/database.ts';
import { bearer, toBody, tokens } from './alerts/open-door.ts';
import { makeDatabase } from './databases/fresh.ts';
import { routingKey } from './pagers/pagerduty.ts';
import { openReceiver } from './webhook-receiver.ts';
import { openInstalledSlack, openWorkplace } from './workplace.ts';

/** The label names of each series that Prometheus gets, and the type of each metric. */
interface Exposed {
  readonly series: ReadonlyMap<string, ReadonlySet<string>>;
  readonly types: ReadonlyMap<string, string>;
}

/** What `/metrics` shows of a Muster that has declared an incident, stored an alert, sent a webhook of it, and was copied. */
export async function readMetrics(): Promise<Exposed> {
  await using receiver = await openReceiver(200);
  const fresh = await makeDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const slack = await openInstalledSlack();
  const alice = slack.addPerson({ name: 'alice' });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const place = await openWorkplace({
    slack,
    settings: {
      ...{ DATABASE_URL: fresh.url, WEBHOOK_URLS: receiver.url, WEBHOOK_SECRET: 'secret' },
      ...{ ANNOUNCE_CHANNEL: general.id, ALERTS: `prod=${tokens.test}`, PAGERS: `sre=pagerduty:${routingKey}` },
    },
  });
  {
    await using database = await openDatabase(fresh.url);
    await noteBackup(database, { madeAt: new Date().toISOString(), bytes: 1 });
  }
  await alice.command(general, '/incident declare Checkout answers 500 --now');
  const alerts = `${place.muster.url}/hooks/alerts/prod`;
  expect((await fetch(alerts, { method: 'POST', headers: bearer(tokens.test), body: toBody() })).status).toBe(200);
  await place.quiet();
  const read = async () => (await fetch(`${place.muster.url}/metrics`)).text();
  await expect.poll(read).toContain('muster_webhook_seconds_count');
  return toExposed(await read());
}

function toExposed(page: string): Exposed {
  const series = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of page.matchAll(/^(muster_\w+)(?:\{(.*)\})? \S+$/gm)) {
    // Prometheus itself adds these two.
    const known = series.get(name) ?? new Set(['instance', 'job']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  const types = new Map(
    [...page.matchAll(/^# TYPE (muster_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  return { series, types };
}

/** What an expression asks of Muster's metrics that they cannot answer: names, labels and states of intents; empty when all fits. */
export function toMisuses(expr: string, series: Exposed['series']): string[] {
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  return [...expr.matchAll(/\b(muster_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = '', braces = '']) => {
    const known = series.get(name);
    if (!known) return [`${name} in ${expr}`];
    const matchers = [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)];
    const labels = [...matchers.map(([, label = '']) => label), ...grouped];
    const states = matchers.filter(match => match[1] === 'state').flatMap(match => match[2]?.split('|') ?? []);
    return [
      ...labels.filter(label => !known.has(label)).map(label => `${label} of ${name} in ${expr}`),
      ...states.filter(state => !intentStates.some(each => each === state)).map(state => `state ${state} in ${expr}`),
    ];
  });
}
