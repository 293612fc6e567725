import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { patient, stopsAtOnce } from './deadlines.ts';
import { openFakeGrafana } from './fake-grafana.ts';
import { openFolder } from './folder.ts';
import { TestTimers } from './timers.ts';
import { openInstalledSlack, openWorkplace } from './workplace.ts';

/**
 * A Grafana in which another client makes incidents, #alerts where Muster announces them, and alice, who reads it. Time passes when the test
 * says so; `restart` stops Muster at once, whatever it does, and starts another one on its database.
 */
export async function openBurst(options: { readonly settings?: Readonly<Record<string, string>> } = {}) {
  const grafana = await openFakeGrafana();
  let now = Date.now();
  const clock = () => new Date(now);
  const slack = await openInstalledSlack(clock);
  const alice = slack.addPerson({ name: 'alice' });
  const alerts = slack.addChannel({ name: 'alerts', members: [alice], botIsMember: true });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const databaseFile = join(await openFolder(), 'muster.db');
  const settings = { ...grafana.settings, ANNOUNCE_CHANNEL: alerts.id, ...options.settings };
  const open = async () => {
    const timers = new TestTimers(ms => {
      now += ms;
    });
    const place = await openWorkplace({
      slack,
      settings,
      timers,
      clock,
      monotonicNow: timers.monotonicNow,
      databaseFile,
      deadlines: stopsAtOnce,
    });
    return { place, timers };
  };
  let muster = await open();
  const transport = openHttpTransport({ baseUrl: grafana.url });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  const elsewhere = createClient({ ...patient().api, transport, token: grafana.settings.GRAFANA_TOKEN });
  const look = async () => {
    await muster.timers.fire(10_000);
    await muster.place.quiet();
  };
  await look();
  /** Messages of the channel itself, oldest first, without replies that are sent to it too. */
  const top = () => alerts.messages.filter(each => each.threadTs === undefined || each.threadTs === each.ts);
  return {
    ...{ grafana, slack, alice, alerts, general, elsewhere, look, top },
    get place() {
      return muster.place;
    },
    make: async (titles: readonly string[], more: object = {}) => {
      const made: string[] = [];
      for (const title of titles) {
        const wish = { title, severity: 'major', status: 'active' as const, ...more };
        made.push((await elsewhere.IncidentsService.CreateIncident(wish)).incident.incidentID);
      }
      return made;
    },
    /** So much time passes, in milliseconds. */
    pass: (ms: number) => {
      now += ms;
    },
    /** The wall clock, in epoch milliseconds. */
    now: () => now,
    /** Time goes on, a second between two looks, until there are so many: the work of a dead process is free only after some time. */
    until: (count: () => number, wanted: number) =>
      expect
        .poll(() => {
          muster.timers.pass(1000);
          return count();
        })
        .toBe(wanted),
    /** The time comes to look, and nothing is awaited. */
    begin: () => muster.timers.fire(10_000),
    restart: async () => {
      await muster.place[Symbol.asyncDispose]();
      muster = await open();
    },
    /** The message with that number, as alice reads it. */
    reads: () => muster.place.reads(alice, alerts.id),
  };
}

/** The numbers of the incidents that a message names, in its order. */
export function namedIn({ text }: { readonly text: string }): readonly string[] {
  const lines = text.split('\n');
  const single = /^Incident (\d+) \(/.exec(lines[0] ?? '')?.[1];
  return single ? [single] : lines.flatMap(line => /#(\d+)\b/.exec(line)?.[1] ?? []);
}

/** How many more incidents a message counts. */
export function countedIn({ text }: { readonly text: string }): number {
  return Number(/^And (\d+) more/m.exec(text)?.[1] ?? 0);
}
