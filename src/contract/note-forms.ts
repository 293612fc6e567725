import type { ActivityItem } from './activity.ts';
import type { Incident } from './incidents.ts';

/*
 * Notes that Muster recognises on a timeline, by any writer: the API has no call that tags a note, nor one that sets a summary
 * (docs/incident-api.md, ActivityItem).
 */

/** The signs with which such notes begin, followed by a space. */
export const noteSigns = { update: '📣', summary: '📋' } as const;
/** The sign with which an important note begins. */
export const importantSign = '❗';
type NoteForm = keyof typeof noteSigns;

/** The words of a note on the timeline. */
export function toFormed(form: NoteForm, text: string): string {
  return `${noteSigns[form]} ${text}`;
}

/** What a note is, and its words without sign and foot; `form` is undefined for any other note. */
export function readFormed(body: string): { readonly form: NoteForm | undefined; readonly text: string } {
  const { text } = splitNoteBody(body);
  const form = (['update', 'summary'] as const).find(each => text.startsWith(`${noteSigns[each]} `));
  return form ? { form, text: text.slice(noteSigns[form].length + 1).trim() } : { form, text };
}

/** The parts of a foot: who and where, who changed the words, whether the message was edited or deleted since, and its address. */
const footForm =
  /^— (?:since (edited|deleted) in Slack|(.*? in Slack(?:, added by .*?)?))(?:, edited by ([^:]*?))?(?:, since (edited|deleted) in Slack)?(?:: https?:\S+)?$/;

/** The most characters of a foot: three names and an address. */
const longestFoot = 2000;

/** The two parts of a body of a note: what was noted, and the line about who and where. A person's own last line is no foot. */
export function splitNoteBody(body: string): { text: string; foot: string } {
  const at = body.lastIndexOf('\n\n— ');
  const foot = at < 0 ? '' : body.slice(at + 2);
  return foot.length <= longestFoot && footForm.test(foot)
    ? { text: body.slice(0, at), foot }
    : { text: body, foot: '' };
}

/** Reads a foot as {@link splitNoteBody} gives it. */
export function readFoot(foot: string): {
  /** `""` when the foot names no person. */
  readonly who: string;
  /** `""` when the words were not changed. */
  readonly editor: string;
  readonly since: readonly ('edited' | 'deleted')[];
} {
  const [, first, who = '', editor = '', then] = footForm.exec(foot) ?? [];
  // A message that was edited may be deleted later.
  const since = [then ?? first].filter(each => each === 'edited' || each === 'deleted');
  const byEditor = /^edited by (.*) in Slack$/.exec(who);
  return byEditor ? { who: '', editor: byEditor[1] ?? '', since } : { who, editor, since };
}

/** The names of those whose note it is, as far as it tells: who said it and who added it. Without fields its signature has them. */
export function namesOfNote({ body, fieldValues: { saidBy, addedBy } }: ActivityItem): readonly string[] {
  const signed = /^(?:said by (.*?) in Slack, added by )?(.*?)(?: in Slack)?$/s.exec(
    readFoot(splitNoteBody(body).foot).who,
  );
  const names = saidBy === undefined && addedBy === undefined ? (signed?.slice(1) ?? []) : [saidBy, addedBy];
  return names.filter(name => typeof name === 'string' && name !== '') as string[];
}

/**
 * The headline of an incident: its summary, its last update, or the words about its end. `at` is when it was said; undefined when that is
 * not known.
 */
export interface Lead {
  readonly kind: NoteForm | 'outcome';
  /** The item of the timeline that says it. */
  readonly itemID: string;
  readonly text: string;
  readonly at: Date | undefined;
  /** When the next update is due; undefined when none is owed. */
  readonly nextAt: Date | undefined;
}

/** A note that may be an incident's headline, and its kind. */
export interface LeadingNote {
  readonly kind: Lead['kind'];
  /** Its words, without sign and foot. */
  readonly text: string;
  readonly item: ActivityItem;
  /** It says what ended the incident at an earlier time. */
  readonly isPast: boolean;
}

/**
 * The notes among items of a timeline, oldest first, that are or once were the incident's headline, in the order in which they were
 * written.
 */
export function leadingNotes(items: readonly ActivityItem[]): readonly LeadingNote[] {
  const asWritten = items.toSorted((one, other) => Date.parse(one.createdTime) - Date.parse(other.createdTime));
  let notes: readonly LeadingNote[] = [];
  let changes = 0;
  for (const item of asWritten) {
    // The words about an end come right before it. After a further change of the status they are about an earlier one.
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
 * The headline of an incident with these items of its timeline, oldest first: the summary until the first update, the last update after
 * that, and once it is over the words about its end. Undefined when there is none of them.
 */
export function leadOf({ status }: Incident, items: readonly ActivityItem[]): Lead | undefined {
  const notes = leadingNotes(items);
  const lead =
    (status === 'resolved' ? lastNote(notes, 'outcome') : undefined) ??
    lastNote(notes, 'update') ??
    lastNote(notes, 'summary');
  if (lead === undefined) return undefined;
  const { kind, text, item } = lead;
  const nextAt = new Date(String(item.fieldValues.nextUpdateAt ?? ''));
  const isOwed = kind === 'update' && status !== 'resolved' && !Number.isNaN(nextAt.getTime());
  const { activityItemID: itemID, eventTime } = item;
  return { kind, itemID, text, at: new Date(eventTime), nextAt: isOwed ? nextAt : undefined };
}
