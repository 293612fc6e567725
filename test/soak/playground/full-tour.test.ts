import { expect, test } from 'vitest';
import { realClock } from '../../../src/playground/story-clock.ts';
import { tour } from '../../../src/playground/tour/tour.ts';
import { prepareBotOn } from '../../support/bot-in-process.ts';
import { openWorld, soon } from './world.ts';

test('the full tour plays once in a workspace with its past, every step with its effect, and then says why not again', async () => {
  // A bot in this process shows a busy card at once. The other stories play with a process of its own.
  const { system, told, errors } = await openWorld(undefined, prepareBotOn(realClock));
  const story = () => told.stories?.find(each => each.name === 'full');
  await system.playStory({ do: 'story', name: 'full', command: 'restart', speed: 1000 });
  await expect.poll(story, { timeout: 500_000 }).toMatchObject({ isPlaying: false });
  expect(story()?.problem).toBeUndefined();
  expect([story()?.done, story()?.steps.includes('…')]).toEqual([tour.deeds, false]);
  await system.playStory({ do: 'story', name: 'full', command: 'restart', speed: 1000 });
  await expect.poll(() => story()?.problem, soon).toContain('begin anew with --fresh');
  expect(errors).toEqual([]);
}, 600_000);
