import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { items } from '../../contract/paging.ts';
import { type Channel, type Message, renderMessage } from '../../fake-slack/fake-slack.ts';
import type { Actor } from '../actor.ts';
import type { Story } from '../story.ts';

/** The number of the incident that the story is about. Throws before one is declared. */
export function incidentOf({ declared }: Pick<Story, 'declared'>): string {
  const [incidentID] = declared;
  if (incidentID === undefined) throw new Error('The story has declared no incident.');
  return incidentID;
}

/** Learns the number of an incident from the receipt that somebody reads in a channel. Throws when there is none. */
export function learnNumber({ declared }: Story, who: Actor, channel: string): void {
  const receipt = /Incident (\d+) is declared/;
  const read = who.reads(channel).findLast(each => receipt.test(each));
  const [, incidentID] = receipt.exec(read ?? '') ?? [];
  if (incidentID === undefined)
    throw new Error(`${who.name} reads no receipt of an incident, but: ${who.lastRead(channel)}`);
  declared.push(incidentID);
}

/** Items on a page of the timeline: few, so that the story reads several pages. */
const pageSize = 5;

/** The incident as the API has it now. */
export async function readIncident(story: Pick<Story, 'declared' | 'system'>): Promise<Incident> {
  const incidentID = incidentOf(story);
  return (await story.system.operator.IncidentsService.GetIncident({ incidentID })).incident;
}

/** The incident's whole timeline, oldest item first. */
export async function readTimeline(story: Pick<Story, 'declared' | 'system'>): Promise<ActivityItem[]> {
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
export function findRoom(story: Story): Channel {
  const name = `inc-${incidentOf(story)}-`;
  const room = story.system.slack.channels.find(channel => channel.name.startsWith(name));
  if (room === undefined) throw new Error('The incident has no channel.');
  return room;
}

/** The pinned card in the incident's channel, once it shows what was done. Throws when there is none. */
export async function shownCard(story: Story): Promise<Message> {
  await story.system.shown();
  const card = findRoom(story).messages.find(message => message.pinned);
  if (card === undefined) throw new Error('The incident’s channel has no pinned card.');
  return card;
}

/** The text of the card, once it shows what was done. */
export async function readCard(story: Story): Promise<string> {
  return renderMessage(story.system.slack, await shownCard(story));
}

/** Whether the card has these words; true where nobody waits until it shows what was done. */
export async function cardSays(story: Story, words: string): Promise<boolean> {
  return !(await story.system.shown()) || (await readCard(story)).includes(words);
}
