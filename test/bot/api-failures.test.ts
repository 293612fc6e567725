import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { renderView } from '../../src/playground/fake-slack.ts';
import { openWorkplace, type Workplace, type WorkplaceOptions } from '../harness.ts';
import { type GrafanaFault, openFakeGrafana } from './fake-grafana.ts';

const impatience = { attemptTimeout: 150, budget: 400, breaker: { coolDown: 1 } };
const create = /IncidentsService\.CreateIncident/;

/** Alice in #general of a team whose API is a Grafana that may fail. */
async function openTeam(settings: Record<string, string>, options: WorkplaceOptions = {}) {
  const place = await openWorkplace({ settings, ...options });
  const alice = place.slack.addPerson({ name: 'alice' });
  const general = place.slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const type = async (line: string) => {
    await alice.command(general, line);
    await place.quiet();
    return place.lastRead(alice, 'general');
  };
  const press = async (button: string) => {
    const message = place.messages(alice, 'general').at(-1);
    if (!message) throw new Error('There is no message');
    await alice.press(message, button);
    await place.quiet();
    return place.lastRead(alice, 'general');
  };
  return { place, alice, general, type, press };
}

async function titles(place: Workplace): Promise<string[]> {
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
  return incidentPreviews.map(each => each.title);
}

async function states(place: Workplace): Promise<Record<string, number>> {
  return Object.fromEntries((await place.muster.bot.journal.census()).map(({ state, count }) => [state, count]));
}

const json = (status: number, body: object, headers = {}) => ({ status, body: JSON.stringify(body), headers });

const failures: readonly (readonly [what: string, answer: GrafanaFault['answer'], sentence: string])[] = [
  [
    'a web page',
    { status: 200, body: '<html>login</html>', headers: { 'content-type': 'text/html' } },
    'The incident API answered something that is not its own language, so it may or may not have happened.',
  ],
  [
    'half a body',
    'half a body',
    'The incident API did not answer, so it may or may not have happened. Look at /incident status before you try again.',
  ],
  ['nothing, and hangs up', 'hang up', 'The incident API did not answer, so it may or may not have happened.'],
  ['nothing at all', 'stall', 'The incident API took too long to answer, so it may or may not have happened.'],
  [
    'JSON of another shape',
    json(200, { hello: 'world' }),
    'The incident API answered something that is not its own language',
  ],
  [
    '401',
    json(401, { message: 'Unauthorized' }),
    'The incident API does not accept Muster’s token. Nothing was changed; whoever runs Muster must renew GRAFANA_TOKEN.',
  ],
  [
    '403',
    json(403, { message: 'Permissions needed: x' }),
    'The incident API does not let Muster do this (“Permissions needed: x”). Nothing was changed; whoever runs Muster must give its service account the Editor role.',
  ],
  [
    '429 and when to come back',
    json(429, { error: 'slow down' }, { 'retry-after': '42' }),
    'The incident API is asked too often. Nothing was changed; try again in 42 s.',
  ],
  [
    '429 alone',
    json(429, { error: 'slow down' }),
    'The incident API is asked too often. Nothing was changed; try again in a moment.',
  ],
  [
    '500 of older installations',
    json(500, { error: 'kaput' }),
    'The incident API failed (“kaput”), so it may or may not have happened.',
  ],
  [
    '500 of newer ones',
    json(500, { code: 'x', detail: 'kaput', title: 'Internal' }),
    'The incident API failed (“kaput”), so it may or may not have happened.',
  ],
  ['503', json(503, { message: 'starting' }), 'The incident API did not answer, so it may or may not have happened.'],
];

