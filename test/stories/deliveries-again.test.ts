import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import type { Delivery } from '../../src/bot/dispatch/feature/delivery.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { toSourceMessage } from '../../src/bot/slack/source-message.ts';
import { notesOf } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { openRestarts } from '../support/restarts.ts';

// Put together here, so that no file holds what looks like a real key.
const secret = ['AKIA', 'Q3EGRIZ5', 'TLMNOP7X'].join('');
const added = `${phrases.added}: “rotated [redacted: AWS key]”`;

type Did = Pick<Delivery, 'location' | 'act'>;

/** Alice and bob in #general. What they did can be carried out again, as when Muster dies before it has noted that it is done. */
async function openStory() {
  const { slack, database, alice, bob, general, open } = await openRestarts();
  const db = database.as<BotTables>();
  let place = await open();
  const known = new Set<string>();

  /** Does something, and yields a way to have it carried out again by another Muster. */
  async function begin(person: Person, did: Did, work: () => Promise<unknown>) {
    await work();
    await place.quiet();
    const keys = (await db.selectFrom('bot_delivery').select('key').execute()).map(row => row.key);
    const key = keys.find(each => !known.has(each));
    if (!key) throw new Error('Nothing was delivered');
    for (const each of keys) known.add(each);
    /** `unanswered`: it died before its answer was noted. */
    return async ({ unanswered = false } = {}) => {
      const body: Omit<Delivery, 'key'> = { actor: { teamId: slack.teamId, userId: person.id }, ...did };
      await place[Symbol.asyncDispose]();
      const left = { state: 'open', body: JSON.stringify(body), lease_owner: '' } as const;
      await db.updateTable('bot_delivery').set(left).where('key', '=', key).execute();
      if (unanswered) await db.updateTable('bot_intent').set({ tell: 'caller' }).where('caller', '=', key).execute();
      place = await open();
      await place.quiet();
      const { state } = await db
        .selectFrom('bot_delivery')
        .select('state')
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      expect(state).toBe('done');
      return place.lastRead(person, did.location.channelId);
    };
  }

  return {
    place: () => place,
    db,
    slack,
    alice,
    bob,
    general,
    type: (line: string, person = alice, channel = general) => {
      const [root = '', ...words] = line.slice(1).split(' ');
      const act = { kind: 'command', root, text: words.join(' ') } as const;
      const did = { location: { channelId: channel.id, threadTs: '' }, act };
      return begin(person, did, () => person.command(channel, line));
    },
    begin,
    room: () => {
      const found = slack.channels.find(each => each.name.startsWith('inc-'));
      if (!found) throw new Error('No channel was made');
      bob.join(found.name);
      return found;
    },
    incident: async () => (await place.api.IncidentsService.GetIncident({ incidentID: '1' })).incident,
    notes: (incidentID: string) => notesOf(place, incidentID),
  };
}

