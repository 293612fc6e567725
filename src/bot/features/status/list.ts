import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { noIncidentYet } from '../../dispatch/forms/no-incident.ts';
import {
  addButtons,
  definePostable,
  type Public,
  readByOthers,
  toListBlocks,
} from '../../dispatch/surfaces/post-to-channel.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { agedListNotice } from '../../incident/state/snapshots.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { NotVisible, type Share, type Subject } from '../../people/visibility.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { stripControls } from '../../text/words.ts';
import {
  askedFor,
  asRemembered,
  type IncidentQuery,
  incidentLine,
  incidentRow,
  isListedAs,
  type ListedIncident,
  mostRemembered,
  othersActive,
  readListed,
  type State,
  toIncidentQuery,
  unregisteredLine,
  unregisteredOf,
  unregisteredRow,
} from './list-read.ts';
import { noSnapshotWords, orUnreachable, under } from './words.ts';

/** Incidents of a page: those that go on matter more. */
const pageSize = { active: 10, resolved: 5 } as const;
/** The most characters of a query: it travels in a button, which holds more. */
const maxQuery = 800;

const example = 'For example `/incident list status:active severity:major`, or a word of the title.';

/** A page of the incidents in one state, and the button to the next one. */
interface Part {
  readonly listed: readonly ListedIncident[];
  readonly more: readonly KnownBlock[];
  readonly hasMore: boolean;
  /** How many were declared by mistake, and are left out. */
  readonly mistakes: number;
}

const nothing: Part = { listed: [], more: [], hasMore: false, mistakes: 0 };

async function readPart(ctx: Context, asked: IncidentQuery, state: State, from: string): Promise<Part> {
  const { listed, next, mistakes } = await readListed(ctx, asked, state, { limit: pageSize[state], from });
  const value = { query: asked.typed, cursor: next, state };
  const hasMore = next !== '';
  const fits = JSON.stringify(value).length <= slackLimits.buttonValue;
  const turn = pressable(moreButton, value, { label: `More ${state} ones` });
  const rest = fits ? actions([turn]) : context('There are more. Use a narrower query to find them.');
  return { listed, more: hasMore ? [rest] : [], hasMore, mistakes };
}

/** The first page: what goes on, then what was resolved lately. Throws an RpcError when it cannot be read. */
async function listWords(ctx: Context, query: string): Promise<Words> {
  const asked = await toIncidentQuery(ctx, query);
  const waiting = await unregisteredOf(ctx, asked);
  const parts = Promise.all([readPart(ctx, asked, 'active', ''), readPart(ctx, asked, 'resolved', '')]);
  const read = await orUnreachable(parts);
  // A query that the API cannot read.
  if ('error' in read && read.error.isDoubtful && asked.isSearch) throw read.error;
  if ('error' in read) return rememberedWords(ctx, read.error, asked, waiting);
  const [active, resolved] = asked.isOwn ? await addDeclared(ctx, read.answer) : read.answer;
  if (waiting.length + active.listed.length + resolved.listed.length + resolved.mistakes === 0) {
    const none = noIncidentYet(ctx.actor);
    if (!asked.isOwn && query === '') return { text: none.text, blocks: [section(none.text), ...none.offers] };
    const text = asked.isOwn
      ? 'You declared no incident and have no role in one.'
      : `No incident was found${askedFor(asked)}. ${(await othersActive(ctx)) || example}`;
    return { text, blocks: [section(text)] };
  }
  return offered(ctx, asked, await toWords(ctx, { waiting, active, resolved }, asked));
}

/** The first pages of a person's own incidents, with those that they declared through Muster, which a Grafana does not know as theirs. */
async function addDeclared(
  { deps, actor, now }: Context,
  pages: readonly [Part, Part],
): Promise<readonly [Part, Part]> {
  const known = new Set(pages.flatMap(page => page.listed.map(each => each.incident.incidentID)));
  const ids = (await deps.rooms.declaredBy(actor)).filter(id => !known.has(id) && !isProvisional(id));
  const seen = (await Promise.all(ids.map(id => deps.snapshots.get(id)))).filter(each => each !== undefined);
  const more = async (page: Part, state: State): Promise<Part> => {
    // The missing ones may be on the next page.
    const some = page.hasMore ? [] : seen.filter(({ summary }) => isListedAs(state, summary));
    const listed = [...page.listed, ...(await asRemembered(deps, now, some.slice(0, pageSize[state])))];
    return { ...page, listed: listed.toSorted((one, other) => declaredAt(other) - declaredAt(one)) };
  };
  return [await more(pages[0], 'active'), await more(pages[1], 'resolved')];
}

const declaredAt = ({ incident }: ListedIncident) => Date.parse(incident.createdTime) || 0;

/** The list with the button that posts it. A person's own list is for them alone. */
function offered(ctx: Context, { typed: query, isOwn }: IncidentQuery, words: Words): Words {
  return isOwn ? words : addButtons(words, postedList.offer(ctx, { query }));
}

