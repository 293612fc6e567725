import { expect, onTestFinished, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { signWebhook } from '../../src/contract/webhook-signature.ts';
import { stopsAtOnce } from '../support/deadlines.ts';
import { holdNext } from '../support/held-call.ts';
import { declareNow, notesOf } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openFakePagerDuty, routingKey, signingSecret } from '../support/pagers/pagerduty.ts';
import { openTaking, takingSecret } from '../support/pagers/taking.ts';
import { openPaged } from '../support/pagers/team.ts';
import { verifyIndependently } from '../support/pagers/verify.ts';
import { openRestarts } from '../support/restarts.ts';
import { readList } from '../support/table.ts';

test('a page by command wakes once, the room reads it, and reads who acknowledged it there', async () => {
  const { type, bob, lines, pagerDuty, hook, key } = await openPaged();
  const answer = await type('/incident page sre the database is full', bob);
  expect(answer).toContain('You paged sre');
  expect(pagerDuty.woken).toHaveLength(1);
  expect(pagerDuty.events[0]).toMatchObject({
    payload: {
      summary: 'Checkout answers 500: the database is full',
      source: 'incident 1',
      custom_details: { by: 'bob', incident: '1' },
    },
    links: [{ href: expect.stringContaining('slack.com/app_redirect?channel=') }],
  });
  expect(lines()).toEqual([expect.stringMatching(/Paged sre: the database is full – by @bob$/)]);
  const webhook = pagerDuty.act(key(), 'acknowledged');
  for (const _ of [1, 2, 3]) expect(await hook(webhook)).toBe(200);
  expect(lines()).toEqual([expect.stringMatching(/Paged sre: the database.*acknowledged there by Ann Engineer/)]);
});

/** Each names no pager, or no reason, or has a word with which people act on a page in another tool. */
const unclear = readList(`
  /incident page | /incident sos | /incident page sre | /incident page sre: please | /incident page disk is full
  /incident page me | /incident page me the incident | /incident page of the incident | /incident page please show
  /incident page ack | /incident page off | /incident page @bob he knows the database
  /incident page the sre people | /incident pager please show it | /muster page me | /muster page please show it
  /muster sos me | /incident page sre ack | /incident page sre off | /incident page sre: acknowledge, please
  /incident page sre please show it | /incident page sre unack 12 | /incident page sre who knows it | /muster page sre resolve
  /incident page sre oncall | /incident page sre on-call | /incident page sre escalate | /incident page sre reassign
  /incident page sre handoff | /incident page sre trigger | /incident page sre create | /incident page sre history
  /incident page sre info | /incident page sre page | /incident page sre no | /incident page sre not yet
  /incident page sre nobody yet | /incident page sre later | /incident page sre: tomorrow | /incident page sre never mind
  /incident page sre false alarm | /incident page sre ok | /incident page sre it is resolved, sorry
  /incident page sre if it gets worse | /incident page sre when I say so | /muster sos sre but only if it gets worse
`);

test.each(['the sre db is full', 'to our sre: db is full'])(
  'words before the name of the pager make it a question, and are no part of the page: %s',
  async words => {
    const { type, pagerDuty, press, last } = await openPaged();
    const question = await type(`/incident page ${words}`);
    expect(question).toMatch(/Nobody was paged[\s\S]*The page says: Checkout answers 500: db is full\n/);
    expect(pagerDuty.requests).toBe(0);
    await press(last(), 'Page sre');
    expect(pagerDuty.events[0]).toMatchObject({ payload: { summary: 'Checkout answers 500: db is full' } });
  },
);

test('where a pager or a reason is not named nobody is paged before a press, and two presses page once', async () => {
  const { type, alice, place, home, pagerDuty, last, lines } = await openPaged({ settings: { PAGES: 'slack' } });
  for (const line of unclear) {
    expect(await type(line), line).toMatch(/Nobody was paged[\s\S]*\[Page sre\]/);
    expect(JSON.stringify(blocksOf(last())), line).toContain('Open page');
  }
  expect(pagerDuty.requests).toBe(0);
  expect(lines()).toEqual([]);
  const question = last();
  await Promise.all([alice.press(question, 'Page sre'), alice.press(question, 'Page sre')]);
  await place.quiet();
  expect(pagerDuty.woken).toHaveLength(1);
  expect(lines()).toHaveLength(1);
  expect(place.reads(alice, home.id).at(-1)).not.toMatch(/again|already/);
  expect(place.reads(alice, home.id).join('\n')).not.toContain('undefined');
});

