import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { columns, widthOf } from '../../playground/layout.ts';
import { patient } from '../support/deadlines.ts';
import { openFolder } from '../support/folder.ts';
import { play } from '../support/played.ts';

/** One play, which several tests look at. */
const played = play();

test('a whole incident is played, and every check passes', async () => {
  const { success, text } = await played;

  expect(text.split('\n').filter(line => line.includes('✗'))).toEqual([]);
  expect(success).toBe(true);
  const [, met, count] = /(\d+) of (\d+) checks passed\. 0 messages to everybody were duplicates\./.exec(text) ?? [];
  expect(met).toBe(count);
  expect(text.split('\n').filter(line => line.startsWith('   ✓')).length).toBe(Number(count));
  for (const line of [
    '02:07  watchdog sends an alert to Muster',
    'everybody in #incidents sees:\n       │ 🔔 CheckoutErrors · 🟡 minor',
    '02:09  bob presses [Declare]',
    '🔔 CheckoutErrors: incident 1 #inc-1-checkout-answers-500, taken up by @bob · watchdog',
    '02:47  watchdog says that the alert ended',
    '🔔 The alert ended Mar 14, 2026 2:47 AM after 40 min – watchdog',
    '       only bob sees a form:\n       ┌─ Declare an incident ─',
    'everybody in #inc-1-checkout-answers-500 sees, pinned:',
    'everybody in #incidents sees:',
    '/role assign @bob commander',
    '/role assign me investigator',
    '/task add Roll back release 1141 @alice',
    'alice presses [Done] beside “Roll back release 1141”',
    'chooses “Add to timeline”',
    'Nothing was done twice.',
    'an operator sends POST /api/dashboards/db:',
    '/dash link /d/muster/muster?from=now-1h&to=now --window incident',
    '/incident severity major',
    'everybody in #incidents sees a reply, in the channel too:\n       │ 🟠 #1 Checkout answers 500 went from minor to major',
    'everybody in #incidents sees a reply, in the channel too:\n       │ ✅ #1 Checkout answers 500 resolved after 42 min',
    '       only bob sees a form:\n       ┌─ Resolve the incident ─',
    '│ ✅ RESOLVED · Checkout answers 500',
    'Next: `npm start`',
  ]) {
    expect(text).toContain(line);
  }
});

test('an incident costs few calls of the Web API, and the demo says how many', async () => {
  const { text } = await played;
  const [, calls] = /Muster made (\d+) calls of Slack’s Web API/.exec(text) ?? [];
  expect(Number(calls)).toBeGreaterThan(20);
  expect(Number(calls)).toBeLessThanOrEqual(80);
});

test('the timeline at the end has everything, by time, under people’s names', async () => {
  const { text } = await played;
  const timeline = text.slice(text.indexOf('TIME ')).split('\n\n')[0] ?? '';
  const rows = [...timeline.matchAll(/^(\d\d:\d\d) {2}(\w+) +(\w+)/gm)].map(
    ([, time, who, kind]) => `${time} ${who} ${kind}`,
  );

  expect(rows).toEqual(rows.toSorted((one, other) => one.slice(0, 5).localeCompare(other.slice(0, 5))));
  expect(rows).toEqual(
    expect.arrayContaining([
      '02:05 bob incidentStart',
      '02:09 bob incidentCreated',
      '02:11 bob roleAssigned',
      '02:11 alice roleAssigned',
      '02:13 bob taskAdded',
      '02:22 alice taskCompleted',
      '02:27 bob userNote',
      '02:33 bob incidentSeverityChanged',
      '02:47 bob incidentStatusChanged',
    ]),
  );
});

test('the transcript fits a terminal, and shows emoji as pictures and nothing of the machinery', async () => {
  const { text } = await played;
  expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([]);
  expect(text.split('\n').filter(line => line !== line.trimEnd())).toEqual([]);
  expect(text).not.toMatch(/(?<!\d):[a-z_]+:|"level":|\bundefined\b|\[object/);
});

test('a check that fails is crossed out, and the demo has failed', async () => {
  const { success, text } = await play({
    prepare: slack => slack.fail('views.open', { error: 'internal_error' }, { times: 100 }),
    deadlines: patient({ playground: { check: 1000 } }),
  });

  expect(success).toBe(false);
  expect(text).toContain(
    '   ✗   The form opens with what the alert says.\n       expected: a form with the title of the alert',
  );
  const [, met, count] = /(\d+) of (\d+) checks passed/.exec(text) ?? [];
  expect(Number(met)).toBeLessThan(Number(count));
});

test('npm run demo -- --play ends well, prints no colours into a pipe, and leaves nothing behind', async () => {
  const folder = await openFolder();
  const { FORCE_COLOR: _forced, ...environment } = process.env;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['playground/main.ts', '--play'], {
    env: { ...environment, TMPDIR: folder },
  });

  expect(stderr).toBe('');
  expect(stdout).toBe(stripVTControlCharacters(stdout));
  expect(stdout).toMatch(/(\d+) of \1 checks passed\. 0 messages to everybody were duplicates\./);
  const left = await readdir(folder);
  expect(left.filter(name => name !== 'node-compile-cache')).toEqual([]);
});
