import { expect, test } from 'vitest';
import { declareNow, openIncident } from '../../support/incident-room.ts';
import { peerCommands } from '../../support/peer-commands.ts';

/** An incident in the parts that a command can change, each as one text. */
async function partsOf({ incident, place }: Awaited<ReturnType<typeof openIncident>>, id: string) {
  const { title, status, severity, isDrill, labels, taskList, incidentMembership, incidentStart } = await incident(id);
  const { activityItems } = await place.api.ActivityService.QueryActivity({
    query: { incidentID: id, activityKind: ['userNote'] },
  });
  const parts = {
    title,
    status,
    severity,
    isDrill,
    incidentStart,
    labels: labels.map(each => each.label),
    tasks: taskList.tasks.map(({ text, status: state, assignedUser }) => [text, state, assignedUser?.userID]),
    roles: incidentMembership.assignments.map(({ user, role }) => [user.userID, role.name]),
    notes: activityItems.map(each => each.body),
  };
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [`${name} of ${id}`, JSON.stringify(part)]));
}

test('no line of other bots changes anything that its words do not name, and each is answered', async () => {
  const room = await openIncident();
  const { place, alice, home, general, type, slack } = room;
  for (const text of ['fail over', 'remove the canary', 'check the disk']) await type(`/task add ${text}`);
  await declareNow(place, alice, general, 'Login is slow');
  const everything = async () => {
    const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: { limit: 20 } });
    return { ...(await partsOf(room, '1')), ...(await partsOf(room, '2')), incidents: `${incidentPreviews.length}` };
  };
  let before = await everything();
  for (const [line, act, changes = ''] of peerCommands) {
    const known = place.messages(alice, home.id).length;
    const { text: answer } = await alice.command(home, line);
    await place.quiet();
    const after = await everything();
    const changed = Object.keys(after).filter(
      name => after[name as keyof typeof after] !== before[name as keyof typeof before],
    );
    expect(changed.join(), `${line} (${act})`).toBe(changes);
    const isAnswered = alice.view !== undefined || answer || place.messages(alice, home.id).length > known;
    expect(Boolean(isAnswered), `${line} is answered`).toBe(true);
    expect(place.lastRead(alice, home.id), line).not.toContain('Something broke');
    if (alice.view) await alice.close();
    before = after;
  }
  const refused = slack.calls.filter(call => call.response?.ok === false && /^(chat|views)\./.test(call.method));
  expect(refused).toEqual([]);
});