/** A further page of the incidents in one state. */
async function moreWords(ctx: Context, query: string, state: State, from: string): Promise<Words> {
  const asked = await toIncidentQuery(ctx, query);
  const read = await orUnreachable(readPart(ctx, asked, state, from));
  if ('error' in read) return noSnapshotWords(ctx, read.error, 'I cannot show the next page.');
  const part = read.answer;
  const title = `*More ${state} incidents*${askedFor(asked)}`;
  const none = `There are no more ${state} incidents${askedFor(asked)}.`;
  if (part.listed.length === 0) return { text: none, blocks: [section(none)] };
  const blocks = await fitting(async isBrief => [section(title), ...(await toRows(ctx, part, isBrief))]);
  return { text: title, blocks };
}

async function toWords(
  ctx: Context,
  { waiting, active, resolved }: { waiting: readonly DeclaredIncident[]; active: Part; resolved: Part },
  asked: IncidentQuery,
): Promise<Words> {
  const count = waiting.length + active.listed.length;
  const others = count === 0 && asked.typed !== '' ? await othersActive(ctx) : '';
  const none = others === '' ? '' : `. ${others}`;
  const wanted = askedFor(asked);
  const title =
    count === 0 ? `*No incident is active*${wanted}${none}` : `*Active incidents*${wanted}${counted(count, active)}`;
  const over = `*Recently resolved*${counted(resolved.listed.length, resolved)}`;
  const isOver = asked.only === 'resolved';
  const blocks = await fitting(async isBrief => [
    ...(isOver ? [] : [section(title)]),
    ...(await Promise.all(waiting.map(each => unregisteredRow(ctx.deps, each, ctx.now, isBrief)))),
    ...(await toRows(ctx, active, isBrief)),
    ...(resolved.listed.length === 0 ? [] : [section(over), ...(await toRows(ctx, resolved, isBrief))]),
  ]);
  return { text: isOver ? over : title, blocks };
}

/** How many there are; several pages are not counted. */
function counted(count: number, { hasMore }: Part): string {
  return hasMore ? `, the newest ${count}` : ` (${count})`;
}

async function toRows(
  { deps, now }: Context,
  { listed, more }: Part,
  isBrief: boolean,
): Promise<readonly KnownBlock[]> {
  return [...(await Promise.all(listed.map(each => incidentRow(deps, each, now, isBrief)))), ...more];
}

/** The rows in full, or in brief where Slack would refuse them. */
async function fitting(make: (isBrief: boolean) => Promise<readonly KnownBlock[]>): Promise<readonly KnownBlock[]> {
  const blocks = await make(false);
  return JSON.stringify(blocks).length <= slackLimits.messageJson ? blocks : make(true);
}

/** The newest snapshots. Only the API can run a query or show further pages. */
async function rememberedWords(
  ctx: Context,
  error: RpcError,
  asked: IncidentQuery,
  waiting: readonly DeclaredIncident[],
): Promise<Words> {
  const { deps, now } = ctx;
  const seen = await deps.snapshots.latest(mostRemembered);
  if (seen.length === 0 && waiting.length === 0)
    return noSnapshotWords(ctx, error, 'I have not seen any incident before.');
  ctx.log.warn({ err: error }, 'incidents: the API is away, showing snapshots');
  const inState = async (state: State): Promise<Part> => {
    const some = seen.filter(({ summary }) => isListedAs(state, summary));
    return { ...nothing, listed: await asRemembered(deps, now, some.slice(0, pageSize[state])) };
  };
  const [active, resolved] = await Promise.all([inState('active'), inState('resolved')]);
  const words = await toWords(ctx, { waiting, active, resolved }, { typed: '', isOwn: false, queryString: '' });
  const unasked = asked.typed
    ? [
        context(
          `I cannot search for “${toMrkdwn(asked.typed, 200)}” while ${ctx.deps.settings.apiName} does not answer. These are the newest incidents.`,
        ),
      ]
    : [];
  const whole = { ...words, blocks: [...(words.blocks ?? []), ...unasked] };
  const noticed = seen.length === 0 ? whole : under(agedListNotice(error, seen, now, ctx.deps.settings.apiName), whole);
  return asked.typed === '' ? offered(ctx, asked, noticed) : noticed;
}

/** Lists incidents; what follows the verb is a query in the API's own language (docs/api-rules.md A7). */
export async function runList(ctx: Context, args: Args): Promise<void> {
  const query = stripControls(args.raw)
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‘’‚‛]/g, "'")
    .trim();
  if (query.length > maxQuery) {
    const text = `A query has at most ${maxQuery} characters, and this one has ${query.length}. ${example}`;
    await ctx.reject(text);
    return;
  }
  try {
    if (!asksForOwn(query) && (await postedList.answerMention(ctx, { query }))) return;
    await ctx.answer(await listWords(ctx, query));
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'invalid_argument' || query === '') throw error;
    await ctx.reject(`I cannot search for that: “${toMrkdwn(error.message, 400)}”. ${example}`);
  }
}

