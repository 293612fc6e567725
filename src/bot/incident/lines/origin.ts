import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { userOf } from '../../people/person.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import type { Room } from '../state/room-store.ts';
import { mistakeName } from '../state/state-words.ts';
import { type Lead, leadLine, type Updates } from '../state/update-store.ts';
import type { RoundLines, StoredLine } from './store.ts';

/**
 * The line where an incident was declared: the declarer, the incident, its state, and its channel (mrkdwn). Below a message it says no
 * more than that, since the message says the rest.
 */
export function originWords(
  incident: Incident,
  line: Pick<StoredLine, 'actor' | 'thread'>,
  room?: Room,
  lead?: Lead,
): string {
  const { incidentID, title, severity, status, isDrill } = incident;
  const by = mention(userOf(line.actor));
  if (isMistake(incident))
    return `${signs.undone} *${mistakeName}:* ${line.thread === '' ? toMrkdwn(title, 300) : incidentLabel(incidentID)}, says ${by}.`;
  const state = status === 'active' ? '' : `, ${toMrkdwn(status, 40)}`;
  const drill = isDrill ? 'the drill ' : '';
  const what =
    line.thread === ''
      ? `${drill}*${toMrkdwn(title, 300)}* (${toMrkdwn(severity, 60)}${state})`
      : `${incidentLabel(incidentID)} from this message`;
  const where = roomMention(room);
  const about = line.thread === '' && lead ? `\n${leadLine(lead)}` : '';
  return `${incidentSigns.declared} ${by} declared ${what}${where === '' ? '' : `. It is handled in ${where}`}.${about}`;
}

/** Brings the lines where an incident was declared to its present state. */
export async function followOrigin(
  { lines, updates }: { readonly lines: RoundLines; readonly updates: Updates },
  room: Room,
  incident: Incident,
): Promise<void> {
  const origins = await lines.origins();
  if (origins.length === 0) return;
  const { lead } = await updates.latest(incident);
  for (const line of origins) {
    const words = originWords(incident, line, room, lead);
    if (words !== line.words) lines.reword(line, words);
  }
}
