import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

test('what was changed is taken back with one press, once, by whoever did it', async () => {
  const { type, press, last, incident, alice, bob, home, items, place } = await openIncident();
  await type('/incident severity major');
  const receipt = last();
  expect(await press(receipt, 'Undo')).toContain('Incident 1 went from major to pending');
  expect((await incident()).severity).toBe('pending');
  expect(await press(receipt, 'Undo')).toContain('already');
  expect((await items('incidentSeverityChanged')).map(item => item.body)).toEqual([
    'Severity changed to major',
    'Severity changed to pending',
  ]);

  await type('/incident title Cart is down');
  await press(last(), 'Undo');
  expect((await incident()).title).toBe('Checkout answers 500');

  await type('/incident drill on');
  await press(last(), 'Undo');
  expect((await incident()).isDrill).toBe(false);

  await type(`/role assign <@${bob.id}> commander`);
  const at = place.reads(alice, home.id).findLastIndex(each => each.includes('[Undo]'));
  const assigned = place.messages(alice, home.id)[at];
  if (assigned) await press(assigned, 'Undo');
  expect((await incident()).incidentMembership.assignments).toEqual([]);
});

test('nobody’s later change is taken back with it', async () => {
  const { type, press, last, incident, bob } = await openIncident();
  await type('/incident severity major');
  const receipt = last();
  await type('/incident severity critical', bob);
  expect(await press(receipt, 'Undo')).toBe(
    'I did not undo that: somebody has changed it since, to critical. It stays as it is now.',
  );
  expect((await incident()).severity).toBe('critical');
});

test('after ten minutes the button says so', async () => {
  const { type, press, last, wait, incident } = await openIncident();
  await type('/incident severity major');
  const receipt = last();
  wait(11);
  expect(await press(receipt, 'Undo')).toContain('Undo works for 10 minutes, and they are over.');
  expect((await incident()).severity).toBe('major');
});
