import { expect, onTestFinished, test } from 'vitest';
import { addPeopleAndChannels, announceChannel, openCast } from '../../../playground/cast.ts';
import { openChecks } from '../../../playground/checks.ts';
import type { StorySystem } from '../../../playground/story-system.ts';
import { openStoryClock } from '../../../playground/story-system.ts';
import { tales, unread } from '../../../playground/system/live-stories.ts';
import { startDemoSystem } from '../../../playground/system.ts';
import type { StoryView } from '../../../playground/workspace/protocol.ts';
import { prepareBotOn } from '../../support/bot-in-process.ts';
import { openWorld } from './world.ts';

/** A clock that jumps where a story waits for minutes. */
const jumping = openStoryClock(new Date());

// A bot in this process shows a busy card at once, so its story takes a tenth of the time.
test.each([
  ['incident', 'this process', [4, 22], prepareBotOn(jumping), jumping],
  ['duty', 'this process', [8], prepareBotOn(jumping), jumping],
  ['elsewhere', 'a process of its own', [3], undefined, undefined],
] as const)(
  'the story “%s” plays to its end, wherever the tellings before were stopped, with the bot in %s',
  async (name, _, stops, prepareBot, clock) => {
    const { system, told, errors } = await openWorld(undefined, prepareBot, clock);
    const story = (): StoryView | undefined => told.stories?.find(each => each.name === name);
    const steps = story()?.steps;
    let last = 0;
    system.follow(() => {
      const { done = 0, isPlaying } = story() ?? {};
      if (isPlaying) last = done;
    });
    for (const upTo of [...stops, undefined]) {
      await system.playStory({ do: 'story', name, command: 'restart', speed: 1000, ...(upTo && { upTo }) });
      await expect.poll(story).toMatchObject({ isPlaying: false });
      expect(story()?.problem).toBeUndefined();
      expect(story()?.done).toBe(upTo ?? steps?.length);
    }
    // As many deeds as the plot says.
    expect([last + 1, story()?.steps]).toEqual([steps?.length, steps]);
    expect(errors).toEqual([]);
  },
);

test.each(Object.entries(tales))(
  'every check of the story “%s” waits for what it reads, though nothing waits after a deed',
  async (_, { scenes, settings }) => {
    const { errors, ...demo } = await startDemoSystem({
      ...{ start: new Date('2026-03-14T02:07:00Z'), announceChannel, settings },
      populate: addPeopleAndChannels,
    });
    onTestFinished(() => demo[Symbol.asyncDispose]());
    // Its cards show the newest state in the end, and are looked at then.
    const system: StorySystem = { ...demo, quiet: async () => undefined, hurry: async () => undefined };
    const verdicts: unknown[] = [];
    const verdict = (claim: string, problems: readonly string[]) =>
      void verdicts.push(...problems.map(each => [claim, each]));
    const { check } = openChecks({ ...unread, verdict }, system);
    const cast = openCast({ system, transcript: unread, observe: () => [] });
    const story = { system, declared: [], cast, check, transcript: unread };
    for (const scene of scenes) await scene(story);
    expect([verdicts, errors]).toEqual([[], []]);
  },
);

test('a story that is not there cannot be played', async () => {
  const { system } = await openWorld();
  await expect(system.playStory({ do: 'story', name: 'x', command: 'play' })).rejects.toThrow('There is no story “x”');
});
