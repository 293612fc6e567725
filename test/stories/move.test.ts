import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { makeBare } from '../support/fresh-database.ts';
import { openOutage } from '../support/outage-room.ts';
import { openProgram } from '../support/program.ts';
import { openWorkplace } from '../support/workplace.ts';

test('what was open before a move is done after it, once, in the same room; four times, there and back', async () => {
  const file = async () => `sqlite:${join(await openFolder(), 'muster.db')}`;
  const places = [await makeBare(), await file(), await makeBare(), await file(), await makeBare()];
  const {
    place: first,
    slack,
    grafana,
    alice,
    general,
  } = await openOutage({
    settings: { DATABASE_URL: places[0] ?? '' },
  });
  const open = (url: string) => openWorkplace({ slack, settings: { ...grafana.settings, DATABASE_URL: url } });
  let place = first;
  await alice.command(general, '/incident declare Disk is full --now');
  await place.quiet();
  const room = slack.channel('inc-1-disk-is-full');
  const read = () => room.messages.filter(message => message.ephemeralTo === undefined && !message.subtype);
  const card = read()[0]?.ts;

  for (const [at, from] of places.slice(0, -1).entries()) {
    const to = places[at + 1] ?? '';
    grafana.fail({ when: /./, answer: 'hang up' });
    await alice.command(room, `/task add step ${at}`);
    await alice.command(room, `/note note ${at}`);
    await place.quiet();
    await place[Symbol.asyncDispose]();
    await openProgram().run('move', '--from', from, '--to', to);
    grafana.heal();
    place = await open(to);
    await expect
      .poll(async () => {
        await place.muster.bot.journal.wake();
        const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
        return incident.taskList.tasks.map(task => task.text);
      })
      .toEqual(Array.from({ length: at + 1 }, (_, step) => `step ${step}`));
    await place.quiet();
    await alice.command(room, '/incident status');
    await place.quiet();
    expect(place.lastRead(alice, room.id)).toContain(`step ${at}`);
  }
  const { activityItems } = await place.api.ActivityService.QueryActivity({
    query: { incidentID: '1', activityKind: ['userNote'], orderDirection: 'ASC' },
  });
  expect(activityItems.map(item => item.body.split('\n')[0])).toEqual(['note 0', 'note 1', 'note 2', 'note 3']);
  const lines = read().flatMap(message => message.text.split('\n'));
  for (const at of places.slice(0, -1).keys()) {
    expect(lines.filter(line => line.includes(`“step ${at}”`) && line.includes('added task'))).toHaveLength(1);
    expect(lines.filter(line => line.includes(`noted: “note ${at}”`))).toHaveLength(1);
  }
  expect(
    read()
      .filter(message => message.pinned)
      .map(message => message.ts),
  ).toEqual([card]);
  expect(slack.channels.filter(channel => channel.name.startsWith('inc-'))).toHaveLength(1);
});
