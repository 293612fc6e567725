import { expect, test } from 'vitest';
import { openOnDuty } from '../support/on-duty.ts';

/** How often each method of the Web API was called since the calls of `from`. */
function countsSince(calls: readonly { readonly method: string }[], from: number): Readonly<Record<string, number>> {
  const groups = Map.groupBy(calls.slice(from), each => each.method);
  return Object.fromEntries([...groups].map(([method, some]) => [method, some.length]));
}

test('a group of 30 costs one list, one look at who is in it, one invitation, and for each one profile and one question', async () => {
  const { type, slack, sre, asked, calls, place } = await openOnDuty();
  const many = Array.from({ length: 30 }, (_, at) => slack.addPerson({ name: `p${at}` }));
  slack.setGroupMembers(sre.id, many);
  const from = slack.calls.length;
  await type('/incident call @sre the database is down');
  expect(many.map(each => asked(each).length)).toEqual(Array(30).fill(1));
  const counts = countsSince(slack.calls, from);
  expect(counts).toEqual({
    ...{ 'usergroups.list': 1, 'usergroups.users.list': 1, 'conversations.members': 1, 'conversations.invite': 1 },
    // The questions, the line, and the receipt.
    ...{ 'users.info': 30, 'chat.postMessage': 31, response_url: 1 },
  });
  for (const [at, each] of many.entries()) {
    const [question] = asked(each);
    if (question) await each.press(question, at % 2 === 0 ? 'Coming in 5 min' : 'Cannot');
  }
  await place.quiet();
  expect(calls()).toHaveLength(1);
  expect(calls()[0]?.match(/✓ @p/g)).toHaveLength(15);
  expect(calls()[0]?.match(/✗ @p/g)).toHaveLength(15);
});

test('who is away is asked and does not answer: the line claims nothing of them, and the chain goes on', async () => {
  const { tick, wait, calls, asked, carol, dave, erin, slack } = await openOnDuty({
    settings: { CALL: 'critical:@sre>@sre-leads' },
    flags: '--severity critical',
  });
  await tick();
  wait(5);
  await tick();
  expect(calls()).toEqual([expect.stringMatching(/… @carol · … @dave → @sre-leads \(1\): … @erin/)]);
  for (const person of [carol, dave, erin]) expect(asked(person), person.name).toHaveLength(1);
  expect(calls()[0]).not.toMatch(/seen|reached|notified|✓|✗/);
  // They come back hours later, while the incident goes on.
  wait(180);
  await tick();
  const [question] = asked(carol);
  if (!question) throw new Error('carol was not asked');
  await carol.press(question, 'Coming in 5 min');
  await tick();
  expect(calls()[0]).toContain('✓ @carol in 5 min');
  expect(
    slack.callsOf('chat.postMessage').filter(each => String(each.args.text).includes('You are called')),
  ).toHaveLength(3);
});

test('two call the same person at the same moment: she is asked once, and the second caller reads so', async () => {
  const { alice, bob, home, place, calls, asked, carol } = await openOnDuty();
  await Promise.all([
    alice.command(home, '/incident call @carol the queue'),
    bob.command(home, '/incident call @carol the disk'),
  ]);
  await place.quiet();
  expect(asked(carol)).toHaveLength(1);
  expect(calls()).toHaveLength(1);
  const read = [alice, bob].map(each => place.reads(each, home.id).filter(text => text.includes('is asked already')));
  expect(read.map(each => each.length).toSorted()).toEqual([0, 1]);
  expect(read.flat()[0]).toContain('Nobody was called');
});

test('Slack refuses one of two: the other comes in and is asked, and the caller reads whom it did not let in and why', async () => {
  const { type, slack, dave, carol, home, asked, calls, answer } = await openOnDuty();
  // Dave’s account is closed between the look at the group and the invitation.
  slack.fail('conversations.invite', { until: async () => dave.change({ deleted: true }) });
  const receipt = await type('/incident call @sre come');
  expect(receipt).toContain('I could not invite @dave');
  expect(receipt).not.toContain('invite @carol');
  expect(asked(carol)).toHaveLength(1);
  expect([carol, dave].map(each => home.members.has(each.id))).toEqual([true, false]);
  await answer(carol, 'Coming in 5 min');
  expect(calls()).toEqual([expect.stringContaining('✓ @carol in 5 min · … @dave')]);
});

test('Slack refuses the direct message to one: the others are asked, and the room and the caller read whom nobody reached', async () => {
  const { type, slack, dave, carol, asked, calls } = await openOnDuty();
  const dm = slack.openDm(dave).id;
  slack.fail(
    'chat.postMessage',
    { error: 'messages_tab_disabled' },
    { times: 9, when: ({ channel }) => channel === dm || channel === dave.id },
  );
  const receipt = await type('/incident call @sre come');
  expect(asked(carol)).toHaveLength(1);
  expect(asked(dave)).toEqual([]);
  expect(receipt).toContain('I could not ask @dave');
  expect(calls()[0]).toContain('… @dave');
});

test('a group that was made a minute ago is called', async () => {
  const { type, slack, wait, calls, asked, erin } = await openOnDuty();
  await type('/incident call @carol');
  await type('/incident oncall');
  await type('/incident call @fresh');
  slack.addUserGroup({ handle: 'fresh', members: [erin] });
  wait(1);
  await type('/incident call @fresh come');
  expect(asked(erin)).toHaveLength(1);
  expect(calls().at(-1)).toContain('@fresh (1): … @erin');
});

test('a guest and a person who is in the room are named, and neither is asked', async () => {
  const { type, calls, asked, bob, gus } = await openOnDuty();
  expect(await type('/incident call @bob @gus')).toContain('@gus is a guest');
  expect(calls()).toEqual([expect.stringMatching(/Called ✓ @bob is here – by @alice/)]);
  for (const person of [bob, gus]) expect(asked(person)).toEqual([]);
});
