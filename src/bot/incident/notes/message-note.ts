import { z } from 'zod';
import { trimEnd } from '../../../trim-end.ts';
import type { Consequence } from '../../journal/intent.ts';
import { withLabels } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { missingScope, slackReason } from '../../slack/clients.ts';
import { describeFiles, type MessageAddress, type SourceMessage } from '../../slack/source-message.ts';
import { settlesWithin } from '../../text/timeout.ts';
import { cap, stripControls, toOneLine, toPlainText } from '../../text/words.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { outsideAge } from '../state/channels.ts';
import type { MessageAddition } from '../state/message-notes.ts';
import type { Settings } from '../state/settings.ts';
import { findNote, maxNote, Note, wordsOf } from './notes.ts';

/** The note of a message. */
export const MessageNote = Note.extend({
  channelId: z.string(),
  ts: z.string(),
  /** The first message of its thread; `""` when it is in none. */
  threadTs: z.string(),
  isCut: z.boolean(),
  /** The text of its files, for the end of the note; `""` when none is kept. */
  kept: z.string().default(''),
  /** The person who added it worded it, so it does not follow the message. */
  isWorded: z.boolean().optional(),
  /** The message is in another channel than the incident's. The room cannot see the mark there, so it reads a line. */
  isFromElsewhere: z.boolean().default(false),
  /** Its channel is private and not the incident's, so the person must confirm before more of its thread is added. */
  isFromPrivate: z.boolean().default(false),
  /** Key of the delivery that added it; `""` when unknown. */
  delivery: z.string().default(''),
});
export type MessageNote = z.output<typeof MessageNote>;

/** The note with all of its text on the timeline. */
export function withKept(note: MessageNote): MessageNote {
  return { ...note, text: joinKept(note.text, note.kept), kept: '' };
}

/** Words, and below them what files say. */
export function joinKept(text: string, kept: string): string {
  return kept === '' ? text : `${text}\n\n${kept}`;
}

/** The note with each text in it as `change` makes it. */
export function mapNoteTexts(note: MessageNote, change: (text: string) => string): MessageNote {
  return { ...note, text: change(note.text), kept: change(note.kept) };
}

