import { expect, test } from 'vitest';
import { notesOf } from '../../../support/incident-room.ts';
import { phrases } from '../../../support/phrases.ts';
import { readList } from '../../../support/table.ts';
import { openVerbs, shareVerbs } from '../../../support/verbs.ts';

/** The incident of the tables. Each row adds a note of its own. */
const room = shareVerbs();

/** First line and time of the notes with these words. */
async function notesWith(words: string) {
  const notes = (await room().items('userNote')).map(note => [note.body.split('\n')[0], note.eventTime]);
  return notes.filter(([line]) => line === words);
}

test('a bare time of the day before is shown before anything is stored; Add stores that moment, once, however late', async () => {
  const { type, items, press, last, wait, reads, alice, place } = await openVerbs();
  wait(670);
  // 00:25 where alice is.
  const asked = await type('/note the pool filled up --at 23:50');
  expect(asked).toBe(
    [
      '“23:50” is Nov 20, 2026 10:50 PM your time, 35 min ago. Where you are, that time is still ahead today, so I took yesterday.',
      'Nothing is stored yet.',
      '[Add]',
      '[Change]',
      'You typed: /note the pool filled up --at 23:50',
    ].join('\n'),
  );
  expect(await items('userNote')).toEqual([]);
  const question = last();
  wait(40);
  await press(question, 'Add');
  expect(reads()).toContain(`${phrases.added} for Nov 20, 2026 10:50 PM`);
  await alice.press(question, 'Add').catch(() => undefined);
  await place.quiet();
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T22:50:00Z']);
});

test('Change opens the form with the words and the moment, so that nothing typed is lost', async () => {
  const { type, alice, items, press, last, wait, submit } = await openVerbs();
  wait(670);
  await type('/note 23:50 alerts fired');
  expect(await items('userNote')).toEqual([]);
  await press(last(), 'Change');
  expect(alice.view?.title).toBe('Add a note');
  expect(alice.view?.values.text?.text?.value).toBe('23:50 alerts fired');
  expect(alice.view?.values.at?.at?.selected_date_time).toBe(Date.parse('2026-11-20T22:50:00Z') / 1000);
  await submit({ at: new Date('2026-11-20T22:40:00Z') });
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T22:40:00Z']);
});

test('a plain time of today is stored at once, and the receipt says it in both zones and with its age', async () => {
  const { type, items } = await openVerbs();
  expect(await type('/note rolled back --at 13:05')).toContain(
    `${phrases.added} for Nov 20, 2026 12:05 PM, 10 minutes ago: `,
  );
  expect(await items('userNote')).toHaveLength(1);
});

test('a time long before the incident is asked about', async () => {
  const { type, items, press, last } = await openVerbs();
  const asked = await type('/note the disk began to fill --at 09:00');
  expect(asked).toContain('your time, 4 h 15 min ago. That is 4 h 15 min before the incident began');
  expect(await items('userNote')).toEqual([]);
  await press(last(), 'Add');
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T08:00:00Z']);
});

test('start and end are asked about too; Change opens their form', async () => {
  const { type, alice, incident, press, last, submit, wait } = await openVerbs();
  expect(await type('/incident started 23:30')).toContain(
    '“23:30” is Nov 19, 2026 10:30 PM your time, 13 h 45 min ago.',
  );
  expect((await incident()).incidentStart).toBe('2026-11-20T12:15:00Z');
  await press(last(), 'Save');
  expect((await incident()).incidentStart).toBe('2026-11-19T22:30:00Z');
  wait(10);
  await type('/incident ended 23:40');
  await press(last(), 'Change');
  expect(alice.view?.values.ended?.ended?.selected_date_time).toBe(Date.parse('2026-11-19T22:40:00Z') / 1000);
  await submit({ ended: new Date('2026-11-20T12:20:00Z') });
  expect((await incident()).incidentEnd).toBe('2026-11-20T12:20:00Z');
});

test('resolving at once asks first; its form shows the moment, so it says only why', async () => {
  const { type, alice, incident, press, last } = await openVerbs();
  await type('/incident started yesterday 20:00');
  expect(await type('/incident resolve it was DNS --at 23:30 --now')).toContain('your time, 13 h 45 min ago.');
  expect((await incident()).status).toBe('active');
  await type('/incident resolve it was DNS --at 23:30');
  expect(JSON.stringify(alice.view?.blocks)).toContain('that time is still ahead today');
  await alice.close();
  await press(last(), 'Resolve');
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-19T22:30:00Z' });
});

