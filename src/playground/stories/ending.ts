import type { ActivityItem } from '../../contract/activity.ts';
import { table } from '../layout.ts';
import type { Scene } from '../story.ts';
import { findRoom, readCard, readIncident, readTimeline } from './incident.ts';

export const severity: Scene = async story => {
  const { system, cast, check, transcript } = story;
  system.clock.pass(2);
  transcript.scene('The severity rises', 'It was worse than it looked. Everybody in the channel hears of that.');
  await check('The severity is major in the API, on the card and in #incidents.', async expect => {
    const room = findRoom(story);
    await cast.bob.types(room, '/incident severity major');
    expect((await readIncident(story)).severity === 'major', 'severity major in the API');
    if (!(await system.shown())) return;
    expect((await readCard(story)).includes('MAJOR'), 'MAJOR on the card');
    expect(cast.carol.reads('#incidents').join('\n').includes('MAJOR'), 'MAJOR in #incidents');
  });
};

export const resolve: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { bob, carol } = cast;
  const summary = 'Release 1141 lowered the pool of payment connections from 40 to 4. Rolling back cured it.';
  system.clock.pass(14);
  transcript.scene(
    'Bob resolves the incident',
    'The alert ended. He says why. One task is still open, and Muster reminds him.',
  );
  await check('The room reads that the alert ended, with a button.', async expect => {
    await cast.watchdog.alerts('End all');
    const told = findRoom(story).messages.filter(({ text }) => text.includes('alert ended'));
    expect(told.length === 1, 'one line that it ended');
  });
  await check('The incident is resolved in the API, on the card, in #incidents and in the topic.', async expect => {
    const room = findRoom(story);
    const told = room.messages.findLast(({ text }) => text.includes('alert ended'));
    if (told === undefined) throw new Error('The room does not read that the alert ended.');
    await bob.presses(told, 'Resolve');
    expect(bob.form.includes('1 task is still open'), 'a form that names the open task');
    await bob.submits('Resolve', { 'What happened, and what ended it?': summary });
    const incident = await readIncident(story);
    expect(incident.status === 'resolved', 'status resolved in the API');
    expect(incident.incidentEnd !== '', 'an end time in the API');
    if (!(await system.shown())) return;
    expect((await readCard(story)).includes('Resolved'), 'Resolved on the card');
    const read = carol.reads('#incidents');
    const [announcement, ...news] = read.slice(
      read.findIndex(text => text.includes(room.name) && text.includes('Checkout answers 500')),
    );
    expect(announcement?.includes('Resolved') === true, 'Resolved in the announcement');
    expect(room.topic.includes('Resolved'), 'Resolved in the topic');
    expect(news.length === 2, 'two lines below the announcement: it got worse, and it is over');
    expect(news.at(-1)?.includes(summary) === true, 'the summary in the line that says that it is over');
  });
  await check('The summary is in the channel and, once, on the timeline.', async expect => {
    // The card shows it too, and is edited in place.
    const told = findRoom(story).messages.filter(
      ({ text, pinned, ephemeralTo }) => text.includes(summary) && !pinned && !ephemeralTo,
    );
    expect(told.length === 1, 'the summary in one message to everybody');
    const notes = (await readTimeline(story)).filter(item => item.body.includes(summary));
    expect(notes.length === 1, 'one note with the summary');
  });
};

export const timeline: Scene = async story => {
  const { system, check, transcript } = story;
  system.clock.pass(1);
  transcript.scene('What remains', 'The API returns the timeline page by page, oldest first. Long links are cut here.');
  await check('The timeline has all of it, in order, each item with a name.', async expect => {
    const items = await readTimeline(story);
    transcript.lines(toRows(items));
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
