import { expect, test } from 'vitest';
import { openOutage } from '../support/outage-room.ts';

/** An incident that everybody in its room sees, and the lines that bob, who types nothing, reads there. */
async function openRoom() {
  const clock = { now: new Date('2026-11-20T02:10:00Z') };
  const world = await openOutage({ clock: () => clock.now });
  await world.type('/incident declare Checkout answers 500 --now');
  const home = world.room();
  world.bob.join(home.id);
  await world.place.quiet();
  const before = world.place.reads(world.bob, home.name).length;
  return {
    ...world,
    clock,
    home,
    lines: () => world.place.reads(world.bob, home.name).slice(before),
  };
}

test('an outage is one line in the room, which counts the work that waits and says at last that it is over', async () => {
  const { clock, type, lines, home, slack, alice, goAway, comeBack } = await openRoom();
  goAway();
  clock.now = new Date('2026-11-20T02:14:00Z');
  await type('/task add Call the vendor', alice, home.name);
  expect(lines()).toEqual([
    '⏳ Grafana has not answered since Nov 20, 2026 2:14 AM. 1 change is saved, and made as soon as it does.',
  ]);
  clock.now = new Date('2026-11-20T02:20:00Z');
  await type('/note It is their network', alice, home.name);
  await type('/incident severity critical', alice, home.name);
  expect(lines()).toEqual([expect.stringContaining('since Nov 20, 2026 2:14 AM. 3 changes are saved')]);
  const posted = slack.callsOf('chat.postMessage').length;

  clock.now = new Date('2026-11-20T02:31:00Z');
  await comeBack();
  const [outage, ...changes] = lines();
  expect(outage).toBe('☑️ Grafana answers again after 17 min, and what was saved is done.');
  expect(changes.join('\n')).toContain('Call the vendor');
  expect(slack.callsOf('chat.postMessage').length, 'the line is edited').toBeGreaterThan(posted);
  expect(lines().filter(line => line.includes('Grafana'))).toHaveLength(1);
});

test('a second outage has a line of its own, and one in which nobody does anything has none', async () => {
  const { clock, type, lines, home, alice, api, place, grafana, goAway, comeBack } = await openRoom();
  goAway();
  await type('/task add Call the vendor', alice, home.name);
  await comeBack();
  clock.now = new Date('2026-11-20T04:00:00Z');
  goAway();
  await type('/incident status', alice, home.name);
  expect(lines().filter(line => line.includes('has not answered'))).toEqual([]);
  await type('/task add Call them again', alice, home.name);
  expect(lines().filter(line => line.includes('has not answered'))).toEqual([expect.stringContaining('4:00 AM')]);
  await comeBack();
  expect(lines().filter(line => line.includes('answers again'))).toHaveLength(2);
  expect(lines().filter(line => line.includes('has not answered'))).toEqual([]);
  expect((await api.IncidentsService.GetIncident({ incidentID: '1' })).incident.taskList.tasks).toHaveLength(2);
  expect(grafana.requests.length).toBeGreaterThan(0);
  expect(place.reads(alice, home.name).join('\n')).not.toContain('undefined');
});

test('what is discarded is not counted any more', async () => {
  const { type, lines, home, alice, place, goAway, comeBack, act } = await openRoom();
  goAway();
  await type('/task add Call the vendor', alice, home.name);
  await type('/task add Call them again', alice, home.name);
  expect(lines()).toEqual([expect.stringContaining('2 changes are saved')]);
  const saved = place.messages(alice, home.id).findLast(each => JSON.stringify(each.blocks).includes('Discard'));
  if (!saved) throw new Error('Nothing can be discarded');
  await act(() => alice.press(saved, 'Discard'));
  await comeBack();
  expect(lines()[0]).toContain('Grafana answers again');
  expect(lines().join('\n')).not.toContain('has not answered');
});

/** Presses Discard under the last receipt of alice that has it, and yields what she reads there then. */
async function discardLast({ place, alice, home }: Awaited<ReturnType<typeof openRoom>>): Promise<string> {
  const isReceipt = (each: { blocks: unknown }) => JSON.stringify(each.blocks).includes('"Discard"');
  const saved = place.messages(alice, home.id).findLast(isReceipt);
  if (!saved) throw new Error('Nothing can be discarded');
  await alice.press(saved, 'Discard');
  await place.quiet();
  const at = place.messages(alice, home.id).findIndex(each => each.ts === saved.ts);
  return place.reads(alice, home.name)[at] ?? '';
}

