import { expect, onTestFinished, test } from 'vitest';
import { openOnDuty } from '../support/on-duty.ts';
import { openFakePagerDuty, routingKey, signingSecret } from '../support/pagers/pagerduty.ts';

const CALL = 'critical:@sre>pager:sre>@sre-leads';

/** A critical incident of a team whose chain pages the pager `sre` when nobody of @sre comes. */
async function openChain(chain = CALL) {
  const pagerDuty = await openFakePagerDuty();
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const settings = {
    PAGERS: `sre=pagerduty:${routingKey}@${pagerDuty.url}|${signingSecret}`,
    CALL: chain,
  };
  const room = await openOnDuty({ settings, flags: '--severity critical' });
  const { place, alice, home, wait, tick } = room;
  await tick();
  return {
    ...room,
    pagerDuty,
    /** Five minutes go by, and nobody answers. */
    later: async () => {
      wait(5);
      await tick();
    },
    hook: async (what: 'acknowledged' | 'resolved') => {
      const key = pagerDuty.events.at(-1)?.dedup_key ?? expect.fail('Nobody was paged');
      const { body, headers } = pagerDuty.act(key, what);
      const answer = await fetch(`${place.muster.url}/hooks/pages/sre`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      await place.quiet();
    },
    pages: () => place.reads(alice, home.id).filter(each => /paged/i.test(each) && !each.includes('Called')),
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
