import { expect, test } from 'vitest';
import { createFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import { cardSays } from '../../../../playground/stories/incident.ts';
import { realClock } from '../../../../playground/story-system.ts';
import { type Stage, toStorySystem } from '../../../../playground/system/live-stories.ts';
import { openWire } from '../../../../playground/system/wire.ts';
import { patient } from '../../../support/deadlines.ts';

/** A stage whose bot can be hurried, or not. */
function openStage(bot: Stage['bot']) {
  const wire = openWire([]);
  const journal = { isIdle: async () => true } as unknown as Stage['journal'];
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
  return { system, wire };
}

test('a story hurries the bot where somebody can, and knows where nobody can', async () => {
  let times = 0;
  const { system } = openStage({
    hurry: async () => {
      times += 1;
    },
  });
  await system.hurry?.();
  expect(times).toBe(1);
  // Where nobody can, no step waits until the card of a busy room follows.
  const { system: unhurried } = openStage({});
  expect(unhurried.hurry).toBeUndefined();
  expect(cardSays({ system: unhurried, declared: ['1'] }, 'Commander @bob')).toBe(true);
});

test('heartbeats that go on do not hold a story up', async () => {
  const { system, wire } = openStage({ hurry: async () => undefined });
  // It is asked and never answered.
  wire.begin({ way: 'Web API', name: 'auth.test', request: {} });
  await system.quiet();
  expect(wire.lines[0]?.outcome).toBeUndefined();
});
