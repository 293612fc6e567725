import { isPassing, type Slack, slackRefusal } from '../../../slack/clients.ts';
import { findPost } from '../../../slack/post-once.ts';
import { sentence } from '../../../text/blocks.ts';
import { toEdited } from '../../../text/spoken.ts';
import type { Room, Rooms } from '../../state/room-store.ts';
import type { Announced } from './store.ts';
import { toNewsPost } from './tell.ts';

/** The parts of Muster that taking an announcement back uses. */
export interface TakeBackDeps {
  readonly slack: Slack;
  readonly rooms: Pick<Rooms, 'forgetAnnouncement'>;
  readonly announced: Pick<Announced, 'lines' | 'takenBack'>;
}

/** Takes an announcement back from readers who may know nothing of the incident, with the news below it. */
export async function takeBackAnnouncement(deps: TakeBackDeps, room: Room): Promise<void> {
  await takeBackNews(deps, room);
  await takeBack(deps, { channel: room.announcementChannelId, ts: room.announcementTs });
  await deps.rooms.forgetAnnouncement(room.incidentID);
}

/** Takes back the news below an announcement. */
export async function takeBackNews({ slack, announced }: TakeBackDeps, room: Room): Promise<void> {
  const { incidentID, announcementChannelId: channel, announcementTs: threadTs } = room;
  const { posted, pending } = await announced.lines(incidentID);
  for (const ts of posted) await takeBack({ slack }, { channel, ts });
  for (const line of pending) {
    const ts = await findPost(slack, toNewsPost(line, { channel, threadTs }, true));
    if (ts !== undefined) await takeBack({ slack }, { channel, ts });
  }
  await announced.takenBack(incidentID);
}

/** Deletes a message. Where Slack refuses that, nothing of the incident is left in it. */
async function takeBack(
  { slack }: Pick<TakeBackDeps, 'slack'>,
  place: { readonly channel: string; readonly ts: string },
): Promise<void> {
  try {
    await slack.web.chat.delete(place);
  } catch (error) {
    if (isPassing(error)) throw error;
    if (slackRefusal(error) === 'message_not_found') return;
    await slack.web.chat.update({ ...place, ...toEdited(withdrawn) });
  }
}

/** What is left of a message that cannot be deleted. */
const withdrawn = sentence('This announcement was taken back.');
