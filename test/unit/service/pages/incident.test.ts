import { expect, test } from 'vitest';
import { markSince, type Note, noteBody, rewriteBody } from '../../../../src/bot/incident/notes/notes.ts';
import { signs } from '../../../../src/bot/text/signs.ts';
import { importantSign } from '../../../../src/contract/note-forms.ts';
import { richText } from '../../../../src/service/pages/escape.ts';
import { tellItems } from '../../../support/kinds-of-incidents.ts';
import { ana, ben, declare, get, openPages, saveDashboard, say } from '../../../support/pages.ts';
import { call, type OpenedService } from '../../../support/service.ts';

/** What a reader sees of a page: its words, without tags. */
function read(page: string): string {
  const bare = page.replace(/<(head|style)[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ');
  return bare.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').replace(/\s+/g, ' ');
}

const toPath = (incidentID: string, query = '') => `/a/grafana-irm-app/incidents/${incidentID}${query}`;
const look = async (opened: OpenedService, incidentID: string, query = '') =>
  read((await get(opened, toPath(incidentID, query))).text);
const note = (opened: OpenedService, when: string, incidentID: string, body: string, more: object = {}) =>
  say(opened, when, ana, 'ActivityService.AddActivity', { incidentID, activityKind: 'userNote', body, ...more });
const resolve = (opened: OpenedService, when: string, incidentID: string, status = 'resolved') =>
  say(opened, when, ana, 'IncidentsService.UpdateStatus', { incidentID, status });
const setTime = (opened: OpenedService, when: string, incidentID: string, kind: string, eventTime: string) =>
  say(opened, when, ana, 'IncidentsService.UpdateIncidentEventTime', {
    ...{ incidentID, activityItemKind: kind, eventTime: `2026-09-19T${eventTime}:00Z` },
  });

const words = 'The pool is empty.';
const link = 'https://acme.slack.com/archives/C1/p1';

/** A note as its body begins, and the facts of its last line. */
const said: Note = {
  ...{ incidentID: '1', text: words, eventTime: '2026-09-19T09:10:00Z', source: 'message' },
  ...{ saidBy: 'Chloé Martin', addedBy: 'Ben Okafor', permalink: link },
};
const own: Note = { ...said, saidBy: '', source: 'note', permalink: '' };
const linked: Note = { ...own, permalink: link };
const begins = [
  { note: said, body: noteBody(said), facts: ['Chloé Martin', 'added by Ben Okafor', 'the message'] },
  { note: own, body: noteBody(own), facts: ['Ben Okafor'] },
  { note: linked, body: noteBody(linked), facts: ['Ben Okafor'] },
  // Another client wrote it: it has no last line.
  { note: { ...own, addedBy: '' }, body: words, facts: [] },
];
/** What people do to a note or to its message later. */
const deeds = ['reworded', 'edited in Slack', 'deleted in Slack'] as const;

/** The body after these deeds, and the facts that they leave: a message that was deleted is no edited one. */
function after(body: string, done: readonly (typeof deeds)[number][]) {
  const write = (known: string, deed: (typeof deeds)[number]) =>
    deed === 'reworded'
      ? rewriteBody(known, words, 'Eve: x')
      : markSince(known, deed === 'edited in Slack' ? 'edited' : 'deleted');
  const last = done.findLast(deed => deed !== 'reworded');
  const facts = [...(done.includes('reworded') ? ['edited by Eve x'] : []), ...(last ? [`${last} since`] : [])];
  return { body: done.reduce(write, body), facts };
}

test('whatever people did to a note and its message, in any order, its last line loses nothing', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Notes' });
  const orders = [[], ...deeds.map(deed => [deed]), ...deeds.flatMap(one => deeds.map(other => [one, other]))];
  const notes = begins.flatMap(begin =>
    orders.map(order => {
      const { body, facts } = after(begin.body, order);
      return { ...begin, order, body, facts: [...begin.facts, ...facts] };
    }),
  );
  for (const [index, { note: said, body }] of notes.entries()) {
    const { source, saidBy, addedBy, permalink } = said;
    const fields = { source, ...(saidBy && { saidBy }), ...(addedBy && { addedBy }), ...(permalink && { permalink }) };
    await note(opened, '09:10', incidentID, `No. ${index}: ${body}`, { fieldValues: fields });
  }
  const page = await get(opened, toPath(incidentID, '?show=all'));
  const items = page.text
    .split('<li class="note')
    .slice(1)
    .map(each => read(each.split('</li>')[0] ?? ''));
  for (const [index, { facts, order }] of notes.entries()) {
    const shown = items.find(each => each.includes(`No. ${index}: `)) ?? '';
    for (const fact of [words, ...facts]) expect(shown, order.join(', ')).toContain(fact);
    expect(shown, order.join(', ')).not.toMatch(/—|said by/);
    for (const fact of ['edited by', 'edited in Slack', 'deleted in Slack'])
      expect(shown.includes(fact), `${order.join(', ')}: ${shown}`).toBe(facts.some(each => each.includes(fact)));
  }
});

test.each([
  '— We moved to a channel in Slack on Monday, and lost the queue',
  '— All of this was seen in Slack',
  '— Eve said it in Slack: twice',
])('a last line of a person’s own is kept: %s', async line => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Notes' });
  const fieldValues = { source: 'note', addedBy: 'Ben Okafor' };
  await note(opened, '09:10', incidentID, `${words}\n\n${line}`, { fieldValues });
  expect(await look(opened, incidentID)).toContain(line);
});

