import { expect, test } from 'vitest';
import { renderView } from '../../../../../playground/fake-slack/fake-slack.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { phrases } from '../../../../support/phrases.ts';
import { recover } from '../../../../support/recover.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('--now and --at: in the typist’s zone, without a form, in one go', async () => {
  const { type, wait, incident, bob, items, publicLines } = await openVerbs();
  wait(60);
  // 13:15 UTC; for bob in New York it is 08:15.
  expect(await type('/incident close it was DNS --at 8:05 --now', bob)).toContain('✅ You resolved');
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-20T13:05:00Z' });
  expect((await items('incidentEnd', 'incidentStatusChanged', 'userNote')).map(item => item.activityKind)).toEqual([
    'incidentEnd',
    'userNote',
    'incidentStatusChanged',
  ]);
  expect((await publicLines()).at(-1)).toBe('✅ Resolved after 50 min – @bob\n> it was DNS');
  expect(await publicLines()).toHaveLength(2);
});

test('an end that cannot be is told in the form, with nothing lost, and in a sentence without it', async () => {
  const { type, alice, bob, submit, wait, incident } = await openVerbs();
  wait(30);
  await type('/incident resolve over --at 2h ago');
  expect(JSON.stringify(alice.view?.blocks)).toContain('cannot have ended');
  await submit({ ended: new Date('2026-11-20T12:00:00Z') });
  expect(alice.view?.errors).toEqual({
    ended: 'The incident started 2026-11-20 12:15 UTC, so it cannot have ended 2026-11-20 12:00 UTC.',
  });
  await submit({ ended: new Date('2026-11-21T12:00:00Z') });
  expect(alice.view?.errors).toEqual({ ended: '2026-11-21 12:00 UTC is in the future: give a time that has passed.' });
  expect(alice.view?.values.summary?.summary?.value).toBe('over');
  await alice.close();

  expect(await type('/incident resolve over --now --at 2h ago', bob)).toBe(
    [
      'I did not resolve anything. The incident started Nov 20, 2026 12:15 PM, so it cannot have ended Nov 20, 2026 10:45 AM.',
      'You typed: /incident resolve over --now --at 2h ago',
    ].join('\n'),
  );
  expect(await type('/incident resolve --now --at someday')).toContain('“someday” is not a time: try');
  expect(await type(`/incident resolve --now ${'x'.repeat(3001)}`)).toContain('at most 3000 characters');
  expect((await incident()).status).toBe('active');
});

test('the form comes with the end that was set; untouched, it stays as exact as it is', async () => {
  const { type, alice, press, submit, incident, wait, items, publicLines, last } = await openVerbs();
  const filledIn = () => Number(Object(alice.view?.values.ended?.ended).selected_date_time) * 1000;
  wait(20.5);
  await type('/incident resolve it is over');
  expect(filledIn()).toBe(0);
  await submit({});
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-20T12:35:30Z' });
  expect(await publicLines()).toHaveLength(1);
  await press(last(), 'Undo');
  await type('/incident ended 5m ago');
  const set = (await incident()).incidentEnd;
  wait(3);
  await type('/incident resolve it is over');
  expect(filledIn()).toBe(Date.parse(set));
  await submit({});
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: set });
  expect(await items('incidentEnd')).toHaveLength(1);
});

test('a picker knows whole minutes: an end in the minute of the start is the start', async () => {
  const { type, submit, incident, wait } = await openVerbs();
  wait(1.5);
  await type('/incident started 80s ago');
  expect((await incident()).incidentStart).toBe('2026-11-20T12:15:10Z');
  await type('/incident resolve');
  await submit({ ended: new Date('2026-11-20T12:15:00Z') });
  expect(await incident()).toMatchObject({ status: 'resolved', incidentEnd: '2026-11-20T12:15:10Z' });
});

