import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patient } from '../support/deadlines.ts';
import { type GrafanaFault, openFakeGrafana } from '../support/fake-grafana.ts';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { deadlinesFor, openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openWorkplace } from '../support/workplace.ts';

test('an unknown incident is said; a timeline that cannot be read does not hide the rest', async () => {
  const grafana = await openFakeGrafana();
  const { type } = await openIncident({ settings: grafana.settings });
  expect(await type('/incident status --incident 99')).toContain(phrases.noIncident(99));
  grafana.fail({ when: /QueryActivity/, answer: { status: 403, body: '{"error":"no"}' } });
  const seen = await type('/incident status');
  expect(seen).toContain('Checkout answers 500\nActive since');
  expect(seen).toContain('Latest on the timeline\nGrafana does not let Muster do this');
});

test('the list: what goes on first, in words, with commander and channel; then what was resolved; More goes on', async () => {
  const { api, type, wait, press, last, general, alice, bob, home, gus, reads } = await openIncident();
  const extra = { labels: [], roomPrefix: 'inc', attachCaption: '', attachURL: '' };
  for (let number = 2; number <= 14; number += 1) {
    await api.IncidentsService.CreateIncident({
      ...extra,
      title: `Broken <!here> ${number}`,
      severity: number === 14 ? 'critical' : 'minor',
      isDrill: number === 13,
      status: number === 12 ? 'resolved' : 'active',
    });
  }
  await type('/role assign @bob commander');
  wait(30);
  const first = (await type('/incident list', alice, general)).split('\n');
  expect(first.filter(line => line !== '[Open]')).toEqual([
    'Active incidents, the newest 10',
    '🔴 critical · #14 Broken <!here> 14 · active for 30 min · no commander',
    '🟡 minor · #13 🧪 Drill · Broken <!here> 13 · active for 30 min · no commander',
    ...[11, 10, 9, 8, 7, 6, 5, 4].map(n => `🟡 minor · #${n} Broken <!here> ${n} · active for 30 min · no commander`),
    '[More active ones]',
    'Recently resolved (1)',
    '✅ resolved · #12 Broken <!here> 12 · minor · 30 min ago, after 0 s',
    '[Post to channel]',
  ]);
  expect(first.filter(line => line === '[Open]')).toHaveLength(11);

  const own = '⚪ pending · #1 Checkout answers 500 · active for 30 min · commander @bob · #inc-1-checkout-answers-500';
  gus.join(general);
  expect((await type('/incident list', gus, general)).split('\n')).toEqual([phrases.active(1), own, '[Open]']);

  await type('/incident list', alice, general);
  await press(last(alice, general), 'More active ones');
  expect(
    reads(alice, general)
      .split('\n')
      .filter(line => line !== '[Open]'),
  ).toEqual([
    'More active incidents',
    '🟡 minor · #3 Broken <!here> 3 · active for 30 min · no commander',
    '🟡 minor · #2 Broken <!here> 2 · active for 30 min · no commander',
    own,
  ]);
  await press(last(alice, general), { near: 'Checkout answers 500' });
  expect(reads(alice, general)).toContain('Latest on the timeline');
  expect(bob.sees(home)).not.toHaveLength(0);
});

/** An incident on a Grafana that may fail, with a clock that the test turns on. */
async function openRemote(deadlines = patient()) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead * 60_000);
  const folder = await openFolder();
  const grafana = await openFakeGrafana();
  const databaseFile = join(folder, 'muster.db');
  const settings = grafana.settings;
  const declared = await openIncident({ settings, clock, deadlines, databaseFile });
  return {
    ...declared,
    grafana,
    wait: (minutes: number) => {
      ahead += minutes;
    },
    /** Muster stops and starts again on the same file. */
    restart: async () => {
      await declared.place.muster[Symbol.asyncDispose]();
      return openWorkplace({ settings, clock, deadlines, databaseFile, slack: declared.slack });
    },
  };
}

const gone: GrafanaFault = { when: /./, answer: { status: 503, body: '{"message":"starting"}' } };

test.each([
  ['is not there', gone.answer, /^:warning: Grafana cannot be reached\./],
  // In the end it is not asked any more, until it has rested.
  ['says nothing', 'stall', /^:warning: Grafana (took too long to answer|cannot be reached)\./],
  [
    'is receiving too many requests',
    { status: 429, body: '{}', headers: { 'retry-after': '3600' } },
    /is receiving too many requests\./,
  ],
  ['fails', { status: 500, body: '{"error":"kaput"}' }, /^:warning: Grafana failed\./],
  ['is a web page', { status: 200, body: '<html>login</html>' }, /sent a response Muster could not read/],
] as const)('while the API %s, status and list show what is remembered, and since when', async (_what, answer, why) => {
  const { type, wait, grafana, alice, general } = await openRemote(deadlinesFor(answer));
  await type('/task add fail over to the replica @bob');
  await type('/incident severity major');
  wait(4);
  grafana.fail({ when: /./, answer });
  const seen = await type('/incident status');
  expect(seen).toMatch(why);
  expect(seen).toContain('. This is how it was 4 min ago.\n');
  expect(seen).toContain('🟠 MAJOR · Checkout answers 500\nActive since');
  expect(seen).toContain('Open tasks (1)\n⬜ 1. fail over to the replica');
  expect(seen).not.toContain('Latest on the timeline');
  expect(seen).toContain('[Tasks] [Edit]');
  const list = await type('/incident list', alice, general);
  expect(list.split('\n')).toEqual([
    expect.stringMatching(/\. This is how it was 4 min ago\.$/),
    phrases.active(1),
    '🟠 major · #1 Checkout answers 500 · active for 4 min · no commander · #inc-1-checkout-answers-500',
    '[Open]',
    '[Post to channel]',
  ]);
  grafana.heal();
  await expect.poll(() => type('/incident status')).not.toContain('This is how it was');
});

