import { type Check, checksOf, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';
import { noIncident } from './incident-checks.ts';

const documents = 'docs/incident-api.md, IncidentsService';
const assign = checksOf('IncidentsService.AssignRole', documents);
const unassign = checksOf('IncidentsService.UnassignRole', documents);
const membership = checksOf('IncidentsService.GetIncidentMembership', documents);
const addLabel = checksOf('IncidentsService.AddLabel', documents);
const removeLabel = checksOf('IncidentsService.RemoveLabel', documents);

const commander = async (fixtures: Fixtures, name: string) => {
  const { incidentID } = await fixtures.incident(name);
  return { incidentID, userID: await fixtures.person(), role: 'commander' };
};

/** Role assignments and labels of an incident. */
export const peopleChecks: readonly Check[] = [
  assign.required('gives a role once: didChange true, then false', async fixtures => {
    const input = await commander(fixtures, 'staffed');
    const first = await fixtures.api.IncidentsService.AssignRole(input);
    expectSame('didChange', first.didChange, true);
    const holders = first.incident.incidentMembership.assignments.filter(each => each.role.name === 'commander');
    expectSame(
      'commanders',
      holders.map(each => each.user.userID),
      [input.userID],
    );
    const second = await fixtures.api.IncidentsService.AssignRole(input);
    expectSame('didChange of the second call', second.didChange, false);
  }),
  assign.ours('records the assignment once', 'A4', async fixtures => {
    const input = await commander(fixtures, 'recorded');
    await fixtures.api.IncidentsService.AssignRole(input);
    await fixtures.api.IncidentsService.AssignRole(input);
    const items = await fixtures.timeline(input.incidentID, 'roleAssigned');
    expectSame('items', items.length, 1);
    expectSame('subject', items[0]?.subjectUser.userID, input.userID);
  }),
  assign.required('refuses a role that does not exist', async fixtures => {
    const input = await commander(fixtures, 'staffed');
    await expectRefusal(fixtures.api.IncidentsService.AssignRole({ ...input, role: 'no-such-role' }), 'not_found');
  }),
  assign.ours('answers 404 for an incident that does not exist', 'A1', async fixtures => {
    const input = await commander(fixtures, 'staffed');
    await expectRefusal(fixtures.api.IncidentsService.AssignRole({ ...input, incidentID: noIncident }), 'not_found');
  }),
  membership.required('lists everybody who holds a role, with the role', async fixtures => {
    const input = await commander(fixtures, 'listed');
    await fixtures.api.IncidentsService.AssignRole(input);
    const { incidentID } = input;
    const { assignments } = await fixtures.api.IncidentsService.GetIncidentMembership({ incidentID });
    const found = expectThere(
      assignments.find(each => each.user.userID === input.userID),
      'the commander among them',
      assignments,
    );
    expectSame('role', [found.role.name, found.role.roleID === found.roleID], ['commander', true]);
  }),
  membership.ours('sends nobody but real people', 'A3, D5', async fixtures => {
    const { incidentID } = await fixtures.incident('empty');
    const { body, text } = await fixtures.raw.post('IncidentsService.GetIncidentMembership', { incidentID });
    const real = Array.isArray(body.assignments) && body.assignments.every(each => each?.user?.userID !== '');
    expectThat(real, 'no placeholders', text);
  }),
  unassign.required('takes a role once: didChange true, then false', async fixtures => {
    const input = await commander(fixtures, 'unstaffed');
    await fixtures.api.IncidentsService.AssignRole(input);
    const first = await fixtures.api.IncidentsService.UnassignRole(input);
    expectSame('didChange', first.didChange, true);
    const left = first.incident.incidentMembership.assignments.filter(each => each.role.name === 'commander');
    expectSame('commanders', left.length, 0);
    const second = await fixtures.api.IncidentsService.UnassignRole(input);
    expectSame('didChange of the second call', second.didChange, false);
  }),
  addLabel.required('adds a label', async fixtures => {
    const { incidentID } = await fixtures.incident('labelled');
    const label = { label: 'kit-colour', description: 'by the kit', colorHex: '#ff8800' };
    const { incident } = await fixtures.api.IncidentsService.AddLabel({ incidentID, label });
    expectThat(
      incident.labels.some(each => each.label === 'kit-colour'),
      'the label',
      incident.labels,
    );
  }),
  addLabel.ours('adds a label once, and records it once', 'A6, D12', async fixtures => {
    const { incidentID } = await fixtures.incident('labelled once');
    const label = { label: 'kit-once', description: '', colorHex: '' };
    await fixtures.api.IncidentsService.AddLabel({ incidentID, label });
    const { incident } = await fixtures.api.IncidentsService.AddLabel({ incidentID, label });
    expectSame(
      'labels',
      incident.labels.map(each => [each.key, each.label]),
      [['tags', 'kit-once']],
    );
    expectSame('items', (await fixtures.timeline(incidentID, 'labelAdded')).length, 1);
  }),
  addLabel.ours('refuses an invalid colour', 'A6', async fixtures => {
    const { incidentID } = await fixtures.incident('labelled');
    const label = { label: 'kit-odd', description: '', colorHex: 'orange' };
    await expectRefusal(fixtures.api.IncidentsService.AddLabel({ incidentID, label }), 'invalid_argument');
  }),
  removeLabel.required('removes a label', async fixtures => {
    const { incidentID } = await fixtures.incident('unlabelled');
    await fixtures.api.IncidentsService.AddLabel({
      incidentID,
      label: { label: 'kit-gone', description: '', colorHex: '' },
    });
    const { incident } = await fixtures.api.IncidentsService.RemoveLabel({ incidentID, label: 'kit-gone' });
    expectSame('labels', incident.labels, []);
  }),
  removeLabel.ours('lets a label that is not there be removed', 'A6, D12', async fixtures => {
    const { incidentID } = await fixtures.incident('plain');
    await fixtures.api.IncidentsService.RemoveLabel({ incidentID, label: 'kit-never' });
    expectSame('items', (await fixtures.timeline(incidentID, 'labelRemoved')).length, 0);
  }),
];

const ofUsers = 'docs/incident-api.md, UsersService';
const query = checksOf('UsersService.QueryUsers', ofUsers, { optional: true });
const get = checksOf('UsersService.GetUser', ofUsers, { optional: true });

/** The people of the API. Some servers lack this service. */
export const userChecks: readonly Check[] = [
  query.required('lists people a page at a time, each once', async fixtures => {
    const seen = new Set<string>();
    let cursor = { nextValue: '', hasMore: false };
    for (let page = 1; page <= 20; page += 1) {
      const answer = await fixtures.api.UsersService.QueryUsers({ query: { limit: 2 }, cursor });
      for (const { userID } of answer.users) {
        expectThat(!seen.has(userID), 'everybody once', userID);
        seen.add(userID);
      }
      expectSame('limit', answer.query.limit, 2);
      ({ cursor } = answer);
      if (!cursor.hasMore) return;
    }
  }),
  get.required('answers one person as the list has them', async fixtures => {
    const { users } = await fixtures.api.UsersService.QueryUsers({ query: { limit: 1 } });
    const first = expectThere(users[0], 'somebody', users);
    const { user } = await fixtures.api.UsersService.GetUser({ userID: first.userID });
    expectSame('the person', [user.userID, user.name], [first.userID, first.name]);
  }),
  get.ours('answers 404 for somebody that does not exist', 'A1', fixtures =>
    expectRefusal(fixtures.api.UsersService.GetUser({ userID: 'grafana-incident:nobody' }), 'not_found'),
  ),
];
