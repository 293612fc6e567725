import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('a first word that is no command is answered by the greeting, whose buttons work', async () => {
  const { write, place, alice, readsDirect, slack, act } = await openVerbs();
  const direct = slack.openDm(alice);
  const read = () => readsDirect(alice);
  const { answer } = await write('hi there');
  expect(answer).toEqual([expect.stringContaining('Hello, I am Muster')]);
  const [, greeting] = place.messages(alice, direct.id);
  if (!greeting) throw new Error('There is no greeting');
  await act(() => alice.press(greeting, 'List incidents'));
  expect(read().at(-1)).toContain('Checkout answers 500');
  await act(() => alice.press(greeting, 'Declare an incident'));
  expect(alice.view?.payload.callback_id).toBeDefined();
});

test('an incident that is declared in a direct message gets its own channel', async () => {
  const { write, titles, slack, place, alice } = await openVerbs();
  const direct = slack.openDm(alice);
  await write('declare Disk is full --now');
  expect(await titles()).toEqual(['Checkout answers 500', 'Disk is full']);
  const room = slack.channels.find(each => each.name.startsWith('inc-2-'));
  expect(room?.members.has(alice.id)).toBe(true);
  expect(place.messages(alice, direct.id).some(each => each.pinned)).toBe(false);
});

test('messages of bots are no commands', async () => {
  const { slack, alice, place, notes } = await openVerbs();
  const direct = slack.openDm(alice);
  const send = async (more: object) => {
    const event = { type: 'message', channel_type: 'im', channel: direct.id, ts: '1795000000.000100', ...more };
    const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev1', team_id: slack.teamId, event });
    await slack.deliver({ body, contentType: 'application/json' });
    await place.quiet();
  };
  await send({ user: slack.botUserId, text: 'note one --incident 1', bot_id: slack.botId });
  expect(await notes()).toEqual([]);
  expect(place.reads(alice, direct.id)).toEqual([]);
});

test('an app or a workflow that mentions the bot is told once in an hour that only people give commands', async () => {
  const { slack, alice, bob, place, home, notes, wait } = await openVerbs();
  const { ts } = bob.say(home, 'the form of the workflow');
  let count = 0;
  const send = async (more: object) => {
    count += 1;
    const text = `<@${slack.botUserId}> note one`;
    const event = { type: 'app_mention', channel: home.id, ts, text, ...more };
    const body = JSON.stringify({ type: 'event_callback', event_id: `Ev${count}`, team_id: slack.teamId, event });
    await slack.deliver({ body, contentType: 'application/json' });
    await place.quiet();
  };
  const told = () => place.reads(alice, home.id).filter(each => each.includes('Only people can give me commands'));
  const workflow = { subtype: 'bot_message', bot_id: 'B77', username: 'Intake' };
  await send({ bot_id: slack.botId, user: slack.botUserId });
  expect(told()).toEqual([]);
  await send(workflow);
  expect(told()).toHaveLength(1);
  expect(place.messages(alice, home.id).at(-1)?.threadTs).toBe(ts);
  // The other app answers each answer.
  for (const each of [workflow, { ...workflow, thread_ts: ts }]) await send(each);
  expect(told()).toHaveLength(1);
  await send({ bot_id: 'B78', user: alice.id });
  expect(told()).toHaveLength(2);
  wait(60);
  await send(workflow);
  expect(told()).toHaveLength(3);
  expect(await notes()).toEqual([]);
});

test('ids become names in what a mention or a direct message records, and in what it gives back', async () => {
  const { write, notes, slack, alice, bob, place, home, incident, act } = await openVerbs();
  slack.addChannel({ name: 'checkout', members: [bob] });
  slack.addChannel({ name: 'hush', isPrivate: true, members: [alice, bob], botIsMember: true });
  await act(() => alice.mention(home, 'note ask @bob in #checkout about #hush, @bob.'));
  expect(await notes()).toEqual(['ask @bob in #checkout about #a channel, @bob.']);
  alice.mention(home, 'incident title: #checkout answers @bob only');
  await act(() => alice.mention(home, 'task add call @bob about #checkout today'));
  const { title, taskList } = await incident();
  expect(title).toBe('#checkout answers @bob only');
  expect(taskList.tasks.map(task => task.text)).toEqual(['call @bob about #checkout today']);
  await act(() => alice.mention(home, 'plase ask @bob in #checkout'));
  expect(place.lastRead(alice, home.id)).toContain('You typed: @Muster plase ask @bob in #checkout');
  expect((await write('note @bob left #checkout --incident 1')).answer.at(-1)).toContain('@bob left #checkout');
});

test('a channel that Slack does not name reads “a channel”, and nobody else is mentioned', async () => {
  const { slack, alice, home, notes, act } = await openVerbs();
  slack.fail('conversations.info', { error: 'channel_not_found' });
  slack.addChannel({ name: 'checkout', members: [alice] });
  await act(() => alice.say(home, '@muster note ask <!channel> in #checkout @nobody'));
  expect(await notes()).toEqual(['ask <!channel> in #a channel @nobody']);
});

test('a picture in a direct message is answered, and so are words with one', async () => {
  const { place, alice, write, notes, readsDirect, slack, act } = await openVerbs();
  const direct = slack.openDm(alice);
  const read = () => readsDirect(alice);
  await write('list');
  const picture = { name: 'graph.png', content: 'x', mimetype: 'image/png' };
  const known = read().length;
  await act(() => alice.upload(direct, picture));
  expect(
    read()
      .slice(known + 1)
      .join('\n'),
  ).not.toBe('');
  await act(() => alice.upload(direct, picture, 'note rolled back --incident 1'));
  expect(await notes()).toEqual(['rolled back']);
  expect(place.troubles).toEqual([]);
});
