import { expect, test } from 'vitest';
import { maxConcurrentLanes } from '../../../../src/bot/journal/worker.ts';
import { down, openJournals, openOne, pass } from '../../../support/journal-world.ts';
import { openVirtualTime } from '../../../support/virtual-time.ts';

/** More lanes than one process runs at a time; in each one write was put off, and its next attempt hangs. */
async function openStuck() {
  const { world, start } = await openJournals();
  const process = await start();
  const hanging = Promise.withResolvers<void>();
  const texts = Array.from({ length: maxConcurrentLanes + 8 }, (_, index) => `in ${index}`);
  for (const text of texts) {
    world.script.set(text, [down, hanging.promise]);
    expect(await process.write(text, text, { subject: text })).toMatchObject({ state: 'queued' });
  }
  await process.journal.wake();
  const begun = () => texts.filter(text => world.script.get(text)?.length === 0);
  await expect.poll(begun).toHaveLength(maxConcurrentLanes);
  return { world, start, process, texts, begun, go: hanging.resolve };
}

test('however many lanes are stuck, a caller in another one is answered at once', async () => {
  const { world, process, texts, begun, go } = await openStuck();
  const slow = Promise.withResolvers<void>();
  world.script.set('first', [slow.promise]);
  const both = ['first', 'second'].map(text => process.write(text, text, { subject: 'another' }));
  await expect.poll(() => world.script.get('first')).toEqual([]);
  slow.resolve();
  expect(await Promise.all(both)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  expect(world.effects).toEqual(['another: second']);
  expect(begun()).toHaveLength(maxConcurrentLanes);
  go();
  await process.journal.idle();
  expect(begun()).toEqual(texts);
  expect(await process.states()).toEqual({ done: texts.length + 2 });
});

test('a process that is stopped hands back what had yet to begin as it was', async () => {
  const { world, start, process, texts, begun } = await openStuck();
  await process.journal.stop(0);
  const cutOff = begun();
  expect(cutOff).toHaveLength(maxConcurrentLanes);
  expect(await process.states()).toEqual({ pending: texts.length });
  world.script.clear();
  await (await start()).wake();
  // What had begun may have taken effect; nothing else is looked for.
  const lookedFor = world.attempts.filter(text => text.startsWith('?')).map(text => text.slice(1));
  expect(lookedFor.toSorted()).toEqual(cutOff.toSorted());
  expect(world.effects.toSorted()).toEqual(texts.map(text => `${text}: ${text}`).toSorted());
});

test('another process runs the lanes for which this one has no room', async () => {
  const { start, texts, begun, go } = await openStuck();
  const other = await start();
  await other.journal.tick();
  await expect.poll(begun).toEqual(texts);
  go();
  await other.journal.idle();
});

test('of more lanes than run at a time, those that waited longest come first', async () => {
  const { world, start } = await openJournals();
  const before = await start();
  // In the order of their names, the ones that asked last would be first.
  const lanes = Array.from({ length: 80 }, (_, index) => `${80 - index}`.padStart(2, '0'));
  for (const subject of lanes) {
    world.script.set(subject, [down]);
    await before.write(subject, subject, { subject });
    pass(world, 1);
  }
  await before.journal.stop(0);
  await (await start()).wake();
  const youngest = lanes.slice(64).map(lane => `${lane}: ${lane}`);
  expect(world.effects.slice(0, maxConcurrentLanes).filter(effect => youngest.includes(effect))).toEqual([]);
  expect(world.effects).toHaveLength(80);
});

test('a backlog drains without waiting for the next tick', async () => {
  openVirtualTime(['setInterval', 'clearInterval']);
  const { world, write, journal, states } = await openOne();
  const lanes = Array.from({ length: 2 * maxConcurrentLanes + 5 }, (_, index) => `${index}`);
  for (const subject of lanes) {
    world.script.set(subject, [down]);
    await write(subject, subject, { subject });
  }
  await journal.wake();
  await journal.idle();
  expect(await states()).toEqual({ done: lanes.length });
});
