import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { items } from '../../contract/paging.ts';
import { type Channel, renderMessage } from '../../fake-slack/fake-slack.ts';
import type { Story } from '../story.ts';

/** The number of the story's incident. */
const incidentID = '1';

/** Items on a page of the timeline: few, so that the story reads several pages. */
const pageSize = 5;

/** The incident as the API has it now. */
export async function readIncident({ system }: Story): Promise<Incident> {
  return (await system.muster.api.IncidentsService.GetIncident({ incidentID })).incident;
}

/** The incident's whole timeline, oldest item first. */
export async function readTimeline({ system }: Story): Promise<ActivityItem[]> {
  const query = { incidentID, tag: '', limit: pageSize, orderDirection: 'ASC' as const, activityKind: [] };
  const timeline: ActivityItem[] = [];
  for await (const item of items(system.muster.api.ActivityService.QueryActivity, 'activityItems', { query })) {
    timeline.push(item);
  }
  return timeline;
}

/** The incident's channel. Throws when Muster made none. */
export function findRoom({ system }: Story): Channel {
  const room = system.slack.channels.find(channel => channel.name.startsWith(`inc-${incidentID}-`));
  if (room === undefined) throw new Error('The incident has no channel.');
  return room;
}

/** The text of the pinned card in the incident's channel. Throws when there is none. */
export function readCard(story: Story): string {
  const card = findRoom(story).messages.find(message => message.pinned);
  if (card === undefined) throw new Error('The incident’s channel has no pinned card.');
  return renderMessage(story.system.slack, card);
}
