import { announceChannel } from '../../../playground/cast.ts';
import { renderMessage } from '../../../playground/fake-slack/fake-slack.ts';
import { findRoom, readCard, readIncident, readTimeline } from '../../../playground/stories/incident.ts';
import { openSteps } from '../../../playground/stories/steps.ts';
import type { Scene, Story } from '../../../playground/story.ts';
import { leadOf } from '../../../src/contract/note-forms.ts';
import { openApiSource } from '../../../src/transfer/api-source.ts';
import type { IncidentFile } from '../../../src/transfer/format.ts';
import { allWays, usedWays } from './ways.ts';

/**
 * Words that tell of an incident in Slack: its card, its announcement and its room's topic. A private one is not announced, and
 * a channel that was there before keeps its topic.
 */
export interface ToldInSlack {
  readonly card: string;
  readonly announcement: string | undefined;
  readonly topic: string | undefined;
  /** A catch-up from the start; undefined where nobody asked for one. */
  readonly catchup?: string;
}

/** What an export holds of the incident. Throws when it is not in there. */
async function readExport({ system }: Pick<Story, 'system'>, incidentID: string): Promise<IncidentFile> {
  const source = openApiSource({ api: system.operator, address: system.pagesUrl, dashboards: [] });
  for await (const file of source.incidents()) if (file.incidentID === incidentID) return file;
  throw new Error(`The export has no incident ${incidentID}.`);
}

/** The announcement that leads to the incident's channel. Throws when there is none. */
function readAnnouncement(story: Story): string {
  const { slack } = story.system;
  const way = `#${findRoom(story).name}`;
  const all = slack.channel(announceChannel).messages.map(message => renderMessage(slack, message));
  const found = all.find(words => words.includes(way));
  if (found === undefined) throw new Error('The incident has no announcement.');
  return found;
}

/** The words of the incident's page, all parts of its timeline included. */
async function readPage({ system }: Pick<Story, 'system'>, path: string): Promise<string> {
  const parts: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await fetch(new URL(next, system.pagesUrl));
    if (!response.ok) throw new Error(`The page ${next} answers ${response.status}.`);
    const html = await response.text();
    parts.push(html);
    next = /<a href="([^"]+)">Later items</.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  return toText(parts.join('\n'));
}

function toText(html: string): string {
  const named: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:lt|gt|quot|#39|amp);/g, entity => named[entity] ?? entity);
}