test.each(failures)(
  'when the API answers %s, a person reads why, and “Try again” declares it once',
  async (_what, answer, sentence) => {
    const grafana = await openFakeGrafana();
    const { place, type, press } = await openTeam(grafana.settings, { patience: impatience });
    grafana.fail({ when: create, answer });
    const began = performance.now();
    const read = await type('/incident declare Checkout answers 500 --severity major --now');
    expect(performance.now() - began).toBeLessThan(2500);
    expect(read).toContain(`I could not declare “Checkout answers 500”. ${sentence}`);
    expect(read).toContain('You typed: /incident declare Checkout answers 500 --severity major --now');
    expect(await states(place)).toEqual({ refused: 1 });
    expect(await titles(place)).toEqual([]);

    const still = await press('Try again');
    expect(still).toContain(`I still could not declare “Checkout answers 500”. ${sentence}`);
    expect(still).toContain('You typed: /incident declare Checkout answers 500 --severity major --now');

    grafana.heal();
    expect(await press('Try again')).toContain('Incident 1 is declared: “Checkout answers 500”, severity major.');
    expect(await titles(place)).toEqual(['Checkout answers 500']);
    expect(await states(place)).toEqual({ done: 1 });
    expect(place.troubles.every(each => each.level < 50)).toBe(true);
  },
);

test.each([
  ['404', json(404, { error: 'no such plugin' }), 'The incident API has no such thing: “no such plugin”.'],
  ['412', json(412, { message: 'changed', status: 'version-mismatch' }), 'Something else is in the way: “changed”.'],
  ['409', json(409, { error: 'there is one' }), 'Something else is in the way: “there is one”.'],
  [
    '400 with words that would call everybody',
    json(400, { error: 'bad <!channel> & `title`' }),
    'The incident API refused it: “bad <!channel> & title”.',
  ],
])(
  'when the API answers %s, trying again is not offered, and what was typed is there',
  async (_what, answer, sentence) => {
    const grafana = await openFakeGrafana();
    const { place, type } = await openTeam(grafana.settings);
    grafana.fail({ when: create, answer });
    const read = await type('/incident declare Checkout answers 500 --now');
    expect(read).toContain(sentence);
    expect(read).not.toContain('[Try again]');
    expect(read).not.toContain('!!!');
    expect(read).toContain('You typed: /incident declare Checkout answers 500 --now');
    expect(await states(place)).toEqual({ refused: 1 });
  },
);

test('an API that refuses the connection is said, and once it is there again nothing has to be typed again', async () => {
  const port = await freePort();
  const { place, alice, type } = await openTeam(
    { GRAFANA_URL: `http://127.0.0.1:${port}`, GRAFANA_TOKEN: 'glsa_test' },
    { patience: impatience },
  );
  expect(await type('/incident declare Checkout answers 500 --now')).toContain(
    'I could not declare “Checkout answers 500”. The incident API cannot be reached. Nothing was changed; try again in a moment.',
  );
  expect(await type('/incident help')).toContain('/incident declare');
  await openFakeGrafana({ port });
  await type('/incident help');
  const refusal = place.messages(alice, 'general').find(each => each.text.includes('I could not declare'));
  if (!refusal) throw new Error('The refusal is gone');
  await alice.press(refusal, 'Try again');
  await place.quiet();
  expect(place.reads(alice, 'general').join('\n')).toContain('Incident 1 is declared');
});

test('what was filled into a form is kept when the API refuses it, and the form opens with it again', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, type, press } = await openTeam(grafana.settings);
  await type('/incident declare');
  grafana.fail({ when: create, answer: json(401, { message: 'Unauthorized' }) });
  await alice.submit({ title: 'Checkout answers 500', severity: 'major', labels: 'eu, web', options: ['drill'] });
  await place.quiet();
  expect(place.lastRead(alice, 'general')).toContain('[Try again] [Change it]');
  expect(await press('Try again')).toContain('[Try again] [Change it]');
  grafana.heal();
  await press('Change it');
  if (!alice.view) throw new Error('No form is open');
  expect(renderView(place.slack, alice.view)).toContain('[Checkout answers 500]');
  expect(renderView(place.slack, alice.view)).toContain('[major ▾]');
  expect(renderView(place.slack, alice.view)).toContain('[eu, web]');
  expect(renderView(place.slack, alice.view)).toContain('(x) This is a drill');
  await alice.submit({ title: 'Checkout answers 503' });
  await place.quiet();
  expect(await titles(place)).toEqual(['Checkout answers 503']);
});

