import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('an incident becomes a drill and real again, marked on the card; what is so already is said', async () => {
  const { type, incident, items, place, alice, home } = await openIncident();
  expect(await type('/incident drill on')).toBe('🧪 You marked incident 1 as a drill.\n[Undo]');
  expect((await incident()).isDrill).toBe(true);
  expect(place.reads(alice, home.id)[0]).toContain('🧪 DRILL · ⚪ PENDING · Checkout answers 500');
  expect(await type('/incident drill yes')).toBe(`Incident 1 is a drill already. ${phrases.unchanged}`);
  expect(await type('/incident drill off')).toBe('🧪 You marked incident 1 as real.\n[Undo]');
  expect(await type('/incident drill off')).toBe(`Incident 1 is real already. ${phrases.unchanged}`);
  expect((await incident()).isDrill).toBe(false);
  expect(await items('incidentIsDrillChanged')).toHaveLength(2);
});
