import { expect, test } from 'vitest';
import { checkAlerts } from '../../../../src/bot/doctor/checks.ts';
import { noSightings, openSightings } from '../../../../src/bot/doctor/sightings.ts';
import { openLog } from '../../../../src/operations/log.ts';
import { openPatient } from '../../../support/doctor.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

const publicUrl = 'https://muster.example.com';
const log = openLog('silent');
const minute = 60_000;

type Result = 'stored' | 'refused_token' | 'refused_body' | 'unavailable' | 'failed';

/** Two processes with one database, a minute between two alerts, and the report of another process. */
async function openTwo() {
  let now = Date.parse('2026-11-26T09:00:00Z');
  const clock = () => new Date(now);
  const database = await openBotDatabase(clock());
  const open = () => openSightings({ database, clock, log });
  const running = [open(), open()];
  const note = (source: string, result: Result, by = 0) => {
    now += minute;
    running[by]?.noteAlert(source, result);
  };
  return {
    note,
    pass: (minutes: number) => {
      now += minutes * minute;
    },
    look: async (...alertSources: readonly string[]) => await checkAlerts({ alertSources, publicUrl }, open(), clock()),
    noteOtherTool: (source: string) => running[0]?.noteOtherTool(source),
    stored: async () => [...(await open().all()).keys()],
  };
}

test('without a source, one line says how to have alerts', async () => {
  const [line, ...rest] = await checkAlerts({ alertSources: [], publicUrl }, noSightings, new Date());
  expect(rest).toEqual([]);
  expect(line).toMatchObject({ subject: 'alerts', state: 'ok', fix: '' });
  expect(line?.found).toContain('ALERTS');
  expect(line?.found).toContain('docs/alerts.md');
});

/** What arrived, a minute apart, and what the doctor says then. */
const cases: readonly (readonly [readonly Result[], string, RegExp, RegExp])[] = [
  [[], 'unknown', /Nothing has arrived/, /muster alerts test --source prometheus/],
  [['stored'], 'ok', /newest .*T09:01/, /^$/],
  [['stored', 'stored'], 'ok', /newest .*T09:0[12]/, /^$/],
  [['refused_token'], 'failing', /09:01.*token/, /ALERTS/],
  [['refused_token', 'refused_token'], 'failing', /token/, /ALERTS/],
  [['refused_body'], 'failing', /09:01.*could not be read/, /log/],
  // What the tool sends again tells nothing.
  [['unavailable', 'failed'], 'unknown', /Nothing has arrived/, /muster alerts test/],
  [['stored', 'unavailable'], 'ok', /newest .*T09:01/, /^$/],
  [['refused_body', 'stored'], 'ok', /newest .*T09:02/, /^$/],
  [['refused_token', 'stored'], 'ok', /newest .*T09:02/, /^$/],
  // A stranger may have tried: this alone does not tell.
  [['stored', 'refused_token'], 'unknown', /09:02.*token.*T09:01/, /ALERTS/],
  [['stored', 'refused_body'], 'failing', /09:02.*could not be read.*T09:01/, /log/],
  // What is newest counts, also where each kind came within minutes.
  [['stored', 'refused_body', 'stored'], 'ok', /newest .*T09:03/, /^$/],
  [['stored', 'refused_token', 'stored'], 'ok', /newest .*T09:03/, /^$/],
  [['refused_body', 'stored', 'refused_body'], 'failing', /09:03.*could not be read/, /log/],
  // The tool has the token: it is what it sends.
  [['refused_body', 'refused_token'], 'failing', /09:01.*could not be read/, /log/],
  [['refused_token', 'refused_body'], 'failing', /09:02.*could not be read/, /log/],
  [['stored', 'refused_body', 'refused_token'], 'failing', /09:02.*could not be read/, /log/],
  [['stored', 'refused_token', 'refused_token', 'stored', 'refused_token'], 'unknown', /09:05.*token/, /ALERTS/],
];

test.each(cases)('after %j a source is %s', async (results, state, found, fix) => {
  const { note, look } = await openTwo();
  for (const result of results) note('prometheus', result);
  await expect
    .poll(async () => (await look('prometheus'))[0])
    .toMatchObject({
      subject: 'alerts of prometheus',
      state,
      found: expect.stringMatching(found),
      fix: expect.stringMatching(fix),
    });
});

test('a request for a source that nobody named is not kept', async () => {
  const { note, stored } = await openTwo();
  note('', 'refused_token');
  note('prometheus', 'refused_token');
  await expect.poll(stored).toEqual(['alert prometheus refused_token']);
});

test('sources are looked at one by one, and an address says where their alerts go', async () => {
  const { note, look } = await openTwo();
  note('grafana', 'stored');
  note('grafana-2', 'refused_body');
  await expect
    .poll(async () => (await look('prometheus', 'grafana', 'grafana-2')).map(each => [each.subject, each.state]))
    .toEqual([
      ['alerts of prometheus', 'unknown'],
      ['alerts of grafana', 'ok'],
      ['alerts of grafana-2', 'failing'],
    ]);
  const [never] = await look('prometheus');
  expect(never?.found).toContain(`${publicUrl}/hooks/alerts/prometheus`);
  const [nowhere] = await checkAlerts({ alertSources: ['prometheus'], publicUrl: '' }, noSightings, new Date());
  expect(nowhere?.found).toContain('https://<muster>/hooks/alerts/prometheus');
});

test('of several processes the newest counts', async () => {
  const { note, look } = await openTwo();
  note('prometheus', 'refused_body', 0);
  note('prometheus', 'stored', 1);
  await expect.poll(async () => (await look('prometheus'))[0]?.state).toBe('ok');
});

test('a storm of deliveries writes a row per kind, and an hour later its time is brought up to date', async () => {
  const { note, pass, look, stored } = await openTwo();
  for (let count = 0; count < 5; count += 1) note('prometheus', 'stored');
  await expect.poll(stored).toEqual(['alert prometheus stored']);
  pass(60);
  note('prometheus', 'stored');
  await expect.poll(async () => (await look('prometheus'))[0]?.found).toMatch(/10:06/);
});

test('the report has the lines of the sources of its installation', async () => {
  const { examine } = await openPatient({}, () => ({ alertSources: ['prometheus'] }));
  expect((await examine()).get('alerts of prometheus')).toMatchObject({ state: 'unknown' });
  const without = await openPatient();
  expect((await without.examine()).get('alerts')).toMatchObject({ state: 'ok' });
});

test('two tools of one source are named for a day', async () => {
  const { look, note, noteOtherTool, pass } = await openTwo();
  note('prometheus', 'stored');
  expect(await look('prometheus')).toHaveLength(1);
  noteOtherTool('prometheus');
  await expect
    .poll(async () => (await look('prometheus', 'grafana')).map(each => each.subject))
    .toEqual(['alerts of prometheus', 'tools of prometheus', 'alerts of grafana']);
  pass(25 * 60);
  expect(await look('prometheus')).toHaveLength(1);
});
