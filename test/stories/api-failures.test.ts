import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { isAtLeast } from '../../src/config/log-levels.ts';
import { patient } from '../support/deadlines.ts';
import { type GrafanaFault, openFakeGrafana } from '../support/fake-grafana.ts';
import { freePort } from '../support/free-port.ts';
import { openMore } from '../support/more-options.ts';
import { deadlinesFor, openOutage } from '../support/outage-room.ts';

const create = /IncidentsService\.CreateIncident/;

const json = (status: number, body: object, headers = {}) => ({ status, body: JSON.stringify(body), headers });

/** Failures that pass by themselves, and until when a person reads that it waits. */
const passing: readonly (readonly [what: string, answer: GrafanaFault['answer'], until: string])[] = [
  [
    'a web page',
    { status: 200, body: '<html>login</html>', headers: { 'content-type': 'text/html' } },
    'Grafana answers.',
  ],
  ['half a body', 'half a body', 'Grafana answers.'],
  ['nothing, and hangs up', 'hang up', 'Grafana answers.'],
  ['nothing at all', 'stall', 'Grafana answers.'],
  ['JSON of another shape', json(200, { hello: 'world' }), 'Grafana answers.'],
  [
    '429 and when to come back',
    json(429, { error: 'slow down' }, { 'retry-after': '3600' }),
    'Grafana takes it: it asks to wait.',
  ],
  ['429 alone', json(429, { error: 'slow down' }), 'Grafana takes it: it asks to wait.'],
  ['500 of newer ones', json(500, { code: 'x', detail: 'kaput', title: 'Internal' }), 'Grafana works again.'],
  ['503', json(503, { message: 'starting' }), 'Grafana answers.'],
];

test.each(passing)(
  'when the API answers %s, the declaration is kept with its channel, and declared once as soon as it can be',
  async (_what, answer, until) => {
    const { place, slack, alice, grafana, type, titles, states, comeBack, room, incident } = await openOutage({
      deadlines: deadlinesFor(answer),
    });
    grafana.fail({ when: create, answer });
    const read = await type('/incident declare Checkout answers 500 --severity major --now');
    expect(read).toContain(`⏳ Saved. I’ll declare “Checkout answers 500” as soon as ${until}`);
    expect(read).toContain('Head to #inc-checkout-answers-500.');
    expect(read).toContain('[Try now] [Discard]');
    expect(await states()).toEqual({ pending: 1, done: 2 });
    expect(await titles()).toEqual([]);
    const [sketch] = place.reads(alice, room().id);
    expect(sketch).toContain('🟠 MAJOR · Checkout answers 500\n⏳ Not registered yet');
    expect(place.messages(alice, room().id)[0]?.pinned).toBe(true);
    const cardTs = place.messages(alice, room().id)[0]?.ts;

    await comeBack();
    expect(await titles()).toEqual(['Checkout answers 500']);
    expect(await states()).toEqual({ done: 4 });
    expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
    const told = place.reads(alice, 'general').filter(each => each.includes('You declared'));
    expect(told).toEqual([
      '☑️ What you asked for earlier is done:\n🚨 You declared incident 1: “Checkout answers 500”, severity major.\nHead to #inc-checkout-answers-500.',
    ]);
    const [card] = place.reads(alice, room().id);
    expect(place.messages(alice, room().id)[0]?.ts).toBe(cardTs);
    expect(card).toContain('Active since');
    expect(card).toContain('Incident 1 · declared');
    expect(card).not.toContain('registered');
    expect(place.reads(alice, room().id).slice(1)).toEqual(['☑️ Grafana answers again. This is incident 1 now.']);
    expect(room().topic).toBe('Active · Checkout answers 500');
    expect((await incident()).severity).toBe('major');
    expect(place.troubles.some(each => isAtLeast(each, 'error'))).toBe(false);
  },
);

test('an incident that somebody renamed before its lost answer was found is not declared a second time', async () => {
  const { api, grafana, type, titles, comeBack, incident } = await openOutage();
  grafana.fail({ when: create, afterEffect: true, times: 1, answer: json(500, { error: 'gateway' }) });
  grafana.fail({ when: /QueryIncidentPreviews/, answer: json(503, {}) });
  await type('/incident declare Checkout answers 500 --now');
  await api.IncidentsService.UpdateTitle({ incidentID: '1', title: 'Checkout is slow' });
  await comeBack();
  expect(await titles()).toEqual(['Checkout is slow']);
  expect((await incident()).title).toBe('Checkout is slow');
});

/** Failures that stay until somebody sees to them. */
const lasting: readonly (readonly [what: string, answer: GrafanaFault['answer'], sentence: string])[] = [
  [
    '401',
    json(401, { message: 'Unauthorized' }),
    'Grafana does not accept Muster’s token, and nothing was changed: your Muster administrator must renew GRAFANA_TOKEN.',
  ],
  [
    '403',
    json(403, { message: 'Permissions needed: x' }),
    'Grafana does not let Muster do this (“Permissions needed: x”), and nothing was changed: your Muster administrator must give its service account the role Editor, or Admin for the list of roles.',
  ],
];