test.each([
  'page: sre disk full',
  'sos: sre disk full',
  'sos "sre disk full"',
  'pager: sre disk full',
  'sos sre disk full',
])('“%s” by mention is a question', async line => {
  const { act, alice, home, place, pagerDuty } = await openPaged();
  await act(() => alice.mention(home, line));
  expect(place.lastRead(alice, home.id)).toMatch(/\[(?:\/incident page "?sre disk full"?|Page sre)\]/);
  expect(pagerDuty.woken).toEqual([]);
});

test('the question shows the words of the page, and who may be woken with their local time', async () => {
  const { type } = await openPaged();
  const sent = 'The page says: Checkout answers 500: disk is full';
  expect(await type('/incident page disk is full')).toContain(sent);
  expect(await type('/incident page disk is full')).toContain('does not know who that is');
  const { slack, bob, carol, gus, ...named } = await openPaged();
  const guests = Array.from({ length: 10 }, (_, at) => slack.addPerson({ name: `g${at}`, isRestricted: true }));
  slack.addUserGroup({ handle: 'sre', members: [...guests, bob, carol, gus] });
  const asked = await named.type('/incident page the disk is full', bob);
  expect(asked).toContain('bob (07:15)');
  expect(asked).toContain('carol (12:15)');
  expect(asked).not.toMatch(/gus|@bob/);
  expect(await type('/incident page sre ack')).toContain('acknowledge and end one in the pager');
  const hidden = await openPaged({ flags: '--private' });
  expect(await hidden.type('/incident page disk is full')).toContain('The page says: A private incident needs you');
});

test('within minutes a second page is a question that tells of the first, and a press on an older question is one too', async () => {
  const { type, press, last, bob, wait, place, home, alice, pagerDuty, lines } = await openPaged();
  await type('/incident page disk is full');
  const older = last();
  wait(1);
  await type('/incident page sre the disk is full', bob);
  wait(1);
  for (const line of ['/incident page sre the disk is full', '/muster page sre still nobody', '/incident page sre'])
    expect(await type(line), line).toMatch(/sre was paged 1 min ago[\s\S]*the disk is full[\s\S]*\[Page sre\]/);
  expect(await press(older, 'Page sre')).toContain('sre was paged for it a moment ago');
  await Promise.all([1, 2, 3].map(() => alice.command(home, '/incident page sre where is everybody')));
  await place.quiet();
  expect(pagerDuty.woken).toHaveLength(1);
  await type('/incident page sre where is everybody');
  await press(last(), 'Page sre');
  expect(pagerDuty.woken).toHaveLength(2);
  wait(11);
  await type('/incident page sre US-EAST is down too, please');
  expect(pagerDuty.woken).toHaveLength(3);
  expect(lines()).toHaveLength(3);
});

test('six pages within one moment are one alarm', async () => {
  const { alice, home, place, pagerDuty } = await openPaged();
  await Promise.all([1, 2, 3, 4, 5, 6].map(count => alice.command(home, `/incident page sre it burns ${count}`)));
  await place.quiet();
  expect(pagerDuty.woken).toHaveLength(1);
  expect(place.reads(alice, home.id).join('\n')).toContain('was paged for it a moment ago');
});

test('a mention that names no pager pages nobody', async () => {
  const { act, alice, home, place, pagerDuty } = await openPaged();
  for (const words of ['page me', 'page please', 'page disk is full']) {
    await act(() => alice.mention(home, words));
    expect(place.reads(alice, home.id).join('\n'), words).not.toMatch(/Paged sre/);
  }
  expect(pagerDuty.requests).toBe(0);
});

