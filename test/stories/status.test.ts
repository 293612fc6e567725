import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GrafanaFault, openFakeGrafana } from '../support/fake-grafana.ts';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage, timeoutsFor, withoutPauses } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';
import { openWorkplace } from '../support/workplace.ts';

test('the status, to the person alone: since when, people, open tasks, the latest of the timeline', async () => {
  const { type, wait, bob, place, home, publicLines } = await openIncident();
  await type('/task add fail over to the replica @bob');
  await type('/task add tell support');
  await type('/task done tell support');
  await type('/role assign @bob commander');
  await type('/incident severity major');
  await type('/incident label add db');
  await type('/incident title Checkout is down');
  wait(65);
  const before = publicLines().length;

  const seen = await type('/incident status', bob);
  expect(seen).toContain('🟠 MAJOR · Checkout is down\nActive since');
  expect(seen).toContain('Commander @bob');
  // The card's line has the age, and nothing says it again.
  expect(seen.match(/1 hour ago|1 h 5 min/g)).toEqual(['1 hour ago']);
  expect(seen).toContain('Open tasks (1)\n');
  expect(seen).toContain('⬜ 1. fail over to the replica · bob');
  expect(seen).toContain('Task completed: tell support · alice');
  const latest = seen.slice(seen.indexOf('Latest on the timeline')).split('\n');
  expect(latest.slice(1, -2)).toHaveLength(5);
  expect(latest.at(-3)).toBe('Nov 20, 2026 12:15 PM Title changed to Checkout is down · alice');
  expect(latest.at(-2)).toContain('[Tasks] [Severity]');
  expect(latest.at(-1)).toBe('[Post to channel]');
  expect(publicLines()).toHaveLength(before);
  expect(place.lastRead(bob, home.id)).toBe(seen);
});

test('a resolved drill, from elsewhere: when it was over, where it is handled; its notes name who spoke', async () => {
  const { type, wait, alice, general } = await openIncident();
  await type('/incident drill on');
  wait(20);
  await type(`/incident resolve --now --at 5m ago ${'all <!channel> fine '.repeat(20)}`);

  const seen = await type('/incident status --incident 1', alice, general);
  expect(seen).toContain('🧪 DRILL · ✅ RESOLVED');
  expect(seen).toContain('Resolved Nov 20, 2026 12:30 PM after 15 min\n');
  expect(seen).toContain('\nRecorded as resolved Nov 20, 2026 12:35 PM.\n');
  expect(seen.slice(0, seen.indexOf('Latest on')).match(/12:30 PM/g)).toHaveLength(1);
  expect(seen).toContain('It is handled in #inc-1-checkout-answers-500.');
  expect(seen).toMatch(/:memo: all <!channel> fine .{100,250}… · alice\n/);
  expect(seen).not.toContain('!!!');
  expect(seen).toContain('[Reopen]');
});

test('the status leads with state, commander and latest update, and says nothing twice', async () => {
  const { type, wait, bob } = await openIncident();
  await type('/role assign @bob commander');
  await type('/incident update We roll back v42');
  wait(10);
  const lead = (seen: string) => seen.split('\n').slice(1, 4);
  const latest = '📣 Latest update 10 minutes ago, by @alice: We roll back v42';
  const seen = await type('/incident status', bob);
  expect(lead(seen)).toEqual([latest, 'Active since Nov 20, 2026 12:15 PM, 10 minutes ago', 'Commander @bob']);
  expect(seen).toContain('Open tasks: none');
  await type('/task add fail over');
  await type('/task done fail over');
  await type('/incident resolve --now');
  const over = await type('/incident status', bob);
  expect(over).toContain('Tasks 0 open, 1 done');
  expect(over).not.toContain('Open tasks');
  expect(over.match(/after 10 min/g)).toHaveLength(1);
  expect(over).not.toContain('Recorded as resolved');
});