test('declaring at once asks first, by mention too; Change opens the form with all that was typed', async () => {
  const { type, alice, bob, slack, general, press, last, place, act } = await openVerbs();
  const rooms = () => slack.channels.filter(each => each.name.startsWith('inc-')).length;
  expect(await type('/incident declare Mail is slow --started 23:30 --severity major --now', alice, general)).toContain(
    '“23:30” is Nov 19, 2026 10:30 PM your time',
  );
  expect(rooms()).toBe(1);
  const question = last(alice, general);
  await press(question, 'Change');
  expect(alice.view?.title).toBe('Declare an incident');
  expect(alice.view?.values.title?.title?.value).toBe('Mail is slow');
  expect(alice.view?.values.started?.started?.selected_date_time).toBe(Date.parse('2026-11-19T22:30:00Z') / 1000);
  await alice.close();
  await press(question, 'Declare');
  expect(rooms()).toBe(2);
  bob.invite(general, slack.botUserId);
  await act(() => bob.mention(general, 'note the queue grew --at 23:30 --incident 1'));
  await act(() => bob.press(last(bob, general), 'Add'));
  expect((await notesOf(place, '1')).map(each => each.eventTime)).toEqual(['2026-11-20T04:30:00Z']);
});

test.each([
  ['13:05 bot traffic floods checkout', '13:05', 'bot traffic floods checkout', '2026-11-20T12:05:00Z'],
  ['12:30 get requests fail', '12:30', 'get requests fail', '2026-11-20T11:30:00Z'],
  ['12:30 sun cluster lost 2 nodes', '12:30', 'sun cluster lost 2 nodes', '2026-11-20T11:30:00Z'],
  ['12:35 GET requests fail', '12:35', 'GET requests fail', '2026-11-20T11:35:00Z'],
  ['07:05 EST a switch failed', '07:05 EST', 'a switch failed', '2026-11-20T12:05:00Z'],
  ['1:05 p.m. p99 is 4 s', '1:05 p.m.', 'p99 is 4 s', '2026-11-20T12:05:00Z'],
  ['13h05 404 errors', '13h05', '404 errors', '2026-11-20T12:05:00Z'],
  ['12:05Z second try', '12:05Z', 'second try', '2026-11-20T12:05:00Z'],
  ['half an hour ago May was down', 'half an hour ago', 'May was down', '2026-11-20T11:45:00Z'],
  ['20m back online again', '20m', 'back online again', '2026-11-20T11:55:00Z'],
])('“--at %s”: “%s” is the time and says so, the rest is the note', async (typed, time, text, at) => {
  expect(await room().type(`/note add --at ${typed}`)).toContain(`I took the time from “${time}”.`);
  expect(await notesWith(text)).toEqual([[text, at]]);
});

test.each([
  ['07:05 EST the db failed over', '07:05 EST'],
  ['12:05Z the db failed over', '12:05Z'],
  ['[12:05 UTC] the db failed over', '12:05 UTC'],
  ['1:05 p.m., the db failed over', '1:05 p.m'],
  ['13:05 +01:00 the db failed over', '13:05 +01:00'],
  ['17:35 +05:30 the db failed over', '17:35 +05:30'],
  ['13h05 the db failed over', '13h05'],
  ['07:05 America/New_York the db failed over', '07:05 America/New_York'],
  ['10 min ago the db failed over', '10 min ago'],
  ['2026-11-20T12:05:00Z the db failed over', '2026-11-20T12:05:00Z'],
])('the note “%s” lies at its time, in its zone, and keeps every word', async (text, time) => {
  expect(await room().type(`/note ${text}`)).toContain(`I took the time from “${time}”.`);
  expect(await notesWith(text)).toEqual([[text, '2026-11-20T12:05:00Z']]);
});