test('changes have no links of notes among them, and a page of 500 has 500', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Links', attachURL: 'https://example.com/alert' });
  for (let index = 0; index < 30; index += 1)
    await note(opened, '09:05', incidentID, `seen ${link}${index}\n\n— Ben Okafor in Slack: ${link}${index}`);
  const changes = (await look(opened, incidentID, '?show=changes')).split('Timeline')[1] ?? '';
  expect(changes).toContain('Notes 30 Changes 2');
  expect(changes).toContain('Link attached: https://example.com/alert');
  const page = await get(opened, toPath(incidentID, '?show=all'));
  expect(page.text.match(/<li class="(note|change)/g)).toHaveLength(32);
  const links = (await look(opened, incidentID)).split(' Links ').at(-1);
  expect(links).toContain('example.com/alert');
  expect(links).not.toContain('archives');
});

test('an active incident whose end is set is still open, as long as it is', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Not over' });
  await setTime(opened, '10:00', incidentID, 'incidentEnd', '09:50');
  opened.now = new Date('2026-09-19T13:00:00Z');
  const page = await look(opened, incidentID);
  expect(page).toContain('Open for 4 h');
  expect(page).toContain('Ended 09:50 UTC , still open');
  expect(page).toContain('4 h active');
});

test('only the last correction of the start stands', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'When?' });
  for (const clock of ['08:10', '08:20', '08:15']) await setTime(opened, '09:10', incidentID, 'incidentStart', clock);
  const page = await look(opened, incidentID);
  expect(page.match(/The incident started/g)).toHaveLength(1);
  expect(page).toContain('Start was set to 19 Sep 2026, 08:10 UTC');
  expect(page).toContain('Start was set to 19 Sep 2026, 08:20 UTC');
  expect((await get(opened, toPath(incidentID))).text.match(/class="change past"/g)).toHaveLength(2);
});

test('moments of one second are one, and fifty minutes are fifty', async () => {
  await using opened = await openPages();
  opened.now = new Date('2026-09-19T09:00:00.700Z');
  const { incident } = await call(opened, 'IncidentsService.CreateIncident', { title: 'Fifty' });
  const { incidentID } = incident;
  await setTime(opened, '2026-09-19T09:01:00Z', incidentID, 'incidentStart', '09:00');
  await resolve(opened, '2026-09-19T09:50:00.200Z', incidentID);
  const page = await look(opened, incidentID);
  expect(page).toContain('Took 50 min');
  expect(page).toContain('50 min until resolved');
  expect(page).toContain('Resolved 09:50 UTC +50 min');
  expect(page).not.toMatch(/49 min|\+0 s/);
});

