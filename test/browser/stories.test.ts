import { describe, expect, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see stories play`);
}

/** How long a few steps of a story may take, in milliseconds: each waits until all that follows from it is done. */

describe.skipIf(hasNoBrowser)('stories in the playground', () => {
  const playground = usePlayground();

  test('an address opens a story at a step, from which one goes on step by step', async () => {
    await using alice = await playground.openPage('alice');
    const { page } = alice;
    await page.goto(`${new URL(page.url()).origin}/?story=incident&step=6`);
    // What bob declared in the fifth step is there, and the address leads to no second telling.
    await page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('button', { name: /checkout-answers-500/ })
      .waitFor();
    await page.waitForURL(url => url.searchParams.get('as') === 'alice' && !url.searchParams.has('story'));
    await page.getByRole('tab', { name: 'Stories' }).click();
    const story = page.getByRole('region', { name: 'One incident, from the alert to the end' });
    await story.getByText('6 of 23 steps').waitFor();
    await story.getByText('Next: Bob takes command.').waitFor();
    await story.getByRole('button', { name: 'Step' }).click();
    await story.getByText('7 of 23 steps').waitFor();
    const { incidentPreviews } = await playground.operator.IncidentsService.QueryIncidentPreviews({
      query: { limit: 10, orderDirection: 'DESC', queryString: 'title:"Checkout answers 500"' },
    });
    expect(incidentPreviews).toHaveLength(1);
    const { incident } = await playground.operator.IncidentsService.GetIncident({
      incidentID: incidentPreviews[0]?.incidentID ?? '',
    });
    expect(incident.incidentMembership.assignments.map(({ role, user }) => `${role.name}: ${user.name}`)).toEqual([
      'commander: bob',
    ]);
  });

  test('a story that is not there is said', async () => {
    await using alice = await playground.openPage('alice');
    const { page } = alice;
    await page.goto(`${new URL(page.url()).origin}/?as=alice&story=nonsense`);
    await page.getByText('There is no story “nonsense”').waitFor();
  });
});