test.each(lasting)(
  'when the API answers %s, a person reads why, and “Try again” declares it once',
  async (_what, answer, sentence) => {
    const { place, slack, grafana, type, press, titles, states } = await openOutage();
    grafana.fail({ when: create, answer });
    const read = await type('/incident declare Checkout answers 500 --severity major --now');
    expect(read).toContain(`I could not declare “Checkout answers 500”. ${sentence}`);
    expect(read).toContain('You typed: /incident declare Checkout answers 500 --severity major --now');
    expect(await states()).toEqual({ failed: 1 });
    expect(await titles()).toEqual([]);
    expect(slack.channels.filter(each => each.name.startsWith('inc-'))).toEqual([]);

    const still = await press('Try again');
    expect(still).toContain(`I still could not declare “Checkout answers 500”. ${sentence}`);
    expect(still).toContain('You typed: /incident declare Checkout answers 500 --severity major --now');

    grafana.heal();
    expect(await press('Try again')).toContain('You declared incident 1: “Checkout answers 500”, severity major.');
    expect(await titles()).toEqual(['Checkout answers 500']);
    expect(await states()).toEqual({ done: 3 });
    expect(place.troubles.some(each => isAtLeast(each, 'error'))).toBe(false);
  },
);

test.each([
  ['404', json(404, { error: 'no such plugin' }), 'Grafana could not find it: “no such plugin”.'],
  ['500 of older installations', json(500, { error: 'kaput' }), 'Grafana refused it: “kaput”.'],
  ['200 with words that say no', json(200, { error: 'kaput' }), 'Grafana refused it: “kaput”.'],
  ['412', json(412, { message: 'changed', status: 'version-mismatch' }), 'The reason: “changed”.'],
  ['409', json(409, { error: 'there is one' }), 'The reason: “there is one”.'],
  [
    '400 with words that would call everybody',
    json(400, { error: 'bad <!channel> & `title`' }),
    'Grafana refused it: “bad <!channel> & `title`”.',
  ],
])(
  'when the API answers %s, trying again is not offered, and what was typed is there',
  async (_what, answer, sentence) => {
    const { grafana, states, type } = await openOutage();
    grafana.fail({ when: create, answer });
    const read = await type('/incident declare Checkout answers 500 --now');
    expect(read).toContain(sentence);
    expect(read).not.toContain('[Try again]');
    expect(read).not.toContain('!!!');
    expect(read).toContain('You typed: /incident declare Checkout answers 500 --now');
    expect(await states()).toEqual({ failed: 1 });
  },
);

test('an API that refuses the connection: nothing has to be typed again once it is there', async () => {
  const port = await freePort();
  const settings = { GRAFANA_URL: `http://127.0.0.1:${port}`, GRAFANA_TOKEN: 'glsa_test' };
  const { place, alice, type, titles } = await openOutage({ settings });
  expect(await type('/incident declare Checkout answers 500 --now')).toContain(
    'Saved. I’ll declare “Checkout answers 500” as soon as Grafana answers.',
  );
  expect(await type('/incident help')).toContain('/incident declare');
  await place.muster.bot.journal.idle();
  await openFakeGrafana({ port });
  await place.muster.bot.journal.wake();
  await place.quiet();
  expect(await titles()).toEqual(['Checkout answers 500']);
  expect(place.reads(alice, 'general').filter(each => each.includes('You declared incident 1'))).toHaveLength(1);
});

test('what was filled into a form is kept when the API refuses it, and the form opens with it again', async () => {
  const { grafana, place, alice, type, press, titles, act } = await openOutage();
  await type('/incident declare');
  await openMore(place, alice);
  grafana.fail({ when: create, answer: json(401, { message: 'Unauthorized' }) });
  await act(() =>
    alice.submit({ title: 'Checkout answers 500', severity: 'major', labels: 'eu, web', options: ['drill'] }),
  );
  expect(place.lastRead(alice, 'general')).toContain('[Try again] [Change it]');
  expect(await press('Try again')).toContain('[Try again] [Change it]');
  grafana.heal();
  await press('Change it');
  if (!alice.view) throw new Error('No form is open');
  expect(renderView(place.slack, alice.view)).toContain('[Checkout answers 500]');
  expect(renderView(place.slack, alice.view)).toContain('[🟠 Major – many people are affected ▾]');
  expect(renderView(place.slack, alice.view)).toContain('[eu, web]');
  expect(renderView(place.slack, alice.view)).toContain('(x) This is a drill');
  await act(() => alice.submit({ title: 'Checkout answers 503' }));
  expect(await titles()).toEqual(['Checkout answers 503']);
});

