import { expect, test } from 'vitest';
import { checkPagers } from '../../../../src/bot/doctor/checks.ts';
import { noSightings, openSightings, type SeenPage } from '../../../../src/bot/doctor/sightings.ts';
import { openLog } from '../../../../src/operations/log.ts';
import { openPatient } from '../../../support/doctor.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

const log = openLog('silent');

test('without a pager, one line says how to have one', async () => {
  expect(await checkPagers([], noSightings)).toMatchObject([
    { subject: 'pagers', state: 'ok', found: expect.stringContaining('docs/pager.md') },
  ]);
});

/** What became of the attempts, a minute apart, and what the doctor of another process says then. */
test.each<readonly [results: readonly SeenPage[], state: string, found: RegExp]>([
  [[], 'unknown', /Nobody has paged it yet/],
  [['sent'], 'ok', /newest at .*T09:01/],
  [['sent', 'sent'], 'ok', /newest at/],
  [['again'], 'failing', /could not take a page at .*T09:01.*none before/],
  [['again', 'sent'], 'ok', /newest at .*T09:02/],
  [['sent', 'again'], 'failing', /could not take a page at .*T09:02.*T09:01/],
  [['failed'], 'failing', /refused a page at .*T09:01/],
  [['sent', 'failed'], 'failing', /refused a page at .*T09:02.*T09:01/],
  [['failed', 'sent'], 'ok', /newest at .*T09:02/],
  [['failed', 'again'], 'failing', /could not take a page at .*T09:02/],
  [['again', 'failed', 'sent', 'again'], 'failing', /could not take a page at .*T09:04.*T09:03/],
])('after %j a pager is %s', async (results, state, found) => {
  let now = Date.parse('2026-11-26T09:00:00Z');
  const clock = () => new Date(now);
  const database = await openBotDatabase(clock());
  const running = openSightings({ database, clock, log });
  for (const result of results) {
    now += 60_000;
    running.notePage('sre', result);
    running.notePage('other', 'sent');
  }
  const [line] = await checkPagers(['sre'], running);
  expect(line).toMatchObject({ subject: 'pager sre', state });
  expect(line?.found).toMatch(found);
});

test('the report has the line of each pager', async () => {
  const { examine } = await openPatient({}, () => ({ pagers: ['sre', 'db'] }));
  const report = await examine();
  for (const name of ['sre', 'db']) expect(report.get(`pager ${name}`)?.state).toBe('unknown');
});
