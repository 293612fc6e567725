import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openSeats } from '../support/seats.ts';

test('a summary is the first line of the card until the first update, then the update with its age, and at the end the outcome', async () => {
  const { place, alice, bob, home, type, press, last, bodies, wait } = await openIncident();
  const line = (at = 1) => place.reads(alice, home.id)[0]?.split('\n')[at];
  expect(await type('/incident summary One in three *orders* fails, <!channel>', bob)).toContain('[Undo]');
  expect(line()).toContain('One in three');
  expect(JSON.stringify(place.messages(alice, home.id)[0])).not.toContain('<!channel>');
  expect((await bodies())[0]).toMatch(/^📋 One in three .*\n\n— bob in Slack$/s);

  await type('/incident summary Orders fail in the EU', bob);
  expect(line()).toContain('Orders fail in the EU');
  await press(last(bob), 'Undo', bob);
  expect(line(), 'the one before it stands again').toContain('One in three');
  expect(await bodies()).toHaveLength(1);

  await type('/incident update we roll back', bob);
  expect(line()).toContain('just now, by @bob: we roll back');
  wait(5);
  expect(await type('/incident status', bob)).toContain('5 minutes ago, by @bob: we roll back');
  expect(place.reads(alice, home.id)[0]).not.toContain('One in three');

  await type('/incident resolve Rolled back 1141 --now', bob);
  expect(line()).toBe('Rolled back 1141');
  await type('/incident reopen', bob);
  expect(line()).toContain('by @bob: we roll back');
  await type('/incident resolve --now', bob);
  expect(line(), 'an earlier end says nothing about this one').toContain('we roll back');
});

test('without words a form asks for it and shows the present one; so does the card’s button; a mention sets it', async () => {
  const { place, alice, bob, home, card, type, press, submit, bodies, act } = await openIncident();
  await press(card(), 'Edit', bob);
  expect(bob.view?.title).toBe('Edit the incident');
  await submit({ summary: 'Checkout is slow.\nSince the deploy' }, bob);
  expect(await bodies()).toEqual(['📋 Checkout is slow.\nSince the deploy\n\n— bob in Slack']);
  await type('/incident summary');
  expect(alice.view?.values).toMatchObject({ summary: { summary: { value: 'Checkout is slow.\nSince the deploy' } } });
  await act(() => bob.mention(home, 'summary: Only the EU is slow'));
  expect(place.reads(alice, home.id)[0]).toContain('Only the EU is slow');
  expect(await type(`/incident summary ${'x'.repeat(3001)}`)).toContain('at most 3000 characters');
  expect(await bodies()).toHaveLength(2);
});

test('words that are changed or removed in the list change on the card', async () => {
  const { place, alice, home, type, press, last, act } = await openIncident();
  const card = () => place.reads(alice, home.id)[0] ?? '';
  await type('/incident summary orders fial');
  await type('/note list');
  await press(last(), { text: 'Edit', near: 'fial' });
  await act(() => alice.submit({ text: '📋 orders fail' }));
  expect(card()).toContain('\norders fail\n');
  await type('/note list');
  await press(last(), { text: 'Remove', near: 'orders fail' });
  expect(card()).not.toContain('orders fail');
});

test('all who may read of the incident read what it is about: its card, the announcement, and where it was declared', async () => {
  const { after, alice, bob, general, place, rhea, slack } = await openSeats();
  await after(() => alice.command(general, '/incident declare Disk is full'));
  await after(() => alice.submit({ summary: 'Uploads fail since noon' }));
  const room = slack.channel('inc-1-disk-is-full');
  const [card, announced, origin] = [
    () => place.reads(alice, room.id)[0]?.split('\n')[1],
    () => place.reads(rhea, 'alerts')[0]?.split('\n')[1],
    () => place.reads(bob, general.id).findLast(text => text.includes('declared')),
  ];
  expect([card(), announced()]).toEqual(['Uploads fail since noon', 'Uploads fail since noon']);
  expect(origin()).toContain('Uploads fail since noon');
  const said = place.reads(alice, room.id).filter(text => text.includes('Uploads fail'));
  expect(said, 'the room reads it once').toHaveLength(1);
  await after(() => alice.command(room, '/incident update We empty the disk'));
  for (const shown of [card(), announced(), origin()]) expect(shown).toContain('We empty the disk');
  await after(() => alice.command(room, '/incident resolve Emptied it --now'));
  for (const shown of [card(), announced(), origin()]) expect(shown).toContain('Emptied it');
});

test('the summary of a private incident stays in its room', async () => {
  const { after, alice, bob, general, place, rhea, slack } = await openSeats();
  await after(() => alice.command(general, '/incident declare Data leak --private'));
  await after(() => alice.submit({ summary: 'Keys were published' }));
  const room = slack.channels.find(each => each.name.startsWith('inc-1'));
  expect(place.reads(alice, room?.id ?? '')[0]).toContain('Keys were published');
  await after(() => alice.command(room?.id ?? '', '/incident summary Keys were rotated'));
  for (const person of [bob, rhea]) {
    const all = slack.channels.flatMap(each => (each.members.has(person.id) ? place.reads(person, each.id) : []));
    expect(all.join('\n')).not.toContain('Keys');
  }
});

test('a summary that is given while the API is away stands on the card at once when declared, and on the timeline once', async () => {
  const { place, alice, type, room, goAway, comeBack, timeline, act } = await openOutage();
  goAway();
  await type('/incident declare Checkout answers 500');
  await act(() => alice.submit({ summary: 'Orders fail' }));
  const card = () => place.reads(alice, room().name)[0] ?? '';
  expect(card().split('\n')[1]).toBe('Orders fail');
  expect(await type('/incident summary Orders fail in the EU', alice, room().name)).toContain('Orders fail in the EU');
  await comeBack();
  expect(card().split('\n')[1]).toBe('Orders fail in the EU');
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual([
    '📋 Orders fail\n\n— alice in Slack',
    '📋 Orders fail in the EU\n\n— alice in Slack',
  ]);
});

test('page and record begin with the summary, then with the update, and at the end with the outcome', async () => {
  const { place, alice, home, type, slack } = await openIncident({ settings: { PAGES: 'open' } });
  const page = async () => {
    const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
    const answer = await fetch(new URL(incident.overviewURL, place.muster.url));
    return /<section class="now"(.*?)<\/section>/s.exec(await answer.text())?.[1] ?? '';
  };
  const record = async () => {
    await type('/incident record');
    const files = place.messages(alice, slack.openDm(alice).id).flatMap(each => each.files);
    return slack.file(files.at(-1) ?? '')?.content.split('\n\n')[1] ?? '';
  };
  await type('/incident summary Orders <b>fail</b>', alice, home);
  expect(await page()).toContain('Orders &lt;b&gt;fail&lt;/b&gt;');
  expect(await record()).toBe('Orders <b>fail</b>');
  await type('/incident update we roll back');
  expect(await page()).toMatch(/Last update.*we roll back/s);
  expect(await record()).toMatch(/^Latest update, .*: we roll back$/);
  await type('/incident resolve Rolled back --now');
  expect(await page()).toMatch(/Rolled back/);
  expect(await record()).toBe('Rolled back');
});
