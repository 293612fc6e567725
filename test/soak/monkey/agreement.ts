import type { Page } from 'playwright-core';
import { openChecks } from '../../../playground/checks.ts';
import { renderMessage } from '../../../playground/fake-slack/fake-slack.ts';
import type { Playground } from '../../../playground/playground.ts';
import { realClock } from '../../../playground/story-system.ts';
import { toStorySystem, unread } from '../../../playground/system/live-stories.ts';
import { pastIncidents } from '../../../playground/system/past-incidents.ts';
import { createRooms } from '../../../src/bot/incident/state/room-store.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { patient } from '../../support/deadlines.ts';
import { compareAll, type ToldInSlack } from '../../support/tour/same-story.ts';

/** What the places that tell of incidents say. */
export interface Agreement {
  /** What differs, a sentence each. */
  readonly differences: readonly string[];
  /** Incidents that were declared, and those of them with a room to compare. */
  readonly declared: number;
  readonly compared: number;
}

/** Compares every place that tells of each incident that was declared: `page` is a page of somebody who looks at their rooms. */
export async function compareIncidents({ system, folder }: Playground, page: Page, who: string): Promise<Agreement> {
  const differences: string[] = [];
  const { slack, operator } = system;
  const reader = slack.person(who);
  const storySystem = toStorySystem({
    ...system,
    deadlines: patient(),
    clock: realClock,
    pagesUrl: system.facts().pagesUrl,
  });
  await using database = await openDatabase(`sqlite:${folder}/bot.db`);
  const rooms = createRooms(database, () => new Date());
  const { incidentPreviews } = await operator.IncidentsService.QueryIncidentPreviews({ query: { limit: 100 } });
  const declared = incidentPreviews.filter(({ incidentID }) => Number(incidentID) > pastIncidents.length);
  let compared = 0;
  for (const { incidentID, title } of declared) {
    const place = await rooms.ofIncident(incidentID);
    const room = slack.channels.find(each => each.id === place?.channelId);
    // Nobody writes in an archived channel, and one that only follows an incident keeps its topic.
    if (place === undefined || room === undefined || room.isArchived || place.isLinked) continue;
    compared += 1;
    const read = (channelId: string, ts: string): string | undefined => {
      const channel = slack.channels.find(each => each.id === channelId);
      const message = channel?.messages.find(each => each.ts === ts);
      return message && renderMessage(slack, message);
    };
    const readCard = (): string => read(room.id, place.cardTs) ?? '';
    if (room.isExtShared) {
      // People of another company read here: the card says that there is an incident, and no more.
      if (readCard().includes(title)) differences.push(`incident ${incidentID}: its title stands in #${room.name}`);
      continue;
    }
    const look = async (): Promise<ToldInSlack> => ({
      card: readCard(),
      announcement: read(place.announcementChannelId, place.announcementTs),
      // An incident that was declared into a channel leaves its topic alone.
      topic: place.channelName === '' ? undefined : room.topic,
    });
    const verdict = (_claim: string, problems: readonly string[]): void => {
      differences.push(...problems.map(each => `incident ${incidentID}: ${each}`));
    };
    const { check } = openChecks({ ...unread, verdict }, storySystem);
    await compareAll({ system: storySystem, declared: [incidentID], check }, look);
    if (!reader.canOpen(room) || place.channelName === '') continue;
    await page.goto(`${new URL(page.url()).origin}/?as=${who}&channel=${room.name}`);
    await page
      .locator('.topic')
      .getByText(title)
      .waitFor()
      .catch(() => differences.push(`incident ${incidentID}: expected: its title above #${room.name} in the page`));
  }
  return { differences, declared: declared.length, compared };
}
