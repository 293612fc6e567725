import { expect, test } from 'vitest';
import { openStoryClock, realClock } from '../../../src/playground/story-system.ts';
import { prepareBotOn } from '../../support/bot-in-process.ts';
import { openWorld } from './world.ts';

/** A clock that jumps where a story waits for minutes. */
const jumping = openStoryClock(new Date());

// A bot in this process shows a busy card at once, so its story takes a tenth of the time.
test.each([
  ['incident', 'this process', prepareBotOn(realClock), realClock],
  ['duty', 'this process', prepareBotOn(jumping), jumping],
  ['elsewhere', 'a process of its own', undefined, undefined],
] as const)(
  'the story “%s” plays twice in one workspace, and every step has its effect, with the bot in %s',
  async (name, _, prepareBot, clock) => {
    const { system, told, errors } = await openWorld(undefined, prepareBot, clock);
    for (const __ of [1, 2]) {
      await system.playStory({ do: 'story', name, command: 'restart', speed: 1000 });
      const story = () => told.stories?.find(each => each.name === name);
      await expect.poll(story).toMatchObject({ isPlaying: false });
      expect(story()?.problem).toBeUndefined();
      // As many deeds as the plot says.
      expect(story()?.done).toBe(story()?.steps.length);
    }
    expect(errors).toEqual([]);
  },
);

test('a story that is not there cannot be played', async () => {
  const { system } = await openWorld();
  await expect(system.playStory({ do: 'story', name: 'x', command: 'play' })).rejects.toThrow('There is no story “x”');
});
