import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

/** What a member posts of incident 1 in #general, where everybody reads it. */
const asked = ['list', 'status --incident 1', 'task list --incident 1', 'role list --incident 1'];

async function openPosted() {
  const opened = await openIncident();
  const { place, slack, alice, carol, bob, general, home, type } = opened;
  alice.invite(general, slack.botUserId);
  await type('/task add look at the cache');
  await type('/role assign me commander');
  for (const line of asked) {
    bob.mention(general, line);
    await place.quiet();
  }
  const read = () => place.reads(carol, general.id).join('\n');
  const hide = async () => {
    alice.makePrivate(home);
    await slack.settled();
    await place.quiet();
  };
  return { ...opened, read, hide };
}

const secrets = ['Checkout answers 500', 'look at the cache', '[Join]', 'inc-1-'];

test('what stands in a channel of an incident is taken back when its room is made private', async () => {
  const { read, hide, slack, general, carol, place } = await openPosted();
  const replies = () =>
    JSON.stringify(general.messages.filter(each => each.userId === slack.botUserId && each.ephemeralTo === undefined));
  for (const each of ['Checkout answers 500', 'look at the cache']) expect(replies(), each).toContain(each);
  expect(read()).toContain('[Join]');
  await hide();
  for (const each of secrets) expect(`${read()}${replies()}`, each).not.toContain(each);
  expect(place.reads(carol, general.id).some(each => each.includes('declared'))).toBe(false);
});

test('what Slack does not let Muster take back, the room reads of', async () => {
  const { hide, slack, general, place, alice, home, reads } = await openPosted();
  slack.fail('chat.delete', { error: 'is_archived' }, { times: 20, when: args => args.channel === general.id });
  slack.fail('chat.update', { error: 'is_archived' }, { times: 20, when: args => args.channel === general.id });
  await hide();
  expect(place.reads(alice, home.id).join('\n')).toContain('my message in #general still shows the incident');
  expect(reads()).not.toBe('');
});

test('a list that names several incidents is taken back when one of them is made private, and the others stay open', async () => {
  const { read, hide, bob, general, type, act } = await openPosted();
  await type('/incident declare Disk of db-3 is full --now', bob, general);
  await act(() => bob.mention(general, 'list'));
  await hide();
  expect(read()).not.toContain('Checkout answers 500');
  expect(await type('/incident list', bob, general)).toContain('Disk of db-3 is full');
});
