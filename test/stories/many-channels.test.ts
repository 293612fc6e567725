import { expect, test } from 'vitest';
import { openWorkplace } from '../support/workplace.ts';

/** Channels that the bot is in already, and whether the first search for a channel whose answer was lost fails too. */
const workspaces: readonly (readonly [channels: number, isSearchLost: boolean, flags: string])[] = [
  [0, false, ''],
  [1, true, ''],
  [999, false, ''],
  [1000, true, ''],
  [1001, false, ''],
  [1999, false, ''],
  [2000, true, ''],
  [2001, false, ''],
  [2001, true, '--private'],
  [3000, false, '--private'],
  [5000, false, ''],
  [5000, true, ''],
];

test.each(workspaces)(
  'in %i channels of the bot, with the search lost (%s), a lost answer makes one room (%s)',
  async (channels, isSearchLost, flags) => {
    const place = await openWorkplace();
    const { slack } = place;
    const alice = slack.addPerson({ name: 'alice' });
    const general = slack.addChannel({ name: 'general', members: [alice] });
    const isPrivate = flags !== '';
    for (let index = 0; index < channels; index += 1)
      slack.addChannel({ name: `team-${index}`, members: [], botIsMember: true, isPrivate });
    slack.fail('conversations.create', { dropAfterEffect: true });
    if (isSearchLost) slack.fail('users.conversations', { error: 'internal_error' });
    await alice.command(general, `/incident declare Disk is full --now ${flags}`.trim());
    await place.quiet();
    await place.muster.bot.journal.wake();
    await place.quiet();
    const rooms = slack.channels.filter(each => each.name.startsWith('inc-'));
    expect(rooms.map(each => each.name)).toEqual(['inc-1-disk-is-full']);
    expect(rooms[0]?.messages.some(each => each.pinned)).toBe(true);
  },
);
