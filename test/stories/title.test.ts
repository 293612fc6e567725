import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('renaming: said, stored, on the card; the same title changes nothing', async () => {
  const { type, incident, items, place, alice, home, publicLines } = await openIncident();
  expect(await type('/incident title “Checkout and @bob’s cart are down”')).toBe(
    ':pencil2: You renamed incident 1 to “Checkout and @bob’s cart are down” (was “Checkout answers 500”).\n[Undo]',
  );
  expect((await incident()).title).toBe('Checkout and @bob’s cart are down');
  expect(place.reads(alice, home.id)[0]).toContain('Checkout and @bob’s cart are down');
  expect(await type('/incident rename “Checkout and @bob’s cart are down”')).toBe(
    `Incident 1 is called “Checkout and @bob’s cart are down” already. ${phrases.unchanged}`,
  );
  expect(await items('incidentTitleChanged')).toHaveLength(1);
  expect(publicLines()).toEqual([':pencil2: @alice renamed the incident to “Checkout and @bob’s cart are down”']);
});
