import { expect, test } from 'vitest';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';

/** Two incidents that live in #general, since Slack lets nobody make a channel. */
async function openTwo() {
  const opened = await openIncident();
  const { place, slack, alice, general, type } = opened;
  alice.invite(general, slack.botUserId);
  slack.fail('conversations.create', { error: 'restricted_action' }, { times: 100 });
  await type('/incident declare Disk is full --now', alice, general);
  opened.wait(1);
  await type('/incident declare Mail is late --now', alice, general);
  return {
    ...opened,
    here: (line: string) => type(line, alice, general),
    pick: async (button: string) => {
      await alice.press(opened.last(alice, general), button);
      await place.quiet();
      return opened.reads(alice, general);
    },
    notes: async (incidentID: string) => (await notesOf(place, incidentID)).map(note => splitNoteBody(note.body).text),
    status: async (incidentID: string) => (await opened.incident(incidentID)).status,
  };
}

test('a line in a channel of two incidents says which one it is about; in one of its own it does not', async () => {
  const { here, place, api, alice, general, home, type } = await openTwo();
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
