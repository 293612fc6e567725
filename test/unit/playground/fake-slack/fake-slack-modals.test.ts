import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { expect, test } from 'vitest';
import { renderView } from '../../../../playground/fake-slack/fake-slack.ts';
import { slackDeadlines } from '../../../../playground/fake-slack/interface.ts';
import { openBoltApp, plain } from '../../../support/fake-slack-app.ts';

function modal(title: string, more: Partial<ModalView> = {}): ModalView {
  return {
    type: 'modal',
    callback_id: title.toLowerCase(),
    title: plain(title),
    submit: plain('Send'),
    blocks: [
      {
        type: 'input',
        block_id: 'note',
        label: plain('Note'),
        element: { type: 'plain_text_input', action_id: 'text', initial_value: 'first' },
      },
    ],
    ...more,
  };
}

/** Opens this modal for everybody who uses the shortcut `form`. */
function opensOnShortcut(app: App, view: ModalView): void {
  app.shortcut('form', async ({ ack, client, shortcut }) => {
    await client.views.open({ trigger_id: shortcut.trigger_id, view });
    await ack();
  });
}

test('a trigger id opens one modal, within three seconds', async () => {
  let clock = Date.parse('2026-11-20T10:00:00Z');
  await using world = await openBoltApp({ now: () => new Date(clock), deadlines: slackDeadlines });
  const { slack, app, ann, ops } = world;
  app.command('/form', async ({ ack, client, command }) => {
    if (command.text === 'slow') clock += 3001;
    for (const _ of [1, 2]) {
      await client.views.open({ trigger_id: command.trigger_id, view: modal('Form') }).catch(() => {});
    }
    await ack();
  });

  await ann.command(ops, '/form');
  await ann.command(ops, '/form slow');
  slack.delayTriggers();
  await ann.command(ops, '/form');

  expect(slack.callsOf('views.open').map(call => call.response?.error ?? 'open')).toEqual([
    'open',
    'exchanged_trigger_id',
    'expired_trigger_id',
    'expired_trigger_id',
    'expired_trigger_id',
    'expired_trigger_id',
  ]);
});

test('modals lie on each other three deep, are updated and cleared', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann } = world;
  opensOnShortcut(app, modal('One'));
  app.view('one', async ({ ack }) => ack({ response_action: 'push', view: modal('Two', { notify_on_close: true }) }));
  app.view('two', async ({ ack }) => ack({ response_action: 'push', view: modal('Three') }));
  app.view('three', async ({ ack, view }) => {
    const note = view.state.values.note?.text?.value;
    if (note === 'clear') return ack({ response_action: 'clear' });
    if (note === 'deeper') return ack({ response_action: 'push', view: modal('Four') });
    return ack({ response_action: 'update', view: modal('Third') });
  });
  const closed: string[] = [];
  app.view({ callback_id: 'two', type: 'view_closed' }, async ({ ack, view }) => {
    closed.push(view.id);
    await ack();
  });

  await ann.shortcut('form');
  await ann.submit();
  const two = ann.view;
  expect(two?.title).toBe('Two');
  await ann.close();
  expect(closed).toEqual([two?.id]);
  expect(ann.view?.title).toBe('One');

  await ann.submit();
  await ann.submit();
  await ann.submit({ note: 'deeper' });
  expect(ann.view?.failureNotice).toContain('push_limit_reached');
  await ann.submit({ note: 'else' });
  expect(ann.view?.title).toBe('Third');
  expect(renderView(slack, ann.view!)).toContain('Note: [else]');
  await ann.close();
  await ann.submit();
  await ann.submit({ note: 'clear' });
  expect(ann.view).toBeUndefined();
});

test('a stale hash and a view without submit button are refused', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann } = world;
  opensOnShortcut(app, modal('One', { external_id: 'mine' }));
  await ann.shortcut('form');
  const { id, hash } = ann.view!;

  await app.client.views.update({ view_id: id, hash, view: modal('Newer') });
  expect(ann.view?.title).toBe('Newer');
  await expect(app.client.views.update({ view_id: id, hash, view: modal('Old') })).rejects.toMatchObject({
    data: { error: 'hash_conflict' },
  });
  const { submit: _, ...bare } = modal('No button');
  await expect(app.client.views.update({ view_id: id, view: bare })).rejects.toMatchObject({
    data: {
      error: 'invalid_arguments',
      errors: expect.arrayContaining(['must define `submit` to use `input` block [json-pointer:/view/blocks/0/input]']),
    },
  });
  await expect(app.client.views.update({ view_id: id, view: modal('A title of more than 24') })).resolves.toMatchObject(
    { ok: true },
  );
  await expect(
    app.client.views.update({ view_id: id, view: modal('A title of more than 24 c') }),
  ).rejects.toMatchObject({ data: { error: 'invalid_arguments' } });
  expect(slack.callsOf('views.update')).toHaveLength(5);
});

