import { incidentSigns } from '../../text/signs.ts';
import { splitNoteBody } from '../state/note-body.ts';

/** How the note of an update begins: the API has no call that tags a note (docs/incident-api.md, ActivityItem). */
const updateSign = `${incidentSigns.update} `;

/** The words of an update as they stand on the timeline. */
export function toUpdateNote(text: string): string {
  return `${updateSign}${text}`;
}

/** The words of an update, of the body that its note has now. */
export function updateTextOf(body: string): string {
  const { text } = splitNoteBody(body);
  return text.startsWith(updateSign) ? text.slice(updateSign.length) : text;
}
