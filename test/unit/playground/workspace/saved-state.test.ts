import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFakeSlack } from '../../../../playground/fake-slack/fake-slack.ts';
import { ReadMarks } from '../../../../playground/workspace/read-marks.ts';
import { keepWorkspace, loadWorkspace } from '../../../../playground/workspace/saved-state.ts';
import { Troubles } from '../../../../playground/workspace/troubles.ts';
import { openFolder } from '../../../support/folder.ts';

/** Throws what a write met. */
const attempts = {
  failed: (error: unknown) => {
    throw error;
  },
  succeeded: () => undefined,
};

function setUp() {
  const slack = createFakeSlack({ now: () => new Date('2026-03-14T02:07:00Z') });
  const alice = slack.addPerson({ name: 'alice' });
  const bob = slack.addPerson({ name: 'bob', tz: 'Europe/Berlin' });
  const shop = slack.addChannel({ name: 'shop', members: [alice, bob], botIsMember: true });
  return { slack, alice, bob, shop };
}

test('a fake Slack goes on from what an earlier one kept', async () => {
  const { slack, alice, bob, shop } = setUp();
  slack.addUserGroup({ handle: 'oncall', members: [alice] });
  const call = (method: string, args: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${slack.botToken}` };
    return slack.fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers, body: JSON.stringify(args) });
  };
  const first = alice.say(shop, 'Checkout is slow');
  bob.react(first, 'eyes');
  bob.say(shop, 'I look', { threadTs: first.ts });
  alice.upload(shop, { name: 'log.txt', content: 'lines', mimetype: 'text/plain' });
  await call('chat.postEphemeral', { channel: shop.id, user: alice.id, text: 'Only you' });
  const text = { type: 'plain_text', text: 'Home' };
  await call('views.publish', { user_id: alice.id, view: { type: 'home', blocks: [{ type: 'section', text }] } });
  const reads = new ReadMarks();
  reads.set(bob.id, shop.id, first.ts);

  const file = join(await openFolder(), 'playground', 'slack.json');
  await keepWorkspace(file, { slack, reads }, attempts)[Symbol.asyncDispose]();
  const saved = await loadWorkspace(file);
  const later = createFakeSlack({ now: () => new Date('2026-03-14T02:07:00Z'), state: saved?.slack });
  expect(saved?.reads).toEqual({ [bob.id]: { [shop.id]: first.ts } });
  expect(later.people.map(each => [each.id, each.name, each.record.tz])).toEqual(
    slack.people.map(each => [each.id, each.name, each.record.tz]),
  );
  expect(later.userGroups).toEqual(slack.userGroups);
  const room = later.channel('shop');
  expect(JSON.stringify([...room.members])).toBe(JSON.stringify([...shop.members]));
  expect(JSON.stringify(room.messages)).toBe(JSON.stringify(shop.messages));
  expect(room.messages[0]?.reactions).toEqual([{ name: 'eyes', users: [bob.id] }]);
  expect(later.person('alice').sees('shop').at(-1)?.text).toBe('Only you');
  expect(later.person('bob').sees('shop').at(-1)?.text).toBe('');
  expect(later.file(room.messages[2]?.files[0] ?? '')?.content).toBe('lines');
  expect(later.person('alice').home?.blocks).toEqual(alice.home?.blocks);

  const known = new Set([...slack.users, ...slack.channels].map(each => each.id));
  const before = shop.messages.map(each => each.ts);
  const after = later.person('alice').say('shop', 'Still here').ts;
  expect(before.every(ts => ts < after)).toBe(true);
  expect(known.has(later.addPerson({ name: 'carol' }).id)).toBe(false);
  expect(known.has(later.addChannel({ name: 'new' }).id)).toBe(false);
});

test('ids that an earlier one gave after it was last kept do not come again', () => {
  const { slack } = setUp();
  const state = JSON.parse(JSON.stringify(slack.save()));
  const lost = Array.from({ length: 50 }, (_, at) => slack.addPerson({ name: `p${at}` }).id);
  const later = createFakeSlack({ state });
  expect(lost).not.toContain(later.addPerson({ name: 'p0' }).id);
});

test('changes are written by themselves, and the file is whole at every moment', async () => {
  const { slack, alice, shop } = setUp();
  const file = join(await openFolder(), 'slack.json');
  const reads = new ReadMarks();
  await using _ = keepWorkspace(file, { slack, reads }, attempts);
  alice.say(shop, 'one');
  const read = async () => (await loadWorkspace(file))?.slack.channels[0]?.messages.map(each => each.text);
  await expect.poll(read).toEqual(['one']);
  alice.say(shop, 'two');
  await expect.poll(read).toEqual(['one', 'two']);
  reads.set(alice.id, shop.id, '1.000001');
  await expect.poll(async () => (await loadWorkspace(file))?.reads).toEqual({ [alice.id]: { [shop.id]: '1.000001' } });
});

test('a write that is due while another one goes on waits for it, also at the end', async () => {
  const { slack, alice, shop } = setUp();
  const folder = await openFolder();
  const file = join(folder, 'slack.json');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failures: unknown[] = [];
  const counting = { ...attempts, failed: (error: unknown) => void failures.push(error) };
  const keeper = keepWorkspace(file, { slack, reads: new ReadMarks() }, counting);
  vi.advanceTimersByTime(1000);
  // The first write has begun.
  await Promise.resolve();
  alice.say(shop, 'one');
  vi.advanceTimersByTime(1000);
  await keeper[Symbol.asyncDispose]();
  expect(failures).toEqual([]);
  expect((await loadWorkspace(file))?.slack.channels[0]?.messages.map(each => each.text)).toEqual(['one']);
  expect(await readdir(folder)).toEqual(['slack.json']);
});

test('a workspace that cannot be kept says so once, and it is over when a write succeeds', async () => {
  const { slack, alice, shop } = setUp();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = join(await openFolder(), 'playground');
  // A file stands where the folder should be.
  await writeFile(folder, '');
  const said: string[] = [];
  const troubles = new Troubles(
    sentence => said.push(sentence),
    () => undefined,
  );
  const outcomes: string[] = [];
  const { failed, succeeded } = troubles.of('workspace', reason => reason);
  await using _ = keepWorkspace(
    join(folder, 'slack.json'),
    { slack, reads: new ReadMarks() },
    {
      failed: error => {
        failed(error);
        outcomes.push('failed');
      },
      succeeded: () => {
        succeeded();
        outcomes.push('succeeded');
      },
    },
  );
  const write = async (text: string, expected: readonly string[]) => {
    alice.say(shop, text);
    // A write that took long is followed by a longer pause.
    vi.advanceTimersByTime(60_000);
    await expect.poll(() => outcomes).toEqual(expected);
  };
  await write('one', ['failed']);
  await write('two', ['failed', 'failed']);
  expect(said).toEqual([expect.stringMatching(/^workspace: E(EXIST|NOTDIR): /)]);
  expect(troubles.facts).toEqual({ workspace: expect.stringMatching(/^E/) });
  await rm(folder);
  await write('three', ['failed', 'failed', 'succeeded']);
  expect([said.length, troubles.facts]).toEqual([1, {}]);
});

test('without a file there is nothing to go on from; a broken one is refused in words, and stays', async () => {
  const file = join(await openFolder(), 'slack.json');
  expect(await loadWorkspace(file)).toBeUndefined();
  await writeFile(file, '{"slack"');
  await expect(loadWorkspace(file)).rejects.toThrow('Start with --fresh to begin anew.');
  expect(await readFile(file, 'utf8')).toBe('{"slack"');
});