test('resolved already: since when, and a way to reopen; reopening clears the end, by button and by command', async () => {
  const { type, wait, last, press, incident, publicLines, showCard, reads, bob } = await openVerbs();
  wait(10);
  await type('/incident resolve --now');
  wait(10);
  expect(await type('/incident resolve but why')).toBe(
    [
      'Incident 1 is resolved already, since Nov 20, 2026 12:25 PM.',
      '[Reopen]',
      'You typed: /incident resolve but why',
    ].join('\n'),
  );
  expect(await press(last(), 'Reopen')).toMatch(/^🔁 You reopened incident 1: .*\n\[Undo\]$/);
  expect(await incident()).toMatchObject({ status: 'active', incidentEnd: '', closedTime: '' });
  expect(await type('/incident reopen', bob)).toBe('Incident 1 is active already. /incident resolve ends it.');

  // A second period ends by itself, and not with the first one's key.
  await type('/incident resolve --now for good');
  expect((await incident()).status).toBe('resolved');
  await press(await showCard(), 'Reopen', bob);
  expect(reads(bob)).toContain('🔁 You reopened');
  expect((await incident()).status).toBe('active');
  expect(await publicLines()).toEqual([
    '✅ Resolved after 10 min – @alice',
    '🔁 Reopened – @alice',
    '✅ Resolved after 20 min – @alice\n> for good',
    '🔁 Reopened – @bob',
  ]);
});

test('what people write mentions nobody and cuts nothing', async () => {
  const { type, wait, publicLines, items, alice, reads } = await openVerbs();
  wait(5);
  const text = '<!channel> &lt;script&gt; <@U0> *bold* \u0007\u202e';
  await type(`/incident resolve --now ${text}`);
  expect((await publicLines())[0]).toContain('<!channel> &lt;script&gt;');
  expect([...(await publicLines()), reads()].join('\n')).not.toContain('!!!');
  expect((await items('userNote'))[0]?.body).toContain('<!channel> &lt;script&gt;');
  for (const mark of ['\u0007', '\u202e']) expect((await items('userNote'))[0]?.body).not.toContain(mark);

  await type('/incident reopen');
  await type(`/incident resolve ${'long '.repeat(700)}`);
  expect(reads()).toContain('A summary has at most 3000 characters');
  expect(JSON.stringify(alice.view?.blocks)).toContain('A summary has at most 3000 characters');
});

test('a drill is resolved as a drill', async () => {
  const { type, publicLines } = await openVerbs();
  await type('/incident drill on');
  await type('/incident resolve --now');
  expect(await publicLines()).toEqual([
    '🧪 @alice marked the incident as a drill',
    '✅ Drill resolved after 0 s – @alice',
  ]);
});

test('guests are refused, and outside an incident’s channel a picker asks which', async () => {
  const { type, gus, showCard, press, alice, general, last, submit, incident, reads, act } = await openVerbs();
  expect(await type('/incident resolve', gus)).toContain('guests cannot change incidents');
  expect(await press(await showCard(), 'Resolve', gus)).toContain('guests cannot change incidents');

  await type('/incident resolve all good', alice, general);
  await act(() => alice.press(last(alice, general), '#1 Checkout answers 500'));
  await submit({});
  expect((await incident()).status).toBe('resolved');
  expect(reads(alice, general)).toContain('You resolved incident 1 after');
  expect(await type('/incident resolve --incident nope', alice, general)).toContain(phrases.noIncident('nope'));
});

test('the form opens too late: what was typed is kept', async () => {
  const { slack, type, last, press, alice, submit, incident } = await openVerbs();
  slack.delayTriggers();
  expect(await type('/incident resolve it was the cache')).toContain('What you typed is kept');
  await press(last(), 'Open the form');
  expect(alice.view?.values.summary?.summary?.value).toBe('it was the cache');
  await submit({});
  expect((await incident()).status).toBe('resolved');
});

test('the form names the open tasks, and all of them can be finished with it', async () => {
  const { place, type, submit, alice, incident, publicLines, slack } = await openVerbs();
  await type('/incident resolve');
  expect(JSON.stringify(alice.view)).not.toContain('Open tasks');
  await submit({});
  await type('/incident reopen');
  await type('/task add Put it on the status page <!channel> @carol');
  for (const text of ['Roll back', 'Tell support', 'Call both banks', 'Write it down']) await type(`/task add ${text}`);
  await type('/task done 2');
  await type('/incident resolve');
  const form = renderView(slack, alice.view ?? expect.unreachable('no form'));
  expect(form).toContain(
    '4 tasks are still open: Put it on the status page <!channel> (carol), Tell support, Call both',
  );
  expect(form).toContain('and 1 more');
  expect(form).toContain('Leave them open');
  await submit({ tasks: 'done' });
  const { status, taskList } = await incident();
  expect([status, taskList.todoCount, taskList.doneCount]).toEqual(['resolved', 0, 5]);
  expect((await publicLines()).join('\n')).toContain('☑️ @alice finished all open tasks');
  expect(place.lastRead(alice, place.slack.channel('inc-1-checkout-answers-500').id)).toContain('✅ You resolved');
  expect(place.lastRead(alice, place.slack.channel('inc-1-checkout-answers-500').id)).not.toContain('still open');
});

