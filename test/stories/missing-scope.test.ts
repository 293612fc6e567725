import { expect, test } from 'vitest';
import { scopes } from '../../src/bot/slack/permissions.ts';
import { isAtLeast } from '../../src/config/log-levels.ts';
import { openGeneral } from '../support/general.ts';
import { grants } from '../support/grants.ts';
import { openInstalledSlack } from '../support/workplace.ts';

const announced = 'incidents';

/** Alice in #general of a Slack without these scopes. Incidents are announced where the bot is not a member, and pages are open. */
async function openPoor(missing: readonly string[]) {
  const slack = await openInstalledSlack(undefined, { scopes: grants.scopes.filter(each => !missing.includes(each)) });
  const channel = slack.addChannel({ name: announced });
  return openGeneral({ slack, settings: { ANNOUNCE_CHANNEL: channel.id, PAGES: 'open' } });
}

/** Everything that uses a scope of the full tier, done twice. */
async function doEverything({ place, alice, general, type }: Awaited<ReturnType<typeof openPoor>>) {
  const answers: string[] = [];
  for (const title of ['Disk is full', 'Mail is down']) answers.push(await type(`/incident declare ${title} --now`));
  for (const title of ['Leak', 'Theft']) answers.push(await type(`/incident declare ${title} --private --now`));
  const room = place.slack.channels.find(each => each.name.startsWith('inc-1'))?.name ?? '';
  const first = alice.say(general, 'the disk of db-3 is full');
  alice.say(general, 'since noon', { threadTs: first.ts });
  await type('/incident status', room);
  await alice.shortcut('add_timeline', first);
  await place.quiet();
  answers.push(await type('/incident title Disk of db-3 is full', room), await type('/task add make room', room));
  return answers;
}

const full = scopes.filter(each => each.tier === 'full');

test.each(full)('without the scope $name everything is done, and one line names it', async ({ name }) => {
  const team = await openPoor([name]);
  const answers = await doEverything(team);
  const { incidents } = await team.place.api.IncidentsService.QueryIncidents({ query: { limit: 10 } });
  expect(incidents.map(each => each.title).toSorted()).toEqual([
    'Disk of db-3 is full',
    'Leak',
    'Mail is down',
    'Theft',
  ]);
  expect(incidents.find(each => each.title.startsWith('Disk'))?.taskList.tasks).toHaveLength(1);
  for (const answer of answers) {
    expect(answer.split('\n').filter(line => line.includes(`\`${name}\``) || line.includes(name)).length).toBeLessThan(
      2,
    );
    expect(answer).not.toContain('Something went wrong');
  }
  const warned = team.place.logged.map(line => JSON.parse(line)).filter(each => isAtLeast(each, 'warn'));
  const own = warned.filter(each => each.msg.startsWith('slack: the app lacks a scope'));
  expect(own.map(each => each.scope)).toEqual(own.map(() => name));
  expect(own.length).toBeLessThan(2);
  expect(warned.filter(each => each.reason === 'missing_scope')).toEqual([]);
});

test('with the base tier alone incidents run', async () => {
  const team = await openPoor(full.map(each => each.name));
  const [declared = ''] = await doEverything(team);
  const { place, alice, general } = team;
  expect(place.reads(alice, general.id).some(each => each.includes('You declared incident 1'))).toBe(true);
  expect(declared).toContain('the app lacks the permission pins:write');
  const ready = JSON.parse(await (await fetch(`${team.place.muster.url}/readyz`)).text());
  expect(ready).toMatchObject({ ready: true });
  expect(ready.problems.join('\n')).toContain('lacks the scope pins:write');
});