test('what was seen is remembered by the Muster that starts next, while the API is still gone', async () => {
  const { type, wait, restart, grafana, alice, home, general } = await openRemote();
  await type('/incident severity critical');
  grafana.fail(gone);
  wait(65);
  const place = await restart();
  await alice.command(home, '/incident status');
  await place.quiet();
  expect(place.lastRead(alice, home.id)).toContain('cannot be reached. This is how it was 1 h 5 min ago.');
  expect(place.lastRead(alice, home.id)).toContain('🔴 CRITICAL');
  await alice.command(general, '/incident list status:active severity:<critical>');
  await place.quiet();
  expect(place.lastRead(alice, general.id)).toContain('critical · #1 Checkout answers 500');
  expect(place.lastRead(alice, general.id)).toContain(
    'I cannot search for “status:active severity:<critical>” while Grafana does not answer. These are the newest incidents.',
  );
});

test('what was only seen in a list is shown as far as it goes; parts of different age say so', async () => {
  const { api, type, wait, grafana, alice, general } = await openRemote();
  await api.IncidentsService.CreateIncident({ title: 'Disk <!here> is full', severity: 'minor', isDrill: true });
  wait(30);
  await type('/incident list', alice, general);
  wait(5);
  grafana.fail(gone);
  const second = await type('/incident status --incident 2', alice, general);
  expect(second).toContain('This is how it was 5 min ago.');
  expect(second).toContain('🧪 DRILL · Disk <!here> is full\nStatus\nActive · 🧪 Drill\nSeverity\nminor');
  expect(second).toContain('I have only seen it in a list, so I do not know its people and tasks.');
  expect(second).not.toContain('Open tasks');
  const first = await type('/incident status --incident 1', alice, general);
  expect(first).toContain('This is how it was 5 min ago.');
  expect(first).toContain('Its people and tasks are as they were 35 min ago.');
});

test('when nothing is remembered, that is said, and one press tries again', async () => {
  const { type, press, last, grafana, alice, general, api } = await openRemote();
  await api.IncidentsService.CreateIncident({ title: 'Disk is full', severity: 'minor' });
  grafana.fail(gone);
  const unknown = await type('/incident status --incident 2', alice, general);
  expect(unknown).toContain('Grafana cannot be reached. I have not seen this incident before.');
  expect(unknown).toContain('You typed: /incident status --incident 2');
  grafana.heal();
  await expect
    .poll(async () => {
      await press(last(alice, general), 'Try again');
      return last(alice, general).text;
    })
    .toContain('Disk is full');
});

test('a list that the API does not go on with says so', async () => {
  const { api, type, press, last, grafana, alice, general, reads } = await openRemote();
  for (let number = 2; number <= 12; number += 1) {
    await api.IncidentsService.CreateIncident({ title: `Broken ${number}`, severity: 'minor' });
  }
  await type('/incident list', alice, general);
  grafana.fail(gone);
  await press(last(alice, general), 'More active ones');
  expect(reads(alice, general)).toContain('Grafana cannot be reached. I cannot show the next page.');
});

test('the API’s own “no” is not taken for its absence', async () => {
  const { type, grafana } = await openRemote();
  grafana.fail({ when: /GetIncident/, answer: { status: 403, body: '{"error":"no"}' } });
  const refused = await type('/incident status');
  expect(refused).toContain('Grafana does not let Muster do this');
  expect(refused).not.toContain('This is how it was');
});

test('what waits for an incident is shown in order, with since when and what the last try said', async () => {
  const { type, goAway, comeBack, room, general, alice } = await openOutage();
  await type('/incident declare Disk is full --now');
  await type('/incident status', alice, room().name);
  goAway();
  await type('/task add Look <!here> at it', alice, room().name);
  await type('/incident severity major', alice, room().name);
  const seen = await type('/incident status', alice, room().name);
  expect(seen).toContain('Grafana cannot be reached. This is how it was');
  expect(seen).toContain('Saved: 2 changes, made in this order\n');
  const kept = seen.split('\n').filter(each => each.startsWith('⏳'));
  expect(kept).toHaveLength(2);
  expect(kept[0]).toMatch(/add the task “Look @?<?!?here>? at it” · saved \d+ s ago, tried (once|\d+ times)/);
  expect(kept[1]).toMatch(/severity.* · saved \d+ s ago$/);
  expect(seen).toContain('The last try said: “The API');
  expect(await type('/incident status --incident 1', alice, general.name)).toContain('Saved: 2 changes');
  await comeBack();
  await expect.poll(() => type('/incident status', alice, room().name)).not.toContain('This is how it was');
  await expect.poll(() => type('/incident status', alice, room().name)).not.toContain('Saved');
});

test('an incident that is not registered yet: what was declared, what waits behind it; then what became of it', async () => {
  const { type, goAway, comeBack, room, alice, general } = await openOutage();
  goAway();
  await type('/incident declare Disk is full --severity major --now');
  await type('/note add The disk of db-1', alice, room().name);
  const seen = await type('/incident status', alice, room().name);
  expect(seen).toMatch(/^⏳ This incident is not registered yet\. It was asked for .+: declare “Disk is full”\.\n/);
  expect(seen).toMatch(/Saved: 2 changes, .*\n⏳ declare “Disk is full” .*\n⏳ .*The disk of db-1/);
  await comeBack();
  const whole = await type('/incident status', alice, room().name);
  expect(whole).toContain('🟠 MAJOR · Disk is full\nActive since');
  expect(whole).toContain('The disk of db-1');
  expect(whole).not.toContain(phrases.unregistered);
  expect(await type('/incident list', alice, general.name)).toContain('major · #1 Disk is full');
});