test('every kind of field can be filled in', async () => {
  await using world = await openBoltApp();
  const { app, ann, bob, ops } = world;
  const options = ['Minor', 'Major'].map(text => ({ text: plain(text), value: text.toLowerCase() }));
  const field = (block_id: string, element: object) =>
    ({
      type: 'input',
      block_id,
      label: plain(block_id),
      optional: true,
      element: { action_id: 'a', ...element },
    }) as never;
  opensOnShortcut(
    app,
    modal('Kinds', {
      blocks: [
        field('who', { type: 'users_select' }),
        field('severity', { type: 'static_select', options }),
        field('flags', { type: 'checkboxes', options }),
        field('tell', { type: 'checkboxes', options, initial_options: [options[0]] }),
        field('when', { type: 'datetimepicker' }),
        field('page', { type: 'url_text_input' }),
        field('empty', { type: 'plain_text_input' }),
      ],
    }),
  );
  let values: unknown;
  app.view('kinds', async ({ ack, view }) => {
    values = view.state.values;
    await ack();
  });

  await ann.shortcut('form', ops);
  await expect(ann.fill({ severity: 'Huge' })).rejects.toThrow('There are: minor (Minor), major (Major)');
  await expect(ann.fill({ nonsense: 'x' })).rejects.toThrow('There is no field "nonsense"');
  expect(await ann.submit({ page: 'many' })).toMatchObject({ failed: 'incomplete' });
  await ann.submit({
    who: bob,
    severity: 'Major',
    when: new Date('2026-11-20T10:00:00Z'),
    flags: ['Major', 'minor'],
    page: 'https://a.example',
  });

  expect(values).toEqual({
    who: { a: { type: 'users_select', selected_user: bob.id } },
    severity: { a: { type: 'static_select', selected_option: options[1] } },
    flags: { a: { type: 'checkboxes', selected_options: [options[1], options[0]] } },
    tell: { a: { type: 'checkboxes', selected_options: [options[0]] } },
    when: { a: { type: 'datetimepicker', selected_date_time: 1795168800 } },
    page: { a: { type: 'url_text_input', value: 'https://a.example' } },
    empty: { a: { type: 'plain_text_input', value: null } },
  });
});

test('a double click sends the modal twice, and a submission can be repeated later', async () => {
  await using world = await openBoltApp();
  const { app, ann } = world;
  opensOnShortcut(app, modal('One'));
  const seen: string[] = [];
  app.view('one', async ({ ack, view }) => {
    seen.push(view.id);
    await ack();
  });

  await ann.shortcut('form');
  const id = ann.view?.id;
  await ann.submitTwice({ Note: 'x' });
  await ann.resubmit();

  expect(seen).toEqual([id, id, id]);
  expect(ann.view).toBeUndefined();
});

test('the home tab is published, pressed and updated', async () => {
  await using world = await openBoltApp();
  const { slack, app, ann } = world;
  const publish = (user: string, text: string) =>
    app.client.views.publish({
      user_id: user,
      view: {
        type: 'home',
        blocks: [
          { type: 'section', text: plain(text) },
          { type: 'actions', elements: [{ type: 'button', action_id: 'more', text: plain('More') }] },
        ],
      },
    });
  app.event('app_home_opened', async ({ event }) => void (await publish(event.user, 'Quiet')));
  app.action('more', async ({ ack, body }) => {
    expect(body).toMatchObject({ container: { type: 'view' }, view: { type: 'home' } });
    await ack();
    await publish(body.user.id, 'Loud');
  });

  ann.openHome();
  const home = await slack.until(() => ann.home);
  expect(renderView(slack, home)).toBe('Quiet\n[More]');
  await ann.press('home', 'More');
  await slack.until(() => renderView(slack, home) === 'Loud\n[More]');
});