test('what is discarded after its answer was lost may have happened, and its receipt says so', async () => {
  const room = await openRoom();
  const { grafana, type, lines, home, alice, goAway, comeBack, timeline } = room;
  goAway();
  grafana.fail({ when: /AddActivity$/, answer: 'hang up', afterEffect: true, times: 1 });
  await type('/note Called the vendor', alice, home.name);
  expect(await discardLast(room)).toBe(
    'Discarded: I will not try again to add “Called the vendor” to the timeline of incident 1. It may have happened, since an answer was lost: look at /incident status.',
  );
  await type('/note Called them again', alice, home.name);
  await type('/note And once more', alice, home.name);
  // That one waited behind the other and was never tried.
  expect(await discardLast(room)).toBe('Discarded: I will not add “And once more” to the timeline of incident 1.');
  await comeBack();
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote').map(item => item.body);
  expect(notes).toEqual([expect.stringContaining('Called the vendor'), expect.stringContaining('Called them again')]);
  // Nobody in the room reads that it was not done.
  expect(lines().join('\n')).not.toContain('iscarded');
});

test('who asked for what an attempt did whose answer was lost is not told that nothing was changed', async () => {
  const { grafana, type, place, home, alice, comeBack } = await openRoom();
  await type('/role assign @alice commander', alice, home.name);
  for (const [method, command, receipt] of [
    ['UpdateSeverity', '/incident severity critical', 'Incident 1 is critical already.'],
    ['UpdateTitle', '/incident title Checkout is slow', 'Incident 1 is called “Checkout is slow” already.'],
    ['AddLabel', '/incident label network', 'Incident 1 is labelled network already.'],
    ['RemoveLabel', '/incident unlabel network', 'Incident 1 has no label network. It has no labels.'],
    ['UpdateIncidentIsDrill', '/incident drill on', 'Incident 1 is a drill already.'],
    ['UnassignRole', '/role unassign @alice commander', '@alice is not commander.'],
    ['AssignRole', '/role assign @alice observer', '@alice is observer already.'],
  ] as const) {
    grafana.fail({ when: new RegExp(`${method}$`), answer: 'hang up', afterEffect: true, thenAway: true, times: 1 });
    await type(command, alice, home.name);
    await comeBack();
    await place.quiet();
    const late = place.reads(alice, home.name).findLast(each => each.includes('What you asked for earlier is done'));
    expect(late?.split('\n').at(-1), command).toBe(receipt);
  }
  // It is known that this one changed nothing.
  expect(await type('/incident severity critical', alice, home.name)).toContain('already. Nothing was changed.');
});

test('a declaration that is discarded after its answer was lost may be registered, and everybody reads that', async () => {
  const { grafana, type, place, slack, alice, bob, goAway, general, comeBack, titles } = await openRoom();
  goAway();
  grafana.fail({ when: /CreateIncident$/, answer: 'hang up', afterEffect: true, times: 1 });
  await type('/incident declare Disk is full --now');
  const home = slack.channels.findLast(each => each.name.startsWith('inc-'));
  if (!home) throw new Error('It has no channel');
  bob.join(home.id);
  const saved = place.messages(alice, general.id).at(-1);
  if (saved) await alice.press(saved, 'Discard');
  await place.quiet();
  const unsure = 'It may have happened, since an answer was lost: look at /incident list.';
  expect(place.lastRead(alice, 'general')).toContain(unsure);
  expect(place.reads(bob, home.name).join('\n')).toContain(unsure);
  await comeBack();
  expect(await titles()).toContain('Disk is full');
});

test('a change that goes on failing while the API answers is told in the room within a minute: why, and who can end it', async () => {
  const room = await openRoom();
  const { clock, grafana, type, lines, home, alice, place } = room;
  const until = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 15) {
      clock.now = new Date(clock.now.getTime() + 15_000);
      await place.muster.bot.journal.wake();
      await place.quiet();
    }
  };
  grafana.fail({ when: /AddTask/, answer: { status: 502, body: 'bad gateway of the proxy' } });
  await type('/task add Call the vendor', alice, home.name);
  await type('/note It is their network', alice, home.name);
  expect(lines()).toEqual([]);
  await until(60);
  expect(lines()).toEqual([expect.stringContaining('bad gateway of the proxy')]);
  expect(lines()[0]).toMatch(/a change by @alice has failed.* 1 more waits behind it\. @alice can end it with Discard/);
  const first = place.messages(alice, home.id).find(each => JSON.stringify(each.blocks).includes('"Discard"'));
  if (!first) throw new Error('Nothing can be discarded');
  await alice.press(first, 'Discard');
  await place.quiet();
  await until(15);
  expect(lines()[0]).toBe('☑️ Nothing waits here any more.');
  expect(lines().join('\n')).toContain('It is their network');
});

test('what waited for the API, and is done soon after it answers, is no change that fails', async () => {
  const { clock, type, lines, home, alice, goAway, comeBack } = await openRoom();
  goAway();
  await type('/task add Call the vendor', alice, home.name);
  clock.now = new Date('2026-11-20T03:14:00Z');
  await comeBack();
  expect(lines().join('\n')).not.toContain('has failed');
});