test('resolving by form: status, end, summary; a receipt, one line for everybody, the card and the announcement', async () => {
  const { readCard, type, alice, submit, wait, incident, items, reads, publicLines } = await openVerbs();
  wait(65);

  await type('/incident resolve The pool was full & we doubled it');
  expect(alice.view?.values.summary?.summary?.value).toBe('The pool was full & we doubled it');
  await submit({});

  expect(reads()).toMatch(/^✅ You resolved incident 1 after .*\n\[Undo\]$/);
  expect(await publicLines()).toEqual(['✅ Resolved after 1 h 5 min – @alice\n> The pool was full & we doubled it']);
  expect(await incident()).toMatchObject({
    status: 'resolved',
    incidentEnd: '2026-11-20T13:20:00Z',
    closedTime: '2026-11-20T13:20:00Z',
  });
  const [note] = await items('userNote');
  expect(note).toMatchObject({
    body: 'The pool was full & we doubled it\n\n— alice in Slack',
    user: { name: 'alice' },
    fieldValues: { source: 'resolution', addedBy: 'alice', addedByUser: alice.id },
  });
  expect((await items('incidentStatusChanged')).map(item => item.user.name)).toEqual(['alice']);
  expect(await readCard()).toContain('✅ Resolved');
  expect(await readCard()).toContain('after 1 h 5 min\n');
});

test('one part is refused: the others are done, and each is told', async () => {
  const grafana = await openFakeGrafana();
  const { alice, showCard, press, submit, place, home, incident, items, last, publicLines } = await openVerbs({
    settings: grafana.settings,
  });
  await press(await showCard(), 'Resolve');
  grafana.fail({ when: /AddActivity/, answer: { status: 403, body: '{"error":"no"}' } });
  await submit({ summary: 'It was the cache' });

  const told = place
    .reads(alice, home.id)
    .filter(each => !each.includes('Resolved after') && !each.includes('What comes next'))
    .slice(-2);
  expect(told[0]).toContain('✅ You resolved');
  expect(told[1]).toContain('I could not put the summary “It was the cache” on the timeline of incident 1.');
  expect((await incident()).status).toBe('resolved');
  expect(await items('userNote')).toEqual([]);

  grafana.heal();
  expect(await press(last(), 'Try again')).toContain('You put the summary “It was the cache” on the timeline');
  expect((await items('userNote')).map(note => note.body)).toEqual(['It was the cache\n\n— alice in Slack']);
  expect(await publicLines()).toHaveLength(1);
});

test('one part cannot be done for now: it is kept with what comes after it, and both are done and told once', async () => {
  const grafana = await openFakeGrafana();
  const { alice, showCard, press, submit, place, home, incident, items, publicLines } = await openVerbs({
    settings: grafana.settings,
  });
  await press(await showCard(), 'Resolve');
  grafana.fail({ when: /AddActivity/, answer: { status: 503, body: '{"error":"down"}' } });
  await submit({ summary: 'It was the cache' });

  const kept = place.reads(alice, home.id).slice(-2);
  expect(kept[0]).toContain('Saved. I’ll resolve incident 1 as soon as the changes before it are made.');
  expect(kept[1]).toContain('Saved. I’ll put the summary “It was the cache” on the timeline of incident 1 as soon as');
  expect((await incident()).status).toBe('active');

  await recover(place, grafana);
  await place.quiet();
  expect((await incident()).status).toBe('resolved');
  expect((await items('userNote')).map(note => note.body)).toEqual(['It was the cache\n\n— alice in Slack']);
  expect((await publicLines()).filter(line => line.includes('Resolved after'))).toHaveLength(1);
  const told = place.reads(alice, home.id).join('\n');
  expect(told.match(/You put the summary “It was the cache” on the timeline/g)).toHaveLength(1);
  expect(told.match(/You resolved incident 1 after/g)).toHaveLength(1);
});
