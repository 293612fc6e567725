import type { ActivityItem } from '../../src/contract/activity.ts';
import { type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import { table } from '../layout.ts';
import type { Scene, Story } from '../story.ts';
import { findRoom, readAnnouncement, readCard, readIncident, readTimeline } from './incident.ts';

export const severity: Scene = async story => {
  const { system, cast, check, transcript } = story;
  system.clock.pass(2);
  transcript.scene('The severity rises', 'It was worse than it looked. Everybody in the channel hears of that.');
  await check('The severity is major in the API, on the card and in #incidents.', {
    act: () => cast.bob.types(findRoom(story), '/incident severity major'),
    look: async expect => {
      expect((await readIncident(story)).severity === 'major', 'severity major in the API');
      expect(readCard(story).includes('MAJOR'), 'MAJOR on the card');
      const { announcement, news } = readAnnouncement(story, cast.carol);
      expect(announcement.includes('MAJOR'), 'MAJOR in the announcement');
      expect(news.length === 1, 'one line below the announcement: it got worse');
    },
  });
};

/** The line of the room that tells of the end of the alert. Throws when there is none. */
function findEnd(story: Story): Message {
  const told = findRoom(story).messages.findLast(({ text }) => text.includes('alert ended'));
  if (told === undefined) throw new Error('The room does not read that the alert ended.');
  return told;
}

export const resolve: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  const summary = 'Release 1141 lowered the pool of payment connections from 40 to 4. Rolling back cured it.';
  system.clock.pass(14);
  transcript.scene(
    'Bob resolves the incident',
    'The alert ended. He says why. One task is still open, and Muster reminds him.',
  );
  await check('The room reads that the alert ended, with a button.', {
    act: () => cast.watchdog.alerts('End all'),
    look: expect => {
      const told = findRoom(story).messages.filter(({ text }) => text.includes('alert ended'));
      expect(told.length === 1, 'one line that it ended');
      expect(renderMessage(system.slack, findEnd(story)).includes('[Resolve]'), 'the button Resolve below it');
    },
  });
  await check('The button opens a form that names the open task.', {
    act: () => bob.presses(findEnd(story), 'Resolve'),
    look: expect => expect(bob.form.includes('1 task is still open'), 'a form that names the open task'),
  });
  await check('The incident is resolved in the API, on the card and in #incidents.', {
    act: () => bob.submits('Resolve', { 'What happened, and what ended it?': summary }),
    look: async expect => {
      const incident = await readIncident(story);
      expect(incident.status === 'resolved', 'status resolved in the API');
      expect(incident.incidentEnd !== '', 'an end time in the API');
      expect(readCard(story).includes('Resolved'), 'Resolved on the card');
      const { news } = readAnnouncement(story, carol);
      expect(news.length === 2, 'two lines below the announcement: it got worse, and it is over');
      expect(news.at(-1)?.includes(summary) === true, 'the summary in the line that says that it is over');
    },
  });
  await check('The summary is in the channel and, once, on the timeline.', {
    look: async expect => {
      // The card shows it too, and is edited in place.
      const told = findRoom(story).messages.filter(
        ({ text, pinned, ephemeralTo }) => text.includes(summary) && !pinned && !ephemeralTo,
      );
      expect(told.length === 1, 'the summary in one message to everybody');
      const notes = (await readTimeline(story)).filter(item => item.body.includes(summary));
      expect(notes.length === 1, 'one note with the summary');
    },
  });
  await check('The announcement and the topic follow, and say that it is over.', {
    look: expect => {
      expect(readAnnouncement(story, carol).announcement.includes('Resolved'), 'Resolved in the announcement');
      expect(findRoom(story).topic.includes('Resolved'), 'Resolved in the topic');
    },
  });
};

export const timeline: Scene = async story => {
  const { system, check, transcript } = story;
  system.clock.pass(1);
  transcript.scene('What remains', 'The API returns the timeline page by page, oldest first. Long links are cut here.');
  await check('The timeline has all of it, in order, each item with a name.', {
    act: async () => transcript.lines(toRows(await readTimeline(story))),
    look: async expect => {
      const items = await readTimeline(story);
      const kinds = new Set(items.map(item => item.activityKind));
      for (const kind of [
        'incidentCreated',
        'roleAssigned',
        'taskAdded',
        'taskCompleted',
        'userNote',
        'incidentSeverityChanged',
        'incidentStatusChanged',
      ]) {
        expect(kinds.has(kind), `an item of the kind ${kind}`);
      }
      const times = items.map(item => Date.parse(item.eventTime));
      const isInOrder = times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0));
      expect(isInOrder, 'items in the order of their times');
      const isNamed = items.every(item => item.user.name !== '');
      expect(isNamed, 'a name with each item');
    },
  });
};

function toRows(timeline: readonly ActivityItem[]): string[] {
  const rows = timeline.map(item => [
    item.eventTime.slice(11, 16),
    item.user.name,
    item.activityKind,
    item.body.replace(/\n+/g, '\n'),
  ]);
  return table([['TIME', 'WHO', 'KIND', 'WHAT'], ...rows]);
}
