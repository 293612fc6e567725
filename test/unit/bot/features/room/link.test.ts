import { expect, test } from 'vitest';
import { phrases } from '../../../../support/phrases.ts';
import { offerChannels } from '../../../../support/room-scenes.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('linked twice, from two channels, or where it lives already: nothing changes, and why is said', async () => {
  const { here, cards, type, general, alice, db } = await offerChannels(await openVerbs({ announces: true }));
  await here('/incident link 2');
  expect(await here('/incident link')).toContain(`#db follows incident 2 already. ${phrases.unchanged}`);
  expect(await type('/incident link 2', alice, general)).toContain(
    'Incident 2 is handled in #db, and an incident has one channel. To move it here, type /incident unlink there first.',
  );
  expect(await here('/incident link 1')).toContain('Incident 1 is handled in #inc-1-checkout-answers-500');
  expect(await here('/incident link 99')).toContain(phrases.noIncident(99));
  expect(await here('/incident link db is slow')).toContain('“db is slow” is not an incident.');
  expect(cards(db)).toHaveLength(1);
});

test('two people link it in two channels at the same moment: one of them is it', async () => {
  const { alice, bob, web, db, place, cards } = await offerChannels(await openVerbs({ announces: true }));
  await Promise.all([alice.command(db, '/incident link 2'), bob.command(web, '/incident link 2')]);
  await place.quiet();
  expect([...cards(db), ...cards(web)]).toHaveLength(1);
  const answers = [...place.reads(alice, db.id), ...place.reads(bob, web.id)].join('\n');
  expect(answers).toMatch(/Incident 2 is handled in #(db|web), and an incident has one channel/);
});

test('Undo of a link parts the channel again, and Undo of that links it', async () => {
  const { here, pressHere, cards, slack, db } = await offerChannels(await openVerbs({ announces: true }));
  await here('/incident link 2');
  expect(await pressHere('Undo')).toContain('You unlinked #db from incident 2');
  expect(cards()).toEqual([]);
  expect(await pressHere('Undo')).toContain('You made #db follow incident 2');
  expect(cards()).toHaveLength(1);
  expect(slack.channel(db.id).messages.filter(each => each.pinned)).toHaveLength(1);
});

test('a channel that Muster is not in: how to invite it; one that is archived; a direct message', async () => {
  const { here, alice, slack, cards, web, type } = await offerChannels(await openVerbs({ announces: true }), {
    botIsMember: false,
  });
  expect(await here('/incident link 2')).toContain(
    `I am not in this channel, so I hear nothing here. Invite me with /invite @Muster and try again. ${phrases.unchanged}`,
  );
  expect(cards()).toEqual([]);
  const dm = slack.openDm(alice);
  expect(await type('/incident link 2', alice, dm)).toContain('Nobody else reads a direct message');
  const old = slack.addChannel({ name: 'old', members: [alice], botIsMember: true });
  slack.fail('chat.postMessage', { error: 'is_archived' }, { times: 1 });
  expect(await type('/incident link 2', alice, old)).toContain(
    'I could not post the incident’s card here: that channel is archived.',
  );
  expect(await type('/incident link 2', alice, web)).toContain('You made #web follow incident 2');
});

test('a channel that is archived while the command is on its way follows nothing', async () => {
  const { alice, slack, place, web, type } = await offerChannels(await openVerbs({ announces: true }));
  const old = slack.addChannel({ name: 'old', members: [alice], botIsMember: true });
  slack.fail('conversations.info', { until: async () => alice.archive(old) }, { times: 1 });
  await type('/incident link 2', alice, old);
  expect(place.reads(alice, old.name).join('\n')).toContain('This channel is archived.');
  expect(await type('/incident link 2', alice, web)).toContain('You made #web follow incident 2');
});

test('a guest links nothing', async () => {
  const { type, gus, general, cards } = await offerChannels(await openVerbs({ announces: true }));
  gus.join(general);
  expect(await type('/incident link 2', gus, general)).toContain('guests cannot change incidents');
  expect(cards()).toEqual([]);
});

test('a private incident goes into no channel that others read', async () => {
  const { here, pressHere, type, web, alice, bob } = await offerChannels(await openVerbs({ announces: true }), {
    isPrivate: true,
  });
  await here('/incident link 2');
  await pressHere('Link it');
  await here('/role assign me observer');
  await here('/incident unlink');
  await pressHere('Unlink');
  expect(await type('/incident link 2', alice, web)).toContain(
    `Incident 2 is private, so only a private channel of this workspace alone can follow it. ${phrases.unchanged}`,
  );
  expect(await type('/incident link 2', bob, web)).toContain(phrases.noIncident(2));
});

test('in a channel that another organisation reads, the card is a stub', async () => {
  const { here, db, place, bob, announced } = await offerChannels(await openVerbs({ announces: true }), {
    isShared: true,
  });
  expect(await here('/incident link 2')).toContain('You made #db follow incident 2');
  const seen = place.reads(bob, db.id);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain(':lock: Incident 2. People of another organisation read this channel');
  expect(announced()[0]).toContain('#db');
});