test('of several pagers the one is chosen; the webhook is signed, and its answer is a line', async () => {
  const { heard, toSetting } = await openTaking();
  const more = toSetting('db');
  const { type, press, last, lines, hook, key, now, pagerDuty } = await openPaged({ more });
  expect(await type('/incident page replication broke')).toContain('Whom do you want to page');
  expect(heard).toEqual([]);
  await press(last(), 'Page db');
  expect(pagerDuty.requests).toBe(0);
  const [{ body, signature } = expect.fail('Nothing came')] = heard;
  expect(verifyIndependently(body, signature, takingSecret)).toBe(true);
  const told = JSON.parse(body);
  expect(told).toMatchObject({
    ...{ pager: 'db', event: 'page', why: 'replication broke', by: 'alice' },
    incident: { id: '1', title: 'Checkout answers 500' },
  });
  const answer = JSON.stringify({ key: told.key, state: 'acknowledged', by: '<!channel> *Dora*' });
  const signed = (secret: string) => ({
    body: answer,
    headers: { 'gi-signature': signWebhook(answer, secret, now()) },
  });
  expect(await hook(signed('another-secret-0123456789'), 'db')).toBe(401);
  expect(lines().join()).not.toContain('acknowledged');
  expect(await hook(signed(takingSecret), 'db')).toBe(200);
  expect(lines()).toEqual([expect.stringMatching(/Paged db: replication broke – by @alice · acknowledged there by/)]);
  expect(lines()[0]).toContain('<!channel>');
  await type('/incident page sre the primary is gone too');
  const foreign = JSON.stringify({ key: key(), state: 'acknowledged', by: 'Dora' });
  const headers = { 'gi-signature': signWebhook(foreign, takingSecret, now()) };
  expect(await hook({ body: foreign, headers }, 'db'), 'a page of another pager').toBe(200);
  expect(lines().at(-1)).toMatch(/Paged sre: the primary is gone too – by @alice$/);
});

test('a pager that is away is told at once, to the person and to the room; once it answers the line says so', async () => {
  const { type, place, slack, alice, lines, pagerDuty, tick } = await openPaged();
  pagerDuty.fail('error');
  const answer = await type('/incident page sre it burns');
  expect(answer).toContain('as soon as sre');
  expect(answer).toContain('Nobody is paged yet');
  expect(lines()).toEqual([expect.stringMatching(/sre is not paged yet.*it burns – by @alice/)]);
  pagerDuty.fail('throttle');
  await tick();
  expect(lines()).toHaveLength(1);
  pagerDuty.fail('ok');
  await tick();
  await tick();
  expect(pagerDuty.woken).toHaveLength(1);
  expect(lines()).toEqual([expect.stringMatching(/Paged sre: it burns – by @alice$/)]);
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('You paged sre for incident 1');
});

test('a page whose answer is lost wakes once, also when it was acknowledged meanwhile', async () => {
  const { type, lines, pagerDuty, tick, hook, key } = await openPaged();
  pagerDuty.fail('cut');
  await type('/incident page sre lost words');
  expect(lines()).toEqual([expect.stringContaining('not paged yet')]);
  await hook(pagerDuty.act(key(), 'acknowledged'));
  expect(lines()).toEqual([expect.stringContaining('acknowledged there by Ann Engineer')]);
  pagerDuty.act(key(), 'resolved');
  pagerDuty.fail('ok');
  await tick();
  await tick();
  expect(pagerDuty.woken, 'nobody is woken anew').toHaveLength(1);
  expect(lines()).toHaveLength(1);
});

test('a process that dies while a page is under way wakes nobody twice, and who asked for it is not asked again', async () => {
  const pagerDuty = await openFakePagerDuty();
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const settings = { PAGERS: `sre=pagerduty:${routingKey}@${pagerDuty.url}` };
  const { open, alice, general, slack } = await openRestarts({ settings, deadlines: stopsAtOnce });
  const first = await open();
  const room = await declareNow(first, alice, general, 'Disk is full');
  pagerDuty.fail('swallow');
  await alice.command(room, '/incident page sre nobody answers');
  await expect.poll(() => pagerDuty.woken.length).toBe(1);
  await first[Symbol.asyncDispose]();
  pagerDuty.fail('ok');
  const second = await open();
  await expect.poll(() => pagerDuty.events.length).toBe(2);
  await second.quiet();
  expect(pagerDuty.woken).toHaveLength(1);
  const lines = second.reads(alice, room.id).filter(each => each.includes('Paged sre') && each.includes('– by'));
  expect(lines).toHaveLength(1);
  const told = [...second.reads(alice, room.id), ...second.reads(alice, slack.openDm(alice).id)];
  expect(told.filter(each => each.includes('Nobody was paged'))).toEqual([]);
});

