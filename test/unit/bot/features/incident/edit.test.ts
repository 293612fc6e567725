import { expect, test } from 'vitest';
import { forgePress } from '../../../../support/forged-press.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('without a title, the form; sent twice it acts once', async () => {
  const { type, alice, items, incident, submit, act } = await openVerbs();
  await type('/incident title');
  expect(alice.view?.values.title?.title?.value).toBe('Checkout answers 500');
  await submit({ title: `x${'y'.repeat(500)}` });
  expect(alice.view?.errors).toEqual({
    title: 'A title has at most 500 characters, and this one has 501. Put the rest in a note.',
  });
  await submit({ title: '\u200b ' });
  expect(alice.view?.errors).toEqual({ title: 'Say in a few words what is happening.' });
  await act(() => alice.submitTwice({ title: 'Cart is down' }));
  expect((await incident()).title).toBe('Cart is down');
  expect(await items('incidentTitleChanged')).toHaveLength(1);
});

test('bad titles are refused with what was typed; hostile ones are harmless', async () => {
  const { publicLines, type, incident, gus } = await openVerbs();
  const long = await type(`/incident title ${'long '.repeat(120)}`);
  expect(long).toContain('A title has at most 500 characters, and this one has 599.');
  expect(long).toContain('You typed: /incident title long long');
  expect(await type('/incident title Cart', gus)).toContain('guests cannot change incidents');
  expect((await incident()).title).toBe('Checkout answers 500');

  await type('/incident title <!channel> &lt; \u0007 *x*\nnext');
  expect((await incident()).title).toBe('<!channel> &lt; *x* next');
  const [said] = await publicLines();
  expect(said).toContain('“<!channel> &lt; *x* next”');
  expect(said).not.toContain('!!!');
});

test('one form corrects all of it; what nobody changed is not written, and each change has its own undo', async () => {
  const { type, api, alice, incident, submit, reads, items, press, last } = await openVerbs();
  await type('/incident label old, kept');
  await type('/incident edit');
  expect(alice.view?.values).toMatchObject({
    title: { title: { value: 'Checkout answers 500' } },
    labels: { labels: { value: 'old, kept' } },
  });
  // Another person corrects it while the form is open.
  await api.IncidentsService.UpdateSeverity({ incidentID: '1', severity: 'major' });
  await submit({
    title: 'Cart is down',
    labels: 'kept, new',
    drill: ['drill'],
    started: new Date('2026-11-20T12:05Z'),
  });
  const corrected = await incident();
  expect(corrected).toMatchObject({
    ...{ title: 'Cart is down', severity: 'major', isDrill: true, incidentStart: '2026-11-20T12:05:00Z' },
  });
  expect(corrected.labels.map(each => each.label).toSorted()).toEqual(['kept', 'new']);
  expect(reads().match(/\[Undo\]/g)).toHaveLength(5);
  expect(await items('incidentSeverityChanged')).toHaveLength(1);
  await press(last(), { text: 'Undo', near: 'Cart is down' });
  expect(await incident()).toMatchObject({ title: 'Checkout answers 500', isDrill: true });
  await type('/incident edit');
  await submit({});
  expect(reads()).toBe('You changed nothing, so the incident stays as it is.');
});

test('a part behind edit is that part alone, with what it takes; any other word changes nothing', async () => {
  const { type, incident } = await openVerbs();
  expect(await type('/incident edit severity critical')).toContain('You set the severity');
  expect(await type('/incident edit title Cart is down')).toContain('You renamed');
  expect(await type('/incident edit label one, two')).toContain('You added the label');
  const before = await incident();
  expect(before).toMatchObject({ title: 'Cart is down', severity: 'critical' });
  await type('/incident edit the pool was full');
  expect(await incident()).toEqual(before);
});

/** A form as an earlier version opened it: its id, what it knew, its field as Slack sends it, and what the incident becomes. */
const former = [
  [
    'incident.severity',
    { title: '' },
    { severity: { type: 'static_select', selected_option: { value: 'critical' } } },
    { severity: 'critical' },
  ],
  ['incident.title', {}, { title: { type: 'plain_text_input', value: 'Cart is down' } }, { title: 'Cart is down' }],
  [
    'incident.time',
    { title: '', moment: 'incidentStart', incidentStart: '2026-11-20T12:15:00Z', incidentEnd: '' },
    { at: { type: 'datetimepicker', selected_date_time: Date.parse('2026-11-20T12:05Z') / 1000 } },
    { incidentStart: '2026-11-20T12:05:00Z' },
  ],
  ['incident.summary', {}, { summary: { type: 'plain_text_input', value: 'Nobody can pay' } }, {}],
] as const;

test('messages and forms of earlier versions do what they did', async () => {
  const { slack, alice, home, place, incident, bodies } = await openVerbs();
  for (const [id, known, fields, becomes] of former) {
    const values = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, { [field]: value }]));
    const metadata = { state: { incidentID: '1', ...known }, channelId: home.id, threadTs: '' };
    const payload = {
      ...{ type: 'view_submission', team: { id: slack.teamId }, user: { id: alice.id, team_id: slack.teamId } },
      trigger_id: id,
      view: { id, hash: '', callback_id: id, private_metadata: JSON.stringify(metadata), state: { values } },
    };
    await slack.deliver({ body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() });
    await place.quiet();
    expect(await incident(), id).toMatchObject(becomes);
  }
  expect((await bodies())[0]).toContain('Nobody can pay');
  const press = (id: string) => forgePress(slack, alice, home.id, { id, value: JSON.stringify({ incidentID: '1' }) });
  await press('incident.drill');
  await place.quiet();
  expect((await incident()).isDrill).toBe(true);
  // The three dots of a card, whose value is in the row.
  const chosen = { type: 'overflow', action_id: 'card.menu', selected_option: { value: 'incident.real' } };
  const menu = {
    ...{ type: 'block_actions', team: { id: slack.teamId }, user: { id: alice.id, team_id: slack.teamId } },
    container: { type: 'message', message_ts: '1.2', channel_id: home.id },
    ...{ channel: { id: home.id }, trigger_id: 'menu' },
    actions: [{ ...chosen, block_id: 'card.menu|{"incidentID":"1"}', action_ts: '1' }],
  };
  await slack.deliver({ body: new URLSearchParams({ payload: JSON.stringify(menu) }).toString() });
  await place.quiet();
  expect((await incident()).isDrill).toBe(false);
  for (const part of ['severity', 'title', 'summary', 'time', 'times']) {
    await press(`incident.${part}`);
    await place.quiet();
    expect(place.lastRead(alice, home.id)).toContain('Open the form');
  }
});