test('guests may look, also by way of the picker and of More; strangers may not', async () => {
  const { type, alice, gus, press, last, general, reads, slack, home, place } = await openIncident();
  gus.join(general);
  expect(await type('/incident status', gus)).toContain('Active since');
  await type('/incident status', gus, general);
  expect(reads(gus, general)).toContain('Which one do you mean');
  await press(last(gus, general), '#1 Checkout answers 500', gus);
  expect(reads(gus, general)).toContain('Active since');

  const zoe = slack.addPerson({ name: 'zoe', isStranger: true, teamId: 'T0OTHER' });
  alice.share(home);
  zoe.join(home.id);
  await zoe.command(home, '/incident status');
  await place.quiet();
  expect(place.lastRead(zoe, home.id)).toContain('cannot see or change');
});

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

test('who hears the list gets all of it in words, and knows which row a button belongs to', async () => {
  const { type, last, general, alice, wait } = await openIncident();
  await type('/incident title Checkout *answers* 500');
  await type('/role assign @bob commander');
  wait(3);
  await type('/incident list', alice, general);
  const { text, blocks } = last(alice, general);
  expect(text).toMatch(
    /^Active incidents \(1\)\n⚪ pending · #1 Checkout .*answers.* 500 · active for 3 min · commander <@U\w+>/,
  );
  expect(text.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[*_`]/);
  expect(JSON.stringify(blocks)).toContain('"accessibility_label":"Open incident 1, Checkout *answers* 500"');
});

test('a query in the API’s language, with the quotes that phones make; a wrong one is explained', async () => {
  const { type, api } = await openIncident();
  await api.IncidentsService.CreateIncident({ title: 'The database is slow', severity: 'major' });
  expect(await type('/incident list severity:major')).toBe(
    'Active incidents for “severity:major” (1)\n🟠 major · #2 The database is slow · active for 0 s · no commander\n[Open]\n[Post to channel]',
  );
  expect(await type('/incident list title:“database is”')).toContain('2 The database is slow');
  expect(await type('/incident list checkout')).toContain('1 Checkout answers 500');
  expect(await type('/incident list status:resolved')).toContain('No incident was found for “status:resolved”.');

  await api.IncidentsService.CreateIncident({ title: 'The disk is full', severity: 'minor', status: 'resolved' });
  const over = await type('/incident list status:resolved');
  expect(over).toContain('The disk is full');
  expect(over).not.toContain('No incident is active');

  const refused = await type('/incident list colour:red');
  expect(refused).toContain('I cannot search for that: “invalid query: unknown property "colour"');
  expect(refused).toContain('You typed: /incident list colour:red');
  // The place is one in the words that were typed.
  expect(await type('/incident list disk (((')).toMatch(
    /^I cannot search for that: “invalid query: .* \(at character 6\)”/,
  );
  expect(await type(`/incident list ${'a'.repeat(900)}`)).toContain('at most 800 characters');
});

/** An incident on a Grafana that may fail, with a clock that the test turns on. */
async function openRemote(timeouts = withoutPauses) {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead * 60_000);
  const folder = await openFolder();
  const grafana = await openFakeGrafana();
  const databaseFile = join(folder, 'muster.db');
  const settings = grafana.settings;
  const declared = await openIncident({ settings, clock, timeouts, databaseFile });
  return {
    ...declared,
    grafana,
    wait: (minutes: number) => {
      ahead += minutes;
    },
    /** Muster stops and starts again on the same file. */
    restart: async () => {
      await declared.place.muster[Symbol.asyncDispose]();
      return openWorkplace({ settings, clock, timeouts, databaseFile, slack: declared.slack });
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
    { status: 429, body: '{}', headers: { 'retry-after': '60' } },
    /is receiving too many requests\./,
  ],
  ['fails', { status: 500, body: '{"error":"kaput"}' }, /^:warning: Grafana failed\./],
  ['is a web page', { status: 200, body: '<html>login</html>' }, /sent a response Muster could not read/],
] as const)('while the API %s, status and list show what is remembered, and since when', async (_what, answer, why) => {
  const { type, wait, grafana, alice, general } = await openRemote(timeoutsFor(answer));
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
  expect(seen).toContain('[Tasks] [Severity]');
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