test('a person outside a private incident reads of none of its pages, whether the API answers or not', async () => {
  const pagerDuty = await openFakePagerDuty();
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const PAGERS = `sre=pagerduty:${routingKey}@${pagerDuty.url}|${signingSecret}`;
  const { type, alice, bob, general, place, goAway, slack } = await openOutage({ settings: { PAGERS } });
  await type('/incident declare Data leak --private --now');
  const room = slack.channel('inc-1-data-leak');
  await alice.command(room, '/incident page sre zanzibar');
  await place.quiet();
  const readsOfBob = async () => {
    await bob.command(general, '/incident page sre it burns --incident 1');
    await place.quiet();
    return [...place.reads(bob, general.name), ...place.reads(bob, slack.openDm(bob).id)].join();
  };
  expect(await readsOfBob()).not.toContain('zanzibar');
  goAway();
  expect(await readsOfBob()).not.toContain('zanzibar');
  expect(pagerDuty.woken).toHaveLength(1);
});

test('while the API is away, an incident that is not registered pages by its title, and the line goes along', async () => {
  const pagerDuty = await openFakePagerDuty();
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const PAGERS = `sre=pagerduty:${routingKey}@${pagerDuty.url}|${signingSecret}`;
  const outage = await openOutage({ settings: { PAGERS } });
  const { type, alice, place, goAway, comeBack } = outage;
  goAway();
  await type('/incident declare Checkout answers 500 --now');
  const room = outage.room();
  expect(await type('/incident page sre all of it', alice, room.name)).toContain('You paged sre');
  expect(pagerDuty.events).toMatchObject([
    { payload: { summary: 'Checkout answers 500: all of it', source: 'Muster' } },
  ]);
  await comeBack();
  const { body, headers } = pagerDuty.act(pagerDuty.woken[0] ?? '', 'acknowledged');
  await fetch(`${place.muster.url}/hooks/pages/sre`, { method: 'POST', headers, body });
  await place.quiet();
  const lines = place.reads(alice, room.name).filter(each => each.includes('Paged sre'));
  expect(lines).toEqual([expect.stringMatching(/all of it – by @alice · acknowledged there by Ann Engineer/)]);
  expect(pagerDuty.woken).toHaveLength(1);
});

test('what the pager refuses for good is told with its reason', async () => {
  const { type, lines, pagerDuty } = await openPaged();
  pagerDuty.fail('not found');
  expect(await type('/incident page sre nothing there')).toContain('the pager sre refused it (status 404)');
  expect(lines()).toEqual([expect.stringMatching(/sre was not paged.*refused it \(status 404\).*nothing there/)]);
});

test('a page that fails for a week is given up: the line stops saying that Muster keeps trying', async () => {
  const { type, lines, pagerDuty, tick, wait, place, slack, alice } = await openPaged();
  pagerDuty.fail('error');
  const queued = await type('/incident page sre it burns');
  expect(queued).not.toContain('API');
  wait(6 * 24 * 60);
  await tick();
  expect(lines()).toEqual([expect.stringContaining('I keep trying')]);
  wait(24 * 60);
  await tick();
  await tick();
  expect(lines()).toEqual([expect.stringMatching(/sre was not paged.*gave up.*status 500.*it burns – by @alice/)]);
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain('could not page sre');
  const tried = pagerDuty.requests;
  await tick();
  expect(pagerDuty.requests).toBe(tried);
  expect(lines()).toHaveLength(1);
});

