import { expect, test } from 'vitest';
import { toHolder } from '../../../../../src/bot/features/role/holder.ts';
import { assignRole, unassignRole } from '../../../../../src/bot/features/role/intents.ts';
import type { IntentContext } from '../../../../../src/bot/incident/acts/intent-kind.ts';

test('undoing an assignment takes the role from the id under which the API knows the holder', async () => {
  const given: unknown[] = [];
  const change = async (input: unknown) => {
    given.push(input);
    const incident = { modifiedTime: '2026-11-20T12:00:00Z', incidentMembership: { assignments: [] } };
    return { didChange: true, incident };
  };
  const context = {
    api: {
      IncidentsService: {
        AssignRole: change,
        UnassignRole: change,
        GetIncident: async () => ({ incident: { incidentMembership: { assignments: [] } } }),
      },
      ActivityService: { QueryActivity: async () => ({ activityItems: [] }) },
    },
    deps: {
      people: {
        resolveUserID: async (userID: string) => (userID === 'slack:U1' ? 'grafana:1' : userID),
        learnAnswered: async (sent: string) => sent,
      },
    },
  } as unknown as IntentContext;
  const holder = { userID: 'slack:U1', slackUserID: 'U1', slackTeamID: 'T1', name: 'Bob' };
  const wish = { incidentID: '7', role: 'observer', holder };
  const undo = assignRole.undo?.(await assignRole.run(context, wish), wish);
  expect(undo?.kind).toBe(unassignRole);
  await unassignRole.run(context, unassignRole.payload.parse(undo?.payload));
  const known = { incidentID: '7', role: 'observer', userID: 'grafana:1' };
  expect(given).toEqual([known, known]);
});

test('a holder that an older version stored is read: of no known workspace', () => {
  const holder = { userID: 'g:1', slackUserID: 'U1', name: 'Bob' };
  const stored = { incidentID: '7', role: 'observer', holder };
  for (const kind of [assignRole, unassignRole]) {
    expect(kind.payload.parse(stored)).toEqual({ ...stored, holder: { ...holder, slackTeamID: '' } });
  }
});

test('a holder has a name, if only an id', () => {
  const person = { userID: 'slack:U1', slackUserID: 'U1', slackTeamID: 'T1' };
  expect(toHolder({ ...person, name: 'Bob' })).toEqual({ ...person, name: 'Bob' });
  expect(toHolder(person)).toEqual({ ...person, name: 'U1' });
});
