import type { Page } from 'playwright-core';
import { longestTask } from './longest-task.ts';
import type { Row } from './measure.ts';
import { openPage, type Stand, within } from './playground-stand.ts';

const messages = 5000;
/** The longest that anything may keep the page from answering a person, in milliseconds. */
const limit = 100;
/** Pixels of a turn of the wheel. */
const turn = 1500;

/** Through a channel of 5,000 messages, from its end to its beginning and back: the longest task on the way. */
export async function measureScroll(stand: Stand): Promise<Row[]> {
  const { slack } = stand.playground.system;
  slack.addChannel({ name: 'long' });
  const people = ['alice', 'bob', 'carol'].map(name => slack.person(name));
  for (let count = 0; count < messages; count += 1) people[count % people.length]?.say('long', wordsOf(count));
  await using page = await openPage(stand, 'long');
  const list = page.getByRole('group', { name: 'Message history' });
  await list.getByText(`Message ${messages - 1} `).waitFor();
  await list.hover();
  const { cpu, wall } = await longestTask(page, async () => {
    await scrollUntil(page, -turn, "document.querySelector('.beginning') !== null");
    await scrollUntil(
      page,
      turn,
      `document.querySelector('main article:last-of-type')?.textContent.includes('Message ${messages - 1} ')`,
    );
  });
  return [
    within(limit, { name: 'page-scroll', value: cpu, unit: 'ms CPU' }),
    {
      ...{ name: 'page-scroll-wall', ratio: wall / limit, baseline: limit, subject: wall, unit: 'ms' },
      ...{ limit: undefined, reason: 'other programs count too' },
    },
  ];
}

async function scrollUntil(page: Page, pixels: number, isThere: string): Promise<void> {
  while (!(await page.evaluate<boolean>(isThere))) await page.mouse.wheel(0, pixels);
}

/** What people write: short and long, with names, code and emoji. */
export function wordsOf(count: number): string {
  const words = [
    'looks fine here.',
    'is about `checkout-7` :eyes: and what @bob said of *the last release*.',
    `has the log:\n\`\`\`\n${'error: connection refused (attempt 3 of 5)\n'.repeat(4)}\`\`\``,
    `is long. ${'The queue grows by a thousand orders a minute. '.repeat(6)}`,
  ];
  return `Message ${count} ${words[count % words.length]}`;
}
