import { z } from 'zod';
import { ActivityItem, maxActivityBody } from '../../../contract/activity.ts';
import type { Api } from '../../../contract/contract.ts';
import type { CallOptions } from '../../../contract/define.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { pages } from '../../../contract/paging.ts';
import type { Person } from '../../people/person.ts';
import { MessageAddress, readPermalink } from '../../slack/source-message.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';
import type { IntentContext } from '../acts/intent-kind.ts';

/** The most characters a note from Slack may have: room is left for who said it and where (docs/api-rules.md A5 allows 65,536). */
export const maxNote = 60_000;

/** Pages of a timeline, of a hundred items each, that are searched for a note. */
const maxPages = 50;

/**
 * A note for the timeline. Its author, the person who adds it, its time and its address are separate: in the body for readers, in
 * `fieldValues` for programs.
 */
export const Note = z.object({
  incidentID: z.string(),
  text: z.string(),
  /** RFC 3339. */
  eventTime: z.string(),
  /** Name of who said it, when that is not who adds it. */
  saidBy: z.string(),
  /** Name of who adds it. */
  addedBy: z.string(),
  /** Name of the person who reworded it, if another person said it. */
  editedBy: z.string().optional(),
  /** Its message was edited before it was added, and it keeps other words. */
  isOutdated: z.boolean().optional(),
  /** Slack id of who adds it: only they may change it later. */
  addedByUser: z.string().optional(),
  /** The workspace of that id. Absent in notes that an older version stored. */
  addedByTeam: z.string().optional(),
  /** Address of the message; `""` when there is none. */
  permalink: z.string(),
  /** The message to Muster that typed it; absent for any other note. */
  typedIn: MessageAddress.optional(),
  /** Whether its author gave the time, which the receipt then shows. */
  isTimed: z.boolean().optional(),
  /** A sentence of mrkdwn on its time, for the receipt alone. */
  notice: z.string().optional(),
  /** The kind of the note, for programs: `message`, `resolution`, `dashboard`, `note`. */
  source: z.string(),
  /** Uid of the dashboard that it links. */
  dashboard: z.string().optional(),
  /** Of an update: when the next one is due (RFC 3339); `""` for no promise. */
  nextAt: z.string().optional(),
});
export type Note = z.output<typeof Note>;

/** The members of a note by which a person adds words of their own. */
export function wordsOf({ name, userId, teamId }: Person) {
  return { saidBy: '', addedBy: name, addedByUser: userId, addedByTeam: teamId, permalink: '' };
}

/** A written note as its intent stores it, for a month: its id alone, since the payload has the rest. */
export const Written = ActivityItem.pick({ activityItemID: true });
export type Written = z.output<typeof Written>;

/**
 * The note's text on the timeline, with its attribution under it. A Grafana names the bot's account as the author of every item, so
 * the body says who spoke.
 */
export function noteBody(note: Note): string {
  const addedBy = toName(note.addedBy);
  const who = note.saidBy
    ? `— said by ${toName(note.saidBy)} in Slack, added by ${addedBy}`
    : addedBy && `— ${addedBy} in Slack`;
  const by = note.editedBy ? `${who}, edited by ${toEditor(note.editedBy)}` : who;
  const since = note.isOutdated ? `${by}, since edited in Slack` : by;
  const foot = [since, note.permalink].filter(part => part !== '').join(': ');
  return foot === '' ? note.text : cap(`${note.text}\n\n${foot}`, maxActivityBody);
}

/** How the words of an important note begin: the API has no call that tags a note (docs/incident-api.md, ActivityItem). */
const importantSign = `${signs.important} `;

/** Whether an item is tagged as important, or a note is marked so. */
export function isImportant({ tags, body }: ActivityItem): boolean {
  return tags.includes('important') || body.startsWith(importantSign);
}

/** The words of a note, marked as important or not. */
export function withImportance(text: string, important: boolean): string {
  const bare = text.startsWith(importantSign) ? text.slice(importantSign.length) : text;
  return important ? `${importantSign}${bare}` : bare;
}

/** The parts of a foot: who and where, who changed the words, whether the message was edited or deleted since, and its address. */
const footParts = /^(.*?)(, edited by [^:]*?)?(, since (?:edited|deleted) in Slack)?(: https?:\S+)?$/;

/** A body whose foot says that its message was edited or deleted later. */
export function markSince(body: string, how: 'edited' | 'deleted'): string {
  const { text, foot } = splitNoteBody(body);
  if (foot === '') return `${text}\n\n— since ${how} in Slack`;
  const [, head = foot, edited = '', , link = ''] = footParts.exec(foot) ?? [];
  return `${text}\n\n${head}${edited}, since ${how} in Slack${link}`;
}

