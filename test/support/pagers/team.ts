import { expect, onTestFinished } from 'vitest';
import { type IncidentOptions, openIncident } from '../incident-room.ts';
import { openFakePagerDuty, routingKey, signingSecret, type Webhook } from './pagerduty.ts';

/** The incident of `openIncident` in a team with the pager `sre`, a service of PagerDuty. `more` are further pagers. */
export async function openPaged({ more = '', ...options }: IncidentOptions & { readonly more?: string } = {}) {
  const clock = { now: () => Date.now() };
  const pagerDuty = await openFakePagerDuty(() => clock.now());
  onTestFinished(() => pagerDuty[Symbol.asyncDispose]());
  const sre = `sre=pagerduty:${routingKey}@${pagerDuty.url}|${signingSecret}`;
  const settings = {
    PAGERS: [sre, ...(more === '' ? [] : [more])].join(','),
    ...options.settings,
  };
  const room = await openIncident({ ...options, settings });
  const { place, alice, home, wait } = room;
  clock.now = () => room.now().getTime();
  return {
    ...room,
    pagerDuty,
    /** The lines of the room about pages. */
    lines: () =>
      place.reads(alice, home.id).filter(each => /paged.*– by @|not paged/i.test(each) && !each.includes('Saved.')),
    /** A minute goes by, and what is due is done. */
    tick: async () => {
      wait(1);
      await place.muster.bot.journal.tick();
      await place.quiet();
    },
    /** Sends a webhook of a pager. */
    hook: async ({ body, headers }: Webhook, name = 'sre') => {
      const answer = await fetch(`${place.muster.url}/hooks/pages/${name}`, { method: 'POST', headers, body });
      await place.quiet();
      return answer.status;
    },
    /** The key of the newest page. */
    key: () => pagerDuty.events.at(-1)?.dedup_key ?? expect.fail('Nobody was paged'),
  };
}
