import { expect, test } from 'vitest';
import { makeBare } from '../support/fresh-database.ts';
import { openOutage } from '../support/outage-room.ts';
import { openWorkplace } from '../support/workplace.ts';

/*
 * docs/operating.md, “A lost database” and “A lost link”: the steps of an operator without a backup, in front of a Grafana.
 */

test('on an empty database a channel belongs to no incident, and follows the one that Grafana still has once it is linked', async () => {
  const { place, slack, grafana, alice, general, act } = await openOutage();
  await act(() => alice.command(general, '/incident declare Disk is full --now'));
  const room = slack.channel('inc-1-disk-is-full');
  await place[Symbol.asyncDispose]();

  const again = await openWorkplace({
    slack,
    settings: { ...grafana.settings, DATABASE_URL: await makeBare() },
  });
  const type = async (line: string) => {
    await alice.command(room, line);
    await again.quiet();
    return again.lastRead(alice, room.id);
  };
  expect((await fetch(`${again.muster.url}/readyz`)).status).toBe(200);
  expect(await type('/incident status')).toContain('This channel has no incident.');
  expect(await type('/incident list')).toContain('Disk is full');
  expect(await type('/incident link 1')).toMatch(/follow incident 1/i);
  expect(await type('/task add fail over')).toContain('fail over');
  const { incident } = await again.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.taskList.tasks.map(task => task.text)).toEqual(['fail over']);
  expect(room.messages.filter(message => message.pinned)).toHaveLength(2);
});
