import { expect, test } from 'vitest';
import { reachOf } from '../../../../src/playground/watch/reach.ts';

test.each([
  [['playground/page/shell/shell.ts', 'playground/page/style/base.css'], 'page'],
  [['bot/features/task/add.ts', 'playground/page/main.ts'], 'bot'],
  [['app.ts'], 'bot'],
  [['fake-slack/render/mrkdwn.ts', 'bot/bot.ts'], 'playground'],
  [['playground/workspace/app.ts'], 'playground'],
  [['service/service.ts'], 'playground'],
  [['commands/demo.ts', 'service/service.ts'], 'command'],
  [['playground/watch/reach.ts'], 'command'],
])('a change of %j reaches the %s', (paths, reach) => {
  expect(reachOf(paths)).toBe(reach);
});