test.each([
  ['DB failover at yesterday 23:50', 'at yesterday 23:50', '2026-11-19T22:50:00Z'],
  ['DB failover at 23:50 yesterday', 'at 23:50 yesterday', '2026-11-19T22:50:00Z'],
  ['DB failover yesterday at 23:50.', 'yesterday at 23:50', '2026-11-19T22:50:00Z'],
  ['DB failover last night at 23:50', 'last night at 23:50', '2026-11-19T22:50:00Z'],
  ['DB failover on monday 14:00', 'on monday 14:00', '2026-11-16T13:00:00Z'],
  ['DB failover 14:00 on Monday', '14:00 on Monday', '2026-11-16T13:00:00Z'],
  ['DB failover (on 2026-11-19 23:50)', 'on 2026-11-19 23:50', '2026-11-19T22:50:00Z'],
  ['DB failover at 13:05', 'at 13:05', '2026-11-20T12:05:00Z'],
  ['DB failover around 12:05 UTC', 'around 12:05 UTC', '2026-11-20T12:05:00Z'],
  ['DB failover 10 min ago', '10 min ago', '2026-11-20T12:05:00Z'],
])('the note “%s” lies at the time with which it ends', async (text, time, at) => {
  const { type, press, last, reads } = room();
  // Those of another day lie long before the incident, so they are asked about first.
  const asked = await type(`/note ${text}`);
  if (asked.includes('Nothing is stored yet.')) {
    expect(asked).toContain(`“${time}” is `);
    expect(asked).toContain('[Not a time]');
    expect(await notesWith(text)).toEqual([]);
    await press(last(), 'Add');
    expect(reads()).toMatch(/for Nov 1[69], 2026/);
  } else expect(asked).toContain(`I took the time from “${time}”.`);
  expect(await notesWith(text)).toEqual([[text, at]]);
});

test.each([
  ['the vendor patches it at tomorrow 9:00', 'at tomorrow 9:00'],
  ['tomorrow 9:00 the vendor patches it', 'tomorrow 9:00'],
  ['the vendor patches it tomorrow at 9:00', 'tomorrow at 9:00'],
  ['we look again at 18:00', 'at 18:00'],
])('the note “%s” is of now, and says that its time is still to come', async (text, time) => {
  expect(await room().type(`/note ${text}`)).toContain(`Its time is now: “${time}” is still to come.`);
  expect(await notesWith(text)).toEqual([[text, '2026-11-20T12:15:00Z']]);
});

test.each(
  readList(`
  it began last night | the disk fills since yesterday 23:50 | all was well until 13:05
  it failed between 12:00 and 13:05 | CPU is at 12 | last deploy was at noon | we rolled back to 13:05
  the index of yesterday | ratio 13:05
`),
)('the note “%s” keeps its words and is of now', async text => {
  expect(await room().type(`/note ${text}`)).not.toContain('ime from');
  expect(await notesWith(text)).toEqual([[text, '2026-11-20T12:15:00Z']]);
});

test.each(
  readList(`
  14:05:33 | 2:30 p.m. | 14:05 +01:00 | 14h30 | 1405h | 13:05Z | 14.05 | at 14 | half past 14 | 9h15 | 1h30
  10:05 EST
`),
)('the start “%s” is asked about before it is stored', async typed => {
  const { type, incident } = room();
  const before = (await incident()).incidentStart;
  expect(await type(`/incident started ${typed}`)).toContain('Nothing is stored yet.');
  expect((await incident()).incidentStart).toBe(before);
});

test('words that may be no time are asked about, and “Not a time” stores the note of now with all of them', async () => {
  const { type, items, press, last } = await openVerbs();
  expect(await type('/note at 9 nodes the cluster tips over')).toContain('It may be a number, not a time.');
  expect(await items('userNote')).toEqual([]);
  await press(last(), 'Not a time');
  const [note] = await items('userNote');
  expect([note?.body.split('\n')[0], note?.eventTime]).toEqual([
    'at 9 nodes the cluster tips over',
    '2026-11-20T12:15:00Z',
  ]);
});

test('a zone of several places is asked back, and nothing is stored', async () => {
  const { type, items } = await openVerbs();
  for (const line of ['/note 12:20 IST the db failed over', '/note the db failed over --at 12:20 CST']) {
    expect(await type(line)).toContain('names no zone, or several: write its distance from UTC, as in “14:05 +05:30”.');
  }
  expect(await items('userNote')).toEqual([]);
});

test('when the next update is due is asked about too; Change opens the form with the words', async () => {
  const { type, alice, bodies, press, last } = await openVerbs();
  expect(await type('/incident update we roll back --next 2:30')).toContain('your time, in 1 h 15 min.');
  expect(await bodies()).toEqual([]);
  const question = last();
  await press(question, 'Change');
  expect(alice.view?.values.happened?.happened?.value).toBe('we roll back');
  await alice.close();
  await press(question, 'Post');
  expect(await bodies()).toHaveLength(1);
});

test('declaring at once says in its receipt when the incident began', async () => {
  const { type, alice, general, incident } = await openVerbs();
  const read = await type('/incident declare --started 13:05 bot traffic floods checkout --now', alice, general);
  expect(read).toContain('#inc-2-bot-traffic-floods-checkout');
  expect(read).toContain('It began Nov 20, 2026 12:05 PM.');
  expect((await incident('2')).incidentStart).toBe('2026-11-20T12:05:00Z');
});
