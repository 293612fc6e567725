import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openWorkplace } from '../support/workplace.ts';

test('an update is a note under the person’s name, a line in the room, and stands on the card until the next one', async () => {
  const { place, alice, bob, home, type, bodies, publicLines, wait } = await openIncident();
  const card = () => place.reads(alice, home.id)[0] ?? '';
  expect(await type('/incident update Checkout fails for one in three; we roll back 1141 --next 30m', bob)).toEqual(
    expect.stringMatching(/^📣 You posted the update of incident 1: .*\n\[Undo\]$/),
  );
  expect(await bodies()).toEqual(['📣 Checkout fails for one in three; we roll back 1141\n\n— bob in Slack']);
  expect(publicLines()).toEqual([
    '📣 Update · next by 12:45 PM – @bob\n> Checkout fails for one in three; we roll back 1141',
  ]);
  expect(card()).toContain(
    '📣 Latest update just now, by @bob: Checkout fails for one in three; we roll back 1141\nActive since',
  );
  expect(card()).toContain('\nNext update due at 12:45 PM');
  wait(5);
  await type('/incident say rolled back, errors fall');
  expect(card()).toContain('📣 Latest update just now, by @alice: rolled back, errors fall');
  expect(card()).not.toContain('Next update');
  expect(card()).not.toContain('one in three');
  expect(await type('/incident status', bob), 'so does the status').toContain('by @alice: rolled back, errors fall');
});

test('Undo takes an update off the timeline and off the card, and the one before it stands again', async () => {
  const { place, alice, home, type, press, last, bodies, publicLines } = await openIncident();
  const card = () => place.reads(alice, home.id)[0] ?? '';
  await type('/incident update first');
  await type('/incident update second');
  expect(card()).toContain('by @alice: second');
  await press(last(), 'Undo');
  expect(await bodies()).toEqual(['📣 first\n\n— alice in Slack']);
  expect(card()).toContain('by @alice: first');
  expect(publicLines().at(-1)).toContain('took this back');
});

test('words that are changed or removed in the list change on the card', async () => {
  const { place, alice, home, type, press, last, act } = await openIncident();
  const card = () => place.reads(alice, home.id)[0] ?? '';
  await type('/incident update we rol back');
  await type('/note list');
  await press(last(), { text: 'Edit', near: 'rol back' });
  await act(() => alice.submit({ text: '📣 we roll back' }));
  expect(card()).toContain('by @alice: we roll back');
  await type('/note list');
  await press(last(), { text: 'Remove', near: 'roll back' });
  expect(card()).not.toContain('Latest update');
});

test('the form asks what happened, what is done, and when the next update comes', async () => {
  const { place, alice, bob, home, card, type, press, bodies, act } = await openIncident();
  await press(card(), 'Update', bob);
  expect(bob.view?.title).toBe('Post an update');
  expect((await bob.submit({ happened: '  ' })).body).toMatchObject({ response_action: 'errors' });
  await act(() => bob.submit({ happened: 'Orders fail', doing: 'Rolling back', next: '15' }));
  expect(await bodies()).toEqual(['📣 Orders fail.\nRolling back\n\n— bob in Slack']);
  expect(place.reads(alice, home.id)[0]).toContain('Orders fail.\nRolling back\nActive since');
  expect(place.reads(alice, home.id)[0]).toContain('\nNext update due at 12:30 PM');
  await type('/incident update --next 30m');
  expect(alice.view?.values).toMatchObject({ next: { next: { selected_option: { value: '30' } } } });
});

test('a promised update that is not given shows as overdue when it is due, also after a restart', async () => {
  const databaseFile = join(await openFolder(), 'muster.db');
  let now = new Date('2026-11-20T12:15:00Z');
  const first = await openIncident({ databaseFile, clock: () => now });
  const { slack, home } = first;
  await first.type('/incident update we look at the logs --next 15');
  const card = () => first.place.reads(first.alice, home.id)[0] ?? '';
  expect(card()).toContain('Next update due at 12:30 PM');
  await first.place[Symbol.asyncDispose]();
  now = new Date('2026-11-20T12:31:00Z');
  const second = await openWorkplace({ slack, databaseFile, clock: () => now });
  await expect.poll(card).toContain(':warning: Next update was due at 12:30 PM');
  await slack.person('bob').command(home, '/incident update it was the disk');
  await second.quiet();
  expect(card()).toContain('by @bob: it was the disk');
  expect(card()).not.toContain('was due');
});

test('what is no update is not posted: too long, a time that is none, a command behind it; and hostile words are words', async () => {
  const { place, alice, home, type, bodies, incident } = await openIncident();
  expect(await type(`/incident update ${'x'.repeat(3001)}`)).toContain('at most 3000 characters');
  expect(await type('/incident update we look --next soonish')).toContain(
    '“soonish” is not a time: try 30m, half an hour, 14:30, tomorrow 9:00.',
  );
  expect(await type('/incident update severity critical')).toContain(
    'an update goes to everybody who follows the incident.',
  );
  expect(await bodies()).toEqual([]);
  expect((await incident()).severity).toBe('pending');
  await type('/incident update *all* <!channel> & `fine`');
  const card = place.messages(alice, home.id)[0];
  expect(JSON.stringify(card)).not.toContain('<!channel>');
  expect(place.reads(alice, home.id)[0]).toContain('by @alice: ');
});

test('an update that is given while the API is away is posted once, with its own time', async () => {
  let now = new Date('2026-11-20T02:10:00Z');
  const { place, alice, type, room, goAway, comeBack, timeline } = await openOutage({ clock: () => now });
  await type('/incident declare Checkout answers 500 --now');
  const home = room().name;
  goAway();
  expect(await type('/incident update we fail over --next 15m', alice, home)).toContain(
    'Saved. I’ll post “we fail over”',
  );
  now = new Date('2026-11-20T02:20:00Z');
  await comeBack();
  expect(place.reads(alice, home)[0]).toContain(
    '📣 Latest update 10 minutes ago, by @alice: we fail over\nActive since',
  );
  expect(place.reads(alice, home)[0]).toContain('\nNext update due at 2:25 AM');
  const notes = (await timeline()).filter(item => item.activityKind === 'userNote');
  expect(notes.map(note => note.body)).toEqual(['📣 we fail over\n\n— alice in Slack']);
});

test('the incident’s page says when the next update is due, until the next one is given or the incident is over', async () => {
  const { place, type, wait, incident } = await openIncident({ settings: { PAGES: 'open' } });
  const read = async () => {
    const path = new URL((await incident()).overviewURL, 'https://muster.example.com').pathname;
    return (await (await fetch(`${place.muster.url}${path}`)).text()).replace(/<[^>]*>/g, '');
  };
  await type('/incident update We roll back --next 30m');
  expect(await read()).toMatch(/Last update .* ago · next due 12:45 UTC/);
  wait(40);
  expect(await read()).toMatch(/ · overdue since 12:45 UTC/);
  await type('/incident update Rolled back');
  expect(await read()).not.toMatch(/next due|overdue/);
  await type('/incident update Watching --next 15m');
  expect(await read()).toContain('next due');
  await type('/incident resolve It was the deploy --now');
  expect(await read()).not.toMatch(/next due|overdue/);
});