test('the course of a reopened incident has gaps, and says how long there was work', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '08:00', { title: 'Again', severity: 'critical' });
  await say(opened, '08:30', ana, 'IncidentsService.UpdateSeverity', { incidentID, severity: 'minor' });
  await resolve(opened, '09:00', incidentID);
  await resolve(opened, '12:00', incidentID, 'active');
  await resolve(opened, '12:30', incidentID);
  await resolve(opened, '14:00', incidentID, 'active');
  await resolve(opened, '15:00', incidentID);
  const { text } = await get(opened, toPath(incidentID));
  const page = read(text);
  expect(page).toContain('was critical until 08:30 · reopened twice');
  expect(page).toContain('Took 7 h, 2 h 30 min of it open');
  expect(text.match(/class="phase over"/g)).toHaveLength(2);
  expect(text.match(/class="again"/g)).toHaveLength(2);
  expect(text.match(/class="band rank\d"/g)).toHaveLength(2);
  expect(page).toContain('Severity: critical → minor');
  expect(page.match(/Reopened by Ana Torres/g)).toHaveLength(2);
});

test('every item of 6,000 is counted and drawn, in one stroke for each place, and once for a version', async () => {
  await using opened = await openPages();
  const incidentID = await tellItems(opened, 1200);
  await note(opened, '2026-09-17T11:30:00Z', incidentID, 'much later', { eventTime: '2026-10-01T00:00:00Z' });
  await note(opened, '2026-09-17T11:30:00Z', incidentID, 'much earlier', { eventTime: '2020-01-01T00:00:00Z' });
  const { text } = await get(opened, toPath(incidentID));
  expect(text).toContain('1,201 notes and 1 change on the timeline.');
  expect(read(text)).toContain('1,200 items, and 1 later, 1 earlier.');
  const drawn = /<svg class="strokes lane4".*?<\/svg>/s.exec(text)?.[0] ?? '';
  const strokes = drawn.match(/M/g)?.length ?? 0;
  expect(strokes).toBeGreaterThan(800);
  expect(strokes).toBeLessThanOrEqual(2001);
  expect(Buffer.byteLength(/<svg class="plot.*?<\/figure>/s.exec(text)?.[0] ?? '')).toBeLessThan(40_000);
});

test('a page says what it said before with no more than a number, until something changes', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Followed' });
  const ask = async (tag = '', query = '?follow') =>
    await opened.service.fetch(
      new Request(`http://test${toPath(incidentID, query)}`, { headers: { 'if-none-match': tag } }),
    );
  const first = await ask();
  const tag = first.headers.get('etag') ?? '';
  expect(await first.text()).toContain('<meta http-equiv="refresh" content="30">');
  expect([(await ask(tag)).status, (await ask(tag, '')).status]).toEqual([304, 200]);
  await note(opened, '09:00', incidentID, 'news');
  const then = await ask(tag);
  expect(then.status).toBe(200);
  expect(await then.text()).toContain('news');
  opened.now = new Date('2026-09-19T09:02:00Z');
  expect((await ask(then.headers.get('etag') ?? '')).status).toBe(200);
  expect(await look(opened, incidentID)).toContain('as of 09:02 UTC · Reload · Follow');
});

test('the card says the last update, when the next is due, and that nobody leads', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Update' });
  const fieldValues = { source: 'update', addedBy: 'Ana Torres', nextUpdateAt: '2026-09-19T09:40:00Z' };
  await note(opened, '09:10', incidentID, '📣 Half of the *pods* are back.\n\n— Ana Torres in Slack', { fieldValues });
  await note(opened, '09:12', incidentID, '❗ The other half is not.');
  await say(opened, '09:13', ana, 'TasksService.AddTask', { incidentID, text: 'Call the bank' });
  opened.now = new Date('2026-09-19T09:30:00Z');
  const page = await look(opened, incidentID);
  expect(page).toContain('Last update 20 min ago · next due 09:40 UTC Half of the pods are back.');
  expect(page).toContain('No commander /role assign me commander');
  expect(page).toContain('Open tasks 1 of 1: Call the bank');
  expect(page).toMatch(/Update AT Ana Torres Half of the pods are back\./);
  expect(page).toContain('❗ Important AT Ana Torres The other half is not.');
  expect(page).toContain('commander nobody');
  opened.now = new Date('2026-09-19T09:50:00Z');
  expect(await look(opened, incidentID)).toContain('overdue since 09:40 UTC');
  await note(opened, '10:00', incidentID, 'The pool was too small.', { fieldValues: { source: 'resolution' } });
  await resolve(opened, '10:00', incidentID);
  const after = await look(opened, incidentID);
  expect(after).toContain('Outcome The pool was too small.');
  expect(after).toContain('Outcome AT Ana Torres The pool was too small.');
});

