import { expect, test } from 'vitest';
import { declareNow } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

test('while the API is away the form asks for a link, and what it links is noted once the API is back', async () => {
  const { place, alice, general, type, reads, timeline, goAway, comeBack, act } = await openOutage();
  const home = await declareNow(place, alice, general, 'Checkout answers 500');
  goAway();
  await type('/dash link', alice, home.name);
  expect(JSON.stringify(alice.view)).toContain('A link, or the title of a dashboard');
  await alice.submit({ address: 'https://wiki.acme.com/pooler', caption: 'Runbook' });
  await place.quiet();
  expect(reads(alice, home.name)).toContain('Runbook');
  await type('/dash link', alice, home.name);
  await act(() => alice.submit({ address: 'checkout overview', window: '3h' }));
  expect(reads(alice, home.name)).toContain('[Open the form]');
  await comeBack();
  const notes = (await timeline()).filter(each => each.activityKind === 'userNote').map(each => each.body);
  expect(notes).toEqual([expect.stringContaining('Link “Runbook”: https://wiki.acme.com/pooler')]);
});
