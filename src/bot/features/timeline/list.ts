import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { ActivityItem } from '../../../contract/activity.ts';
import { isUnread } from '../../../contract/errors.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { askWhich } from '../../dispatch/command/ask-which.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { type Button, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { unregisteredList } from '../../incident/acts/queued-words.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { isImportant } from '../../incident/notes/notes.ts';
import { isOfNote, itemWords } from '../../incident/notes/timeline-words.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { whyNot } from '../../people/access.ts';
import { actions, section, type Words } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { addFace, firstPlace, newestNotes, noteButtons, Page, type Place } from './faces.ts';
import { filterWords, fits, kindsOf, readFilter } from './filter.ts';
import { queuedNotes, rememberedTimeline } from './remembered.ts';

/** Items on one page: a note takes two of the 50 blocks of a message (docs/slack.md 5), and a phone must show it. */
const mostOnPage = 10;
/** Items that are read at once. */
const readAtOnce = 100;
/** Reads that may go into one page; an item that is rarer is found by pressing on. */
const maxReads = 10;

/** What a page shows, and of which incident. */
const Wanted = Page.extend({ incidentID: z.string() });
type Wanted = z.output<typeof Wanted>;

function pageButton(id: string, label: string) {
  return defineButton<Wanted>({ id, label, value: Wanted, reads: true, run: (ctx, { value }) => showPage(ctx, value) });
}

const olderButton = pageButton('timeline.older', 'Older ›');
const newestButton = pageButton('timeline.newest', '‹ Newest');

/** The buttons that turn the pages of a timeline. */
export const timelineButtons: readonly Button[] = [olderButton, newestButton] as Button[];

/** `/incident timeline notes @bob since 20m ago`. */
export async function runTimeline(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const filter = readFilter(ctx, args);
  if ('problem' in filter) return ctx.reject(filter.problem);
  if ('unknown' in filter) return askWhat(ctx, args, incidentID);
  await showPage(ctx, { incidentID, filter, place: firstPlace });
}

/** `/note list`: the notes alone. */
export function runNotes(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  return showPage(ctx, { incidentID, ...newestNotes });
}

/** The words may be a note, or a filter that there is not. */
async function askWhat(ctx: Context, args: Args, incidentID: string): Promise<void> {
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

/** Shows a page of a timeline in place of the one where it was asked for. `notice` stands above it. */
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
  if (filter.only === 'all' && place.cursor === '') ctx.deps.visits.note(incidentID, ctx.actor.userId, ctx.now);
  const title = `*Timeline of ${incidentLabel(incidentID)}*${filterWords(filter)}, newest first`;
  const turning = [
    ...(place.cursor !== '' || place.skip > 0
      ? [pressable(newestButton, { incidentID, filter, place: firstPlace })]
      : []),
    ...(page.next ? [pressable(olderButton, { incidentID, filter, place: page.next })] : []),
    ...(filter.only === 'notes' && whyNot(ctx.actor) === undefined ? [pressable(addFace, { incidentID })] : []),
  ];
  return {
    text: [...(notice ? [notice.text] : []), title.replaceAll('*', ''), ...page.items.map(itemWords)].join('\n'),
    blocks: [
      ...(notice ? (notice.blocks ?? [section(notice.text)]) : []),
      section(title),
      ...(page.items.length === 0 ? [section(page.next ? nothingHere : nothing)] : []),
      ...page.items.flatMap((item, index) => toRow(wanted, item, page.items.slice(0, index + 1).filter(isNote).length)),
      ...(turning.length > 0 ? [actions(turning)] : []),
    ],
  };
}

const nothing =
  'Nothing was found. `/note …` writes a note, and *Add to timeline* in a message’s menu records the message.';
const nothingHere = 'Nothing was found among the newest 1,000. *Older* looks further.';

/** Reads until a page is full, the timeline ends, or enough was read. */
async function readPage(
  { api, people, deadlines }: Deps,
  { incidentID, filter, place }: Wanted,
): Promise<{ items: readonly ActivityItem[]; next: Place | undefined }> {
  const named = await Promise.all(
    filter.people.map(async id => {
      const person = await people.find(id);
      return person ? (await people.toNamed(person)).userID : '';
    }),
  );
  const users = new Set(named.filter(id => id !== ''));
  const kinds = kindsOf(filter);
  const query = {
    incidentID,
    orderDirection: 'DESC' as const,
    limit: readAtOnce,
    ...(kinds ? { activityKind: [...kinds] } : {}),
  };
  const items: ActivityItem[] = [];
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
      items.push(item);
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

/** An item; `number` is that of a note among those of the page. */
function toRow({ incidentID, filter, place }: Wanted, item: ActivityItem, number: number): KnownBlock[] {
  const address = { incidentID, activityItemID: item.activityItemID };
  const note = { important: isImportant(item), text: splitNoteBody(item.body).text, place: number };
  return [section(itemWords(item)), ...(isNote(item) ? [actions(noteButtons(address, { filter, place }, note))] : [])];
}
