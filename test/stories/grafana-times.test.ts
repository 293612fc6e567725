import { afterEach, expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** Seconds since 1970 of the dates in a message, as Slack shows them to each reader. */
const datesIn = (message: unknown) =>
  [...JSON.stringify(message).matchAll(/<!date\^(\d+)\^/g)].map(([, at]) => Number(at));

test.each(['UTC', 'America/Los_Angeles', 'Asia/Kolkata'])(
  'a Grafana that writes times as its document does is understood where the process runs in %s',
  async where => {
    process.env.TZ = where;
    const grafana = await openFakeGrafana({ spacesTimes: true });
    const { type, card, press, last, incident, publicLines } = await openIncident({ settings: grafana.settings });
    const { createdTime } = await incident();
    expect(createdTime).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const declared = Date.parse(createdTime) / 1000;
    for (const at of datesIn(card())) expect(Math.abs(at - declared)).toBeLessThan(60);
    expect(await type('/incident status')).not.toMatch(/ in \d+ (?:h|min)/);

    // Both refuse a moment that is on the wrong side of the start.
    expect(await type('/note it began --at 0m ago')).not.toContain('before the incident began');
    await type('/incident started 20m ago');
    const moved = (await incident()).incidentStart;
    expect(Date.parse(moved)).toBeLessThan(Date.parse(createdTime) - 19 * 60_000);
    await press(last(), 'Undo');
    expect(Date.parse((await incident()).incidentStart)).toBe(Math.floor(declared) * 1000);
    await type('/incident started 20m ago');
    await type('/incident resolve fixed --now --at 5m ago');
    const { incidentEnd, durationSeconds } = await incident();
    expect(Date.parse(incidentEnd)).toBeLessThan(Date.parse(createdTime));
    expect(durationSeconds).toBeGreaterThan(14 * 60);
    expect(publicLines().join('\n')).toMatch(/Resolved/);

    // A server in Go refuses any other form.
    for (const body of grafana.bodies) expect(body).not.toMatch(/"\d{4}-\d\d-\d\d \d\d:/);
  },
);
