import { expect, test } from 'vitest';
import type { Act, Delivery } from '../../../../src/bot/dispatch/feature/delivery.ts';
import { DeliveryStore } from '../../../../src/bot/inbox/delivery-store.ts';
import { makeFresh, openBotDatabase } from '../../../support/fresh-database.ts';

const now = new Date('2026-03-02T14:00:00Z');
const day = 24 * 3_600_000;

const key = 'message/C1/1772459999.000100';
const delivery = (act: Act, own = key): Delivery => ({
  ...{ key: own, act, actor: { teamId: 'T1', userId: 'U1' }, location: { channelId: 'C1', threadTs: '' } },
});
const typed = delivery({ kind: 'command', root: 'mention', text: 'list' });
const edited = (at: string, age = 1000) => ({
  message: typed,
  edit: delivery({ kind: 'edit', text: 'list', first: key }, `${key}/edit/${at}`),
  writtenAt: new Date(now.getTime() - age),
});

async function openReplicas() {
  const url = await makeFresh();
  const open = async (owner: string) =>
    new DeliveryStore({ database: await openBotDatabase(now, url), owner, monotonicNow: () => 0 });
  return { anne: await open('anne'), bert: await open('bert') };
}

test('of a message and its edit that come to two processes at once, one is the message, whichever is first', async () => {
  const { anne, bert } = await openReplicas();
  const [message, edit] = await Promise.all([
    anne.keep(typed, true, now),
    bert.keepEdited(edited('1772460000.000100'), true, now),
  ]);
  expect([message.isNew, edit.isNew && edit.as === 'message'].filter(Boolean)).toHaveLength(1);
  if (message.isNew) expect(edit).toMatchObject({ as: 'edit', isNew: true });
});

test('an edit that comes twice, or after a newer one, counts as delivered', async () => {
  const { anne, bert } = await openReplicas();
  expect(await anne.keepEdited(edited('1772460002.000100'), true, now)).toMatchObject({ as: 'message', isNew: true });
  expect(await bert.keepEdited(edited('1772460002.000100'), true, now)).toMatchObject({ isNew: false });
  expect(await bert.keepEdited(edited('1772460001.000100'), true, now)).toMatchObject({ isNew: false });
  expect(await bert.keepEdited(edited('1772460003.000100'), true, now)).toMatchObject({ as: 'edit', isNew: true });
});

test('a message that may have been forgotten is edited, not delivered', async () => {
  const { anne } = await openReplicas();
  expect(await anne.keepEdited(edited('1772460000.000100', day), true, now)).toMatchObject({ as: 'message' });
  const { anne: another } = await openReplicas();
  expect(await another.keepEdited(edited('1772460000.000100', 2 * day), true, now)).toMatchObject({
    as: 'edit',
    isNew: true,
  });
});