test('when the incident is over its pages are over there, once; a page that waited is not sent any more', async () => {
  const { type, press, last, pagerDuty, tick, key, lines } = await openPaged();
  await type('/incident page sre one');
  const first = key();
  pagerDuty.fail('error');
  await type('/incident page sre two');
  await press(last(), 'Page sre');
  pagerDuty.fail('ok');
  await type('/incident resolve fixed --now');
  for (const _ of [1, 2, 3]) await tick();
  expect(lines()[0]).toMatch(/one – by @alice · closed there$/);
  expect(pagerDuty.stateOf(first)).toBe('resolved');
  expect(pagerDuty.events.filter(each => each.event_action === 'resolve')).toHaveLength(1);
  expect(pagerDuty.woken).toEqual([first]);
  expect(lines().join('\n')).toContain('the incident was over before');
  expect(await type('/incident page sre late')).toContain('is resolved, so nobody was paged');
});

test('a drill asks first', async () => {
  const { type, press, last, pagerDuty } = await openPaged({ flags: '--drill' });
  expect(await type('/incident page sre just a test')).toContain('Really page for a drill?');
  expect(pagerDuty.requests).toBe(0);
  await press(last(), 'Page sre');
  expect(pagerDuty.woken).toHaveLength(1);
});

test('of a private incident the pager hears nothing but its channel', async () => {
  const { type, pagerDuty, lines } = await openPaged({ flags: '--private' });
  await type('/incident page sre the payroll leaked');
  expect(pagerDuty.events[0]).toMatchObject({ payload: { summary: 'A private incident needs you' } });
  const sent = JSON.stringify(pagerDuty.events[0]);
  for (const secret of ['payroll', 'Checkout', 'alice', 'incident 1']) expect(sent).not.toContain(secret);
  expect(sent).toContain('slack.com/app_redirect');
  expect(lines()[0]).toContain('the payroll leaked');
});

test('only the group may page, where the team has one', async () => {
  const { type, slack, bob, pagerDuty } = await openPaged({ settings: { PAGER_GROUP: '@responders' } });
  slack.addUserGroup({ handle: 'responders', members: [bob] });
  expect(await type('/incident page sre alice asks')).toContain('Only the members of @responders may page');
  expect(pagerDuty.requests).toBe(0);
  await type('/incident page sre bob asks', bob);
  expect(pagerDuty.woken).toHaveLength(1);
  const other = await openPaged({ settings: { PAGER_GROUP: '@nobody-knows' } });
  expect(await other.type('/incident page sre who is there')).toContain('There is no Slack group @nobody-knows');
});

test('without a pager, with words too long, and for words that may mean the severity, nobody is paged', async () => {
  const { type, pagerDuty } = await openPaged();
  expect(await type(`/incident page sre ${'a'.repeat(501)}`)).toContain('501 characters');
  expect(await type('/incident escalate to the database team')).toContain('raise the severity');
  expect(pagerDuty.requests).toBe(0);
  const none = await openPaged({ settings: { PAGERS: '' } });
  expect(await none.type('/incident page it is down')).toContain('No pager is set up');
  expect((await fetch(`${none.place.muster.url}/hooks/pages/sre`, { method: 'POST' })).status).toBe(404);
});

test('a page and a call wait for no slow note before them in the room, and no note waits for them', async () => {
  const { place, slack, alice, bob, home, pagerDuty, lines } = await openPaged();
  const look = holdNext(slack, 'users.info');
  await bob.command(home, '/note add first');
  await look.begun;
  await alice.command(home, '/incident page sre The disk is full');
  await expect.poll(() => pagerDuty.events).toHaveLength(1);
  await alice.command(home, '/incident call @bob');
  const called = () => place.reads(alice, home.id).filter(each => /called.*@bob/i.test(each));
  await expect.poll(called).not.toEqual([]);
  expect((await notesOf(place, '1')).map(each => each.body)).toEqual([]);
  look.go();
  await place.quiet();
  expect((await notesOf(place, '1')).map(each => each.body.split('\n')[0])).toEqual(['first']);
  expect([pagerDuty.events.length, lines().length]).toEqual([1, 1]);
});
