import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';

test.each([
  ['an update', '/incident update we roll back', 'section'],
  ['a task', '/task add Call the vendor', 'context'],
])('%s is as large as it matters', async (_what, line, kind) => {
  const { place, wendy, home, later } = await openIncident();
  await later(line);
  const newest = place.messages(wendy, home.id).at(-1) ?? expect.fail('There is no message');
  expect(blocksOf(newest).map(block => block.type)).toEqual([kind]);
});

test('an update that changes the severity is carried out once when the API comes back', async () => {
  const { place, alice, type, room, goAway, comeBack, timeline } = await openOutage({});
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  goAway();
  await type('/incident update it spreads --severity major', alice, home);
  await comeBack();
  const items = await timeline();
  expect(items.filter(item => item.activityKind === 'incidentSeverityChanged')).toHaveLength(1);
  expect(items.filter(item => item.activityKind === 'userNote').map(item => item.body)).toEqual([
    '📣 it spreads\n\n— alice in Slack',
  ]);
  expect(place.reads(alice, home).filter(text => text.includes('🟠 major (was pending)'))).toHaveLength(1);
});
