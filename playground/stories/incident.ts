import type { ActivityItem } from '../../src/contract/activity.ts';
import type { Incident } from '../../src/contract/incidents.ts';
import { items } from '../../src/contract/paging.ts';
import type { Actor } from '../actor.ts';
import { announceChannel } from '../cast.ts';
import { type Channel, type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import type { Story } from '../story.ts';

/** One telling of a story: its system, and the incidents that it declared there. */
type Telling = Pick<Story, 'declared' | 'system'>;

/** The title of the incident in the story of one. */
export const title = 'Checkout answers 500';

/** The number of the incident that the story is about. Throws before one is declared. */
export function incidentOf({ declared }: Pick<Story, 'declared'>): string {
  const [incidentID] = declared;
  if (incidentID === undefined) throw new Error('The story has declared no incident.');
  return incidentID;
}

/** The numbers of the newest incidents of that title, the newest first. */
export async function numbersOf({ system }: Pick<Story, 'system'>, title: string): Promise<readonly string[]> {
  const query = { limit: 10, orderDirection: 'DESC', queryString: `title:"${title}"` } as const;
  const { incidentPreviews } = await system.operator.IncidentsService.QueryIncidentPreviews({ query });
  return incidentPreviews.map(each => each.incidentID);
}

/**
 * Learns the number of an incident of that title, unless the story knows it. An earlier telling may have declared those that were there
 * `before`. Throws when there is none.
 */
export async function learnNumber(story: Story, title: string, before: readonly string[] = []): Promise<void> {
  const found = (await numbersOf(story, title)).find(each => !before.includes(each));
  if (found === undefined) throw new Error(`The API has no new incident “${title}”.`);
  if (!story.declared.includes(found)) story.declared.push(found);
}

/** Items on a page of the timeline: few, so that the story reads several pages. */
const pageSize = 5;

/** The incident as the API has it now. */
export async function readIncident(story: Telling): Promise<Incident> {
  const incidentID = incidentOf(story);
  return (await story.system.operator.IncidentsService.GetIncident({ incidentID })).incident;
}

/** The incident's whole timeline, oldest item first. */
export async function readTimeline(story: Telling): Promise<ActivityItem[]> {
  const { system } = story;
  const query = {
    incidentID: incidentOf(story),
    tag: '',
    limit: pageSize,
    orderDirection: 'ASC' as const,
    activityKind: [],
  };
  const timeline: ActivityItem[] = [];
  for await (const item of items(system.operator.ActivityService.QueryActivity, 'activityItems', { query })) {
    timeline.push(item);
  }
  return timeline;
}

/** The incident's channel. Throws when Muster made none. */
export function findRoom(story: Telling): Channel {
  const name = `inc-${incidentOf(story)}-`;
  const room = story.system.slack.channels.find(channel => channel.name.startsWith(name));
  if (room === undefined) throw new Error('The incident has no channel.');
  return room;
}

/** The pinned card in the incident's channel. Throws when there is none. */
export function findCard(story: Telling): Message {
  const card = findRoom(story).messages.find(message => message.pinned);
  if (card === undefined) throw new Error('The incident’s channel has no pinned card.');
  return card;
}

/** The text of the card as it stands. */
export function readCard(story: Telling): string {
  return renderMessage(story.system.slack, findCard(story));
}

/** What somebody reads in #incidents of the incident: the announcement, and the news below it. Throws when there is none. */
export function readAnnouncement(story: Telling, who: Actor): { announcement: string; news: string[] } {
  const read = who.reads(`#${announceChannel}`);
  const way = `#${findRoom(story).name}`;
  const at = read.findIndex(each => each.includes(way) && each.includes(title));
  const announcement = read[at];
  if (announcement === undefined) throw new Error('The incident has no announcement.');
  const named = `#${incidentOf(story)} ${title}`;
  return { announcement, news: read.slice(at + 1).filter(each => each.includes(named)) };
}

/** Whether the card has these words, or will have them in its time: nobody who watches a story waits for the card of a busy room. */
export function cardSays(story: Telling, words: string): boolean {
  return !story.system.hurry || readCard(story).includes(words);
}
