import { expect, test } from 'vitest';
import { openElsewhere } from '../support/elsewhere.ts';
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
    const page = /<dd class="say">(.*?)<\/dd>/s.exec(await answer.text())?.[1] ?? '';
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

/** An incident with an announcement in #alerts, and what everybody there and in its room reads of updates. */
async function openTold() {
  const opened = await openElsewhere();
  const { place, alice, alerts, room, elsewhere, look } = opened;
  const add = (body: string, fieldValues = {}) =>
    elsewhere.ActivityService.AddActivity({
      ...{ incidentID: '1', activityKind: 'userNote', body, eventTime: '', fieldValues },
    });
  const isTold = (each: string) => /📣/.test(each) && !each.includes('Latest update');
  const told = (channel = room.id) => place.reads(alice, channel).slice(1).filter(isTold);
  return { ...opened, add, told, look, inAlerts: () => told(alerts.id) };
}

test('an update of another client is a headline in the room and news for its readers, once, and mentions nobody', async () => {
  const { add, look, told, inAlerts, type } = await openTold();
  await add('📣 We roll back <!channel>\nand *wait*');
  await look();
  await look();
  expect(told()).toHaveLength(1);
  expect(told()[0]).toMatch(/^📣 Update – .+, outside Slack\n> We roll back <!channel>\n> and \*wait\*/);
  expect(inAlerts()).toHaveLength(1);
  expect(inAlerts()[0]).toContain('We roll back');
  await type('/incident severity major');
  await add('📣 Rolled back');
  await look();
  expect(told()).toHaveLength(2);
  expect(told()[1]).toContain('Update · 🟠 major – ');
});

test.each([
  ['a summary', '📋 Orders fail', {}],
  ['a plain note', 'We roll back', {}],
  ['the update of another Muster', '📣 We roll back', { addedBy: 'dora' }],
  ['the update of an older Muster', '📣 We roll back\n\n— dora in Slack', {}],
] as const)('%s makes no such line', async (_what, body, fieldValues) => {
  const { add, look, told, inAlerts } = await openTold();
  await add(body, fieldValues);
  await look();
  expect([told(), inAlerts()]).toEqual([[], []]);
});

test('an update of one’s own stays one line, and an old one of others stands on the card alone', async () => {
  const { look, type, api, now, wait, place, alice, home } = await openLed();
  const told = () => place.reads(alice, home.id).filter(each => each.startsWith('📣 Update'));
  await type('/incident update We look');
  await look();
  await look();
  expect(told()).toHaveLength(1);
  const note = { incidentID: '1', activityKind: 'userNote' as const, body: '📣 Seen late' };
  await api.ActivityService.AddActivity({ ...note, eventTime: now().toISOString() });
  wait(61);
  await look();
  expect(place.reads(alice, home.id)[0]).toContain('Seen late');
  expect(told()).toHaveLength(1);
});
