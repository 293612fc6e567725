import { expect, test } from 'vitest';
import { renderMessage, renderView } from '../../../../playground/fake-slack/fake-slack.ts';
import { openBoltApp } from '../../../support/fake-slack-app.ts';

const formView = {
  type: 'modal' as const,
  callback_id: 'declare',
  title: { type: 'plain_text' as const, text: 'Declare' },
  submit: { type: 'plain_text' as const, text: 'Go' },
  blocks: [
    {
      type: 'input' as const,
      block_id: 'title',
      label: { type: 'plain_text' as const, text: 'Title' },
      element: { type: 'plain_text_input' as const, action_id: 'title' },
    },
    {
      type: 'input' as const,
      block_id: 'severity',
      optional: true,
      label: { type: 'plain_text' as const, text: 'Severity' },
      element: {
        type: 'static_select' as const,
        action_id: 'severity',
        options: ['Minor', 'Major'].map(text => ({
          text: { type: 'plain_text' as const, text },
          value: text.toLowerCase(),
        })),
      },
    },
  ],
};

test('a command makes a round trip and its references arrive labelled', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann, bob, ops } = world;
  app.command('/incident', async ({ command, ack }) => {
    await ack(`heard: ${command.text} in ${command.channel_name} ${command.is_enterprise_install}`);
  });

  const answer = await ann.command(ops, '/incident page @bob about #ops & <db>');

  expect(answer.status).toBe(200);
  expect(answer.text).toBe('heard: page @bob about #ops & <db> in ops false');
  expect(slack.deliveries[0]?.payload.text).toBe(`page <@${bob.id}|bob> about <#${ops.id}|ops> &amp; &lt;db&gt;`);
  expect(bob.sees(ops)).toEqual([]);
  expect(ann.sees(ops)).toHaveLength(1);
});

test('a command nobody answers shows the person Slack’s own failure', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann, ops } = world;
  app.command('/incident', async () => {
    throw new Error('before ack');
  });
  app.error(async () => {
    throw new Error('expected');
  });

  const answer = await ann.command(ops, '/incident x');

  expect(answer.failed).toBe('dispatch_failed');
  expect(ann.sees(ops).map(message => renderMessage(slack, message))).toEqual([
    '/incident failed with the error "dispatch_failed"',
  ]);
});

test('a modal opens, shows errors, then closes when it is submitted', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann, ops } = world;
  const submitted: unknown[] = [];
  app.command('/incident', async ({ ack, client, body }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: formView });
  });
  app.view('declare', async ({ ack, view }) => {
    submitted.push(view.state.values);
    if (view.state.values.title?.title?.value === 'bad') {
      await ack({ response_action: 'errors', errors: { title: 'Too vague' } });
    } else await ack();
  });

  await ann.command(ops, '/incident declare');
  const view = await slack.until(() => ann.view);
  expect(await ann.submit()).toMatchObject({ status: 0, failed: 'incomplete' });
  expect(renderView(slack, view)).toContain('! Please complete this required field.');

  await ann.submit({ Title: 'bad', severity: 'Major' });
  expect(ann.view?.errors).toEqual({ title: 'Too vague' });
  expect(renderView(slack, view)).toBe(
    ['== Declare ==', 'Title: [bad]', '! Too vague', 'Severity (optional): [Major ▾]', '[Go] [Cancel]'].join('\n'),
  );

  await ann.submit({ title: 'db is down' });
  expect(ann.view).toBeUndefined();
  expect(submitted.at(-1)).toMatchObject({
    title: { title: { type: 'plain_text_input', value: 'db is down' } },
    severity: { severity: { selected_option: { value: 'major' } } },
  });
  await expect(ann.submit({ nonsense: 'x' })).rejects.toThrow('no modal open');
});

test('a button carries its message, and respond replaces it', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann, ops } = world;
  app.action('resolve', async ({ ack, respond, body, action }) => {
    await ack();
    expect(body).toMatchObject({ container: { type: 'message', is_ephemeral: false }, message: { text: 'card' } });
    expect(action).toMatchObject({ type: 'button', value: '7', block_id: 'row' });
    await respond({ replace_original: true, text: 'done' });
  });
  await app.client.chat.postMessage({
    channel: ops.id,
    text: 'card',
    blocks: [
      {
        type: 'actions',
        block_id: 'row',
        elements: [{ type: 'button', action_id: 'resolve', value: '7', text: { type: 'plain_text', text: 'Resolve' } }],
      },
    ],
  });
  const [card] = ann.sees(ops);

  await ann.press(card!, 'Resolve');
  await slack.until(() => card?.text === 'done');

  expect(renderMessage(slack, card!)).toBe('done');
});

test('a message shortcut on a reply names its thread, and ephemeral answers stay private', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann, bob, ops } = world;
  const root = ann.say(ops, 'disk is full, @bob');
  const reply = bob.say(ops, 'on it <now>', { threadTs: root.ts });
  app.shortcut('add_timeline', async ({ ack, shortcut, client }) => {
    await ack();
    if (shortcut.type !== 'message_action') throw new Error('wrong type');
    expect(shortcut.message).toMatchObject({
      ts: reply.ts,
      thread_ts: root.ts,
      user: bob.id,
      text: 'on it &lt;now&gt;',
    });
    await client.chat.postEphemeral({ channel: shortcut.channel.id, user: shortcut.user.id, text: 'added' });
  });

  await ann.shortcut('add_timeline', reply);
  await slack.until(() => ann.sees(ops).some(message => message.text === 'added'));

  expect(bob.sees(ops).map(message => message.text)).toEqual([`disk is full, <@${bob.id}>`, 'on it &lt;now&gt;']);
});

test('Bolt refuses a wrong signature and an old timestamp', async () => {
  await using world = await openBoltApp();
  const { slack, ann, ops, app } = world;
  app.command('/incident', async ({ ack }) => ack('ok'));
  await ann.command(ops, '/incident x');
  const [delivery] = slack.deliveries;

  expect(await slack.replay(delivery!)).toMatchObject({ status: 200 });
  expect(await slack.deliver({ body: delivery!.body, signature: 'v0=00' })).toMatchObject({ status: 401 });
  const old = Math.floor(Date.now() / 1000) - 600;
  expect(await slack.deliver({ body: delivery!.body, timestamp: old })).toMatchObject({ status: 401 });
});
