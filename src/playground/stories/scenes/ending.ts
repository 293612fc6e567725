import { cardOf, incidentID, lastRead, type Play, readIncident, reads, roomOf } from '../facts.ts';
import { printTimeline, readTimeline } from '../timeline.ts';

/** It was worse than it looked. */
export async function severity(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  stage.clock.pass(2);
  transcript.scene('The severity is raised');
  await steps.step('It is major, in the API, on the card and in the topic.', async expect => {
    const room = roomOf(play);
    await hands.types(stage.cast.bob, room, '/incident severity major');
    expect((await readIncident(play)).severity === 'major', 'severity major in the API');
    expect(reads(play, cardOf(play)).includes('major'), 'major on the card');
    expect(room.topic.includes('major'), 'major in the topic');
  });
}

/** The end. */
export async function resolve(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob, carol } = stage.cast;
  const summary = 'Release 1141 lowered the pool of payment connections from 40 to 4. Rolling back cured it.';
  stage.clock.pass(14);
  transcript.scene('Resolved');
  await steps.step('The incident is resolved and has its end, everywhere it is shown.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/incident resolve');
    await hands.submits(bob, 'Resolve', { 'What happened, and what ended it?': summary });
    const incident = await readIncident(play);
    expect(incident.status === 'resolved', 'status resolved in the API');
    expect(incident.incidentEnd !== '', 'an end time in the API');
    expect(reads(play, cardOf(play)).includes('Resolved'), 'Resolved on the card');
    expect(lastRead(play, carol, '#incidents').includes('Resolved'), 'Resolved in the announcement');
    expect(room.topic.includes('Resolved'), 'Resolved in the topic');
  });
  await steps.step('What ended it is in the channel and on the timeline.', async expect => {
    expect(lastRead(play, alice, roomOf(play)).includes(summary), 'the summary as everybody’s last message');
    const items = await readTimeline(stage.muster.api, incidentID);
    expect(items.filter(item => item.body.includes(summary)).length === 1, 'one note with the summary');
  });
}

/** What remains: the timeline, read back page by page. */
export async function timeline(play: Play): Promise<void> {
  const { stage, steps, transcript } = play;
  stage.clock.pass(1);
  transcript.scene('What is on the timeline');
  await steps.step('The timeline tells all of it, in order, under people’s names.', async expect => {
    const items = await readTimeline(stage.muster.api, incidentID);
    transcript.lines(printTimeline(items));
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
    expect(
      times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)),
      'items in the order of their times',
    );
  });
}
