import { expect, test } from 'vitest';
import { addAcme } from '../support/acme.ts';
import { openInstalledSlack, openWorkplace, type WorkplaceOptions } from '../support/workplace.ts';

async function openAcme(options: WorkplaceOptions = {}) {
  const place = await openWorkplace(options);
  const count = async () =>
    (await place.api.IncidentsService.QueryIncidentPreviews({ query: {} })).incidentPreviews.length;
  return { place, slack: place.slack, ...addAcme(place.slack), count };
}

test('who lost their rights unheard loses them here within a minute', async () => {
  let now = new Date('2026-03-02T14:00:00Z');
  // Slack sends no event that the app has not subscribed to.
  const deaf = await openInstalledSlack(() => now, { events: [] });
  const { place, alice, shared, count } = await openAcme({ clock: () => now, slack: deaf });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  alice.change({ isRestricted: true });
  now = new Date('2026-03-02T14:01:00Z');
  await alice.command(shared, '/incident declare Disk is fuller --now');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You are a guest in this workspace');
  expect(await count()).toBe(1);
});
