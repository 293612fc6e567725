import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { patient } from '../support/deadlines.ts';
import { openOutage } from '../support/outage-room.ts';

type World = Awaited<ReturnType<typeof openOutage>>;

/** The last message with Discard that alice reads. */
function messageOf(at: World, channel: string) {
  const isReceipt = (each: { blocks: unknown }) => JSON.stringify(each.blocks).includes('"Discard"');
  const message = at.place.messages(at.alice, channel).findLast(isReceipt);
  if (!message) throw new Error('Nothing can be discarded');
  return message;
}

/** What people ask for during an outage, and how they read of it. */
const asked = [
  ['/task add Fail over', 'add the task “Fail over”'],
  ['/note add It began at noon', 'add “It began at noon” to the timeline of incident 1'],
  ['/incident update We fail over', 'post “We fail over” as the update of incident 1'],
  ['/incident severity major', 'set the severity of incident 1 to major'],
  ['/incident title Cart is down', 'rename incident 1 to “Cart is down”'],
  ['/incident label db', 'add the label db to incident 1'],
  ['/incident drill on', 'mark incident 1 as a drill'],
  ['/incident cancel', 'mark incident 1 as declared by mistake'],
  ['/role assign me observer', 'make alice observer'],
  ['/incident reopen', 'reopen incident 1'],
] as const;

test.each(asked)('“%s” during an outage is answered in one sentence that names who is away', async (line, aim) => {
  const at = await openOutage();
  const { type, room, goAway, grafana, alice, place } = at;
  await type('/incident declare Checkout is down --now');
  if (line === '/incident reopen') await type('/incident resolve --now', alice, room().name);
  goAway();
  const known = place.reads(alice, room().id).length;
  await type(line, alice, room().name);
  const told = place.reads(alice, room().id).slice(known);
  const mine = told.filter(each => each.startsWith('⏳ Saved.'));
  const host = new URL(grafana.settings.GRAFANA_URL ?? '').host;
  const until = /^(?:Grafana answers|the changes before it are made)$/;
  expect(mine.length).toBeGreaterThan(0);
  for (const each of mine) {
    const [text = '', row] = each.split('\n');
    expect(until.test(/ as soon as (.+)\.$/.exec(text)?.[1] ?? '')).toBe(true);
    expect(row).toBe('[Try now] [Discard]');
  }
  expect(mine.some(each => each.includes(aim))).toBe(true);
  const sent = JSON.stringify(place.messages(alice, room().id));
  expect(sent).toContain(`as soon as Grafana at ${host} answers.`);
  // The room hears of it once, and its card says no more than that it is old.
  const others = place.reads(alice, room().id).filter(each => /answer/.test(each) && !each.startsWith('⏳ Saved.'));
  expect(others.length).toBeLessThanOrEqual(2);
  expect(others.join('\n')).not.toContain('incident API');
});

test('Try now tries the API at once, though it did not answer a moment ago', async () => {
  const at = await openOutage({ deadlines: patient({ api: { breaker: { coolDown: 3_600_000 } } }) });
  await at.type('/incident declare Checkout is down --now');
  at.goAway();
  await at.type('/task add Fail over', at.alice, at.room().name);
  at.bob.join(at.room().id);
  const { requests } = at.grafana;
  let sent: number;
  do {
    sent = requests.length;
    await at.type('/incident status', at.bob, at.room().name);
  } while (requests.length > sent);
  await at.alice.press(messageOf(at, at.room().id), 'Try now');
  await at.place.quiet();
  expect(requests.length).toBeGreaterThan(sent);
  at.grafana.heal();
  await at.alice.press(messageOf(at, at.room().id), 'Try now');
  await at.place.quiet();
  expect(await at.states()).not.toHaveProperty('pending');
  expect((await at.incident()).taskList.tasks).toMatchObject([{ text: 'Fail over' }]);
});

test('Discard is no red button, and asks before it forgets what somebody typed', async () => {
  const at = await openOutage();
  await at.type('/incident declare Checkout is down --now');
  at.goAway();
  await at.type('/task add Fail over', at.alice, at.room().name);
  const buttons = blocksOf(messageOf(at, at.room().id)).flatMap(
    each => (each.elements ?? []) as { action_id?: string; style?: string; confirm?: object }[],
  );
  const discard = buttons.find(each => each.action_id === 'muster.discard');
  expect(discard).not.toHaveProperty('style');
  expect(discard).toHaveProperty('confirm');
  await at.alice.press(messageOf(at, at.room().id), 'Discard');
  await at.place.quiet();
  expect(at.place.reads(at.alice, at.room().id).join('\n')).toContain('Discarded: ');
});

test('an incident that is declared during an outage says so once, on its card', async () => {
  const { type, room, goAway, comeBack, alice, place, reads } = await openOutage();
  goAway();
  await type('/incident declare Checkout is down --now');
  expect(reads()).toMatch(/^⏳ Saved\. I’ll declare “Checkout is down” as soon as Grafana answers\.\nHead to #/);
  await type('/task add Fail over', alice, room().name);
  const said = () =>
    place.reads(alice, room().id).filter(each => /Grafana/.test(each) && !each.startsWith('⏳ Saved.'));
  expect(said()).toEqual([
    expect.stringContaining('Work here as usual: it is all saved, and added as soon as Grafana answers.'),
  ]);
  await comeBack();
  expect(said()).toEqual([expect.stringMatching(/^☑️ Grafana answers again\. This is incident 1 now\.$/)]);
});
