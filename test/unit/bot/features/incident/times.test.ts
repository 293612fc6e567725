import { expect, test } from 'vitest';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('times that cannot be are refused in words, with what was typed', async () => {
  const { type, wait, incident, gus } = await openVerbs();
  wait(30);
  expect(await type('/incident ended 2h ago')).toBe(
    [
      `The incident started Nov 20, 2026 12:15 PM, so it cannot have ended Nov 20, 2026 10:45 AM. ${phrases.unchanged}`,
      'You typed: /incident ended 2h ago',
    ].join('\n'),
  );
  await type('/incident ended 20m ago');
  expect(await type('/incident started 10m ago')).toContain('so it cannot have started');
  expect(await type('/incident started tomorrow 12:00')).toContain('is in the future');
  expect(await type('/incident started <!channel> soon')).toContain('is not a time: try');
  expect(await type('/incident started yesterday')).toContain('has no time of day');
  expect(await type('/incident ended 5m ago', gus)).toContain('guests cannot change incidents');
  expect(await type('/incident ended 5m ago --incident 99')).toContain(phrases.noIncident(99));
  expect(await incident()).toMatchObject({
    incidentStart: '2026-11-20T12:15:00Z',
    incidentEnd: '2026-11-20T12:25:00Z',
  });
});

test('a few minutes ahead are now: clocks differ', async () => {
  const { type, wait, incident } = await openVerbs();
  wait(10);
  await type('/incident ended 12:28 UTC');
  expect(await incident()).toMatchObject({ incidentEnd: '2026-11-20T12:25:00Z' });
});

test('without a time, the form: filled with what is so, its problems shown in it', async () => {
  const { type, wait, alice, submit, incident, reads, items, act } = await openVerbs();
  wait(30);
  await type('/incident started');
  expect(alice.view?.values.started?.started?.selected_date_time).toBe(Date.parse('2026-11-20T12:15:00Z') / 1000);
  await submit({ started: new Date('2026-11-20T13:00:00Z') });
  expect(alice.view?.errors).toEqual({
    started: '2026-11-20 13:00 UTC is in the future: give a time that has passed.',
  });
  await act(() => alice.submitTwice({ started: new Date('2026-11-20T11:00:00Z') }));
  expect(await incident()).toMatchObject({ incidentStart: '2026-11-20T11:00:00Z' });
  expect(await items('incidentStart')).toHaveLength(1);
  expect(reads()).toContain('You set the start of incident 1 to Nov 20, 2026 11:00 AM');
});
