import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { realClock, type StoryClock } from '../../../../playground/story-system.ts';
import { openPlayer, type Perform } from '../../../../playground/system/player.ts';
import type { StoryView } from '../../../../playground/workspace/protocol.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import { openInstantClock } from '../../../support/instant-clock.ts';

const tale = { title: 'Tea', introduction: [], scenes: [], plot: ['Ann boils water.', 'Ann pours it.'] };

/** A player of a tale with three deeds, and all that it has told of itself. The plot does not know the last deed. */
function openWorld(perform?: Perform, clock: StoryClock = realClock) {
  const deeds: string[] = [];
  const tell: Perform = async (_tale, { beforeDeed }) => {
    for (const deed of ['boils', 'pours', 'drinks']) {
      await beforeDeed(`Ann ${deed}`);
      deeds.push(deed);
    }
  };
  const told: StoryView[] = [];
  const changed = () => void told.push(player.facts());
  const player = openPlayer('tea', tale, { perform: perform ?? tell, system: { clock, deadlines }, changed });
  onTestFinished(() => player[Symbol.asyncDispose]());
  return { deeds, player, told };
}

test('a story waits to be played, and each step is announced before it happens', async () => {
  const { deeds, player, told } = openWorld();
  expect(player.facts()).toEqual({ name: 'tea', title: 'Tea', steps: tale.plot, done: 0, isPlaying: false, speed: 1 });
  player.command({ command: 'step' });
  await expect.poll(() => deeds).toEqual(['boils']);
  await expect.poll(() => player.facts().done).toBe(1);
  expect(player.facts()).toMatchObject({ isPlaying: false, steps: ['Ann boils water.', 'Ann pours it.'] });
  player.command({ command: 'step' });
  await expect.poll(() => player.facts().steps).toEqual(['Ann boils water.', 'Ann pours it.', 'Ann drinks']);
  expect(deeds).toEqual(['boils', 'pours']);
  expect(told.length).toBeGreaterThan(3);
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

/** A story of two deeds. After the first, the water boils once `isHot` says so. */
function openKettle(isHot: () => boolean) {
  let boiled = 0;
  const world = openWorld(async (_tale, { beforeDeed, check }) => {
    await check('The water boils.', {
      act: async () => {
        await beforeDeed('Ann boils');
        boiled += 1;
      },
      look: expectThat => expectThat(isHot(), 'bubbles'),
    });
    await beforeDeed('Ann pours');
  }, openInstantClock());
  return { ...world, boiled: () => boiled };
}

test('a story waits for what it checks, and says so when that takes longer than a step', async () => {
  let looks = 0;
  const quick = openKettle(() => ++looks > 3);
  quick.player.command({ command: 'play' });
  await expect.poll(() => quick.player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(quick.told.filter(each => each.awaits !== undefined)).toEqual([]);

  looks = 0;
  const slow = openKettle(() => ++looks > 100);
  slow.player.command({ command: 'play' });
  await expect.poll(() => slow.player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(slow.told).toContainEqual(expect.objectContaining({ awaits: 'The water boils.', done: 0, isPlaying: true }));
  expect(slow.boiled()).toBe(1);
  expect(slow.player.facts()).not.toHaveProperty('awaits');
  expect(slow.player.facts()).not.toHaveProperty('problem');
});

test('a check that does not hold in time stops the story there; played on, it looks again and goes on', async () => {
  let isHot = false;
  const { player, boiled } = openKettle(() => isHot);
  const problem = { what: 'This did not happen in time: The water boils. (expected: bubbles)', goesOn: true };
  player.command({ command: 'play' });
  for (const command of ['play', 'step'] as const) {
    await expect.poll(() => player.facts()).toMatchObject({ done: 0, isPlaying: false, problem });
    expect(player.facts()).not.toHaveProperty('awaits');
    player.command({ command });
    expect(player.facts().isPlaying).toBe(true);
    expect(player.facts()).not.toHaveProperty('problem');
  }
  await expect.poll(() => player.facts()).toMatchObject({ isPlaying: false, problem });
  isHot = true;
  player.command({ command: 'play' });
  await expect.poll(() => player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(player.facts()).not.toHaveProperty('problem');
  expect(boiled()).toBe(1);
});

test('a story that has stopped begins anew', async () => {
  let isHot = false;
  const { player, boiled } = openKettle(() => isHot);
  player.command({ command: 'play' });
  await expect.poll(() => player.facts().problem?.goesOn).toBe(true);
  isHot = true;
  player.command({ command: 'restart' });
  expect(player.facts()).toMatchObject({ done: 0, isPlaying: true });
  expect(player.facts()).not.toHaveProperty('problem');
  await expect.poll(() => player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(boiled()).toBe(2);
});

test('a deed that fails ends the story, and its next telling begins anew', async () => {
  let isThere = false;
  const { player } = openWorld(async (_tale, { beforeDeed, check }) => {
    await check('The water boils.', {
      act: async () => {
        await beforeDeed('Ann boils');
        if (!isThere) throw new Error('There is no water.');
      },
      look: () => undefined,
    });
    await beforeDeed('Ann pours');
  }, openInstantClock());
  player.command({ command: 'play' });
  const problem = { what: 'The water boils. But: There is no water.', goesOn: false };
  await expect.poll(() => player.facts()).toMatchObject({ done: 0, isPlaying: false, problem });
  isThere = true;
  player.command({ command: 'play' });
  await expect.poll(() => player.facts()).toMatchObject({ done: 2, isPlaying: false });
  expect(player.facts()).not.toHaveProperty('problem');
});

test.each([
  ['it waits', (signal: AbortSignal | undefined) => once(signal ?? new EventTarget(), 'abort'), undefined],
  ['it has stopped', () => Promise.resolve(), expect.objectContaining({ goesOn: true })],
] as const)('a story that is closed while %s ends there', async (_, pause, problem) => {
  let [looks, isOver] = [0, false];
  const wait = async (_milliseconds: number, signal?: AbortSignal) => {
    await pause(signal);
    signal?.throwIfAborted();
  };
  const { player } = openWorld(
    async (_tale, { check }) => {
      await check('The water boils.', {
        look: expectThat => {
          looks += 1;
          expectThat(false, 'bubbles');
        },
      });
      isOver = true;
    },
    { ...realClock, wait },
  );
  player.command({ command: 'play' });
  await expect.poll(() => looks).toBeGreaterThan(0);
  await expect.poll(() => player.facts().problem).toEqual(problem);
  await player[Symbol.asyncDispose]();
  expect(isOver).toBe(false);
});

test('a story that stops in a deed ends there', async () => {
  let isOver = false;
  const { player } = openWorld(async (_tale, { beforeDeed, check }) => {
    await check('The water boils.', { act: () => beforeDeed('Ann boils'), look: () => undefined });
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
