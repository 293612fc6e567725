import { setTimeout as wait } from 'node:timers/promises';
import type { Replica } from '../chaos/processes.ts';
import { query } from '../chaos/query.ts';

/** What the gauges of the inbox showed, and what the table had at about the same moments. */
export interface GaugesReport {
  /** How often a process answered. */
  readonly samples: number;
  /** The most deliveries that were not done, and the age of the oldest in seconds. */
  readonly shown: { readonly deliveries: number; readonly oldest: number };
  readonly stored: { readonly deliveries: number; readonly oldest: number };
  /** How often some were stored before and after the look, none of them done meanwhile, and the gauges showed fewer. */
  readonly blind: number;
}

/** Looks at the gauges of one living process after the other, `every` milliseconds, until `isOver`. */
export async function watchGauges(
  replicas: readonly Replica[],
  databaseUrl: string,
  every: number,
  isOver: () => boolean,
): Promise<GaugesReport> {
  const shown = { deliveries: 0, oldest: 0 };
  const stored = { deliveries: 0, oldest: 0 };
  let [samples, blind] = [0, 0];
  for (let turn = 0; !isOver(); turn += 1) {
    await wait(every);
    const before = await readTable(databaseUrl);
    const life = replicas[turn % replicas.length]?.life;
    const page = life && (await readPage(life.url));
    if (page === undefined) continue;
    const after = await readTable(databaseUrl);
    samples += 1;
    const gauges = {
      deliveries: valuesOf(page, 'muster_deliveries').reduce((sum, each) => sum + each, 0),
      oldest: Math.max(...valuesOf(page, 'muster_deliveries_oldest_seconds')),
    };
    shown.deliveries = Math.max(shown.deliveries, gauges.deliveries);
    shown.oldest = Math.max(shown.oldest, gauges.oldest);
    for (const each of [before, after]) {
      stored.deliveries = Math.max(stored.deliveries, each.keys.length);
      stored.oldest = Math.max(stored.oldest, each.oldest);
    }
    if (before.keys.filter(key => after.keys.includes(key)).length > gauges.deliveries) blind += 1;
  }
  return { samples, shown, stored, blind };
}

async function readTable(databaseUrl: string) {
  const rows = await query(databaseUrl, "select key, received_at from bot_delivery where state = 'open'");
  const now = Date.now();
  const ages = rows.map(row => (now - Number(row.received_at)) / 1000);
  return { keys: rows.map(row => String(row.key)), oldest: Math.max(0, ...ages) };
}

/** Undefined where the process ends meanwhile. */
async function readPage(url: string): Promise<string | undefined> {
  try {
    const page = await (await fetch(`${url}/metrics`)).text();
    // While the database does not answer, it counts nothing.
    return /^muster_database_up 1$/m.test(page) ? page : undefined;
  } catch {
    return undefined;
  }
}

function valuesOf(page: string, gauge: string): readonly number[] {
  return page.split('\n').flatMap(line => (line.startsWith(`${gauge}{`) ? [Number(line.split(' ').at(-1))] : []));
}