test('“Try again” pressed twice at once declares one incident', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, type } = await openTeam(grafana.settings);
  grafana.fail({ when: create, answer: json(401, { message: 'Unauthorized' }), times: 1 });
  await type('/incident declare Disk is full --now');
  const refusal = place.messages(alice, 'general').at(-1);
  if (!refusal) throw new Error('There is no refusal');
  await Promise.all([alice.press(refusal, 'Try again'), alice.press(refusal, 'Try again')]);
  await place.quiet();
  expect(await titles(place)).toEqual(['Disk is full']);
  expect(place.slack.channels.filter(each => each.name.startsWith('inc-'))).toHaveLength(1);
});

test('the incident exists when only its later parts fail, and each is said', async () => {
  const grafana = await openFakeGrafana();
  const { place, type } = await openTeam(grafana.settings);
  grafana.fail({ when: /UpdateIncidentEventTime/, answer: json(403, { message: 'no' }) });
  grafana.fail({ when: /AssignRole/, answer: json(404, { message: 'no' }) });
  const read = await type('/incident declare Disk is full --started 20m ago --commander --now');
  expect(read).toContain('Incident 1 is declared');
  expect(read).toContain(':warning: The start time could not be set.');
  expect(read).toContain(':warning: You could not be made commander: /role assign me commander tries again.');
  expect(await titles(place)).toEqual(['Disk is full']);
});

test('an API that stalls on everything still lets a person know within the time of one intent', async () => {
  const grafana = await openFakeGrafana();
  const { type } = await openTeam(grafana.settings, { patience: impatience });
  grafana.fail({ when: /./, answer: 'stall' });
  const began = performance.now();
  expect(await type('/incident declare Disk is full --now')).toContain('The incident API took too long to answer');
  // Two seconds for the directory of people, then the intent.
  expect(performance.now() - began).toBeLessThan(4000);
  const again = performance.now();
  await type('/incident declare Disk is fuller --now');
  expect(performance.now() - again).toBeLessThan(1500);
});

test('a value that the API has only lately learned is shown as it is', async () => {
  const grafana = await openFakeGrafana();
  const { place, alice, type } = await openTeam(grafana.settings);
  await type('/incident declare Disk is full --now');
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  const strange = { ...incident, status: 'monitoring', severity: 'catastrophic', incidentType: 'galactic' };
  grafana.fail({ when: /GetIncident/, answer: json(200, { incident: strange, error: '' }) });
  await alice.command('inc-1-disk-is-full', '/task add Look at it');
  await place.quiet();
  expect(place.reads(alice, 'inc-1-disk-is-full')[0]).toContain('monitoring');
  expect(place.reads(alice, 'inc-1-disk-is-full')[0]).toContain('catastrophic');
});

test('outside an incident’s channel, an API that is down is said, with what was typed', async () => {
  const grafana = await openFakeGrafana();
  const { type } = await openTeam(grafana.settings);
  grafana.fail({ when: /QueryIncidentPreviews/, answer: json(403, { message: 'no' }) });
  const read = await type('/task add Look at it');
  expect(read).toContain('The incident API does not let Muster do this');
  expect(read).toContain('You typed: /task add Look at it');
  grafana.fail({ when: /QueryIncidentPreviews/, answer: { status: 200, body: '<html>' } });
  expect(await type('/task add Look at it')).toContain(
    'I could not look that up: the incident API answered something that is not its own language.',
  );
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

test('a command that could not even be looked up is tried again with one press', async () => {
  const grafana = await openFakeGrafana();
  const { type, press } = await openTeam(grafana.settings);
  await type('/incident declare Checkout answers 500 --now');
  grafana.fail({ when: /QueryIncidentPreviews/, answer: json(403, { message: 'no' }) });
  expect(await type('/task add Look at it')).toContain('[Try again]');
  grafana.heal();
  await press('Try again');
  expect(await press('#1 Checkout answers 500')).toContain('Task 1: “Look at it”');
});
