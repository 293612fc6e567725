import type { Visibility } from '../../people/visibility.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Reception, Refusals } from '../../slack/refusals.ts';
import { reasonWords } from '../state/refusal-words.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { linePart } from './mark.ts';
import type { RoundPace } from './pace.ts';
import { isUrgent, type LineMessage, type Lines } from './store.ts';
import { lineSubject } from './subject.ts';
import { lineWords } from './words.ts';
import { writeLine } from './write.ts';

/** The parts of Muster that saying lines uses. */
export interface SayDeps {
  readonly slack: Slack;
  readonly visibility: Pick<Visibility, 'share'>;
  readonly refusals: Refusals;
  readonly lines: Lines;
  readonly rooms: Pick<Rooms, 'isAlone'>;
  readonly settings: Pick<Settings, 'receipts' | 'linesPerHour'>;
  /** Whether the incident's room is being made. */
  isRoomBeingMade(incidentID: string): Promise<boolean>;
}

/**
 * Tells a room of the changes that it has not been told of, in their order. In a busy room those that people must notice come at once, and
 * the others when the pace allows it. What its readers may not see, or Slack refuses, is not said: the card shows the same. The caller holds
 * the lease of the incident's card, so one process says lines at a time.
 */
export async function sayLines(deps: SayDeps, room: Room, pace: RoundPace): Promise<Reception> {
  const { slack, visibility, refusals, lines, rooms, settings } = deps;
  const { incidentID, channelId: channel, cardTs, isPrivate } = room;
  // The card is the first that a room reads. The end of its making begins another round.
  if (cardTs === '' && (await deps.isRoomBeingMade(incidentID))) return 'taken';
  const mode = room.receipts || settings.receipts;
  const threadTs = mode === 'thread' ? cardTs : '';
  const isDue = pace.isDue('lines');
  // Nothing joins a message above an urgent one any more, so it is finished if it may be.
  const which = isDue ? 'all' : pace.hasRoom() ? 'up to the last urgent' : 'urgent';
  for (const message of await lines.due(incidentID, settings.linesPerHour, which)) {
    const isShared = channel !== '' && (await visibility.share('line', { incidentID }, channel)) === 'all';
    let { ts } = message;
    // What stands is still corrected in a room that is quiet now.
    const isSilent = mode === 'quiet' && ts === '' && !message.mayStand;
    if (isShared && !isSilent) {
      const { id, mayStand, begunAt: since } = message;
      const post = { channel, ...(threadTs ? { threadTs } : {}), id, part: linePart, ts, mayStand, since };
      const words = lineWords(message.lines, await lineSubject(rooms, room));
      let refusal: unknown;
      const write = async () => {
        try {
          ts = await writeLine(slack, post, words);
          pace.wrote('lines', isUrgent(message));
        } catch (error) {
          refusal = error;
          throw error;
        }
      };
      const method = ts === '' ? 'chat.postMessage' : 'chat.update';
      const reception = await refusals.attempt({ method, channel, isPrivate }, write);
      if (reception === 'later') return 'later';
      if (reception === 'refused' && refusal !== undefined) await tellUnsaid(slack, room, message, refusal);
    }
    await lines.said(message, ts);
  }
  if (!isDue && (await lines.areDue(incidentID))) pace.leave('lines');
  return 'taken';
}

/** Tells the people who made the changes, in a direct message, that their room was not told. What Slack refuses again is not told again. */
async function tellUnsaid(slack: Slack, { channelId }: Room, { lines }: LineMessage, error: unknown): Promise<void> {
  const text = `Your change is done, and I could not say so in <#${channelId}>: ${reasonWords(error)}`;
  for (const owner of new Set(lines.map(each => each.actor))) {
    // Nothing more can be done for a person whom Slack does not reach.
    const channel = owner.split('/').at(-1) ?? '';
    if (channel !== '') await slack.once.chat.postMessage({ channel, text }).catch(() => undefined);
  }
}
