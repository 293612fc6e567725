import { expect, test } from 'vitest';
import type { Message } from '../../playground/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';

type World = Awaited<ReturnType<typeof openIncident>>;

/** What happens in the room between two acts of one person within a minute, and whether the second one has a message of its own. */
const between: readonly (readonly [what: string, isApart: boolean, happens: (at: World) => unknown])[] = [
  ['nothing', false, () => undefined],
  ['somebody writes', true, ({ bob, home }) => bob.say(home, 'who is on it?')],
  ['the typist writes', true, ({ alice, home }) => alice.say(home, 'I am on it')],
  ['somebody joins', true, ({ carol, home }) => carol.join(home.id)],
  ['somebody leaves', true, ({ gus, home }) => gus.leave(home.id)],
  [
    'a bot writes',
    true,
    ({ slack, home }) => {
      const robot = slack.addPerson({ name: 'robot', isBot: true });
      robot.join(home.id);
      robot.say(home, 'deploy of v42');
    },
  ],
  ['somebody replies in a thread', false, ({ bob, home }) => bob.say(home, 'why?', { threadTs: home.messages[0]!.ts })],
  ['somebody posts a list', true, ({ bob, home }) => bob.mention(home, 'task list')],
  ['somebody asks for a list alone', false, ({ bob, home }) => bob.command(home, '/task list')],
  ['what somebody wrote was deleted again', false, ({ bob, home }) => bob.deleteMessage(bob.say(home, 'oops'))],
  ['six people write', true, ({ bob, home }) => Array.from({ length: 6 }, (_, at) => bob.say(home, `line ${at}`))],
  [
    'the title changes, and with it the topic',
    false,
    ({ alice, home }) => alice.command(home, '/incident title It is down'),
  ],
];

test.each(between)(
  'a line joins the last message of its person, or stands below: %s',
  async (_what, isApart, happens) => {
    const opened = await openIncident();
    const { type, home, place, slack } = opened;
    await type('/task add Roll back');
    const isLine = (text: string) => text.includes('Roll back');
    const last = () => home.messages.filter(each => each.ephemeralTo === undefined && isLine(each.text)).at(-1);
    const first = last();
    await happens(opened);
    await slack.settled();
    await place.quiet();
    const isPosted = (each: Message) => each.ephemeralTo === undefined && (each.threadTs ?? each.ts) === each.ts;
    const newest = home.messages.findLast(each => isPosted(each) && each.subtype !== 'channel_topic');
    await type('/task start 1');
    const second = home.messages
      .filter(each => each.ephemeralTo === undefined)
      .findLast(each => each.text.includes('started task 1'));
    expect(second?.ts === first?.ts).toBe(!isApart);
    // Nothing that others wrote stands below a line that came later.
    expect(Number(second?.ts)).toBeGreaterThanOrEqual(Number(newest?.ts));
  },
);
