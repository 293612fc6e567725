import type { ActivityItem } from './activity.ts';
import type { Incident } from './incidents.ts';

/*
 * Notes that Muster recognises on a timeline, whoever wrote them: the API has no call that tags a note, nor one that sets a summary
 * (docs/incident-api.md, ActivityItem).
 */

/** The signs with which such notes begin, followed by a space. */
export const noteSigns = { update: '📣', summary: '📋' } as const;
/** What such a note is. */
export type NoteForm = keyof typeof noteSigns;

/** The words of a note as they stand on the timeline. */
export function toFormed(form: NoteForm, text: string): string {
  return `${noteSigns[form]} ${text}`;
}

/** What a note is, and its words without sign and foot; `form` is undefined for any other note. */
export function readFormed(body: string): { readonly form: NoteForm | undefined; readonly text: string } {
  const { text } = splitNoteBody(body);
  const form = (['update', 'summary'] as const).find(each => text.startsWith(`${noteSigns[each]} `));
  return form ? { form, text: text.slice(noteSigns[form].length + 1).trim() } : { form, text };
}

/** The two parts of a body of a note: what was noted, and the line about who and where. */
export function splitNoteBody(body: string): { text: string; foot: string } {
  const at = body.lastIndexOf('\n\n— ');
  const foot = at < 0 ? '' : body.slice(at + 2);
  return / in Slack\b/.test(foot) && !foot.includes('\n')
    ? { text: body.slice(0, at), foot }
    : { text: body, foot: '' };
}

/** What stands first of an incident: its summary, its last update, or what ended it. `at` is when it was said; undefined when nobody knows. */
export interface Lead {
  readonly kind: NoteForm | 'outcome';
  readonly text: string;
  readonly at: Date | undefined;
}

/**
 * What stands first of an incident with these items of its timeline: the summary until the first update, the last update after that, and
 * once it is over what ended it. Undefined when nobody said any of it.
 */
export function leadOf(
  { status, summary }: Pick<Incident, 'status' | 'summary'>,
  items: readonly ActivityItem[],
): Lead | undefined {
  const asWritten = items.toSorted((one, other) => Date.parse(one.createdTime) - Date.parse(other.createdTime));
  const known = new Map<Lead['kind'], Lead>();
  if (summary !== '') known.set('summary', { kind: 'summary', text: summary, at: undefined });
  let changes = 0;
  for (const { activityKind, body, eventTime, fieldValues } of asWritten) {
    // The words about an end stand right before it. After a further change of the status they are about an earlier one.
    if (activityKind === 'incidentStatusChanged' && ++changes > 1) known.delete('outcome');
    if (activityKind !== 'userNote') continue;
    const { form, text } = readFormed(body);
    const kind = fieldValues.source === 'resolution' ? 'outcome' : form;
    if (kind === undefined || text === '') continue;
    if (kind === 'outcome') changes = 0;
    const at = new Date(eventTime);
    if (at >= (known.get(kind)?.at ?? new Date(0))) known.set(kind, { kind, text, at });
  }
  return (status === 'resolved' ? known.get('outcome') : undefined) ?? known.get('update') ?? known.get('summary');
}