/** Shows the list from its beginning. */
export const listButton = defineButton({
  id: 'incident.list',
  label: 'All incidents',
  value: z.object({}),
  reads: true,
  run: async ctx => ctx.answer(await listWords(ctx, '')),
});

/** Shows the next page of one state. */
export const moreButton = defineButton({
  id: 'incident.list.more',
  label: 'More',
  value: z.object({ query: z.string(), cursor: z.string(), state: z.enum(['active', 'resolved']).default('active') }),
  reads: true,
  run: async (ctx, { value }) => ctx.answer(await moreWords(ctx, value.query, value.state, value.cursor)),
});

/** Incidents of a posted list: those that go on matter more. */
const mostPosted = { active: 60, resolved: 5 } as const;

/** The list of incidents, for all in a channel: those that everybody there may see. */
export const postedList = definePostable({
  id: 'incident.list.post',
  part: 'incidents',
  value: z.object({ query: z.string() }),
  words: publicList,
});

async function publicList(ctx: Context, { query }: { query: string }): Promise<Public> {
  const asked = await toIncidentQuery(ctx, query);
  const found = await readPublic(ctx, asked);
  if (found.not !== undefined) return { not: found.not };
  const shares = new Map<string, Share>();
  const subjects: readonly Subject[] = [
    ...found.waiting.map(({ incidentID }) => ({ incidentID })),
    ...[...found.active, ...found.resolved].map(each => each.incident),
  ];
  await Promise.all(subjects.map(async each => shares.set(each.incidentID, await shareOf(ctx, each))));
  if ([...shares.values()].some(each => each === 'stub' || each === 'unknown')) return { not: await readByOthers(ctx) };
  const isPublic = ({ incidentID }: Subject) => shares.get(incidentID) === 'all';
  const waiting = found.waiting.filter(isPublic);
  const [active, resolved] = [found.active, found.resolved].map(list => list.filter(each => isPublic(each.incident)));
  const lines = await Promise.all([
    ...waiting.map(each => unregisteredLine(ctx.deps, each, ctx.now, { isPublic: true })),
    ...[...(active ?? []), ...(resolved ?? [])].map(each => incidentLine(ctx.deps, each, ctx.now, { isPublic: true })),
  ]);
  const hidden = subjects.length - lines.length;
  if (lines.length === 0)
    return { not: hidden > 0 ? 'not everybody here sees one of those incidents.' : 'the list is empty.' };
  const going = waiting.length + (active ?? []).length;
  const none = asked.only === 'resolved' ? 'Resolved incidents' : 'No incident is active';
  const title = `*${going === 0 ? none : `Active incidents (${going})`}*${askedFor(asked)}`;
  const list = toListBlocks(lines);
  const more = list.left > 0 || found.hasMore ? 'There are more: `/incident list` shows them, page by page.' : '';
  return {
    text: title,
    blocks: [
      ...(found.notice ? [section(found.notice)] : []),
      section(title),
      ...list.blocks,
      ...(more ? [context(more)] : []),
    ],
    about: subjects.filter(isPublic).map(each => each.incidentID),
    ...(hidden > 0
      ? { aside: `I left out ${hidden} ${hidden === 1 ? 'incident' : 'incidents'} that not everybody here sees.` }
      : {}),
  };
}

/** Reads the list as the person sees it; while the API is away, as it was seen last. */
async function readPublic(ctx: Context, asked: IncidentQuery) {
  const waiting = await unregisteredOf(ctx, asked);
  const read = (state: State) => readListed(ctx, asked, state, { limit: mostPosted[state] });
  const answer = await orUnreachable(Promise.all([read('active'), read('resolved')]));
  if ('answer' in answer) {
    const [active, resolved] = answer.answer;
    const hasMore = active.next !== '' || resolved.next !== '';
    return { waiting, active: active.listed, resolved: resolved.listed, hasMore, notice: '' };
  }
  const { deps, now } = ctx;
  if (asked.typed !== '') return { not: `${ctx.deps.settings.apiName} cannot be reached, and only it can search.` };
  const seen = await deps.snapshots.latest(mostRemembered);
  const listed = await asRemembered(deps, now, seen);
  const inState = (state: State) =>
    listed.filter(({ incident }) => isListedAs(state, incident)).slice(0, mostPosted[state]);
  const [active, resolved] = [inState('active'), inState('resolved')];
  const notice = seen.length === 0 ? '' : agedListNotice(answer.error, seen, now, ctx.deps.settings.apiName);
  return { waiting, active, resolved, hasMore: false, notice };
}

/** The part of an incident that the readers of the channel may see; nothing while that is not known. */
async function shareOf({ deps, location }: Context, subject: Subject): Promise<Share> {
  try {
    return await deps.visibility.share('posted list', subject, location.channelId);
  } catch (error) {
    if (error instanceof NotVisible || error instanceof RpcError) return 'nothing';
    throw error;
  }
}