test('“Try again” pressed twice at once declares one incident', async () => {
  const { grafana, place, alice, type, titles } = await openOutage();
  grafana.fail({ when: create, answer: json(401, { message: 'Unauthorized' }), times: 1 });
  await type('/incident declare Disk is full --now');
  const refusal = place.messages(alice, 'general').at(-1);
  if (!refusal) throw new Error('There is no refusal');
  await Promise.all([alice.press(refusal, 'Try again'), alice.press(refusal, 'Try again')]);
  await place.quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(place.slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
});

test('the incident exists when only its later parts fail, and each is said', async () => {
  const { grafana, place, alice, type, titles, states } = await openOutage();
  grafana.fail({ when: /UpdateIncidentEventTime/, answer: json(403, { message: 'no' }) });
  grafana.fail({ when: /AssignRole/, answer: json(404, { error: 'no' }) });
  await type('/incident declare Disk is full --started 20m ago --commander --now');
  const read = place.reads(alice, 'general').join('\n');
  expect(read).toContain('You declared incident 1');
  expect(read).not.toContain('It began');
  expect(read).toContain('I could not set the start time of incident 1. Grafana does not let Muster do this');
  expect(read).toContain('I could not make you commander of incident 1. Grafana could not find it: “no”.');
  expect(await titles()).toEqual(['Disk is full']);
  expect(await states()).toEqual({ done: 3, failed: 2 });
});

test('an API that stalls on everything still lets a person know after the attempts of one intent', async () => {
  const { grafana, type } = await openOutage({ deadlines: deadlinesFor('stall') });
  grafana.fail({ when: /./, answer: 'stall' });
  const attempts = (method: RegExp) => grafana.requests.filter(each => method.test(each)).length;
  expect(await type('/incident declare Disk is full --now')).toContain('as soon as Grafana answers.');
  expect(attempts(create)).toBe(1);
  await type('/incident declare Disk is fuller --now');
  expect(attempts(create)).toBeLessThanOrEqual(2);
  expect(attempts(/QueryUsers/), 'looking up who declares it').toBeLessThanOrEqual(6);
});

test('a value that the API has only lately learned is shown as it is', async () => {
  const { grafana, place, alice, type, act } = await openOutage();
  await type('/incident declare Disk is full --now');
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  const strange = { ...incident, status: 'monitoring', severity: 'catastrophic', incidentType: 'galactic' };
  grafana.fail({ when: /GetIncident/, answer: json(200, { incident: strange, error: '' }) });
  await act(() => alice.command('inc-1-disk-is-full', '/task add Look at it'));
  expect(place.reads(alice, 'inc-1-disk-is-full')[0]).toContain('monitoring');
  expect(place.reads(alice, 'inc-1-disk-is-full')[0]).toContain('CATASTROPHIC');
});

test('outside an incident’s channel, an API that is down is said, with what was typed', async () => {
  const { grafana, type } = await openOutage();
  grafana.fail({ when: /QueryIncidentPreviews/, answer: json(403, { message: 'no' }) });
  const read = await type('/task add Look at it');
  expect(read).toContain('Grafana does not let Muster do this');
  expect(read).toContain('You typed: /task add Look at it');
  grafana.fail({ when: /QueryIncidentPreviews/, answer: { status: 200, body: '<html>' } });
  expect(await type('/task add Look at it')).toContain(
    'I could not look that up: Grafana sent a response Muster could not read (a wrong address, or a proxy page?).',
  );
});

test('a command that could not even be looked up is tried again with one press', async () => {
  const { grafana, type, press } = await openOutage();
  await type('/incident declare Checkout answers 500 --now');
  grafana.fail({ when: /QueryIncidentPreviews/, answer: json(403, { message: 'no' }) });
  expect(await type('/task add Look at it')).toContain('[Try again]');
  grafana.heal();
  await press('Try again');
  expect(await press('#1 Checkout answers 500')).toContain('You added task 1: “Look at it”');
});

test('as many writes may hang as the journal runs at a time: what somebody asks for still reaches the API', async () => {
  const { api, grafana } = await openOutage({ deadlines: patient() });
  grafana.fail({ when: /AddActivity/, answer: 'stall' });
  const end = new AbortController();
  const hanging = Array.from({ length: 40 }, () =>
    api.ActivityService.AddActivity(
      { incidentID: '1', activityKind: 'userNote', body: 'note' },
      { signal: end.signal },
    ),
  );
  const ended = Promise.allSettled(hanging);
  const begun = () => grafana.requests.filter(line => line.includes('AddActivity'));
  await expect.poll(begun).toHaveLength(40);
  expect(await api.IncidentsService.QueryIncidentPreviews({ query: {} })).toMatchObject({ incidentPreviews: [] });
  end.abort();
  await ended;
});

test('an operation that fails while the API answers others keeps its own pause', async () => {
  const { grafana, type, room, alice, place } = await openOutage();
  await type('/incident declare Disk is full --now');
  grafana.fail({ when: /AddTask/, answer: { status: 502, body: '<html>Bad gateway</html>' } });
  await type('/task add fail over', alice, room().id);
  for (let read = 0; read < 5; read += 1) {
    await type('/incident status', alice, room().id);
    await place.muster.bot.journal.idle();
  }
  // The first pause is a second.
  expect(grafana.requests.filter(each => each.includes('AddTask')).length).toBeLessThanOrEqual(3);
});