/** A Slack timestamp as RFC 3339 with all its six digits, so that messages of one second keep their order. */
function toEventTime(ts: string): string {
  const [seconds = '0', fraction = ''] = ts.split('.');
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${whole}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** Whether a message has anything that a timeline can hold. */
export function hasContent(message: SourceMessage): boolean {
  return toPlainText(message.text).trim() !== '' || message.files.length > 0;
}

/** The key of a message on an incident's timeline: it is added once, by any person. */
export function messageKey(
  incidentID: string,
  teamId: string,
  { channelId, ts }: Pick<SourceMessage, 'channelId' | 'ts'>,
): string {
  return `note/${incidentID}/${teamId}/${channelId}/${ts}`;
}

/** The kind of intent that puts a message on a timeline. */
export const messageKind = 'timeline.add';

/** Whether a note was removed, or will be before anything that is submitted now. Throws RpcError. */
export async function isGone(
  { api }: IncidentDeps,
  { state, isRemoved, subject, activityItemID }: MessageAddition,
): Promise<boolean> {
  if (state === 'discarded' || isRemoved) return true;
  return activityItemID !== '' && !(await findNote(api, subject, each => each.activityItemID === activityItemID));
}

/** Whether a message is, or will be, on the timeline of any incident. True when that is not known. */
export async function isNoted(deps: IncidentDeps, message: MessageAddress): Promise<boolean> {
  const added = (await deps.messageNotes.of(messageKind, message)).filter(({ state }) => state !== 'failed');
  const gone = await Promise.all(added.map(each => isGone(deps, each).catch(() => false)));
  return gone.includes(false);
}

/** Adds a message to the timeline of an incident that another intent declares. Later attempts know it by its key. */
export function quoteConsequence(incidentID: string, quote: MessageNote): Consequence {
  const payload = { ...quote, incidentID };
  const key = messageKey(incidentID, quote.addedByTeam ?? '', quote);
  return { kind: { kind: messageKind, payload: MessageNote }, payload, name: 'quote', key };
}

/** Whether talk in a channel is private. A channel that Slack does not describe counts as private. */
export async function comesFromPrivate(deps: IncidentDeps, channelId: string): Promise<boolean> {
  return (await deps.channels.look(channelId, outsideAge))?.isPrivate ?? true;
}

/** What knows the names of ids. */
type Names = Parameters<typeof withLabels>[0];

/** A text of Slack's with names in place of ids. */
async function readableText(deps: Names, slackText: string): Promise<string> {
  return toPlainText(await withLabels(deps, slackText));
}

/** A message as people read it: its words with names in place of ids, and its files. */
export async function messageText(deps: IncidentDeps, given: SourceMessage): Promise<string> {
  const message = await describeFiles(given, id => fileOf(deps, id));
  const words = (await readableText(deps, message.text)).trim();
  const files = message.files.map(
    file => `File: ${[toPlainText(file.name), file.permalink].filter(Boolean).join(' ')}`,
  );
  return [words, files.join('\n')].filter(part => part !== '').join('\n\n');
}

/** The note of a message: its words as people read them, its files, its time, its author, and its address. */
async function toMessageNote(
  deps: IncidentDeps,
  message: SourceMessage,
  adder: Person,
  incidentID: string,
): Promise<{ note: Note; isCut: boolean }> {
  const [text, saidBy, permalink] = await Promise.all([
    messageText(deps, message),
    authorOf(deps, message, adder),
    permalinkOf(deps, message),
  ]);
  const note = {
    incidentID,
    text: cap(text, maxNote),
    eventTime: toEventTime(message.ts),
    ...wordsOf(adder),
    saidBy,
    permalink,
    source: 'message',
  };
  return { note, isCut: text.length > maxNote };
}

/** The payload of the intent that adds a message. `delivery` is the key of the delivery that adds it. */
export async function toMessagePayload(
  deps: IncidentDeps,
  given: SourceMessage,
  adder: Person,
  incidentID: string,
  delivery: string,
): Promise<MessageNote> {
  const message = await describeFiles(given, id => fileOf(deps, id));
  const [{ note, isCut }, kept] = await Promise.all([
    toMessageNote(deps, message, adder, incidentID),
    keepFiles(deps, message),
  ]);
  const threadTs = message.threadTs || (message.isThreaded ? message.ts : '');
  const { channelId, ts } = message;
  const room = await deps.rooms.ofIncident(incidentID);
  const isOutside = room?.channelId !== channelId;
  const isFromElsewhere = isOutside && room !== undefined;
  const isFromPrivate = isOutside && threadTs !== '' && (await comesFromPrivate(deps, channelId));
  return { ...note, channelId, ts, threadTs, isCut, kept, isFromElsewhere, isFromPrivate, delivery };
}

/** A file as Slack describes it; undefined where it does not, or not in time. */
async function fileOf({ slack, log }: IncidentDeps, id: string): Promise<unknown> {
  try {
    return (await slack.quick.files.info({ file: id })).file;
  } catch (error) {
    // A missing scope has its own warning, once (`missing-scopes.ts`).
    if (missingScope(error) === '')
      log.info({ reason: slackReason(error) }, 'timeline: Slack does not describe a file');
    return undefined;
  }
}

/** The author, and the person who forwarded it; `""` when the person adds their own words. */
async function authorOf(deps: IncidentDeps, message: SourceMessage, adder: Person): Promise<string> {
  if (message.forwardedFrom === '') return senderOf(deps, message, adder);
  const author = (await readableText(deps, message.forwardedFrom)).replace(/^@/, '');
  return `${author}, forwarded by ${(await senderOf(deps, message, adder)) || adder.name}`;
}

/** The sender's name; `""` when the person adds their own message. */
async function senderOf(deps: IncidentDeps, message: SourceMessage, adder: Person): Promise<string> {
  const author = message.userId === '' ? undefined : await deps.people.find(message.userId).catch(() => undefined);
  // An app may post with the token of a person, whose message Slack shows it to be.
  if (message.botName !== '' && (author?.isBot ?? true)) return `${toPlainText(message.botName)} (bot)`;
  if (message.userId === adder.userId) return '';
  if (message.userId === '') return 'an unknown person';
  if (!author) return `an unknown person (${message.userId})`;
  const label = author.isBot
    ? ' (bot)'
    : author.isStranger
      ? ' (of another organisation)'
      : author.isGuest
        ? ' (guest)'
        : '';
  return `${author.name}${label}`;
}

/** The address of the message itself, also of a reply; `""` when Slack gives none, as in private channels without the bot. */
export async function permalinkOf(deps: IncidentDeps, message: SourceMessage): Promise<string> {
  try {
    const { permalink } = await deps.slack.web.chat.getPermalink({
      channel: message.channelId,
      message_ts: message.ts,
    });
    return permalink ?? '';
  } catch (error) {
    deps.log.info(
      { reason: slackReason(error), channel: message.channelId },
      'timeline: Slack gives the message no permalink',
    );
    return '';
  }
}

/**
 * The most characters that the files of a message take in its note. An error, a snippet or the end of a log is shorter. With the
 * longest words and the foot the note still fits into a body of the API (docs/api-rules.md A5).
 */
const maxKept = 4096;

/** The endings of names of text files, for files whose type Slack does not say. */
const textName = /\.(?:txt|log|json|ya?ml|csv|tsv|md|conf|cfg|ini|toml|xml|sql|sh|diff|patch|out|err|trace)$/i;
const textType = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|x-ndjson|x-sh|sql|toml)$)/;

