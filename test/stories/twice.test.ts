import { describe, expect, test } from 'vitest';
import type { Channel, Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import { splitNoteBody } from '../../src/contract/note-forms.ts';
import { declareNow, lastMessage, notesOf } from '../support/incident-room.ts';
import { openRestarts } from '../support/restarts.ts';
import type { Workplace } from '../support/workplace.ts';

/*
 * Twice is once: each kind of act, each way in which it comes a second time, and nothing more in the incident or before its room.
 */

/** The incident “Disk is full” in its room, with a task and a message of bob's. */
interface Scene {
  readonly place: Workplace;
  readonly alice: Person;
  readonly room: Channel;
  readonly message: Message;
}

interface Act {
  /** Opens the form, or brings the button, that the act is about. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  readonly act: (scene: Scene) => unknown;
  /** The act by a double click; absent where there is nothing to click. */
  readonly twice?: (scene: Scene) => Promise<unknown>;
  /** The one fact that follows. */
  readonly fact: string;
}

const pressDone = ({ place, alice, room }: Scene) => alice.press(lastMessage(place, alice, room), 'Done');
const addMessage = ({ alice, message }: Scene) => alice.shortcut('add_timeline', message);
const severity = { severity: 'critical' };
const title = { title: 'Mail is late' };

const acts: Readonly<Record<string, Act>> = {
  'a command': { act: ({ alice, room }) => alice.command(room, '/task add Call the bank'), fact: 'task Call the bank' },
  'a mention': {
    act: ({ alice, room }) => alice.mention(room, 'note: the pool is full'),
    fact: 'note the pool is full',
  },
  'a press': {
    before: ({ alice, room }) => alice.command(room, '/task list'),
    act: pressDone,
    twice: scene => Promise.all([pressDone(scene), pressDone(scene)]),
    fact: 'task Restart db-3 done',
  },
  'a shortcut': {
    act: addMessage,
    twice: scene => Promise.all([addMessage(scene), addMessage(scene)]),
    fact: 'note it is the log',
  },
  'a form': {
    before: ({ alice, room }) => alice.command(room, '/incident severity'),
    act: ({ alice }) => alice.submit(severity),
    twice: ({ alice }) => alice.submitTwice(severity),
    fact: 'severity critical',
  },
  'the form of a declaration': {
    before: ({ alice, room }) => alice.command(room, '/incident declare'),
    act: ({ alice }) => alice.submit(title),
    twice: ({ alice }) => alice.submitTwice(title),
    fact: 'incident Mail is late',
  },
  'a reaction': { act: ({ alice, message }) => alice.react(message, 'memo'), fact: 'note it is the log' },
};

/** Everything about the incidents that an act may change, and all that bob reads in the room, but for the card. */
async function factsOf(place: Workplace, room: Channel, bob: Person): Promise<readonly string[]> {
  const { incidentPreviews } = await place.api.IncidentsService.QueryIncidentPreviews({ query: {} });
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  return [
    ...incidentPreviews.map(each => `incident ${each.title}`),
    `severity ${incident.severity}`,
    ...incident.taskList.tasks.map(each => `task ${each.text}${each.status === 'done' ? ' done' : ''}`),
    ...(await notesOf(place, '1')).map(each => `note ${splitNoteBody(each.body).text}`),
    ...place.slack.channels.filter(each => each.name.startsWith('inc-')).map(each => `channel ${each.name}`),
    ...place.reads(bob, room.name).slice(1),
  ].toSorted();
}

describe.each(Object.entries(acts))('%s', (_, { before, act, twice, fact }) => {
  test.each([...(twice ? ['by a double click'] : []), 'delivered again', 'delivered again after a restart'])(
    '%s, counts once',
    async way => {
      const { slack, alice, bob, general, open } = await openRestarts();
      let place = await open();
      const room = await declareNow(place, alice, general, 'Disk is full');
      bob.join(room);
      await alice.command(room, '/task add Restart db-3');
      const message = bob.say(room, 'it is the log');
      await place.quiet();
      const scene = { place, alice, room, message };
      await before?.(scene);
      await place.quiet();
      const known = slack.deliveries.length;
      expect(await factsOf(place, room, bob)).not.toContain(fact);

      await (way === 'by a double click' ? twice : act)?.(scene);
      await slack.settled();
      await place.quiet();
      const once = await factsOf(place, room, bob);
      expect(once.filter(each => each === fact)).toHaveLength(1);

      if (way.endsWith('restart')) {
        await place[Symbol.asyncDispose]();
        place = await open();
      }
      // Signed again, as Slack does seconds later.
      const timestamp = Math.floor(Date.now() / 1000) + 10;
      const headers = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
      for (const { body, contentType } of slack.deliveries.slice(known))
        expect((await slack.deliver({ body, contentType, headers, timestamp })).status).toBe(200);
      await slack.settled();
      await place.quiet();
      expect(await factsOf(place, room, bob)).toEqual(once);
    },
  );
});