test('before the first update the card has the last note that still holds', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Young' });
  expect(await look(opened, incidentID)).toContain('Last update There is none yet.');
  await note(opened, '09:10', incidentID, '❗ The *pool* is empty.\n\n— Ana Torres in Slack');
  await note(opened, '09:12', incidentID, markSince('It was me.\n\n— Ana Torres in Slack', 'deleted'));
  opened.now = new Date('2026-09-19T09:30:00Z');
  expect(await look(opened, incidentID)).toContain('Last note 20 min ago The pool is empty. Lead');
  await note(opened, '09:31', incidentID, '📣 It fills again.');
  expect(await look(opened, incidentID)).toContain('Last update 0 s ago It fills again. Lead');
});

test('following keeps what is shown, its order and its page, and ends with one link', async () => {
  await using opened = await openPages();
  const incidentID = await tellItems(opened, 220);
  const links = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<a href="([^"]*)" ?(?:aria-current="true")?>([^<]*)/g)].map(([, href = '', words = '']) => [
        words.trim(),
        href.replaceAll('&amp;', '&'),
      ]),
    );
  const path = (await get(opened, toPath(incidentID))).text.match(/href="([^"?]+)\?follow=on"/)?.[1] ?? '';
  const part = 'show=notes&order=oldest&page=2';
  const still = links((await get(opened, `${path}?${part}`)).text);
  expect([still.Reload, still.Follow]).toEqual([`${path}?${part}`, `${path}?${part}&follow=on`]);
  const { text } = await get(opened, still.Follow ?? '');
  expect(text).toContain('<meta http-equiv="refresh" content="30">');
  const followed = links(text);
  expect(followed.Stop).toBe(`${path}?${part}`);
  for (const words of ['Newest', 'Beginning', 'Older', 'Newer', 'Everything'])
    expect(followed[words], words).toContain('follow=on');
});

test('a page of everything has the key moments in short, for paper, where there is more than a glance', async () => {
  await using opened = await openPages();
  const [short, long] = [await tellItems(opened, 20), await tellItems(opened, 21)];
  await note(opened, '2026-09-17T09:00:00Z', long, '📣 *Half* is back.');
  const moments = async (id: string, query = '') =>
    read(/<section class="key-moments">.*?<\/section>/s.exec((await get(opened, toPath(id, query))).text)?.[0] ?? '');
  expect(await moments(short)).toBe('');
  expect(await moments(long, '?show=notes')).toBe('');
  expect(await moments(long)).toMatch(
    /Key moments .*08:00 UTC The incident was declared .*09:00 UTC Update Half is back/,
  );
});

