import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openGeneral } from '../support/general.ts';

async function openAcme(settings: Record<string, string> = {}) {
  const now = { at: new Date('2026-03-02T14:00:00Z') };
  const profile = { realName: 'Alice Doe', email: 'Alice@Example.com' };
  const team = await openGeneral({ settings, clock: () => now.at, profile });
  /** The id under which the API knows an incident's commander. */
  const commander = async (incidentID: string) => {
    const { incident } = await team.place.api.IncidentsService.GetIncident({ incidentID });
    return incident.incidentMembership.assignments[0]?.user.userID;
  };
  return { ...team, now, commander };
}

test('who somebody is is asked once in ten minutes', async () => {
  const { slack, type, now } = await openAcme();
  for (const title of ['One', 'Two', 'Three']) await type(`/incident declare ${title} --now`);
  expect(slack.callsOf('users.info')).toHaveLength(1);
  now.at = new Date(now.at.getTime() + 11 * 60_000);
  await type('/incident declare Four --now');
  expect(slack.callsOf('users.info')).toHaveLength(2);
});

test('somebody known stays known while Slack cannot be asked', async () => {
  const { slack, type, now, place } = await openAcme();
  await type('/incident declare One --now');
  now.at = new Date(now.at.getTime() + 11 * 60_000);
  slack.fail('users.info', { dropBefore: true });
  await type('/incident declare Two --now');
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '2' });
  expect(incident.createdByUser.name).toBe('alice');
});

test('the API’s user with the same e-mail is taken, never one with the same name', async () => {
  const grafana = await openFakeGrafana();
  const users = [
    { userID: 'grafana-user:1', name: 'alice', email: 'other@example.com' },
    { userID: 'grafana-user:2', name: 'A. Doe', email: 'alice@example.COM' },
  ];
  grafana.fail({
    when: /QueryUsers/,
    answer: { status: 200, body: JSON.stringify({ users, query: { limit: 500 }, cursor: null, error: '' }) },
  });
  const { type, commander } = await openAcme(grafana.settings);
  await type('/incident declare Disk is full --commander --now');
  expect(await commander('1')).toBe('grafana-user:2');
});

test('a person whom the API has not met is named by their Slack id; a failing directory costs one short wait', async () => {
  const grafana = await openFakeGrafana();
  grafana.fail({ when: /QueryUsers/, answer: { status: 403, body: '{"message":"no"}' } });
  const { alice, type, commander } = await openAcme(grafana.settings);
  await type('/incident declare Disk is full --commander --now');
  await type('/incident declare Disk is fuller --now');
  expect(await commander('1')).toBe(`slack:${alice.id}`);
  expect(grafana.requests.filter(each => each.includes('QueryUsers'))).toHaveLength(1);
});

test('pages of users are read to their end, and a cursor that stands still ends them', async () => {
  const grafana = await openFakeGrafana();
  const page = (user: object, nextValue: string) => {
    const body = JSON.stringify({
      users: [user],
      query: { limit: 500 },
      cursor: { hasMore: true, nextValue },
      error: '',
    });
    grafana.fail({ when: /QueryUsers/, answer: { status: 200, body }, times: 1 });
  };
  page({ userID: 'grafana-user:3', email: 'alice@example.com' }, 'b');
  page({ userID: 'grafana-user:2', email: 'b@example.com' }, 'b');
  page({ userID: 'grafana-user:1', email: 'a@example.com' }, 'a');
  const { type, commander } = await openAcme(grafana.settings);
  await type('/incident declare Disk is full --commander --now');
  expect(await commander('1')).toBe('grafana-user:3');
  expect(grafana.requests.filter(each => each.includes('QueryUsers'))).toHaveLength(3);
});
