import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { openRestarts } from '../support/restarts.ts';
import { offerChannels } from '../support/room-scenes.ts';

test('a channel follows an incident without a channel: its card is pinned, and what is typed there acts on it', async () => {
  const { here, place, bob, db, cards, announced, notes, slack } = await offerChannels(
    await openIncident({ announces: true }),
  );
  expect(await here('/incident link 2')).toBe(
    '🔗 You made #db follow incident 2. Notes and commands typed there act on it.\n[Undo]',
  );
  expect(cards()).toHaveLength(1);
  expect(slack.channel(db.id).messages.filter(each => each.pinned)).toHaveLength(1);
  expect(place.reads(bob, db.id).at(-1)).toBe(
    '🔗 @alice made this channel follow incident 2. Notes and commands typed here act on it.',
  );
  expect(announced()).toHaveLength(1);
  expect(announced()[0]).toContain('#db');
  await here('/note add a log grew without end');
  expect(await notes('2')).toEqual(['a log grew without end']);
  expect(await here('/incident severity critical')).toContain(' to critical (was ');
  expect(cards()[0]).toContain('CRITICAL');
  expect(slack.channel(db.id)).toMatchObject({ topic: '', bookmarks: [] });
});

test('a channel no longer follows after a question; the channel and the card stay', async () => {
  const { here, pressHere, place, bob, db, notes, announced, slack } = await offerChannels(
    await openIncident({ announces: true }),
  );
  await here('/incident link 2');
  expect(await here('/incident unlink')).toContain(
    'Stop #db from following incident 2? The channel and its messages stay.',
  );
  expect(await pressHere('Unlink')).toContain(
    '🔗 You unlinked #db from incident 2. The channel and its messages stay.',
  );
  const seen = place.reads(bob, db.id);
  expect(seen[0]).toContain('🔗 This channel no longer follows incident 2.');
  expect(seen.at(-1)).toBe('🔗 @alice unlinked this channel: it no longer follows incident 2.');
  expect(slack.channel(db.id).messages.filter(each => each.pinned)).toHaveLength(0);
  expect(announced()[0]).not.toContain('#db');
  expect(await here('/note add nobody hears it', bob)).toContain('This channel has no incident');
  expect(await notes('2')).toEqual([]);
  expect(await here('/incident unlink --incident 2')).toContain(`Incident 2 has no channel. ${phrases.unchanged}`);
});

test('a private channel makes its incident private, after a question', async () => {
  const { here, pressHere, carol, general, type, cards, api, announced } = await offerChannels(
    await openIncident({ announces: true }),
    { isPrivate: true },
  );
  expect(await here('/incident link 2')).toContain(
    'This channel is private: once it follows incident 2, only its members see the incident. Nothing was changed yet.',
  );
  expect(cards()).toEqual([]);
  expect(await pressHere('Link it')).toContain('#db follow incident 2');
  expect(cards()).toHaveLength(1);
  expect(announced()).toEqual([]);
  expect(await type('/incident status --incident 2', carol, general)).toContain(phrases.noIncident(2));
  expect((await api.IncidentsService.GetIncident({ incidentID: '2' })).incident.incidentType).toBe('private');
  await here('/incident unlink');
  expect(await pressHere('Unlink')).toContain(
    'Take a role first (/role assign me observer --incident 2), then unlink it.',
  );
  await here('/role assign me observer');
  await here('/incident unlink');
  expect(await pressHere('Unlink')).toContain('You unlinked #db from incident 2');
  expect(await type('/incident status --incident 2', carol, general)).toContain(phrases.noIncident(2));
});

test('a Muster that dies between the card and its answer posts one card', async () => {
  const { slack, alice, general, open } = await openRestarts();
  const db = slack.addChannel({ name: 'db', members: [alice], botIsMember: true });
  const first = await open();
  await first.api.IncidentsService.CreateIncident({ title: 'Disk is full', severity: 'major', status: 'active' });
  slack.fail('chat.postMessage', { dropAfterEffect: true }, { times: 1 });
  slack.fail('conversations.history', { dropBefore: true });
  await alice.command(db, '/incident link 1');
  await slack.settled();
  await first[Symbol.asyncDispose]();
  slack.heal();
  const next = await open();
  await next.muster.bot.journal.wake();
  await next.muster.bot.journal.tick();
  await next.quiet();
  expect(next.reads(alice, db.id).filter(each => each.includes('Disk is full'))).toHaveLength(1);
  await alice.command(db, '/note add it grew');
  await next.quiet();
  const query = { incidentID: '1', activityKind: ['userNote' as const] };
  expect((await next.api.ActivityService.QueryActivity({ query })).activityItems).toHaveLength(1);
  expect(general.messages).toEqual([]);
});
