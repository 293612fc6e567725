import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openGeneral } from '../../support/general.ts';
import { openGrafana } from '../../support/grafana/grafana.ts';

/** What Postgres is asked: statements, `begin` and `commit` too, and how often a connection that waits for nothing begins to wait. */
interface Count {
  readonly statements: number;
  readonly waits: number;
}

/** Counts what the driver is asked while `act` goes on. */
async function count(act: () => Promise<unknown>): Promise<Count> {
  const query: (...given: readonly unknown[]) => unknown = pg.Client.prototype.query;
  const waiting = new Map<object, number>();
  const counted = { statements: 0, waits: 0 };
  async function counting(this: object, ...given: readonly unknown[]): Promise<unknown> {
    const before = waiting.get(this) ?? 0;
    waiting.set(this, before + 1);
    counted.statements += 1;
    if (before === 0) counted.waits += 1;
    try {
      return await Reflect.apply(query, this, given);
    } finally {
      waiting.set(this, (waiting.get(this) ?? 0) - 1);
    }
  }
  using _ = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(counting as typeof pg.Client.prototype.query);
  await act();
  return counted;
}

test.each([
  { api: 'a Grafana', isElsewhere: true, most: { statements: 30, waits: 22 } },
  // The service that Muster embeds asks the same database.
  { api: 'the embedded service', isElsewhere: false, most: { statements: 40, waits: 32 } },
])(
  'a note on an incident without a room, in $api, costs few statements and round trips',
  async ({ isElsewhere, most }) => {
    const grafana = isElsewhere ? await openGrafana() : undefined;
    onTestFinished(() => grafana?.[Symbol.asyncDispose]());
    const { place, type } = await openGeneral(grafana ? { settings: grafana.settings } : {});
    const terms = { title: 'The disk is full', severity: 'minor', roomPrefix: '', status: 'active' } as const;
    const { incident } = await place.api.IncidentsService.CreateIncident({ ...terms, isDrill: false });
    const note = (text: string) => type(`/note --incident ${incident.incidentID} ${text}`);
    await note('the first one fills the caches');
    const counts: Count[] = [];
    // A tick may fall into one of them.
    for (let each = 1; each <= 5; each += 1) {
      counts.push(await count(async () => expect(await note(`number ${each}`)).toContain(`number ${each}`)));
    }
    expect(Math.min(...counts.map(each => each.statements))).toBeLessThanOrEqual(most.statements);
    expect(Math.min(...counts.map(each => each.waits))).toBeLessThanOrEqual(most.waits);
  },
);
