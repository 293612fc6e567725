import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openStoryClock } from '../../playground/story-system.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { deadlines } from '../../src/deadlines.ts';
import { prepareBotOn } from '../support/bot-in-process.ts';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { usePlayground } from '../support/browser-playground.ts';
import { patient } from '../support/deadlines.ts';
import { isLong } from '../support/length.ts';

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to see stories play`);
}

/** The numbers of the incidents that the first story declared, the newest first. */
async function findTold({ IncidentsService }: ApiClient): Promise<string[]> {
  const query = { limit: 10, orderDirection: 'DESC', queryString: 'title:"Checkout answers 500"' } as const;
  return (await IncidentsService.QueryIncidentPreviews({ query })).incidentPreviews.map(each => each.incidentID);
}

async function rolesOf({ IncidentsService }: ApiClient, incidentID = ''): Promise<string[]> {
  const { incident } = await IncidentsService.GetIncident({ incidentID });
  return incident.incidentMembership.assignments.map(({ role, user }) => `${role.name}: ${user.name}`);
}

/** A story in the panel next to the workspace. */
async function openStory(page: Page, title: string): Promise<Locator> {
  await page.getByRole('tab', { name: 'Stories' }).click();
  return page.getByRole('region', { name: title });
}

/** Plays a story as a person does who presses Play and watches. Fails when anything in it did not happen. */
async function watchStory(page: Page, title: string): Promise<void> {
  const story = await openStory(page, title);
  await story.getByText(/^0 of/).waitFor();
  expect(await story.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('1');
  await story.getByRole('button', { name: 'Play' }).click();
  await expectEnd(story);
}

/** Waits for the end of a story. Fails when anything in it did not happen. */
async function expectEnd(story: Locator): Promise<void> {
  await story.getByText(/^The story (?:is over|has stopped)/).waitFor();
  expect(await story.getByRole('alert').allTextContents()).toEqual([]);
  await story.getByText(/^(\d+) of \1 steps$/).waitFor();
  await story.getByText(/^The story is over/).waitFor();
}

describe.skipIf(hasNoBrowser)('stories in the playground', () => {
  const playground = usePlayground();

  /** The story of one incident takes two minutes. In `.ci/run` it plays to its end below, where its clock jumps. */
  const watched = [...(isLong ? ['One incident, from the alert to the end'] : []), 'Incidents that begin elsewhere'];

  test('stories play to their ends, one after the other, as a person watches them', async () => {
    await using alice = await playground.openPage('alice');
    for (const title of watched) await watchStory(alice.page, title);
  });

  test('an address opens a story at a step, from which one goes on step by step', async () => {
    await using alice = await playground.openPage('alice');
    const { page } = alice;
    const before = await findTold(playground.operator);
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
    const [told, ...others] = await findTold(playground.operator);
    expect(others).toEqual(before);
    expect(await rolesOf(playground.operator, told)).toEqual(['commander: bob']);
  });

  test('a story that is not there is said', async () => {
    await using alice = await playground.openPage('alice');
    const { page } = alice;
    await page.goto(`${new URL(page.url()).origin}/?as=alice&story=nonsense`);
    await page.getByText('There is no story “nonsense”').waitFor();
  });
});

/** People wait for minutes in that story: its clock jumps there. */
const clock = openStoryClock(new Date());
/** What is broken is not waited for long, and a claim as long as in production. */
const soonStuck = patient({ playground: { brokenStory: 500, check: deadlines.playground.check } });
const grave = 'A grave incident: who comes, what is owed, who joins late';

describe.skipIf(hasNoBrowser)('a story in which time passes', () => {
  const playground = usePlayground({ clock, deadlines: soonStuck, prepareBot: prepareBotOn(clock) });

  // `.ci/run` plays it without a browser, in test/soak/playground/stories.test.ts.
  if (isLong) {
    test('a grave incident plays to its end', async () => {
      await using alice = await playground.openPage('alice');
      await watchStory(alice.page, grave);
    });
  }

  test('a story that waits in vain stops there, says what the person can do, and goes on from there', async () => {
    await using alice = await playground.openPage('alice');
    const story = await openStory(alice.page, 'One incident, from the alert to the end');
    await playground.act('alice', { do: 'story', name: 'incident', command: 'play', upTo: 6 });
    await story.getByText('6 of 23 steps').waitFor();
    await playground.act('alice', { do: 'setFault', fault: 'API down', isOn: true });
    await story.getByRole('button', { name: 'Play' }).click();
    await story.getByText('Waiting for this: Bob is commander').waitFor();
    await story.getByText('The story has stopped at step 7.').waitFor();
    expect(await story.getByRole('alert').textContent()).toContain('bob as commander in the API');
    await story.getByText('API down. Repair it under “Break things”').waitFor();
    await story.getByText('Play looks again').waitFor();
    await playground.act('alice', { do: 'setFault', fault: 'API down', isOn: false });
    const [told] = await findTold(playground.operator);
    await expect.poll(() => rolesOf(playground.operator, told)).toEqual(['commander: bob']);
    await story.getByRole('button', { name: 'Play' }).click();
    await story.getByRole('alert').waitFor({ state: 'detached' });
    await expectEnd(story);
  });
});