/** Compares every place that tells of the story's incident. */
export async function compareAll(
  story: Pick<Story, 'declared' | 'system' | 'check'>,
  look: () => Promise<ToldInSlack>,
): Promise<void> {
  const { check, system } = story;
  const incident = await readIncident(story);
  const timeline = await readTimeline(story);
  const holders = incident.incidentMembership.assignments.map(({ user }) => `@${user.name}`);
  const { tasks, todoCount, doneCount } = incident.taskList;
  const standing = incident.status === 'resolved' ? 'RESOLVED' : 'Active since';
  await check('Card, topic and announcement in Slack say what the API says.', {
    look: async expect => {
      const { card, announcement, topic } = await look();
      for (const [place, words] of [
        ['the card', card],
        ['the announcement', announcement],
      ] as const) {
        if (words === undefined) continue;
        expect(words.includes(incident.title), `the title on ${place}`);
        expect(words.toLowerCase().includes(incident.severity), `the severity on ${place}`);
        expect(words.includes(standing), `“${standing}” on ${place}`);
      }
      for (const holder of holders) expect(card.includes(holder), `“${holder}” on the card`);
      const figures = tasks.length === 0 ? undefined : `${todoCount} open, ${doneCount} done`;
      const shown = /\d+ open, \d+ done/.exec(card)?.[0];
      expect(shown === figures, `${figures ?? 'no tasks'} on the card`);
      if (topic !== undefined) expect(toText(topic).includes(incident.title), 'the title in the topic');
    },
  });
  const lead = leadOf(incident, timeline)?.text.split('\n')[0]?.slice(0, 60) ?? '';
  await check('The same words of a person lead the card, the announcement, the catch-up, the page and the list.', {
    look: async expect => {
      const { card, announcement, catchup } = await look();
      expect(card.includes(lead), `“${lead}” on the card`);
      expect(announcement?.includes(lead) ?? true, `“${lead}” on the announcement`);
      // Its first line says what the incident is; the second one has the words.
      const told = catchup?.split('\n').slice(0, 2).join('\n') ?? lead;
      expect(told.includes(lead), `“${lead}” at the head of the catch-up, and there was ${told}`);
      if (incident.incidentType === 'private') return;
      expect((await readPage(story, incident.overviewURL)).includes(lead), `“${lead}” on the page`);
      const isListed = incident.status === 'resolved' || (await readPage(story, '/incidents')).includes(lead);
      expect(isListed, `“${lead}” in the list`);
    },
  });
  await check('The export has every task and every item of the timeline, word for word.', {
    look: async expect => {
      const file = await readExport(story, incident.incidentID);
      const toItem = (item: { activityItemID: string; eventTime: string; body: string }) =>
        JSON.stringify([item.activityItemID, Date.parse(item.eventTime), item.body]);
      const inApi = timeline.map(toItem).toSorted();
      const inExport = file.timeline.map(toItem).toSorted();
      expect(JSON.stringify(inExport) === JSON.stringify(inApi), `${inApi.length} items as in the API`);
      const taskWords = file.tasks.map(each => `${each.status} ${each.text}`).toSorted();
      const expected = tasks.map(each => `${each.status} ${each.text}`).toSorted();
      expect(JSON.stringify(taskWords) === JSON.stringify(expected), `${expected.length} tasks as in the API`);
      expect(file.status === incident.status && file.severity === incident.severity, 'status and severity');
    },
  });
  if (incident.incidentType === 'private') {
    await check('Nobody opens the page of a private incident without the right to it.', {
      look: async expect => {
        const { status } = await fetch(new URL(incident.overviewURL, system.pagesUrl));
        expect(status === 404, 'no page');
      },
    });
    return;
  }
  await check('The page has the title, the people, and the first line of every note.', {
    look: async expect => {
      const page = await readPage(story, `${incident.overviewURL}?show=all`);
      expect(page.includes(incident.title), 'the title');
      for (const { user } of incident.incidentMembership.assignments) expect(page.includes(user.name), user.name);
      for (const { activityKind, body } of timeline) {
        // The page says in words what the sign of a note stands for.
        const [line = ''] = body.replace(/^(?:📣|📋|❗) /u, '').split('\n');
        if (activityKind === 'userNote') expect(page.includes(line.slice(0, 60)), `“${line}”`);
      }
    },
  });
}

/** Compares every place that tells of the incident. */
export const sameStory: Scene = async story => {
  story.transcript.scene(
    'One story',
    'The API, the card, the topic, the announcement, a catch-up, the page and an export tell the same.',
  );
  const { bob } = story.cast;
  const room = findRoom(story);
  const { title } = await readIncident(story);
  await openSteps(story, room).types(bob, '/incident catchup from the start', title);
  const catchup = bob.lastRead(room);
  await compareAll(story, async () => ({
    topic: room.topic,
    card: readCard(story),
    announcement: readAnnouncement(story),
    catchup,
  }));
};

/** Looks back: the tour has shown everything that people can use. */
export const everything: Scene = async ({ check, system, transcript }) => {
  transcript.scene('Everything', 'The tour has used every command, button, form and entry of a menu that Muster has.');
  const all = allWays();
  await check(`Every one of ${all.length} was used.`, {
    look: expect => {
      const used = usedWays(system.slack.deliveries, 'muster');
      for (const way of all) expect(used.has(way), way);
    },
  });
};
