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
  /** When the next update is due; undefined when none is owed. */
  readonly nextAt: Date | undefined;
}

/** A note that may stand first of an incident, and what it is. */
export interface LeadingNote {
  readonly kind: Lead['kind'];
  /** Its words, without sign and foot. */
  readonly text: string;
  readonly item: ActivityItem;
  /** It says what ended the incident at an earlier time. */
  readonly isPast: boolean;
}

/**
 * The notes among items of a timeline, oldest first, that stand first of the incident, or once did, in the order in which they were
 * written.
 */
export function leadingNotes(items: readonly ActivityItem[]): readonly LeadingNote[] {
  const asWritten = items.toSorted((one, other) => Date.parse(one.createdTime) - Date.parse(other.createdTime));
  let notes: readonly LeadingNote[] = [];
  let changes = 0;
  for (const item of asWritten) {
    // The words about an end stand right before it. After a further change of the status they are about an earlier one.
    const isChanged = item.activityKind === 'incidentStatusChanged';
    if (isChanged && ++changes > 1) notes = notes.map(each => ({ ...each, isPast: each.kind === 'outcome' }));
    if (item.activityKind !== 'userNote') continue;
    const { form, text } = readFormed(item.body);
    const kind = item.fieldValues.source === 'resolution' ? 'outcome' : form;
    if (kind === undefined || text === '') continue;
    if (kind === 'outcome') changes = 0;
    notes = [...notes, { kind, text, item, isPast: false }];
  }
  return notes;
}

/** The note of a kind that speaks of the latest time; of one time, the one that was written last. */
export function lastNote(notes: readonly LeadingNote[], kind: Lead['kind']): LeadingNote | undefined {
  const at = ({ item }: LeadingNote) => Date.parse(item.eventTime);
  return notes
    .filter(each => each.kind === kind && !each.isPast)
    .reduce<LeadingNote | undefined>((last, each) => (last && at(last) > at(each) ? last : each), undefined);
}

/**
 * What stands first of an incident with these items of its timeline, oldest first: the summary until the first update, the last update
 * after that, and once it is over what ended it. Undefined when nobody said any of it.
 */
export function leadOf({ status }: Pick<Incident, 'status'>, items: readonly ActivityItem[]): Lead | undefined {
  const notes = leadingNotes(items);
  const lead =
    (status === 'resolved' ? lastNote(notes, 'outcome') : undefined) ??
    lastNote(notes, 'update') ??
    lastNote(notes, 'summary');
  if (lead === undefined) return undefined;
  const { kind, text, item } = lead;
  const nextAt = new Date(String(item.fieldValues.nextUpdateAt ?? ''));
  const isOwed = kind === 'update' && status !== 'resolved' && !Number.isNaN(nextAt.getTime());
  return { kind, text, at: new Date(item.eventTime), nextAt: isOwed ? nextAt : undefined };
}
