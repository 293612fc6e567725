import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { declareTwoHere } from '../support/room-scenes.ts';

test('a line in a channel of two incidents says which one it is about; in one of its own it does not', async () => {
  const { here, place, api, alice, general, home, type } = await declareTwoHere(await openIncident());
  const lines = (channel = general) => place.reads(alice, channel.id).join('\n');
  await here('/incident severity critical --incident 2');
  await here('/incident resolve --incident 3 --now');
  expect(lines()).toContain('Incident 2: 🔴 Severity raised');
  expect(lines()).toContain('Incident 3: ✅ Resolved after');
  await api.IncidentsService.UpdateStatus({ incidentID: '3', status: 'active' });
  await here('/incident title --incident 3 Mail is very late');
  const about = place
    .reads(alice, general.id)
    .find(each => each.includes('📡 Outside Slack, somebody reopened the incident.'));
  expect(about).toMatch(/^Incident 3: /);
  await type('/incident severity critical');
  expect(lines(home)).toContain('\n🔴 Severity raised');
});
