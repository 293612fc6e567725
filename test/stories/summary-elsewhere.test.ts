import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openSeats } from '../support/seats.ts';
import { TestTimers } from '../support/timers.ts';

/** The incident with a page, and all that leads it: on its card, in its status, on its page and in its record. */
async function openLed() {
  const timers = new TestTimers(() => undefined);
  const opened = await openIncident({ settings: { PAGES: 'open' }, timers });
  const { place, slack, api, alice, home, type, now, wait } = opened;
  /** The time comes when Muster looks. */
  const look = async () => {
    await timers.fire(10_000);
    await place.quiet();
  };
  const said = async (body: string, fieldValues = {}) => {
    wait(1);
    const note = {
      incidentID: '1',
      activityKind: 'userNote' as const,
      body,
      eventTime: now().toISOString(),
      fieldValues,
    };
    const { activityItem } = await api.ActivityService.AddActivity(note);
    await look();
    return activityItem.activityItemID;
  };
  const places = async () => {
    const status = (await type('/incident status')).split('\n')[1] ?? '';
    const card = place.reads(alice, home.id)[0]?.split('\n')[1] ?? '';
    const { incident } = await api.IncidentsService.GetIncident({ incidentID: '1' });
    const answer = await fetch(new URL(incident.overviewURL, place.muster.url));
    const page = /<div class="lead">(.*?)<\/div>/s.exec(await answer.text())?.[1] ?? '';
    await type('/incident record');
    const files = place.messages(alice, slack.openDm(alice).id).flatMap(each => each.files);
    const record = slack.file(files.at(-1) ?? '')?.content.split('\n\n')[1] ?? '';
    return { card, status, page, record };
  };
  return { ...opened, look, said, places };
}

test.each([
  ['📋 Orders fail <!channel>', 'Orders fail'],
  ['📣 We roll back *now*', 'We roll back'],
  ['📋 Orders fail\n\n— dora in Slack', 'Orders fail'],
])('what another client of the API wrote leads everywhere alike: %s', async (body, words) => {
  const { said, places, place, alice, home } = await openLed();
  await said(body);
  for (const [where, text] of Object.entries(await places())) expect(text, where).toContain(words);
  expect(JSON.stringify(place.messages(alice, home.id)[0])).not.toContain('<!channel>');
});

test('it follows what that client rewords, moves and removes, and what people say after it', async () => {
  const { said, places, look, api, type, press, last, wait, now } = await openLed();
  const everywhere = async (words: string) => {
    for (const [where, text] of Object.entries(await places())) expect(text, where).toContain(words);
  };
  const first = { incidentID: '1', activityItemID: await said('📋 Orders fail') };
  await api.ActivityService.UpdateActivityBody({ ...first, body: '📋 Orders fail in the EU' });
  await look();
  await everywhere('Orders fail in the EU');
  wait(1);
  await type('/incident update We roll back');
  await everywhere('We roll back');
  const update = { incidentID: '1', activityItemID: await said('📣 Rolled back') };
  await everywhere('Rolled back');
  const before = new Date(now().getTime() - 600_000).toISOString();
  await api.ActivityService.UpdateActivityEventTime({ ...update, eventTime: before });
  await look();
  await everywhere('We roll back');
  await type('/incident update Nearly there');
  await press(last(), 'Undo');
  await everywhere('We roll back');
  const notes = await api.ActivityService.QueryActivity({ query: { incidentID: '1', activityKind: ['userNote'] } });
  for (const { body, activityItemID } of notes.activityItems)
    if (body.startsWith('📣')) await api.ActivityService.RemoveActivity({ incidentID: '1', activityItemID });
  await look();
  await everywhere('Orders fail in the EU');
  await api.ActivityService.RemoveActivity(first);
  await look();
  const led = Object.values(await places()).join('\n');
  expect(led).not.toContain('Orders fail');
});

test('what another client says of the end leads everywhere, also after it ended the incident', async () => {
  const { said, places, look, api } = await openLed();
  await api.IncidentsService.UpdateStatus({ incidentID: '1', status: 'resolved' });
  await look();
  await said('Rolled back 1141', { source: 'resolution' });
  for (const [where, text] of Object.entries(await places())) expect(text, where).toContain('Rolled back 1141');
});

test('an incident that began elsewhere with a summary is announced with it', async () => {
  const timers = new TestTimers(() => undefined);
  const { after, place, rhea } = await openSeats({ timers });
  await timers.fire(10_000);
  await after(async () => {
    const { incident } = await place.api.IncidentsService.CreateIncident({ title: 'Disk is full', severity: 'minor' });
    const note = { incidentID: incident.incidentID, activityKind: 'userNote' as const, body: '📋 Uploads fail' };
    await place.api.ActivityService.AddActivity({ ...note, eventTime: '' });
    await timers.fire(10_000);
  });
  expect(place.reads(rhea, 'alerts').join('\n')).toContain('Uploads fail');
});