test('what was done to a task is said', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'Tasks' });
  const { task } = await say(opened, '09:01', ana, 'TasksService.AddTask', { incidentID, text: 'Call the bank' });
  const on = { incidentID, taskID: task.taskID };
  await say(opened, '09:02', ana, 'TasksService.UpdateTaskStatus', { ...on, status: 'progress' });
  await say(opened, '09:03', ana, 'TasksService.UpdateTaskStatus', { ...on, status: 'todo' });
  await say(opened, '09:04', ana, 'TasksService.UpdateTaskUser', { ...on, userID: ben.userID });
  await say(opened, '09:05', ana, 'TasksService.UpdateTaskText', { ...on, text: 'Call both banks' });
  const page = await look(opened, incidentID);
  for (const each of ['started: Call the', 'reopened: Call', 'assigned to Ben Okafor : Call', 'reworded: Call both'])
    expect(page).toContain(`Task ${each}`);
});

test('names keep their direction, and leave that of the sentence alone', async () => {
  await using opened = await openPages();
  const incidentID = await declare(opened, '09:00', { title: 'x' });
  const fatima = { userID: 'slack:U9', name: 'فاطمة الزهراء' };
  await say(opened, '09:01', fatima, 'IncidentsService.AssignRole', {
    incidentID,
    userID: fatima.userID,
    role: 'commander',
  });
  const { text } = await get(opened, toPath(incidentID));
  expect(text).toContain('<p dir="ltr"><bdi>فاطمة الزهراء</bdi> assigned as <bdi>commander</bdi>');
});

test('a dashboard among the links has its title and its time window', async () => {
  await using opened = await openPages();
  const path = (await saveDashboard(opened)).slice(1);
  const body = JSON.stringify({ path: `${path}?from=1789808400000&to=1789812000000` });
  const short = await opened.service.handle({ method: 'POST', path: '/api/short-urls', headers: {}, body });
  const incidentID = await declare(opened, '09:00', { title: 'Look', labels: [{ label: 'two words' }] });
  await note(opened, '09:05', incidentID, `Dashboard “x”: ${JSON.parse(short.body).url}`);
  await note(opened, '09:06', incidentID, 'We are at https://acme.slack.com/archives/C042');
  const { text } = await get(opened, toPath(incidentID));
  const page = read(text);
  expect(page).toContain('Request Handling Performance 19 Sep 2026, 09:00 UTC to 19 Sep 2026, 10:00 UTC');
  expect(text).toMatch(/<span class="go"><a href="https:\/\/acme\.slack\.com\/archives\/C042"[^>]*>Open in Slack/);
  expect(page.split(' Links ').at(-1)).not.toContain('archives');
  expect(text).toContain('href="/incidents?q=label%3A%22two+words%22"');
});

test.each([
  ['*Rolled back* the `gateway_*x*`', '<strong>Rolled back</strong> the <code>gateway_*x*</code>'],
  ['_slow_ and ~gone~', '<em>slow</em> and <s>gone</s>'],
  ['snake_case_name 2*3*4 a~b~c', 'snake_case_name 2*3*4 a~b~c'],
  ['*not\nover lines*', '*not\nover lines*'],
  ['* no * word _ and _ none', '* no * word _ and _ none'],
  ['*<b>* `<i>`', '<strong>&lt;b&gt;</strong> <code>&lt;i&gt;</code>'],
  ['https://e.x/_a_/*b*', '>https://e.x/_a_/*b*</a>'],
  [
    'https://a.example/b_(c) and (https://a.example/d).',
    '>https://a.example/b_(c)</a> and (<a href="https://a.example/d"',
  ],
  [
    '> said\n> twice\nanswer',
    '<blockquote><p class="prose" dir="auto">said\ntwice</p></blockquote><p class="prose" dir="auto">answer</p>',
  ],
])('marks of Slack are read: %s', async (text, shown) => {
  expect(String(await richText(text))).toContain(shown);
});

test('a text of nothing but marks is read in the time that its length takes', async () => {
  for (const sign of ['*', '_', '~a', '`', '*a ', '>a\n', '(https://a.b'])
    expect(String(await richText(sign.repeat(20_000))).length).toBeGreaterThan(20_000);
});

test('the page knows an important note by the sign that the bot gives it', () => {
  expect(importantSign).toBe(signs.important);
});
