import { type Check, checksOf, holds, refused, same, there } from './check.ts';
import type { Desk } from './fixtures.ts';
import { noIncident } from './incident-checks.ts';

const documents = 'docs/incident-api.md, IncidentsService';
const assign = checksOf('IncidentsService.AssignRole', documents);
const unassign = checksOf('IncidentsService.UnassignRole', documents);
const membership = checksOf('IncidentsService.GetIncidentMembership', documents);
const addLabel = checksOf('IncidentsService.AddLabel', documents);
const removeLabel = checksOf('IncidentsService.RemoveLabel', documents);

const commander = async (desk: Desk, name: string) => {
  const { incidentID } = await desk.incident(name);
  return { incidentID, userID: await desk.person(), role: 'commander' };
};

/** Who holds which role in an incident, and its labels. */
export const peopleChecks: readonly Check[] = [
  assign.required('gives a role once: didChange true, then false', async desk => {
    const input = await commander(desk, 'staffed');
    const first = await desk.api.IncidentsService.AssignRole(input);
    same('didChange', first.didChange, true);
    const holders = first.incident.incidentMembership.assignments.filter(each => each.role.name === 'commander');
    same(
      'commanders',
      holders.map(each => each.user.userID),
      [input.userID],
    );
    const second = await desk.api.IncidentsService.AssignRole(input);
    same('didChange of the second call', second.didChange, false);
  }),
  assign.ours('records the assignment once', 'A4', async desk => {
    const input = await commander(desk, 'recorded');
    await desk.api.IncidentsService.AssignRole(input);
    await desk.api.IncidentsService.AssignRole(input);
    const items = await desk.timeline(input.incidentID, 'roleAssigned');
    same('items', items.length, 1);
    same('subject', items[0]?.subjectUser.userID, input.userID);
  }),
  assign.required('refuses a role that there is not', async desk => {
    const input = await commander(desk, 'staffed');
    await refused(desk.api.IncidentsService.AssignRole({ ...input, role: 'no-such-role' }), 'not_found');
  }),
  assign.ours('answers 404 for an incident that there is not', 'A1', async desk => {
    const input = await commander(desk, 'staffed');
    await refused(desk.api.IncidentsService.AssignRole({ ...input, incidentID: noIncident }), 'not_found');
  }),
  membership.required('lists everybody who holds a role, with the role', async desk => {
    const input = await commander(desk, 'listed');
    await desk.api.IncidentsService.AssignRole(input);
    const { incidentID } = input;
    const { assignments } = await desk.api.IncidentsService.GetIncidentMembership({ incidentID });
    const found = there(
      assignments.find(each => each.user.userID === input.userID),
      'the commander among them',
      assignments,
    );
    same('role', [found.role.name, found.role.roleID === found.roleID], ['commander', true]);
  }),
  membership.ours('sends nobody but real people', 'A3, D5', async desk => {
    const { incidentID } = await desk.incident('empty');
    const { body, text } = await desk.wire.post('IncidentsService.GetIncidentMembership', { incidentID });
    const real = Array.isArray(body.assignments) && body.assignments.every(each => each?.user?.userID !== '');
    holds(real, 'no placeholders', text);
  }),
  unassign.required('takes a role once: didChange true, then false', async desk => {
    const input = await commander(desk, 'unstaffed');
    await desk.api.IncidentsService.AssignRole(input);
    const first = await desk.api.IncidentsService.UnassignRole(input);
    same('didChange', first.didChange, true);
    const left = first.incident.incidentMembership.assignments.filter(each => each.role.name === 'commander');
    same('commanders', left.length, 0);
    const second = await desk.api.IncidentsService.UnassignRole(input);
    same('didChange of the second call', second.didChange, false);
  }),
  addLabel.required('adds a label', async desk => {
    const { incidentID } = await desk.incident('labelled');
    const label = { label: 'kit-colour', description: 'by the kit', colorHex: '#ff8800' };
    const { incident } = await desk.api.IncidentsService.AddLabel({ incidentID, label });
    holds(
      incident.labels.some(each => each.label === 'kit-colour'),
      'the label',
      incident.labels,
    );
  }),
  addLabel.ours('adds a label once, and records it once', 'A6, D12', async desk => {
    const { incidentID } = await desk.incident('labelled once');
    const label = { label: 'kit-once', description: '', colorHex: '' };
    await desk.api.IncidentsService.AddLabel({ incidentID, label });
    const { incident } = await desk.api.IncidentsService.AddLabel({ incidentID, label });
    same(
      'labels',
      incident.labels.map(each => [each.key, each.label]),
      [['tags', 'kit-once']],
    );
    same('items', (await desk.timeline(incidentID, 'labelAdded')).length, 1);
  }),
  addLabel.ours('refuses a colour that is none', 'A6', async desk => {
    const { incidentID } = await desk.incident('labelled');
    const label = { label: 'kit-odd', description: '', colorHex: 'orange' };
    await refused(desk.api.IncidentsService.AddLabel({ incidentID, label }), 'invalid_argument');
  }),
  removeLabel.required('removes a label', async desk => {
    const { incidentID } = await desk.incident('unlabelled');
    await desk.api.IncidentsService.AddLabel({
      incidentID,
      label: { label: 'kit-gone', description: '', colorHex: '' },
    });
    const { incident } = await desk.api.IncidentsService.RemoveLabel({ incidentID, label: 'kit-gone' });
    same('labels', incident.labels, []);
  }),
  removeLabel.ours('lets a label that is not there be removed', 'A6, D12', async desk => {
    const { incidentID } = await desk.incident('plain');
    await desk.api.IncidentsService.RemoveLabel({ incidentID, label: 'kit-never' });
    same('items', (await desk.timeline(incidentID, 'labelRemoved')).length, 0);
  }),
];
