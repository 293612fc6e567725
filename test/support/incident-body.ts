import type { Incident } from '../../src/contract/incidents.ts';

const person = (name: string) => ({
  userID: `grafana-incident:user-${Buffer.from(name).toString('hex').padEnd(24, '0').slice(0, 24)}`,
  name,
  photoURL: 'https://www.gravatar.com/avatar/0bc83cb571cd1c50ba6f3e8a',
});

const role = (roleID: number, name: string) => ({
  roleID,
  orgID: '1',
  name,
  description: `The ${name} of the incident`,
  important: roleID < 3,
  mandatory: false,
  archived: false,
  createdAt: '2026-01-12T09:30:00Z',
  updatedAt: '2026-01-12T09:30:00Z',
});

const task = (taskID: string, text: string) => ({
  taskID,
  text,
  status: 'todo',
  authorUser: person('Grace Hopper'),
  assignedUser: person('Ada Lovelace'),
  createdTime: '2026-03-02T14:05:10Z',
  modifiedTime: '2026-03-02T14:05:10Z',
  immutable: false,
});

const incident: Incident = {
  incidentID: '42',
  severity: 'major',
  labels: [{ key: 'tags', label: 'checkout', description: 'The shop', colorHex: '#ff7f50' }],
  isDrill: false,
  createdTime: '2026-03-02T14:03:12Z',
  modifiedTime: '2026-03-02T14:09:47Z',
  createdByUser: person('Grace Hopper'),
  closedTime: '',
  durationSeconds: 395,
  status: 'active',
  title: 'Checkout answers with errors for one request in ten',
  overviewURL: '/a/grafana-irm-app/incidents/42',
  incidentMembership: {
    assignments: [
      { user: person('Ada Lovelace'), role: role(1, 'commander'), roleID: 1 },
      { user: person('Grace Hopper'), role: role(2, 'investigator'), roleID: 2 },
    ],
    totalAssignments: 2,
    totalParticipants: 2,
  },
  taskList: { tasks: [task('t-1', 'Roll back the release'), task('t-2', 'Tell support')], todoCount: 2, doneCount: 0 },
  heroImagePath: '/api/hero-images/42/header.png',
  incidentStart: '2026-03-02T13:58:00Z',
  incidentEnd: '',
  summary: 'A release broke the payment form for people with saved cards.',
  incidentType: 'internal',
  refs: [],
  incidentChannels: [],
};

/** The answer to GetIncident of an API as it is: what the measurements read: an incident with two people and two tasks, about 2.7 kB. */
export const incidentBody: string = JSON.stringify({ incident, error: '' });
