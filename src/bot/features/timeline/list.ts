import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { isUnread, type RpcError } from '../../../contract/errors.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { askWhich } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { type Button, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import type { StoredLine } from '../../incident/lines/store.ts';
import { lineText } from '../../incident/lines/words.ts';
import { isImportant, NoteAddress } from '../../incident/notes/notes.ts';
import { isOfNote, itemWords } from '../../incident/notes/timeline-words.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { whyAway } from '../../incident/state/snapshots.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { readMentions } from '../../people/mentions.ts';
import { whyNot } from '../../people/reach.ts';
import { actions, confirmLoss, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { parseTime, toSlackDate } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';

/** The items of a timeline that a person wants to see. It travels with buttons (docs/slack.md 5: at most 2,000 characters). */
const Filter = z.object({
  only: z.enum(['all', 'notes', 'changes']),
  important: z.boolean(),
  /** Slack ids: items by or about one of them. */
  people: z.array(z.string()),
  /** Epoch milliseconds; 0 for the whole timeline. */
  since: z.number(),
});
type Filter = z.output<typeof Filter>;

/** Most people that a filter names: they ride in a button's value. */
const maxPeople = 10;

const filters = new Map<string, Partial<Filter>>([
  ...['note', 'notes'].map(word => [word, { only: 'notes' }] as const),
  ...['change', 'changes', 'events'].map(word => [word, { only: 'changes' }] as const),
  ...['important', 'starred'].map(word => [word, { important: true }] as const),
  ['all', {}],
  ['everything', {}],
]);

/** Reads `notes @bob since 20m ago`; otherwise the words that are no filter, or a sentence of mrkdwn. */
function readFilter(ctx: Context, args: Args): Filter | { readonly problem: string } | { readonly unknown: string } {
  const mentioned = readMentions(args, ctx.actor.userId);
  if (mentioned.problem !== '') return { problem: mentioned.problem };
  const [, before = '', since = ''] = /^(.*?)(?:(?:^|\s)(?:since|from|after)\s+(.+))?$/is.exec(mentioned.rest) ?? [];
  const mine = /\bmine\b/i.test(before) ? [ctx.actor.userId] : [];
  const typed = before.split(/\s+/).filter(word => word !== '' && !/^(?:mine|by|of|and)$/i.test(word));
  if (typed.some(word => !filters.has(word.toLowerCase()))) return { unknown: mentioned.rest };
  const at = since === '' ? undefined : parseTime(since, { now: ctx.now, timeZone: ctx.actor.timeZone });
  if (at && 'problem' in at) return { problem: toMrkdwn(at.problem) };
  const chosen = Object.assign({}, ...typed.map(word => filters.get(word.toLowerCase())));
  return {
    only: 'all',
    important: false,
    people: [...mentioned.ids, ...mine].slice(0, maxPeople),
    since: at ? at.at.getTime() : 0,
    ...chosen,
  };
}

/** Decides about one item. `users` are the ids under which the API knows the people of the filter. */
function fits(item: ActivityItem, filter: Filter, users: ReadonlySet<string>): boolean {
  const isNote = item.activityKind === 'userNote';
  if (filter.only === 'changes' && isNote) return false;
  if (filter.important && !isImportant(item)) return false;
  const { addedByUser } = item.fieldValues;
  return (
    filter.people.length === 0 ||
    [item.user.userID, item.subjectUser.userID].some(id => users.has(id)) ||
    (typeof addedByUser === 'string' && filter.people.includes(addedByUser))
  );
}

/** The filter as the end of a headline, in mrkdwn: `, notes only, by @bob`. */
function filterWords({ only, important, people, since }: Filter): string {
  const parts = [
    ...(only === 'all' ? [] : [`${only} only`]),
    ...(important ? ['important ones'] : []),
    ...(people.length > 0 ? [`by or about ${people.map(mention).join(', ')}`] : []),
    ...(since > 0 ? [`since ${toSlackDate(new Date(since))}`] : []),
  ];
  return parts.map(part => `, ${part}`).join('');
}

/** A place in a timeline: the cursor of a page of the API's, and the items of it that were shown. */
const Place = z.object({ cursor: z.string(), skip: z.number() });
type Place = z.output<typeof Place>;

/** The page of a timeline that shows the newest items. */
const firstPlace: Place = { cursor: '', skip: 0 };

const Page = z.object({ filter: Filter, place: Place });
type Page = z.output<typeof Page>;

/** `/note list`: the newest notes. */
export const newestNotes: Page = {
  filter: { only: 'notes', important: false, people: [], since: 0 },
  place: firstPlace,
};

/** A page of a timeline, and the incident. */
const Wanted = Page.extend({ incidentID: z.string() });
type Wanted = z.output<typeof Wanted>;

/** A note in a list. `page`: that of the list, where it is not {@link newestNotes}: a message holds only so many characters. */
export const ListedNote = NoteAddress.extend({ page: Page.optional() });

/** The buttons of notes, as they look. */
export const faces = {
  add: { id: 'note.add', label: 'Add note' },
  edit: { id: 'note.edit', label: 'Edit' },
  mark: { id: 'note.important', label: 'Important' },
  remove: { id: 'note.remove', label: 'Remove', style: 'danger' },
} as const;

/** Items on one page: a note takes two of the 50 blocks of a message (docs/slack.md 5), and a phone must show it. */
const mostOnPage = 10;
/** JSON of a page: as much of it as Slack takes, which is near 13,200 (docs/slack.md 5). */
const mostJson = 13_000;
const readAtOnce = 100;
/** Reads that may go into one page; an item that is rarer is found by pressing on. */
const maxReads = 10;

function pageButton(id: string, label: string) {
  return defineButton<Wanted>({ id, label, value: Wanted, reads: true, run: (ctx, { value }) => showPage(ctx, value) });
}

const olderButton = pageButton('timeline.older', 'Older ›');
const newestButton = pageButton('timeline.newest', '‹ Newest');

/** The buttons that turn the pages of a timeline. */
export const timelineButtons = [olderButton, newestButton] as Button[];

/** `/incident timeline notes @bob since 20m ago`. Words that are no filter may be a note. */
export async function runTimeline(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const filter = readFilter(ctx, args);
  if ('problem' in filter) return ctx.reject(filter.problem);
  if (!('unknown' in filter)) return showPage(ctx, { incidentID, filter, place: firstPlace });
  const says =
    'The timeline can show `notes`, `changes`, `important` ones, those of a person (`@bob`, `me`), and those `since 20m ago`.';
  const words = args.raw.replace(/^add\s+/i, '');
  await askWhich(ctx, says, [
    {
      label: `Add it as a note: ${toOneLine(words)}`,
      draft: { kind: 'command', root: 'note', text: `add ${words}` },
      incidentID,
    },
    { label: 'Show the timeline', draft: { kind: 'command', root: 'incident', text: 'timeline' }, incidentID },
  ]);
}

/** Shows a page of a timeline in place of the one where it was asked for. `notice` is above it. */
export async function showPage(ctx: Context, wanted: Wanted, notice?: Words): Promise<void> {
  await ctx.replace(await pageWords(ctx, wanted, notice));
}

/** A page of a timeline, under a notice. */
export async function pageWords(ctx: Context, asked: Wanted, notice?: Words): Promise<Words> {
  const wanted = { ...asked, incidentID: await toCurrentID(ctx.deps, asked.incidentID) };
  const { incidentID, filter, place } = wanted;
  if (isProvisional(incidentID)) return unregisteredList(ctx.deps, incidentID, queuedNotes, ctx.now);
  const page = await readPage(ctx.deps, wanted).catch((error: unknown) => {
    if (isUnread(error)) return { error };
    throw error;
  });
  if ('error' in page) return rememberedTimeline(ctx, wanted, page.error);
  if (filter.only === 'all' && place.cursor === '') ctx.deps.visits.record(incidentID, ctx.actor.userId, ctx.now);
  const title = `*Timeline of ${incidentLabel(incidentID)}*${filterWords(filter)}, newest first`;
  const rows = page.items.map(({ item }, index) =>
    toRow(wanted, item, page.items.slice(0, index + 1).filter(each => isNote(each.item)).length),
  );
  /** The first `count` of them; the next page begins with the others. */
  const show = (count: number): Words => {
    const next = page.items[count]?.place ?? page.next;
    const left = page.items.length - count;
    const head = left === 0 ? title : `${title} · ${left} more have no room here: *Older* shows them`;
    const turning = [
      ...(place.cursor !== '' || place.skip > 0
        ? [pressable(newestButton, { incidentID, filter, place: firstPlace })]
        : []),
      ...(next ? [pressable(olderButton, { incidentID, filter, place: next })] : []),
      ...(filter.only === 'notes' && whyNot(ctx.actor) === undefined ? [pressable(faces.add, { incidentID })] : []),
    ];
    const items = page.items.slice(0, count).map(({ item }) => itemWords(item));
    return {
      text: [...(notice ? [notice.text] : []), head.replaceAll('*', ''), ...items].join('\n'),
      blocks: [
        ...(notice ? (notice.blocks ?? [section(notice.text)]) : []),
        section(head),
        ...(rows.length === 0 ? [section(page.next ? nothingHere : nothing)] : []),
        ...rows.slice(0, count).flat(),
        ...(turning.length > 0 ? [actions(turning)] : []),
      ],
    };
  };
  let count = rows.length;
  while (count > 1 && JSON.stringify(show(count).blocks).length > mostJson) count -= 1;
  return show(count);
}

const nothing =
  'Nothing was found. `/note …` writes a note, and *Add to timeline* in a message’s menu records the message.';
const nothingHere = 'Nothing was found among the newest 1,000. *Older* looks further.';

/** Reads until a page is full, the timeline ends, or enough was read. */
async function readPage(
  { api, people, deadlines }: Deps,
  { incidentID, filter, place }: Wanted,
): Promise<{ items: readonly { readonly item: ActivityItem; readonly place: Place }[]; next: Place | undefined }> {
  const named = await Promise.all(
    filter.people.map(async id => {
      const person = await people.find(id);
      return person ? (await people.toNamed(person)).userID : '';
    }),
  );
  const users = new Set(named.filter(id => id !== ''));
  const query = {
    incidentID,
    orderDirection: 'DESC' as const,
    limit: readAtOnce,
    ...(filter.only === 'notes' ? { activityKind: ['userNote' as const] } : {}),
  };
  const items: { item: ActivityItem; place: Place }[] = [];
  let { cursor, skip } = place;
  for (let read = 0; read < maxReads; read += 1) {
    const answer = await api.ActivityService.QueryActivity(
      { query, cursor: { nextValue: cursor, hasMore: cursor !== '' } },
      { budget: deadlines.reads.asked },
    );
    for (const [index, item] of answer.activityItems.entries()) {
      if (index < skip) continue;
      if (filter.since > 0 && Date.parse(item.eventTime) < filter.since) return { items, next: undefined };
      if (isOfNote(item, answer.activityItems) || !fits(item, filter, users)) continue;
      if (items.length === mostOnPage) return { items, next: { cursor, skip: index } };
      items.push({ item, place: { cursor, skip: index } });
    }
    if (!answer.cursor.hasMore) return { items, next: undefined };
    cursor = answer.cursor.nextValue;
    skip = 0;
  }
  return { items, next: { cursor, skip } };
}

/** Whether people may change it. */
function isNote({ activityKind, immutable }: ActivityItem): boolean {
  return activityKind === 'userNote' && !immutable;
}

/** An item, with its buttons where it is a note; `number` is then its row among the notes of the page, from 1. */
function toRow({ incidentID, filter, place }: Wanted, item: ActivityItem, number: number): KnownBlock[] {
  const words = section(itemWords(item));
  if (!isNote(item)) return [words];
  const address = { incidentID, activityItemID: item.activityItemID };
  const isUsual = JSON.stringify({ filter, place }) === JSON.stringify(newestNotes);
  const listed = isUsual ? address : { ...address, page: { filter, place } };
  const important = !isImportant(item);
  const label = important ? faces.mark.label : 'Not important';
  const spoken = (what: string) => ({ spoken: `${what}, row ${number}: ${splitNoteBody(item.body).text}` });
  const confirm = confirmLoss('Remove this note?', 'It leaves the timeline for good.', faces.remove.label);
  return [
    words,
    actions([
      pressable(faces.edit, listed, spoken(faces.edit.label)),
      pressable(faces.mark, { ...listed, important }, { label, ...spoken(label) }),
      { ...pressable(faces.remove, listed, spoken(faces.remove.label)), confirm },
    ]),
  ];
}

/** Lines that are looked through, and shown. */
const mostRead = 200;
const mostShown = 20;

/** The queued changes of the timeline. */
const queuedNotes: QueuedSort = {
  name: 'timeline',
  kinds: ['note.', 'timeline.', 'update.', 'incident.resolve.summary'],
};

/**
 * The timeline as Muster remembers it while the API cannot be reached: the lines about changes, and what is queued. Throws the error when
 * it remembers nothing.
 */
async function rememberedTimeline(ctx: Context, { incidentID, filter }: Wanted, error: RpcError): Promise<Words> {
  const { deps, now, log } = ctx;
  // The line about an outage has no actor: it tells of no change.
  const all = (await deps.lines.newest(incidentID, mostRead)).filter(each => each.actor !== '');
  const queued = await queuedOf(deps, incidentID, queuedNotes, now);
  const [newest] = all;
  if (!newest) {
    if (queued.length === 0) throw error;
    const text = `${signs.warning} ${whyAway(error, ctx.deps.settings.apiName)} I remember nothing of the timeline.`;
    return { text, blocks: [section(text), ...queued] };
  }
  log.warn({ err: error, incident: incidentID }, 'timeline: the API is away, showing what is remembered');
  const shown = all.filter(each => fitsLine(each, filter)).slice(0, mostShown);
  const asOf = when(new Date(newest.done_at).toISOString());
  const notice = `${signs.warning} ${whyAway(error, ctx.deps.settings.apiName)} This is what was done through Muster, as of ${asOf}.`;
  const title = `*Timeline of ${incidentLabel(incidentID)}*${filterWords(filter)}, newest first`;
  const lines = shown.map(each => `${when(new Date(each.done_at).toISOString())} ${lineText(each)}`);
  return {
    text: [notice, title, ...lines].join('\n'),
    blocks: [
      section(notice),
      section(title),
      ...(lines.length === 0 ? [section('Nothing was found.')] : lines.map(line => section(line))),
      ...queued,
    ],
  };
}

function fitsLine({ words, actor, done_at }: StoredLine, { only, important, people, since }: Filter): boolean {
  const isNote = words.startsWith(signs.note);
  const isBy = (id: string) => actor.endsWith(`/${id}`) || words.includes(mention(id));
  return (
    (only === 'all' || isNote === (only === 'notes')) &&
    (!important || words.includes(signs.important)) &&
    (people.length === 0 || people.some(isBy)) &&
    done_at >= since
  );
}
