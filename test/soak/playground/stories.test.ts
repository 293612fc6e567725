import { expect, test } from 'vitest';
import { realClock } from '../../../src/playground/story-clock.ts';
import { lastingRole } from '../../../src/playground/tour/untouched.ts';
import { prepareBotOn } from '../../support/bot-in-process.ts';
import { openWorld, patience, soon } from './world.ts';

// A bot in this process shows a busy card at once, so its story takes a tenth of the time.
test.each([
  ['incident', 'this process', prepareBotOn(realClock)],
  ['elsewhere', 'a process of its own', undefined],
] as const)(
  'the story “%s” plays twice in one workspace, and every step has its effect, with the bot in %s',
  async (name, _, prepareBot) => {
    const { system, told, errors } = await openWorld(undefined, prepareBot);
    for (const __ of [1, 2]) {
      await system.playStory({ do: 'story', name, command: 'restart', speed: 1000 });
      const story = () => told.stories?.find(each => each.name === name);
      await expect.poll(story, { timeout: patience * 5 }).toMatchObject({ isPlaying: false });
      expect(story()?.problem).toBeUndefined();
      // As many deeds as the plot says.
      expect(story()?.done).toBe(story()?.steps.length);
    }
    expect(errors).toEqual([]);
  },
  patience * 11,
);

test('where the full tour has played, it says why it does not play again', async () => {
  const { system, told, errors } = await openWorld();
  await system.operator.RolesService.CreateRole({ role: { name: lastingRole } });
  await system.playStory({ do: 'story', name: 'full', command: 'restart', speed: 1000 });
  const story = () => told.stories?.find(each => each.name === 'full');
  await expect.poll(() => story()?.problem, soon).toContain('begin anew with --fresh');
  expect(errors).toEqual([]);
});

test('a story that is not there cannot be played', async () => {
  const { system } = await openWorld();
  await expect(system.playStory({ do: 'story', name: 'x', command: 'play' })).rejects.toThrow('There is no story “x”');
});
