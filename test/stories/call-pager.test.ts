import { expect, onTestFinished, test } from 'vitest';
import { openOnDuty } from '../support/on-duty.ts';
import { type FakePagerDuty, openFakePagerDuty, routingKey, signingSecret } from '../support/pagers/pagerduty.ts';

type Happened = Parameters<FakePagerDuty['act']> extends [string, ...infer Rest] ? Rest : never;

const CALL = 'critical:@sre>pager:sre>@sre-leads';

/** A critical incident of a team whose chain pages the pager `sre` when nobody of @sre comes. */
async function openChain(chain = CALL) {
  const clock = { now: () => new Date('2026-11-20T12:15:00Z') };
  const pagerDuty = await openFakePagerDuty(() => clock.now().getTime());
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const settings = {
    PAGERS: `sre=pagerduty:${routingKey}@${pagerDuty.url}|${signingSecret}`,
    CALL: chain,
  };
  const room = await openOnDuty({ settings, flags: '--severity critical' });
  const { place, alice, home, wait, tick } = room;
  clock.now = room.now;
  await tick();
  return {
    ...room,
    pagerDuty,
    /** Five minutes go by, and nobody answers. */
    later: async () => {
      wait(5);
      await tick();
    },
    hook: async (...[what, who]: Happened) => {
      const key = pagerDuty.events.at(-1)?.dedup_key ?? expect.fail('Nobody was paged');
      const { body, headers } = pagerDuty.act(key, what, who);
      const answer = await fetch(`${place.muster.url}/hooks/pages/sre`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      await place.quiet();
    },
    pages: () => place.reads(alice, home.id).filter(each => /paged/i.test(each) && !each.includes('Called')),
    /** The lines that say that a page is worse off than the room knew. */
    alarms: () => place.reads(alice, home.id).filter(each => each.includes('Nobody has taken the page')),
    ends: () => place.reads(alice, home.id).filter(each => each.includes('Nobody answered the call')),
  };
}

test('when nobody of the group comes, the pager of the chain is paged once, and then the next group is called', async () => {
  const { later, pagerDuty, calls, pages, asked, erin, ends, tick } = await openChain();
  expect(pagerDuty.woken).toEqual([]);
  await later();
  await tick();
  expect(pagerDuty.woken).toHaveLength(1);
  expect(pagerDuty.events[0]).toMatchObject({
    payload: { summary: expect.stringContaining('nobody answered the call to @sre'), severity: 'critical' },
  });
  expect(pages()).toEqual([expect.stringMatching(/Paged sre: nobody answered the call to @sre$/)]);
  expect(calls()).toEqual([expect.stringMatching(/… @dave → pager sre – /)]);
  expect(asked(erin)).toEqual([]);
  await later();
  expect(asked(erin)).toHaveLength(1);
  expect(calls()).toEqual([expect.stringMatching(/→ pager sre → @sre-leads \(1\): … @erin/)]);
  for (const _ of [1, 2, 3]) await later();
  expect(ends()).toEqual([expect.stringContaining('@sre, pager sre, @sre-leads')]);
  expect(pagerDuty.woken).toHaveLength(1);
});

test('who acknowledges the page takes the call', async () => {
  const { later, hook, asked, erin, ends, pages } = await openChain();
  await later();
  await hook('acknowledged');
  for (const _ of [1, 2, 3]) await later();
  expect(asked(erin)).toEqual([]);
  expect(ends()).toEqual([]);
  expect(pages()).toEqual([expect.stringMatching(/acknowledged there by Ann Engineer/)]);
});

test('a pager that fails is told at once, retried, and the chain goes on', async () => {
  const { later, pagerDuty, asked, erin, pages, wait, tick } = await openChain();
  pagerDuty.fail('error');
  await later();
  expect(pages()).toEqual([expect.stringMatching(/sre is not paged yet, and I keep trying/)]);
  await later();
  expect(asked(erin)).toHaveLength(1);
  pagerDuty.fail('ok');
  wait(15);
  await tick();
  expect(pagerDuty.woken).toHaveLength(1);
  expect(pages()).toEqual([expect.stringMatching(/Paged sre: nobody answered the call to @sre$/)]);
});

test('a chain may begin with a pager; a drill pages nobody', async () => {
  const { pagerDuty, pages, place, alice, wait, tick, later, act } = await openChain('critical:pager:sre');
  expect(pagerDuty.woken).toHaveLength(1);
  expect(pages()).toEqual([expect.stringMatching(/Paged sre: because its severity is critical$/)]);
  await act(() =>
    alice.command(place.slack.channel('general'), '/incident declare Exercise --severity critical --drill'),
  );
  for (const _ of [1, 2]) {
    wait(5);
    await tick();
  }
  await later();
  expect(pagerDuty.woken).toHaveLength(1);
});

test('oncall names the pager, and the people who would be called, and nobody else', async () => {
  const { type, slack, sre, carol, dave, gus, leads } = await openChain();
  const left = slack.addPerson({ name: 'left', deleted: true });
  const stranger = slack.addPerson({ name: 'stranger', isStranger: true });
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  slack.setGroupMembers(sre.id, [gus, left, carol, stranger, robot, dave]);
  slack.setGroupMembers(leads.id, [gus, left]);
  const answer = await type('/incident oncall');
  expect(answer).toMatch(/@sre \(severity critical\): carol, dave$/m);
  expect(answer).toMatch(/@sre-leads \(severity critical\): nobody$/m);
  expect(answer).toContain('pager sre (severity critical)');
  expect(await type('/incident call @sre-leads')).toContain('Nobody was called');
});

const autoResolve = { service: 'Checkout (auto-resolve timeout)' };

test.each([
  ['a machine closes it', 'resolved', autoResolve, /closed there \(by Checkout \(auto-resolve timeout\)\)/],
  ['a person closes it', 'resolved', 'Bob Builder', /closed there \(by Bob Builder\)/],
  ['a machine acknowledges it', 'acknowledged', autoResolve, /acknowledged there by Checkout .*not by a person/],
  ['it is escalated', 'escalated', 'Bo Backup', /escalated there to Bo Backup, not acknowledged yet/],
] as const)('when %s, no person has taken the page, and the next group is called', async (_what, event, who, line) => {
  const { later, hook, asked, erin, pages } = await openChain();
  await later();
  await hook(event, who);
  expect(pages()[0]).toMatch(line);
  expect(pages().join('\n')).not.toContain('acknowledged there by Bob');
  await later();
  expect(asked(erin)).toHaveLength(1);
});

test.each([
  ['unacknowledged', null, /the acknowledgement there ran out/],
  ['escalated', 'Bo Backup', /escalated there to Bo Backup/],
  ['reassigned', 'Bo Backup', /passed on there to Bo Backup/],
  ['reopened', 'Bob Builder', /opened again there by Bob Builder/],
] as const)(
  'a page that was acknowledged and then %s has nobody: the room reads so, and the chain goes on',
  async (event, who, words) => {
    const { later, hook, asked, erin, ends, pages, alarms, wait, tick } = await openChain();
    await later();
    await hook('acknowledged');
    await later();
    expect(asked(erin)).toEqual([]);
    await hook(event, who);
    expect(pages()[0]).toMatch(words);
    expect(pages()[0]).not.toContain('Ann Engineer');
    expect(alarms()).toEqual([expect.stringMatching(words)]);
    // It rings there again, so its person has as long as behind any page.
    wait(4);
    await tick();
    expect(asked(erin)).toEqual([]);
    await later();
    expect(asked(erin)).toHaveLength(1);
    await later();
    await later();
    expect(ends()).toHaveLength(1);
  },
);

test('a page that Ann acknowledged and a machine closed stays hers, and one that is acknowledged again has its person again', async () => {
  const { later, hook, asked, erin, pages, alarms, calls } = await openChain();
  await later();
  await hook('acknowledged');
  await later();
  await hook('unacknowledged', null);
  await hook('acknowledged', 'Bo Backup');
  for (const _ of [1, 2, 3]) await later();
  expect(asked(erin)).toEqual([]);
  await hook('resolved', autoResolve);
  for (const _ of [1, 2]) await later();
  expect(asked(erin)).toEqual([]);
  expect(pages()[0]).toMatch(/acknowledged there by Bo Backup, closed there \(by Checkout/);
  expect(alarms()).toHaveLength(1);
  expect(calls().join()).not.toContain('nobody comes');
});

test('who acknowledges after the whole chain had ended takes the call, until that runs out', async () => {
  const { later, hook, calls, ends } = await openChain('critical:@sre>pager:sre');
  for (const _ of [1, 2, 3]) await later();
  expect(ends()).toHaveLength(1);
  expect(calls()[0]).toContain('nobody comes');
  await hook('acknowledged');
  expect(calls()[0]).not.toContain('nobody comes');
  await hook('unacknowledged', null);
  for (const _ of [1, 2]) await later();
  expect(ends()).toHaveLength(2);
  expect(calls()[0]).toContain('nobody comes');
});

test('webhooks that come late, twice or in another order change nothing that happened later', async () => {
  const { later, hook, pagerDuty, place, pages, asked, erin } = await openChain();
  await later();
  const key = pagerDuty.events.at(-1)?.dedup_key ?? '';
  const late = pagerDuty.act(key, 'acknowledged');
  await hook('unacknowledged', null);
  for (const _ of [1, 2])
    await fetch(`${place.muster.url}/hooks/pages/sre`, { method: 'POST', headers: late.headers, body: late.body });
  await place.quiet();
  expect(pages()[0]).toContain('the acknowledgement there ran out');
  await later();
  expect(asked(erin)).toHaveLength(1);
});