/** A body with other words. Its foot names the person who changed them, when it was not the one who added the note. */
export function rewriteBody(body: string, text: string, editor: string): string {
  const { foot } = splitNoteBody(body);
  if (editor === '') return foot === '' ? text : `${text}\n\n${foot}`;
  const by = toEditor(editor);
  if (foot === '') return `${text}\n\n— edited by ${by} in Slack`;
  const [, head = foot, , since = '', link = ''] = footParts.exec(foot) ?? [];
  return `${text}\n\n${head}, edited by ${by}${since}${link}`;
}

/** A name on one line, so that it cannot imitate the end of the note. */
function toName(name: string): string {
  return cap(name.replace(/\s+/g, ' ').trim(), 100);
}

/** A name that ends where the foot goes on. */
function toEditor(name: string): string {
  return toName(name).replaceAll(':', '');
}

/** Writes the note. */
export async function writeNote({ api, call }: Pick<IntentContext, 'api' | 'call'>, note: Note): Promise<Written> {
  const { activityItem } = await api.ActivityService.AddActivity(
    {
      incidentID: note.incidentID,
      activityKind: 'userNote',
      body: noteBody(note),
      eventTime: note.eventTime,
      fieldValues: {
        source: note.source,
        ...(note.saidBy ? { saidBy: note.saidBy } : {}),
        addedBy: note.addedBy,
        ...(note.addedByUser ? { addedByUser: note.addedByUser } : {}),
        ...(note.addedByTeam ? { addedByTeam: note.addedByTeam } : {}),
        ...(note.permalink ? { permalink: note.permalink } : {}),
        ...(note.dashboard ? { dashboard: note.dashboard } : {}),
        ...(note.nextAt ? { nextUpdateAt: note.nextAt } : {}),
      },
    },
    call,
  );
  return Written.parse(activityItem);
}

/** The note of an earlier attempt whose answer was lost. */
export async function findWritten(
  { api, call }: Pick<IntentContext, 'api' | 'call'>,
  note: Note,
): Promise<Written | undefined> {
  const item = await findNote(api, note.incidentID, each => isSameNote(each, note), call);
  return item && Written.parse(item);
}

/** Says that a note is on the timeline twice (mrkdwn); undefined when it is not. */
export async function findTwinNote(
  { api, call }: IntentContext,
  note: Note,
  { activityItemID }: Written,
): Promise<string | undefined> {
  const isTwin = (each: ActivityItem) => each.activityItemID !== activityItemID && isSameNote(each, note);
  if ((await findNote(api, note.incidentID, isTwin, call)) === undefined) return undefined;
  return `“${toMrkdwn(note.text, 200)}” stands on the timeline twice: an answer came late. *Remove* in \`/note list\` takes one off.`;
}

/** Whether two notes are of one message, by its address; else of equal words at one moment. */
function isSameNote(item: ActivityItem, note: Note): boolean {
  if (note.permalink !== '') return item.body.endsWith(`: ${note.permalink}`);
  return Date.parse(item.eventTime) === Date.parse(note.eventTime) && item.body === noteBody(note);
}

/** The first note of an incident, newest first, that fits; undefined when none does. Throws RpcError. */
export async function findNote(
  api: Api,
  incidentID: string,
  fits: (item: ActivityItem) => boolean,
  call?: CallOptions,
): Promise<ActivityItem | undefined> {
  for await (const item of listNotes(api, incidentID, call)) if (fits(item)) return item;
  return undefined;
}

/** The notes of an incident by the time they speak of, newest first. Throws RpcError. */
export async function* listNotes(api: Api, incidentID: string, call?: CallOptions): AsyncGenerator<ActivityItem> {
  const query = { incidentID, activityKind: ['userNote' as const], orderDirection: 'DESC' as const, limit: 100 };
  let read = 0;
  for await (const { activityItems } of pages(api.ActivityService.QueryActivity, { query }, call)) {
    yield* activityItems;
    read += 1;
    if (read === maxPages) return;
  }
}

/** A note by its ids. */
export const NoteAddress = z.object({ incidentID: z.string(), activityItemID: z.string() });
export type NoteAddress = z.output<typeof NoteAddress>;

/** The message that an item notes; undefined for any other note. */
export function notedMessage({ fieldValues }: ActivityItem): MessageAddress | undefined {
  const { source, permalink } = fieldValues;
  return source === 'message' && typeof permalink === 'string' ? readPermalink(permalink) : undefined;
}
