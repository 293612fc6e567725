import { expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { openIncident } from '../support/incident-room.ts';

test('the form of the resolution, sent untouched minutes later, sets no time that nobody gave', async () => {
  const { type, card, press, submit, alice, incident, items, wait, publicLines, reads } = await openIncident();
  wait(20);
  await press(card(), 'Resolve');
  expect(alice.view?.values.ended?.ended).toMatchObject({ selected_date_time: null });
  wait(4);
  await submit({});
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-20T12:39:00Z' });
  expect(await items('incidentEnd')).toEqual([]);
  expect(publicLines()).toEqual(['✅ Resolved after 24 min – @alice']);
  expect(reads()).not.toContain('ended at');

  await type('/incident reopen');
  await type('/incident ended 5m ago');
  await press(card(), 'Resolve');
  wait(4);
  await submit({});
  expect(await items('incidentEnd')).toHaveLength(1);
  expect((await incident()).incidentEnd).toBe('2026-11-20T12:34:00Z');
});

test('Resolve stands on the card of an active incident, and is the main button once all tasks are done', async () => {
  const { type, card } = await openIncident();
  const resolve = () => {
    const rows = blocksOf(card()).flatMap(each => (each.elements ?? []) as { action_id?: string }[]);
    return rows.find(each => each.action_id === 'incident.resolve');
  };
  expect(resolve()).not.toHaveProperty('style');
  await type('/role assign me commander');
  await type('/task add restart the pool');
  await type('/task done 1');
  expect(resolve()).toHaveProperty('style', 'primary');
});

test.each([
  ['/incident mitigated traffic is back', 'Mitigated: traffic is back'],
  ['/incident mitigate --now', 'Mitigated.'],
  ['/incident fixed, watching', 'Fixed, watching'],
  ['/incident fixed watching the queue', 'Fixed, watching the queue'],
  ['/incident update Mitigated, the cache is warm', 'Mitigated, the cache is warm'],
  ['/incident update fixed, watching it', 'fixed, watching it'],
])('“%s” is an update, and offers the end with it', async (line, text) => {
  const { type, last, press, incident, bodies, alice } = await openIncident();
  await type(line);
  expect((await bodies()).at(-1)).toContain(`📣 ${text}\n`);
  expect((await incident()).status).toBe('active');
  expect(alice.view).toBeUndefined();
  await press(last(), 'Resolve');
  expect(JSON.stringify(alice.view)).toContain('Resolve the incident');
});

test('another update offers no end, and neither does one of an incident that is over', async () => {
  const { type } = await openIncident();
  expect(await type('/incident update the stable branch is bad')).not.toContain('[Resolve]');
  await type('/incident resolve --now');
  expect(await type('/incident update mitigated earlier')).not.toContain('[Resolve]');
});
