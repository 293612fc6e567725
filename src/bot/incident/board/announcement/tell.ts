import type { Api } from '../../../../contract/contract.ts';
import { isTransient } from '../../../../contract/errors.ts';
import type { Incident } from '../../../../contract/incidents.ts';
import type { Visibility } from '../../../people/visibility.ts';
import type { Slack } from '../../../slack/clients.ts';
import { type Post, postOnce } from '../../../slack/post-once.ts';
import type { Reception, Refusals } from '../../../slack/refusals.ts';
import { sentence } from '../../../text/blocks.ts';
import type { RoundPace } from '../../lines/pace.ts';
import { splitNoteBody } from '../../state/note-body.ts';
import { roomMention } from '../../state/room-mention.ts';
import type { Rooms } from '../../state/room-store.ts';
import type { Settings } from '../../state/settings.ts';
import type { Updates } from '../../state/update-store.ts';
import { isNewlyResolved, newsLines } from './news.ts';
import type { Announced, NewsLine } from './store.ts';

/** The parts of Muster that telling the readers of an announcement uses. */
export interface AnnounceDeps {
  readonly slack: Slack;
  readonly api: Api;
  readonly rooms: Pick<Rooms, 'ofIncident'>;
  readonly visibility: Pick<Visibility, 'share'>;
  readonly refusals: Refusals;
  readonly announced: Announced;
  readonly updates: Pick<Updates, 'unannounced'>;
  readonly settings: Pick<Settings, 'severities'>;
}

/**
 * Tells the readers of the announcement, in its thread and in the channel, that the incident got worse, was updated, resolved or
 * reopened, whoever did it and wherever. An edit notifies nobody. The caller holds the lease of the incident's card, so one process tells
 * at a time.
 */
export async function tellAnnouncement(deps: AnnounceDeps, incident: Incident, pace: RoundPace): Promise<Reception> {
  const { announced, settings, visibility } = deps;
  const { incidentID } = incident;
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.announcementTs === '') return 'taken';
  const { announcementChannelId: channel, announcementTs: threadTs } = room;
  const before = await announced.known(incidentID);
  if (!before) {
    await announced.begin(incidentID, incident);
    return 'taken';
  }
  const updates = await deps.updates.unannounced(incidentID);
  const isResolved = isNewlyResolved(before, incident);
  const summary = isResolved ? await readSummary(deps.api, incident) : '';
  const isShared = (await visibility.share('announcement', incident, channel)) === 'all';
  const facts = { incident, severities: settings.severities, updates, summary, room: roomMention(room) };
  const ids = updates.map(each => each.activityItemID);
  const pending = await announced.add(incidentID, incident, isShared ? newsLines(before, facts) : [], ids);
  for (const line of pending) {
    let ts = '';
    const write = async () => {
      ts = await postOnce(deps.slack, toNewsPost(line, { channel, threadTs }, line.mayStand));
      pace.wrote('news', true);
    };
    const call = { method: 'chat.postMessage', channel, isPrivate: false };
    const reception = isShared ? await deps.refusals.attempt(call, write) : 'taken';
    if (reception === 'later') return 'later';
    // A line that Slack refuses is not said: the announcement shows the same.
    await announced.said(incidentID, line, ts);
  }
  return 'taken';
}

/** A line of news as it is posted below an announcement. */
export function toNewsPost(
  { id, words, since }: NewsLine,
  announcement: { readonly channel: string; readonly threadTs: string },
  mayStand: boolean,
): Post {
  const post = { ...announcement, isBroadcast: true, words: sentence(words), intent: id, part: 'news', mayStand };
  return { ...post, since: new Date(since) };
}

/** Items of the timeline among which the summary of a resolution is looked for. */
const maxItems = 20;

/** What ended the incident: its own summary, else the note that was written when it was resolved last; `""` for neither. */
async function readSummary(api: Api, { incidentID, summary }: Incident): Promise<string> {
  if (summary !== '') return summary;
  try {
    const activityKind = ['userNote' as const, 'incidentStatusChanged' as const];
    const query = { incidentID, activityKind, orderDirection: 'DESC' as const, limit: maxItems };
    const { activityItems } = await api.ActivityService.QueryActivity({ query });
    const note = activityItems.findIndex(each => each.fieldValues.source === 'resolution');
    const changes = activityItems.slice(0, Math.max(note, 0)).filter(each => each.activityKind !== 'userNote');
    // A summary before an earlier change of the status is about an earlier end.
    return note < 0 || changes.length > 1 ? '' : splitNoteBody(activityItems[note]?.body ?? '').text;
  } catch (error) {
    if (isTransient(error)) throw error;
    return '';
  }
}
