import { expect, test } from 'vitest';
import type { Person } from '../../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../../src/client/client.ts';
import { type IncidentOptions, openIncident } from '../../support/incident-room.ts';

const tasks = 200;
const incidents = 100;
const roles = 60;
const dashboards = 10_000;
const notes = 5000;

/** The most calls of the Web API that show a list, or the next page of one. */
const mostCalls = 5;

/** Does something for each number below `count`, fifty at a time: calls that come together share a commit. */
async function manyAtOnce(count: number, act: (each: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, each) => each).values();
  const work = async () => {
    for (const each of numbers) await act(each);
  };
  await Promise.all(Array.from({ length: 50 }, work));
}

/** An incident; `shows` is what a person reads after an act, which makes at most {@link mostCalls} calls of the Web API. */
async function openBig(options: IncidentOptions = {}) {
  const opened = await openIncident(options);
  const { place, slack, alice, home, last, reads } = opened;
  const shows = async (act: () => Promise<unknown>, person: Person = alice, channel = home) => {
    const before = slack.calls.length;
    await act();
    await place.quiet();
    const calls = slack.calls.slice(before).map(call => call.method);
    expect(calls.length, calls.join(', ')).toBeLessThanOrEqual(mostCalls);
    return reads(person, channel);
  };
  const types = (line: string, channel = home) => shows(() => alice.command(channel, line), alice, channel);
  /** Turns the pages of the list that was shown last, to its end; yields all of them together. */
  const turns = async (first: string, label: string) => {
    const pages = [first];
    for (let page = first; page.includes(`[${label}]`); pages.push(page)) {
      page = await shows(() => alice.press(last(), label));
      expect(pages.length).toBeLessThan(100);
    }
    return pages.join('\n');
  };
  return { ...opened, shows, types, turns };
}

test(`${tasks} tasks are listed page by page, each once`, async () => {
  const { api, types, turns } = await openBig();
  for (let each = 1; each <= tasks; each += 1) {
    await api.TasksService.AddTask({ incidentID: '1', text: `check the replica ${each}: ${'<é> & '.repeat(30)}` });
  }
  const all = await turns(await types('/task list'), 'Next ›');
  const numbers = [...all.matchAll(/ (\d+)\. check the replica (\d+):/g)].map(([, number, text]) => [number, text]);
  expect(numbers).toEqual(Array.from({ length: tasks }, (_, each) => [String(each + 1), String(each + 1)]));
  expect(await types('/task done 173')).toContain('check the replica 173');
});

test(`${incidents} active incidents are listed, found and offered`, async () => {
  const { api, alice, bob, general, types, turns, shows, act } = await openBig();
  for (let each = 2; each <= incidents; each += 1) {
    const title = `Region ${each} answers 500 ${'<long> & '.repeat(10)}`;
    await api.IncidentsService.CreateIncident({ title, severity: 'minor', status: 'active', labels: [] });
  }
  const all = await turns(await types('/incident list'), 'More active ones');
  for (let each = 2; each <= incidents; each += 1) expect(all).toContain(`Region ${each} answers`);
  expect(await types('/note the disk is full', general)).toContain('Which one do you mean');
  await shows(() => alice.shortcut('add_timeline', bob.say(general, 'it is the disk')), alice, general);
  expect(JSON.stringify(alice.view)).toContain('Region 2 answers');
  await act(() => alice.submit({ incident: '57' }));
  const { activityItems } = await api.ActivityService.QueryActivity({ query: { incidentID: '57', limit: 10 } });
  expect(activityItems.map(item => item.body).join()).toContain('it is the disk');
});

test(`${roles} roles are listed, changed and given`, async () => {
  const prepare = async (api: ApiClient) => {
    for (let each = 1; each <= roles; each += 1) {
      const name = `role ${each} ${'x'.repeat(60)}`;
      const role = { name, description: '<b> & '.repeat(60), important: true, mandatory: false };
      await api.RolesService.CreateRole({ role });
    }
  };
  const { types, turns, alice } = await openBig({ prepare });
  const listed = await turns(await types('/role list'), 'Next ›');
  for (let each = 1; each <= roles; each += 1) expect(listed).toContain(`role ${each} xxx`);
  expect(await turns(await types('/role edit'), 'Next ›')).toContain('role 60 xxx');
  expect(await types(`/role assign role 60 ${'x'.repeat(60)} @bob`)).toContain('@bob');
  expect(alice.view).toBeUndefined();
});

test(`a timeline of ${notes} notes is shown page by page, and since a time`, async () => {
  const { api, types, shows, alice, last, now } = await openBig();
  await manyAtOnce(notes, async each => {
    const eventTime = new Date(now().getTime() - 60_000 - each * 1000).toISOString();
    const note = { incidentID: '1', activityKind: 'userNote', body: `line ${each}`, eventTime } as const;
    await api.ActivityService.AddActivity(note);
  });
  expect(await types('/incident timeline')).toContain('line 0');
  const older = await shows(() => alice.press(last(), 'Older ›'));
  expect(older).toContain('line 12');
  expect(older).not.toContain('line 0 ');
  expect(await types('/incident timeline notes since 62s ago')).not.toContain('line 3');
});

test(`${dashboards} dashboards are found by uid, and their tags are listed`, async () => {
  const { api, types, turns } = await openBig();
  await manyAtOnce(dashboards, async each => {
    const uid = `board-${each + 1}`;
    const dashboard = { uid, title: `Board ${each + 1}`, tags: [`team-${(each + 1) % 400}`, 'all'] };
    await api.Dashboards.save({ dashboard, overwrite: false });
  });
  expect(await types('/dash show board-9876')).toContain('Board 9876');
  expect(await types('/dash link board-9876 --window hour')).toContain('Board 9876');
  expect(await types('/dash recent')).toContain('Board 9876');
  const tags = await turns(await types('/dash tags'), 'Next ›');
  for (let team = 0; team < 400; team += 1) expect(tags).toContain(`team-${team} `);
  expect(await types('/dash show nosuch')).toContain('nosuch');
});
