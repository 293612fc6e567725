import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openMore } from '../support/more-options.ts';
import { openOutage } from '../support/outage-room.ts';

test('a look at the card: how bad it is, who leads and who does what, since when; the buttons follow the state', async () => {
  const { place, alice, bob, home, card, type, press, act } = await openIncident();
  const read = (person = bob) => place.reads(person, home.id)[0]?.split('\n') ?? [];
  expect(read()).toEqual([
    '⚪ PENDING · Checkout answers 500',
    'Active since Nov 20, 2026 12:15 PM, just now',
    ':warning: No commander – press Take command',
    'Incident 1 · declared by @alice',
    '[Take command] [Update] [Add note] [Tasks] [Edit] [Call] [Resolve] [Roles] [Catch me up]',
  ]);
  await press(card(), 'Take command', bob);
  await type('/role assign @alice investigator', bob);
  await type('/incident severity critical');
  await type('/task add Roll back release 1141');
  expect(read()).toEqual([
    '🔴 CRITICAL · Checkout answers 500',
    'Active since Nov 20, 2026 12:15 PM, just now',
    'Commander @bob',
    'Investigating @alice',
    'Tasks 1 open, 0 done',
    'Incident 1 · declared by @alice',
    '[Update] [Add note] [Tasks] [Edit] [Call] [Resolve] [Roles] [Catch me up]',
  ]);
  await type('/task done 1');
  expect(read().at(-1), 'nothing is left to do').toBe(
    '[Resolve] [Update] [Add note] [Tasks] [Edit] [Call] [Roles] [Catch me up]',
  );
  await press(card(), 'Resolve');
  await act(() => alice.submit());
  expect(read().slice(0, 2)).toEqual([
    '✅ RESOLVED · Checkout answers 500',
    '✅ Resolved Nov 20, 2026 12:15 PM after 0 s',
  ]);
  expect(read().at(-1)).toBe('[Reopen] [Add note] [Tasks] [Edit] [Roles]');
});

test('the bar beside the card has the colour of the severity, is green at the end, and goes where only a stub stands', async () => {
  const { place, slack, alice, home, card, type } = await openIncident();
  const bar = () => {
    expect(
      card().blocks.map(block => block.type),
      'the headline stands above the bar',
    ).toEqual(['header']);
    return card().attachments.map(each => each.color);
  };
  expect(bar()).toEqual(['#8b949e']);
  await type('/incident severity critical');
  expect(bar()).toEqual(['#d1242f']);
  await type('/incident resolve It is over --now');
  expect(bar()).toEqual(['#2da44e']);
  alice.share(home);
  await slack.settled();
  await place.quiet();
  expect(card().attachments).toEqual([]);
});

test('one form corrects the incident, from the card', async () => {
  const { place, alice, bob, home, card, press, incident, last, act } = await openIncident();
  await press(card(), 'Edit', bob);
  await act(() => bob.submit({ title: 'Checkout is slow', drill: ['drill'] }));
  expect(await incident()).toMatchObject({ title: 'Checkout is slow', isDrill: true });
  expect(place.reads(alice, home.id)[0]).toContain('🧪 DRILL · ⚪ PENDING · Checkout is slow');
  await press(card(), 'Edit', bob);
  await act(() => bob.submit({ drill: [] }));
  expect((await incident()).isDrill).toBe(false);
  await press(card(), 'Roles');
  expect(place.lastRead(alice, home.id)).toContain('Roles of incident 1');
  expect(last().blocks.length).toBeGreaterThan(2);
});

test('a guest reads the roles from the card, and changes nothing from it', async () => {
  const { place, gus, home, card, press, incident } = await openIncident();
  expect(await press(card(), 'Roles', gus)).toContain('Roles of incident 1');
  expect(await press(card(), 'Edit', gus)).toContain('guests cannot change incidents');
  expect((await incident()).isDrill).toBe(false);
  expect(place.reads(gus, home.id)[0]).not.toContain('DRILL');
});

test('the card says where the incident came from: the alert, and the message it was declared from', async () => {
  const { place, slack, alice, general, act } = await openIncident();
  const said = slack.person('bob').say(general, 'Orders fail <!channel>');
  await act(() => alice.shortcut('declare_message', said));
  await openMore(place, alice);
  await alice.submit({ link: 'https://grafana.example.com/alert?a=1|x', caption: 'Errors *now*' });
  await place.quiet();
  const room = slack.channels.find(each => each.name.startsWith('inc-2')) ?? expect.fail('There is no room');
  const card = place.reads(alice, room.id)[0];
  expect(card).toContain('🔗 Errors now (https://grafana.example.com/alert?a=1%7Cx)');
  expect(card).toContain(`The message it was declared from (${said.permalink})`);
  expect(place.messages(alice, room.id)[0]?.text).toContain('https://grafana.example.com/alert?a=1%7Cx');
});

test('while the API does not answer, the card says how old it is; it is whole again with the first answer', async () => {
  let now = new Date('2026-11-20T02:10:00Z');
  const { place, slack, alice, general, type, room, goAway, comeBack } = await openOutage({ clock: () => now });
  await type('/incident declare Checkout answers 500 --severity major --now');
  const home = room().name;
  const card = () => place.reads(alice, home)[0] ?? '';
  await type('/task add Call the vendor', alice, home);
  expect(card()).not.toContain('As of');
  now = new Date('2026-11-20T02:14:00Z');
  await type('/task add Look at the logs', alice, home);
  goAway();
  now = new Date('2026-11-20T02:20:00Z');
  expect(await type('/note add It goes on', alice, home)).toContain('Saved');
  expect(card()).toContain('Tasks 2 open, 0 done');
  expect(card()).toContain('⏳ As of Nov 20, 2026 2:14 AM: Grafana does not answer.');
  expect(card()).toContain('[Take command]');
  const ofCard = () => slack.callsOf('chat.update').filter(each => JSON.stringify(each).includes('As of'));
  const written = ofCard().length;
  await type('/note add and on', alice, home);
  expect(ofCard(), 'it is marked once').toHaveLength(written);
  await comeBack();
  expect(card()).toContain('Tasks 2 open, 0 done');
  expect(card()).not.toContain('As of');
  expect(place.reads(alice, general.id).join('\n')).not.toContain('As of');
});
