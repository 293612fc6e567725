import { expect, test } from 'vitest';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('a bare time of the day before is shown before anything is stored; Add stores that moment, once, however late', async () => {
  const { type, items, press, last, wait, reads, alice, place } = await openIncident();
  wait(670);
  // 00:25 where alice is.
  const asked = await type('/note the pool filled up --at 23:50');
  expect(asked).toBe(
    [
      '“23:50” is Nov 20, 2026 10:50 PM your time = 2026-11-20 22:50 UTC, 35 min ago. Where you are, that time is still ahead today, so I took yesterday.',
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
  expect(reads()).toContain(`${phrases.added} at Nov 20, 2026 10:50 PM (22:50 UTC)`);
  await alice.press(question, 'Add').catch(() => undefined);
  await place.quiet();
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T22:50:00Z']);
});

test('Change opens the form with the words and the moment, so that nothing typed is lost', async () => {
  const { type, alice, items, press, last, wait, submit } = await openIncident();
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
  const { type, items } = await openIncident();
  expect(await type('/note rolled back --at 13:05')).toContain(
    `${phrases.added} at Nov 20, 2026 12:05 PM (12:05 UTC), 10 minutes ago.`,
  );
  expect(await items('userNote')).toHaveLength(1);
});

test('a time long before the incident is asked about', async () => {
  const { type, items, press, last } = await openIncident();
  const asked = await type('/note the disk began to fill --at 09:00');
  expect(asked).toContain('= 2026-11-20 08:00 UTC, 4 h 15 min ago. That is 4 h 15 min before the incident began');
  expect(await items('userNote')).toEqual([]);
  await press(last(), 'Add');
  expect((await items('userNote')).map(each => each.eventTime)).toEqual(['2026-11-20T08:00:00Z']);
});

test('start and end are asked about too; Change opens their form', async () => {
  const { type, alice, incident, press, last, submit, wait } = await openIncident();
  expect(await type('/incident started 23:30')).toContain(
    '“23:30” is Nov 19, 2026 10:30 PM your time = 2026-11-19 22:30 UTC, 13 h 45 min ago.',
  );
  expect((await incident()).incidentStart).toBe('2026-11-20T12:15:00Z');
  await press(last(), 'Save');
  expect((await incident()).incidentStart).toBe('2026-11-19T22:30:00Z');
  wait(10);
  await type('/incident ended 23:40');
  await press(last(), 'Change');
  expect(alice.view?.values.at?.at?.selected_date_time).toBe(Date.parse('2026-11-19T22:40:00Z') / 1000);
  await submit({ at: new Date('2026-11-20T12:20:00Z') });
  expect((await incident()).incidentEnd).toBe('2026-11-20T12:20:00Z');
});

test('resolving at once asks first; its form shows the moment, so it says only why', async () => {
  const { type, alice, incident, press, last } = await openIncident();
  await type('/incident started yesterday 20:00');
  expect(await type('/incident resolve it was DNS --at 23:30 --now')).toContain(
    '2026-11-19 22:30 UTC, 13 h 45 min ago.',
  );
  expect((await incident()).status).toBe('active');
  await type('/incident resolve it was DNS --at 23:30');
  expect(JSON.stringify(alice.view?.blocks)).toContain('that time is still ahead today');
  await alice.close();
  await press(last(), 'Resolve');
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-19T22:30:00Z' });
});

test('declaring at once asks first, by mention too; Change opens the form with all that was typed', async () => {
  const { type, alice, bob, slack, general, press, last, place } = await openIncident();
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
  bob.mention(general, 'note the queue grew --at 23:30 --incident 1');
  await place.quiet();
  await bob.press(last(bob, general), 'Add');
  await place.quiet();
  expect((await notesOf(place, '1')).map(each => each.eventTime)).toEqual(['2026-11-20T04:30:00Z']);
});
