import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('when it started and ended: read in the typist’s zone, told in the reader’s, stored, on timeline and card', async () => {
  const { type, wait, incident, items, bob, place, alice, home, publicLines } = await openIncident();
  wait(30);
  expect(await type('/incident started 50m ago')).toBe(
    ':clock3: You set the start of incident 1 to Nov 20, 2026 11:55 AM, 50 minutes ago. Before: Nov 20, 2026 12:15 PM.\n[Undo]',
  );
  // 6:50 in New York is 11:50 UTC.
  expect(await type('/incident started at 6:50', bob)).toContain('Nov 20, 2026 11:50 AM');
  expect(await incident()).toMatchObject({ incidentStart: '2026-11-20T11:50:00Z' });
  expect(place.reads(alice, home.id)[0]).toContain('Active since Nov 20, 2026 11:50 AM, 55 minutes ago');
  expect(await type('/incident started at 6:50', bob)).toContain(`already. ${phrases.unchanged}`);

  expect(await type('/incident ended 10m ago')).toBe(
    ':clock3: You set the end of incident 1 to Nov 20, 2026 12:35 PM, 10 minutes ago. It is still active: /incident resolve resolves it.',
  );
  await type('/incident resolve --now');
  expect(await incident()).toMatchObject({ incidentEnd: '2026-11-20T12:35:00Z', durationSeconds: 45 * 60 });
  expect(await type('/incident ended 5m ago')).toBe(
    ':clock3: You set the end of incident 1 to Nov 20, 2026 12:40 PM, 5 minutes ago. Before: Nov 20, 2026 12:35 PM.\n[Undo]',
  );
  expect((await items('incidentStart', 'incidentEnd')).map(item => item.user.name).toSorted()).toEqual([
    'alice',
    'alice',
    'alice',
    'bob',
  ]);
  const lines = publicLines().flatMap(each => each.split('\n'));
  expect(lines.map(each => each.replace(/ to Nov.*/, ''))).toEqual([
    ':clock3: @alice set the start of the incident',
    ':clock3: @bob set the start of the incident',
    ':clock3: @alice set the end of the incident',
    '✅ Resolved after 45 min – @alice',
    ':clock3: @alice set the end of the incident',
  ]);
});
