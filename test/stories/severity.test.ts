import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('raising the severity: said, stored, on the timeline, on the card; a second time changes nothing', async () => {
  const { type, incident, items, place, alice, home, publicLines } = await openIncident();

  expect(await type('/incident severity Major')).toBe(
    '☑️ You set the severity of incident 1 to major (was pending).\n[Undo]',
  );
  expect((await incident()).severity).toBe('major');
  expect(place.reads(alice, home.id)[0]).toContain('🟠 MAJOR');

  expect(await type('/incident sev major')).toBe(`Incident 1 is major already. ${phrases.unchanged}`);
  const changes = await items('incidentSeverityChanged');
  expect(changes.map(item => [item.body, item.user.name])).toEqual([['Severity changed to major', 'alice']]);
  expect(publicLines()).toEqual(['🟠 Severity raised: pending → major – @alice']);
});

test('the form: from the card and from the bare command, filled with what is so; sent twice it acts once', async () => {
  const { alice, bob, card, press, type, submit, place, reads, incident, items, act } = await openIncident();

  await type('/incident severity');
  expect(alice.view?.values.severity?.severity?.selected_option).toMatchObject({ value: 'pending' });
  await alice.close();

  await press(card(), 'Edit', bob);
  await act(() => bob.submitTwice({ severity: 'critical' }));
  expect((await incident()).severity).toBe('critical');
  expect((await items('incidentSeverityChanged')).map(item => item.user.name)).toEqual(['bob']);
  const answers = place
    .reads(bob, card().channel)
    .filter(each => /^(You already|☑️)/.test(each) && each.includes('critical'));
  expect(answers.toSorted()).toEqual([
    'You already set the severity of incident 1 to critical (was pending). Nothing was done twice.',
    '☑️ You set the severity of incident 1 to critical (was pending).\n[Undo]',
  ]);

  await press(card(), 'Edit');
  await submit({});
  expect(reads()).toBe('You changed nothing, so the incident stays as it is.');
});
