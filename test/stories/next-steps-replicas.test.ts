import { expect, onTestFinished, test } from 'vitest';
import { makeDatabase } from '../support/databases/fresh.ts';
import { openIncident } from '../support/incident-room.ts';
import { openWorkplace } from '../support/workplace.ts';

test('the archiving outlives the process, and of two replicas one does it, once', async () => {
  const database = await makeDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  let now = new Date('2026-11-20T12:15:00Z');
  const [clock, settings] = [() => now, { DATABASE_URL: database.url, ARCHIVE_AFTER_DAYS: '1' }];
  const first = await openIncident({ clock, settings });
  const { slack, home, alice } = first;
  await first.type('/incident resolve --now');
  await first.place[Symbol.asyncDispose]();
  now = new Date('2026-11-21T12:16:00Z');
  const places = await Promise.all([0, 1].map(() => openWorkplace({ slack, clock, settings })));
  await expect.poll(() => home.isArchived).toBe(true);
  for (const place of places) await place.quiet();
  expect(slack.callsOf('conversations.archive')).toHaveLength(1);
  const told = first.place.reads(alice, home.id).filter(text => text.includes('What comes next'));
  expect(told).toEqual([expect.stringMatching(/archived Nov 21, 2026 12:16 PM$/)]);
});