/**
 * The contents of a message's small text files, each between lines of ```, as its note keeps them; `""` when there are none. A file
 * that is not text, does not fit, or that Slack does not give in time, is in the note by its name and link alone.
 */
async function keepFiles(deps: IncidentDeps, { files }: SourceMessage): Promise<string> {
  const kept: string[] = [];
  let left = maxKept;
  const readAll = async () => {
    // A small file that is text as far as its name or type says.
    const small = files.filter(each => each.id !== '' && each.size <= maxKept);
    for (const file of small.filter(each => textType.test(each.mimetype) || textName.test(each.name))) {
      const block = toBlock(file.name, await read(deps, file.id));
      if (block === '' || block.length > left) continue;
      left -= block.length + 2;
      kept.push(block);
    }
  };
  if (!(await settlesWithin(deps.deadlines.noteFiles, readAll())))
    deps.log.info('timeline: Slack took too long to give a file');
  return kept.join('\n\n');
}

/** The text of a file; `""` when Slack does not give it. */
async function read({ slack, log }: IncidentDeps, id: string): Promise<string> {
  try {
    const file = await slack.readFile(id, maxKept);
    return 'text' in file ? file.text : '';
  } catch (error) {
    // A missing scope has its own warning, once (`missing-scopes.ts`).
    if (missingScope(error) === '') log.info({ reason: slackReason(error) }, 'timeline: Slack does not give a file');
    return '';
  }
}

/** A file's content between lines that it does not have itself; `""` when it is empty, or no text. */
function toBlock(name: string, content: string): string {
  const text = stripControls(content).trimEnd();
  if (text === '' || content.includes('\0')) return '';
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${toOneLine(toPlainText(name))}:\n${fence}\n${text}\n${fence}`;
}

/** The button under a noted message that links its dashboards, as it looks. */
export const linkNotedFace = { id: 'dash.link.noted', label: 'Link dashboards' } as const;

/** The value of that button: the addresses of dashboards in a noted message, and the incident to which it was added. */
export const NotedAddresses = z.object({ incidentID: z.string(), addresses: z.array(z.string()) });

/** Slack takes a value of 2,000 characters (docs/slack.md 6). */
const longestValue = 1900;

/** The value, where the message has the address of a dashboard of the team. */
export function findDashboards(
  { webUrl, dashboardHosts }: Settings,
  { incidentID, text }: MessageNote,
): z.output<typeof NotedAddresses> | undefined {
  const hosts = new Set([...dashboardHosts, ...(webUrl === '' ? [] : [new URL(webUrl).host])]);
  const isDashboard = (address: string) => {
    const url = URL.parse(address);
    return url !== null && hosts.has(url.host) && /\/(?:d|goto)\//.test(url.pathname);
  };
  const found = text.match(/https?:\/\/[^\s<>|)]+/g) ?? [];
  const addresses = [...new Set(found.map(each => trimEnd(each, /[.,;:!?]/)))].filter(isDashboard);
  const value = { incidentID, addresses };
  return addresses.length === 0 || JSON.stringify(value).length > longestValue ? undefined : value;
}
