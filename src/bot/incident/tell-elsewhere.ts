import type { Incident } from '../../contract/incidents.ts';
import type { Visibility } from '../people/visibility.ts';
import { type Slack, slackRefusal } from '../slack/clients.ts';
import { postOnce } from '../slack/post-once.ts';
import type { Reception, Refusals } from '../slack/refusals.ts';
import { sentence } from '../text/blocks.ts';
import { elsewhereLine } from './elsewhere-line.ts';
import type { Room } from './room-store.ts';
import type { Told } from './told.ts';

/** The parts of Muster that telling a room uses. */
interface TellDeps {
  readonly slack: Slack;
  readonly visibility: Pick<Visibility, 'share'>;
  readonly refusals: Refusals;
  readonly told: Told;
}

/**
 * Tells the room in one line about changes made elsewhere. Edits the line of the last minute if there is one. The caller holds the lease
 * of the incident's card, so one process tells at a time.
 */
export async function tellElsewhere(
  { slack, visibility, refusals, told }: TellDeps,
  room: Room,
  incident: Incident,
  version: number,
): Promise<Reception> {
  const { channelId: channel, isPrivate } = room;
  if (channel === '') return 'taken';
  const line = await told.compare(incident, version);
  if (line === undefined) return 'taken';
  // What is Muster's own shows when its write is done.
  if (line === 'unsettled') return 'later';
  const { incidentID } = incident;
  if ((await visibility.share('line', incident, channel)) !== 'all') {
    await told.said(incidentID, line, '');
    return 'taken';
  }
  const words = sentence(elsewhereLine(line.differences));
  let { ts } = line;
  const post = async (part: string, mayStand: boolean) => {
    ts = await postOnce(slack, { channel, words, intent: line.id, part, mayStand, since: line.since });
  };
  const write = async () => {
    if (ts === '') return post('line', line.mayStand);
    try {
      await slack.web.chat.update({ channel, ts, text: words.text, blocks: [...(words.blocks ?? [])] });
    } catch (error) {
      if (slackRefusal(error) !== 'message_not_found') throw error;
      await post(`line after ${ts}`, true);
    }
  };
  const method = ts === '' ? 'chat.postMessage' : 'chat.update';
  if ((await refusals.attempt({ method, channel, isPrivate }, write)) === 'later') return 'later';
  // A line that Slack refuses is not said: the card shows the same.
  await told.said(incidentID, line, ts);
  return 'taken';
}
