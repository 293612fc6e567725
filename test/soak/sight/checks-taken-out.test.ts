import { expect, test, vi } from 'vitest';
import { type Door, type Stage, Visibility } from '../../../src/bot/people/visibility.ts';
import { liveThrough, takenOut } from '../../support/sight/life.ts';
import { type SceneName, scenes } from '../../support/sight/scenes.ts';

/** For each check the time of a room's life in which somebody reads what they may not when it is taken out. */
const shownBy: Readonly<Record<Door | Stage, SceneName>> = {
  read: 'a private room, from outside',
  list: 'a private room, from outside',
  channel: 'a hidden room that is named by its id',
  write: 'a private room, from outside',
  snapshot: 'a private room while the API is away',
  'latest snapshots': 'a private room while the API is away',
  'queued changes': 'a private incident that is not registered',
  form: 'a room that somebody left, and their buttons',
  'own change': 'a room that somebody left, and their buttons',
  'late receipt': 'a room that somebody left before their change was made',
  invitation: 'an invitation by somebody who left',
  assignee: 'a task for somebody outside',
  announcement: 'a public room that is made private',
  dashboard: 'a dashboard linked from outside',
  page: 'a page of a room that was made private unseen',
  card: 'a room that is shared',
  line: 'a room that is shared',
  topic: 'a room that is shared',
  status: 'a status posted from outside',
  'posted list': 'lists posted from outside',
};

test.each(Object.entries(shownBy))('without the check “%s” somebody reads what they may not', async (check, scene) => {
  const { sees, share } = Visibility.prototype;
  vi.spyOn(Visibility.prototype, 'sees').mockImplementation(async function (this: Visibility, door, ...rest) {
    return door === check || (await sees.call(this, door, ...rest));
  });
  vi.spyOn(Visibility.prototype, 'share').mockImplementation(async function (this: Visibility, stage, ...rest) {
    return stage === check ? 'all' : await share.call(this, stage, ...rest);
  });
  try {
    expect(await scenes[scene]()).not.toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});

test.each([true, false])(
  'after no time of a life the embedded service tells of a private room: %s',
  async isPrivate => {
    expect(await liveThrough({ isPrivate })).toEqual([]);
  },
);

/** Where people who are in no room read what they may not, when a check is taken out; and whether the room was private from the start. */
const toldBy: Readonly<Record<keyof typeof takenOut, readonly [boolean, readonly RegExp[]]>> = {
  // The type that follows the room fixes all but this.
  'the type of a declaration': [true, [/made: webhook/]],
  'the type that follows the room': [
    false,
    [/made: page .*incidents\/1$/, /made: .*QueryIncidents$/, /made: export/, /: webhook/],
  ],
  'the endpoints that hear of private incidents': [true, [/: webhook/]],
  'the role of a token': [true, [/made: .*QueryActivity$/, /archived: export/]],
};

test.each(Object.entries(toldBy))('without %s the embedded service tells of a private room', async (check, told) => {
  const [isPrivate, places] = told;
  // What came by webhook until the end is read there.
  const leaks = await liveThrough(
    { isPrivate, readAfter: ['made', 'archived'] },
    takenOut[check as keyof typeof takenOut],
  );
  for (const place of places) expect(leaks).toContainEqual(expect.stringMatching(place));
});
