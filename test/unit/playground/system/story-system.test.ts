import { expect, test } from 'vitest';
import { createFakeSlack } from '../../../../src/fake-slack/fake-slack.ts';
import { realClock } from '../../../../src/playground/story-system.ts';
import { type Stage, toStorySystem } from '../../../../src/playground/system/live-stories.ts';
import { openWire } from '../../../../src/playground/system/wire.ts';
import { patient } from '../../../support/deadlines.ts';

/** A stage whose cards are never up to date; whose bot can be hurried, or not. */
function openStage(bot: Stage['bot']) {
  const wire = openWire([]);
  let looks = 0;
  const journal = {
    isIdle: async () => true,
    isShown: async () => {
      looks += 1;
      return looks > 3;
    },
  } as unknown as Stage['journal'];
  const operator = {} as Stage['operator'];
  const watchdog: Stage['watchdog'] = { act: () => undefined, sent: async () => undefined };
  const pager: Stage['pager'] = {
    facts: () => ({ pages: [], waiting: 0 }),
    acknowledge: () => undefined,
    sent: async () => undefined,
  };
  const facts: Stage['facts'] = () => ({
    faults: [],
    bot: 'running',
    pagesUrl: '',
    watchdog: { firing: 0, waiting: 0 },
    pager: { pages: [], waiting: 0 },
    troubles: {},
  });
  const slack = createFakeSlack() as unknown as Stage['slack'];
  const system = toStorySystem({
    deadlines: patient(),
    slack,
    operator,
    pagesUrl: '',
    clock: realClock,
    ...{ watchdog, pager },
    wire,
    journal,
    facts,
    bot,
  });
  return { system, wire, looks: () => looks };
}

test('a story waits for no card of a bot that nobody can hurry', async () => {
  const { system, looks } = openStage({});
  expect(await system.shown()).toBe(false);
  expect(looks()).toBe(0);
});

test('a story whose bot can be hurried sees the cards as they are', async () => {
  const { system, looks } = openStage({ hurry: async () => undefined });
  expect(await system.shown()).toBe(true);
  expect(looks()).toBe(4);
});

test('heartbeats that go on do not hold a story up', async () => {
  const { system, wire } = openStage({ hurry: async () => undefined });
  // It is asked and never answered.
  wire.begin({ way: 'Web API', name: 'auth.test', request: {} });
  await system.quiet();
  expect(wire.lines[0]?.outcome).toBeUndefined();
});
