import { expect, onTestFinished, test } from 'vitest';
import { openPlayer, type Perform } from '../../../../src/playground/system/player.ts';

const tale = { title: 'Tea', introduction: [], scenes: [], plot: ['Ann boils water.', 'Ann pours it.'] };

/** A player of a tale with three deeds, the last of which the plot does not know. */
function openWorld(perform?: Perform) {
  const deeds: string[] = [];
  const tell: Perform = async (_tale, { beforeDeed }) => {
    for (const deed of ['boils', 'pours', 'drinks']) {
      await beforeDeed(`Ann ${deed}`);
      deeds.push(deed);
    }
  };
  let changes = 0;
  const player = openPlayer('tea', tale, perform ?? tell, () => {
    changes += 1;
  });
  onTestFinished(() => player[Symbol.asyncDispose]());
  return { deeds, player, changes: () => changes };
}

test('a story waits to be played, and each step is announced before it happens', async () => {
  const { deeds, player, changes } = openWorld();
  expect(player.facts()).toEqual({ name: 'tea', title: 'Tea', steps: tale.plot, done: 0, isPlaying: false, speed: 1 });
  player.command({ command: 'step' });
  await expect.poll(() => deeds).toEqual(['boils']);
  await expect.poll(() => player.facts().done).toBe(1);
  expect(player.facts()).toMatchObject({ isPlaying: false, steps: ['Ann boils water.', 'Ann pours it.'] });
  player.command({ command: 'step' });
  await expect.poll(() => player.facts().steps).toEqual(['Ann boils water.', 'Ann pours it.', 'Ann drinks']);
  expect(deeds).toEqual(['boils', 'pours']);
  expect(changes()).toBeGreaterThan(3);
});

test('it plays at its speed to the end, and then from the beginning', async () => {
  const { deeds, player } = openWorld();
  player.command({ command: 'play', speed: 100 });
  expect(player.facts()).toMatchObject({ isPlaying: true, speed: 100 });
  await expect.poll(() => player.facts()).toMatchObject({ done: 3, isPlaying: false });
  player.command({ command: 'play' });
  await expect.poll(() => deeds).toEqual(['boils', 'pours', 'drinks', 'boils', 'pours', 'drinks']);
});

test('it plays up to a step at full speed, then pauses', async () => {
  const { deeds, player } = openWorld();
  player.command({ command: 'play', speed: 0.001, upTo: 2 });
  await expect.poll(() => player.facts().done).toBe(2);
  expect(deeds).toEqual(['boils', 'pours']);
  expect(player.facts().isPlaying).toBe(false);
});

test('a paused story begins anew, and the one before does nothing more', async () => {
  const { deeds, player } = openWorld();
  player.command({ command: 'play', speed: 0.001 });
  player.command({ command: 'pause' });
  expect(player.facts().isPlaying).toBe(false);
  player.command({ command: 'restart', speed: 100 });
  await expect.poll(() => player.facts()).toMatchObject({ done: 3, isPlaying: false });
  expect(deeds).toEqual(['boils', 'pours', 'drinks']);
});

test('a check that fails is the story’s problem, and the story goes on', async () => {
  const { player } = openWorld(async (_tale, { beforeDeed, check }) => {
    await check('The water boils.', async expectThat => {
      await beforeDeed('Ann boils');
      expectThat(false, 'bubbles');
    });
    await beforeDeed('Ann pours');
  });
  player.command({ command: 'play', speed: 100 });
  await expect.poll(() => player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(player.facts().problem).toBe('The water boils. But: expected: bubbles.');
  player.command({ command: 'pause' });
});

test('a story that stops in a check ends there', async () => {
  let isOver = false;
  const { player } = openWorld(async (_tale, { beforeDeed, check }) => {
    await check('The water boils.', () => beforeDeed('Ann boils'));
    isOver = true;
  });
  player.command({ command: 'pause' });
  player.command({ command: 'step', speed: 0.001 });
  player.command({ command: 'pause' });
  await player[Symbol.asyncDispose]();
  expect(isOver).toBe(false);
  expect(player.facts().problem).toBeUndefined();
});

test('a story says where it happens, as soon as the next deed is known; a deed without a place stays there', async () => {
  const places: (string | undefined)[] = [];
  const { player } = openWorld(async (_tale, { beforeDeed }) => {
    for (const place of ['C1', undefined, 'C2']) {
      await beforeDeed('Ann boils', place);
      places.push(player.facts().place);
    }
  });
  expect(player.facts().place).toBeUndefined();
  player.command({ command: 'step' });
  await expect.poll(() => player.facts().place).toBe('C1');
  player.command({ command: 'play', speed: 100 });
  await expect.poll(() => player.facts()).toMatchObject({ isPlaying: false, place: 'C2' });
  expect(places).toEqual(['C1', 'C1', 'C2']);
});
