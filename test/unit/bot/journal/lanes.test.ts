import { expect, test } from 'vitest';
import { alice, awayWhile, createWorld, down, openFresh, openProcess, pass } from '../../../support/journal-world.ts';
import { openOutage } from '../../../support/outage-room.ts';

/** More incidents than one process makes attempts for at a time, in each of which one write was kept; its next attempt hangs. */
async function openStuck() {
  const world = createWorld();
  const url = await openFresh();
  const state = { isAway: false };
  const process = await openProcess(url, world, awayWhile(state));
  const hanging = Promise.withResolvers<void>();
  const texts = Array.from({ length: 40 }, (_, index) => `in ${index}`);
  for (const text of texts) {
    world.script.set(text, [down, hanging.promise]);
    expect(await process.write(text, text, { incidentID: text })).toMatchObject({ state: 'kept' });
  }
  await process.journal.wake();
  const begun = () => texts.filter(text => world.script.get(text)?.length === 0);
  await expect.poll(begun).toHaveLength(32);
  return { world, url, state, process, texts, begun, go: hanging.resolve };
}

test('however many incidents are stuck, whoever acts on another one is answered at once', async () => {
  const { world, process, texts, begun, go } = await openStuck();
  const slow = Promise.withResolvers<void>();
  world.script.set('first', [slow.promise]);
  const both = ['first', 'second'].map(text => process.write(text, text, { incidentID: 'another' }));
  await expect.poll(() => world.script.get('first')).toEqual([]);
  slow.resolve();
  expect(await Promise.all(both)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  expect(world.effects).toEqual(['another: second']);
  expect(begun()).toHaveLength(32);
  go();
  await process.journal.idle();
  expect(begun()).toEqual(texts);
  expect((await process.rows()).map(row => row.state)).toEqual(Array.from({ length: 42 }, () => 'done'));
});

test('a process that is stopped hands back as untouched what had yet to begin', async () => {
  const { process, begun } = await openStuck();
  await process.journal.stop(0);
  expect(begun()).toHaveLength(32);
  const rows = (await process.rows()).map(row => `${row.state} ${row.lease_owner ? 'held' : 'free'} ${row.doubt}`);
  const count = (row: string) => rows.filter(each => each === row).length;
  expect({ begun: count('waiting free 1'), untouched: count('waiting free 0') }).toEqual({ begun: 32, untouched: 8 });
});

test('what had to wait so long for its turn that another process has taken it over is left to that one', async () => {
  const { world, url, state, process, begun, go } = await openStuck();
  state.isAway = true;
  const waiting = [...world.script].filter(([, tries]) => tries.length > 0).map(([text]) => text);
  for (const text of waiting) world.script.set(text, []);
  const other = await openProcess(url, world);
  await other.journal.wake();
  pass(world, 21_000);
  await other.catchUp();
  await other.catchUp();
  const done = world.effects.toSorted();
  expect(done).toHaveLength(40);
  go();
  state.isAway = false;
  await process.journal.idle();
  expect(world.effects.toSorted()).toEqual(done);
  expect(begun()).toHaveLength(40);
});

test('while Slack takes its time to tell what ended, other incidents go on', async () => {
  const world = createWorld();
  const { journal, write } = await openProcess(await openFresh(), world);
  let isTelling = false;
  const told = Promise.withResolvers<void>();
  journal.onEnd(() => {
    isTelling = true;
    return told.promise;
  });
  for (const text of ['a', 'b']) {
    world.script.set(text, [down]);
    await write(text, text, { incidentID: text });
    await journal.wake();
    await expect.poll(() => world.effects).toContain(`${text}: ${text}`);
    await expect.poll(() => isTelling).toBe(true);
  }
  told.resolve();
  await journal.idle();
});

test('as many writes may hang as the journal tries at a time: what somebody asks for still reaches the API', async () => {
  const { api, grafana } = await openOutage({ patience: { attemptTimeout: 9000, budget: 9000, breaker: {} } });
  grafana.fail({ when: /AddActivity/, answer: 'stall' });
  const end = new AbortController();
  const hanging = Array.from({ length: 40 }, () =>
    api.ActivityService.AddActivity(
      { incidentID: '1', activityKind: 'userNote', body: 'note' },
      { signal: end.signal },
    ),
  );
  const ended = Promise.allSettled(hanging);
  const begun = () => grafana.requests.filter(line => line.includes('AddActivity'));
  await expect.poll(begun, { timeout: 5000 }).toHaveLength(40);
  expect(await api.IncidentsService.QueryIncidentPreviews({ query: {} })).toMatchObject({ incidentPreviews: [] });
  end.abort();
  await ended;
});

test('when what held up an incident is given up, what waited behind it is tried at once', async () => {
  const world = createWorld();
  world.script.set('first', [down]);
  const { journal, write, rows } = await openProcess(await openFresh(), world);
  const { id } = await write('1', 'first');
  expect(await write('2', 'second')).toMatchObject({ state: 'kept' });
  expect((await rows()).map(row => row.next_at > 0)).toEqual([true, false]);
  expect(await journal.discard(id, alice)).toBe(true);
  await expect.poll(() => world.effects).toEqual(['1: second']);
});

test('of more incidents than are worked on at a time, those that waited longest come first', async () => {
  const world = createWorld();
  const url = await openFresh();
  const before = await openProcess(url, world);
  // In the order of their names, the ones that asked last would be first.
  const lanes = Array.from({ length: 80 }, (_, index) => `${80 - index}`.padStart(2, '0'));
  for (const incidentID of lanes) {
    world.script.set(incidentID, [down]);
    await before.write(incidentID, incidentID, { incidentID });
    pass(world, 1);
  }
  await before.journal.stop(0);
  await (await openProcess(url, world)).catchUp();
  const youngest = lanes.slice(64).map(lane => `${lane}: ${lane}`);
  expect(world.effects.slice(0, 32).filter(effect => youngest.includes(effect))).toEqual([]);
  expect(world.effects).toHaveLength(80);
});
