import { expect, test } from 'vitest';
import { renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { type IncidentOptions, openIncident } from '../support/incident-room.ts';

type Room = Awaited<ReturnType<typeof inRoom>>;

/** An incident whose room is closed to Muster and opens again; `pass` lets minutes go by, with all that is tried meanwhile. */
async function inRoom(options: IncidentOptions = {}) {
  let steady = 0;
  const room = await openIncident({ ...options, monotonicNow: () => steady });
  const { place, wait, slack, home, alice, type, general } = room;
  const tick = async () => {
    await slack.settled();
    await place.muster.bot.journal.tick();
    await place.quiet();
  };
  const pass = async (minutes: number) => {
    for (let left = minutes; left > 0; left -= 11) {
      wait(Math.min(left, 11));
      steady += 11 * 60_000;
      await tick();
    }
  };
  return {
    ...room,
    tick,
    pass,
    /** Typed in #general. */
    elsewhere: (line: string) => type(`${line} --incident 1`, alice, general),
    /** What people read in the room. */
    reads: () => place.reads(alice, home.id),
    shown: () => renderMessage(slack, room.card()),
  };
}

/** Slack refuses everything that is posted or changed in the room. */
function refuse({ slack, home }: Room, error: string): void {
  for (const method of ['chat.postMessage', 'chat.update', 'conversations.setTopic', 'pins.add'])
    slack.fail(method, { error }, { times: 10_000, when: ({ channel }) => channel === home.id });
}

/** How a room is closed to Muster, and how it opens again. */
const ways: Readonly<Record<string, { close(room: Room): void; open(room: Room): void }>> = {
  'archived and back': {
    close: ({ alice, home }) => alice.archive(home),
    open: ({ alice, home }) => alice.unarchive(home),
  },
  'Muster taken out, and invited': {
    close: room => {
      room.alice.remove(room.home, room.slack.botUserId);
      refuse(room, 'not_in_channel');
    },
    open: ({ alice, home, slack }) => {
      slack.heal();
      alice.invite(home, slack.botUserId);
    },
  },
  'posting forbidden, and allowed': {
    close: room => refuse(room, 'restricted_action'),
    open: ({ slack }) => slack.heal(),
  },
};

test.each(Object.keys(ways))('a room that was closed for hours is brought up to date whole: %s', async way => {
  const room = await inRoom({ settings: { PAGES: 'open' } });
  const { elsewhere, pass, shown, home, reads, tick } = room;
  ways[way]?.close(room);
  await elsewhere('/incident severity critical');
  await elsewhere('/role assign @bob commander');
  await elsewhere('/incident title Payments fail');
  await elsewhere('/incident update half of the payments fail');
  await pass(200);
  ways[way]?.open(room);
  // Nothing says that posting is allowed again: within the hour it is tried.
  if (way.startsWith('posting')) await pass(66);
  await tick();
  await expect.poll(shown).toContain('CRITICAL');
  expect(shown()).toContain('Commander @bob');
  expect(home.topic).toContain('Payments fail');
  await expect.poll(() => reads().filter(each => each.includes('half of the payments fail'))).toHaveLength(2);
  const missed = reads().find(each => each.includes('set the severity') || each.includes('commander'));
  // It comes late, so it says when it was.
  expect(missed).toMatch(/12:15 PM/);
  expect(reads().join()).not.toContain('The card is out of date');
});

test('a reopened incident whose room is back shows itself open', async () => {
  const { type, elsewhere, alice, home, pass, shown, next, tick } = await inRoom();
  await type('/incident resolve fixed --now');
  alice.archive(home);
  await elsewhere('/incident reopen it is back');
  await pass(60);
  expect(shown()).toContain('RESOLVED');
  alice.unarchive(home);
  await tick();
  await expect.poll(shown).not.toContain('RESOLVED');
  expect(next().at(-1)).toContain('nothing yet, since the incident is open again');
});

test('an incident that was declared while the announcement channel was closed is announced once that is back', async () => {
  const { slack, carol, alice, general, type, tick, announced } = await inRoom({ announces: true });
  const incidents = slack.channel('incidents');
  carol.archive(incidents);
  await type('/incident declare Mail is down --now', alice, general);
  await type('/incident declare Search is slow --now', alice, general);
  await type('/incident resolve --now --incident 3', alice, general);
  const before = announced().length;
  carol.unarchive(incidents);
  await tick();
  await expect.poll(() => announced().slice(before).join('\n')).toContain('Mail is down');
  expect(announced().slice(before).join('\n')).not.toContain('Search is slow');
});

test('a private room that is back says “invite me”, and all that it missed once Muster is invited', async () => {
  const { type, alice, home, slack, pass, tick, shown, reads, elsewhere } = await inRoom({ flags: '--private' });
  alice.archive(home);
  await slack.settled();
  expect(await elsewhere('/incident severity critical')).toMatch(/archived.*invite me with/s);
  alice.unarchive(home);
  await pass(60);
  const answer = await type('/note add still broken');
  expect(answer).toContain('/invite @Muster');
  expect(answer).not.toContain('archived');
  alice.invite(home, slack.botUserId);
  await tick();
  await expect.poll(shown).toContain('CRITICAL');
  expect(await type('/note add we look again')).not.toContain('could not');
  await expect.poll(() => reads().join('\n')).toContain('still broken');
});

test('Muster comes back into a public room by itself; without the scope the room reads how', async () => {
  const { alice, home, slack, tick, reads } = await inRoom();
  alice.archive(home);
  expect(home.members.has(slack.botUserId)).toBe(false);
  alice.unarchive(home);
  await tick();
  await expect.poll(() => home.members.has(slack.botUserId)).toBe(true);
  expect(reads().join('\n')).not.toContain('not in this channel');

  slack.fail('conversations.join', { error: 'missing_scope' }, { times: 10 });
  alice.archive(home);
  alice.unarchive(home);
  await tick();
  await expect.poll(() => reads().at(-1)).toContain('/invite @Muster');
  alice.invite(home, slack.botUserId);
  await tick();
  await expect.poll(() => reads().at(-1)).toContain('I am in this channel again');
});

test.each([
  ['', 'a public room reads that Muster was taken out of it'],
  ['--private', 'of a private room, the person who took Muster out reads it'],
])('%s', async flags => {
  const { alice, home, slack, tick, place, reads } = await inRoom({ flags });
  alice.remove(home, slack.botUserId);
  await tick();
  const where = flags === '' ? reads : () => place.reads(alice, slack.openDm(alice).id);
  await expect.poll(() => where().at(-1)).toMatch(/no longer in|not in this channel/);
  expect(where().at(-1)).toContain('/invite @Muster');
});

test('a room is not archived in the middle of a talk: a day after the last words, and the warning comes again below them', async () => {
  const { type, wait, tick, bob, alice, home, next, press, nextMessage } = await inRoom();
  const hour = 60;
  await type('/incident resolve --now');
  await press(nextMessage(), 'Archive in 7 days');
  wait(6 * 24 * hour + 1);
  await tick();
  expect(next()).toHaveLength(1);
  for (let hours = 0; hours < 23; hours += 1) {
    bob.say(home, 'it is not quite right');
    await tick();
    wait(hour);
  }
  wait(hour);
  await tick();
  expect(home.isArchived).toBe(false);
  const warnings = () => alice.sees(home).filter(each => each.text.includes('This channel archives'));
  expect(warnings()).toHaveLength(2);
  // The words of Muster count for nothing.
  wait(21 * hour);
  await type('/note add quiet here');
  expect(home.isArchived).toBe(false);
  wait(2 * hour);
  await tick();
  await expect.poll(() => home.isArchived).toBe(true);
});

test('what somebody wants archived at once is archived though people talk', async () => {
  const { type, bob, home, tick } = await inRoom();
  await type('/incident resolve --now');
  bob.say(home, 'bye');
  await type('/incident archive now');
  await tick();
  await expect.poll(() => home.isArchived).toBe(true);
});

test('an incident keeps its channel when that gets another id', async () => {
  const { alice, home, type, slack, tick, publicLines, elsewhere } = await inRoom();
  const before = home.id;
  alice.moveChannel(home);
  await slack.settled();
  expect(home.id).not.toBe(before);
  await elsewhere('/incident severity major');
  await type('/note add we go on');
  await tick();
  expect(publicLines().join('\n')).toMatch(/major[\s\S]*we go on/);
  expect(slack.calls.filter(each => each.response?.ok === false)).toEqual([]);
});

test('the announcements follow a channel with another id, and the doctor names the setting that has the old one', async () => {
  const { slack, carol, type, tick, announced } = await inRoom({ announces: true });
  const incidents = slack.channel('incidents');
  const before = incidents.id;
  carol.moveChannel(incidents);
  await slack.settled();
  await type('/incident severity critical');
  await tick();
  await expect.poll(() => announced().join('\n')).toContain('CRITICAL');
  const report = await type('/muster doctor');
  expect(report).toContain('ANNOUNCE_CHANNEL');
  expect(report).toContain(`${before} has another id now: ${incidents.id}`);
});