test('resolving, carried out again after somebody reopened it, resolves nothing', async () => {
  const { place, type, alice, bob, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  const again = await type('/incident resolve It was a log --now', alice, home);
  await type('/incident reopen', bob, home);
  await again();
  expect((await incident()).status).toBe('active');
  const lines = place()
    .reads(bob, home.name)
    .filter(each => /Resolved after|Reopened –/.test(each));
  expect(lines).toHaveLength(2);
});

test('reopening, carried out again after somebody resolved it, opens nothing', async () => {
  const { type, alice, bob, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  await type('/incident resolve --now', bob, home);
  const again = await type('/incident reopen', alice, home);
  await type('/incident resolve --now', bob, home);
  await again();
  expect((await incident()).status).toBe('resolved');
});

test('taking a role from whoever has it, carried out again, takes it from nobody who got it since', async () => {
  const { type, alice, bob, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  await type('/role assign @alice commander', alice, home);
  const again = await type('/role unassign commander', alice, home);
  await type('/role assign @bob commander', bob, home);
  expect(await again()).toContain(':bust_in_silhouette: You ');
  const { assignments } = (await incident()).incidentMembership;
  expect(assignments.map(each => each.user.name)).toEqual(['bob']);
});

test('a hand-over, carried out again after the role went on, takes it from nobody who got it since', async () => {
  const { type, alice, bob, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  await type('/role assign me commander', alice, home);
  const again = await type('/role handover me', bob, home);
  await type('/role handover me', alice, home);
  expect(await again()).toContain(':bust_in_silhouette: You ');
  const { assignments } = (await incident()).incidentMembership;
  expect(assignments.map(each => each.user.name)).toEqual(['alice']);
});

test('deleting a task by its number, carried out again, deletes no other, and speaks of the one it deleted', async () => {
  const { type, alice, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  await type('/task add Look', alice, home);
  await type('/task add Think', alice, home);
  const again = await type('/task delete 1', alice, home);
  expect(await again()).toContain('You deleted task 1: “Look”');
  expect((await incident()).taskList.tasks.map(task => task.text)).toEqual(['Think']);
});

test('adding a message, carried out again after it was removed once more, adds nothing', async () => {
  const { place, type, begin, alice, bob, room, notes } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  const message = bob.say(home, 'the graph goes down');
  const act = {
    kind: 'shortcut',
    id: 'add_timeline',
    message: toSourceMessage(home.id, { ...message, user: bob.id }),
  } as const;
  const did = { location: { channelId: home.id, threadTs: '' }, act };
  const add = () => begin(alice, did, () => alice.shortcut('add_timeline', message));
  const remove = async () => {
    for (const { activityItemID } of await notes('1')) {
      await place().api.ActivityService.RemoveActivity({ incidentID: '1', activityItemID });
    }
  };
  await add();
  await remove();
  const again = await add();
  expect(await notes('1')).toHaveLength(1);
  await remove();
  await again();
  expect(await notes('1')).toHaveLength(0);
});

test('what was asked where no incident was, carried out again, is not done in the one that has moved in since', async () => {
  const { slack, type, alice, notes } = await openStory();
  await type('/incident declare Disk is full --now');
  const again = await type('/note add Rolled back', alice);
  slack.fail('conversations.create', { error: 'restricted_action' });
  await type('/incident declare Cache is cold --now');
  expect(await again()).toContain('Which one do you mean with /note add?');
  expect(await notes('2')).toHaveLength(0);
});

test('which incident it is about, asked again: whichever of the questions is answered, and both, it is done once', async () => {
  const { place, type, alice, general, notes } = await openStory();
  await type('/incident declare Disk is full --now');
  const again = await type('/note add Rolled back', alice);
  await again();
  const asked = place()
    .messages(alice, general.name)
    .filter(each => each.text.includes('Which one do you mean') && !each.deleted);
  expect(asked).toHaveLength(2);
  for (const message of asked) {
    await alice.press(message, '#1 Disk is full');
    await place().quiet();
  }
  expect(await notes('1')).toHaveLength(1);
});

test('what was done and answered, carried out again, is answered no second time', async () => {
  const { place, type, alice, room } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  const notes = await type('/note add Rolled back', alice, home);
  const tasks = await type('/task add Look', alice, home);
  const before = place().reads(alice, home.id);
  await notes();
  await tasks();
  expect(place().reads(alice, home.id)).toEqual(before);
});

test('what was done and not answered, carried out again, is answered as what was asked for once', async () => {
  const { place, type, alice, room, notes } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  const again = await type('/note add Rolled back', alice, home);
  const before = place().reads(alice, home.id).length;
  expect(await again({ unanswered: true })).toContain(phrases.added);
  const said = place().reads(alice, home.id).slice(before).join('\n');
  expect(said).not.toMatch(/already|Nothing was done twice|What you asked for earlier/);
  expect(await notes('1')).toHaveLength(1);
});

test('the line in the room of what was done and not answered, carried out again, stands there once', async () => {
  const { place, type, alice, bob, room } = await openStory();
  await type('/incident declare Disk is full --severity minor --now');
  const home = room();
  const again = await type('/incident severity critical', alice, home);
  expect(await again({ unanswered: true })).toContain(' to critical (was ');
  const lines = place()
    .reads(bob, home.name)
    .filter(each => /Severity raised/.test(each));
  expect(lines).toHaveLength(1);
});

test('steps that were not done before it died are done, though the first was answered', async () => {
  const { place, db, type, alice, room, incident } = await openStory();
  await type('/incident declare Disk is full --now');
  const home = room();
  const again = await type('/incident label disk, db', alice, home);
  await db.deleteFrom('bot_intent').where('kind', '=', 'incident.label').where('key', 'like', '%/1').execute();
  await place().api.IncidentsService.RemoveLabel({ incidentID: '1', label: 'db' });
  expect(await again()).toContain('db');
  expect((await incident()).labels.map(each => each.label)).toEqual(['disk', 'db']);
});

test.each([
  ['before its answer was noted', true],
  ['after its answer was noted', false],
])(
  'a choice about a secret, carried out again %s, stores one note and says nothing else',
  async (_when, unanswered) => {
    const { place, type, begin, alice, room, notes, db } = await openStory();
    await type('/incident declare Disk is full --now');
    const home = room();
    await type(`/note add rotated ${secret}`, alice, home);
    const asked = place().messages(alice, home.name).at(-1);
    if (!asked) throw new Error('Nothing was asked');
    const drafts = await db.selectFrom('bot_draft').selectAll().execute();
    expect(drafts).toHaveLength(1);
    const act = {
      kind: 'press',
      actionId: 'muster.secret.redact',
      value: JSON.stringify({ draft: drafts[0]?.id }),
      picked: '',
    } as const;
    const did = { location: { channelId: home.id, threadTs: '' }, act };
    const again = await begin(alice, did, () => alice.press(asked, 'Redact'));
    // It died once the person had read the answer, and before the draft was gone.
    await db.insertInto('bot_draft').values(drafts).execute();
    const answer = place().lastRead(alice, home.id);
    expect(answer).toContain(added);
    expect(await again({ unanswered })).toContain(added);
    expect((await notes('1')).map(each => each.body.split('\n')[0])).toEqual(['rotated [redacted: AWS key]']);
    expect(await db.selectFrom('bot_draft').selectAll().execute()).toEqual([]);
    const read = place().reads(alice, home.id).length;
    // It died once the draft was gone too.
    expect(await again()).toContain(added);
    expect(place().reads(alice, home.id)).toHaveLength(read);
    expect((await notes('1')).map(each => each.body.split('\n')[0])).toEqual(['rotated [redacted: AWS key]']);
  },
);
