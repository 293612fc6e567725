import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/context.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { defineButton, pressable } from '../../dispatch/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { roomMention } from '../../incident/room-mention.ts';
import type { IncidentSummary } from '../../incident/snapshots.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { actions, context, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { formatDuration } from '../../text/times.ts';
import { stripControls } from '../../text/words.ts';
import { agedListNotice, noSnapshotWords, orUnreachable, patience, under } from './snapshot-words.ts';

const pageSize = 10;
/** The most characters of a query: it travels in a button, which holds 2,000 (docs/slack.md 5). */
const maxQuery = 800;
const maxButtonValue = 2000;

const example = 'For example `/incident list status:active severity:major`, or a word of the title.';

/** An incident in one line of mrkdwn. */
async function lineOf(deps: Deps, preview: IncidentSummary, now: Date): Promise<string> {
  const sign = preview.status === 'resolved' ? ':large_green_circle:' : ':red_circle:';
  const start = Date.parse(preview.incidentStart || preview.createdTime);
  const age = Number.isNaN(start) ? '' : ` · ${formatDuration((now.getTime() - start) / 1000)} ago`;
  const end = Date.parse(preview.incidentEnd);
  const took =
    preview.status !== 'resolved' || Number.isNaN(end - start) ? '' : `, took ${formatDuration((end - start) / 1000)}`;
  const room = await deps.rooms.ofIncident(preview.incidentID);
  const where = room && !room.isPrivate ? roomMention(room) : '';
  const drill = preview.isDrill ? ':dart: Drill · ' : '';
  return `${sign} *${toMrkdwn(preview.incidentID, 40)}* ${drill}${toMrkdwn(preview.title, 150)} · ${toMrkdwn(preview.severityLabel, 60)}${age}${took}${where ? ` · ${where}` : ''}`;
}

/** The incidents that a person declared or takes part in, in the API's query language. */
async function ownQuery({ deps, actor }: Context): Promise<string> {
  const name = actor.email || (await deps.people.toKnown(actor)).userID;
  const value = name.includes('"') ? `'${name}'` : `"${name}"`;
  return `or(createdby:${value} user.email:${value})`;
}

/** A page of incidents, newest first. Throws an RpcError when they cannot be read. */
async function listWords(ctx: Context, query: string, from: string): Promise<Words> {
  const { deps, now } = ctx;
  const isOwn = asksForOwn(query);
  const queryString = isOwn ? await ownQuery(ctx) : query;
  const page = deps.api.IncidentsService.QueryIncidentPreviews(
    {
      query: { limit: pageSize, orderField: 'createdTime', orderDirection: 'DESC', queryString },
      cursor: { nextValue: from, hasMore: from !== '' },
    },
    { budget: patience },
  );
  const read = await orUnreachable(page);
  if ('error' in read) return snapshotList(ctx, read.error, query, from);
  const { incidentPreviews, cursor } = read.answer;
  const lines = await Promise.all(incidentPreviews.map(preview => lineOf(deps, preview, now)));
  const asked = isOwn ? ' that you declared or have a role in' : query ? ` for “${toMrkdwn(query, 200)}”` : '';
  const value = { query, cursor: cursor.nextValue };
  const hasMore = cursor.hasMore && cursor.nextValue !== '';
  const fits = JSON.stringify(value).length <= maxButtonValue;
  if (lines.length === 0) {
    const none = isOwn
      ? 'You declared no incident and have no role in one.'
      : query
        ? `No incident matches${asked}. ${example}`
        : 'There is no incident yet. Declare one with `/incident declare`.';
    const text = from === '' ? none : `There are no more incidents${asked}.`;
    return { text, blocks: [section(text)] };
  }
  const title = from === '' ? `*Incidents*${asked}, newest first` : `*More incidents*${asked}`;
  return {
    text: `${title}: ${lines.length}`,
    blocks: [
      section(title),
      ...lines.map(line => section(line)),
      ...(hasMore && fits ? [actions([pressable(moreButton, value)])] : []),
      ...(hasMore && !fits ? [context('There are more. Use a narrower query to find them.')] : []),
    ],
  };
}

/** The newest snapshots. Only the API can run a query or show further pages. */
async function snapshotList(ctx: Context, error: RpcError, query: string, from: string): Promise<Words> {
  const { deps, now } = ctx;
  if (from !== '') return noSnapshotWords(ctx, error, 'I cannot show the next page.');
  const seen = await deps.snapshots.latest(pageSize);
  if (seen.length === 0) return noSnapshotWords(ctx, error, 'I have not seen any incident before.');
  ctx.log.warn({ err: error }, 'incidents: the API is away, showing snapshots');
  const unasked =
    query && `I cannot search for “${toMrkdwn(query, 200)}” while the API is away. These are the newest incidents.`;
  const lines = await Promise.all(seen.map(({ summary }) => lineOf(deps, summary, now)));
  const title = '*Incidents* as I last saw them, newest first';
  return under(agedListNotice(error, seen, now), {
    text: `${title}: ${lines.length}`,
    blocks: [section(title), ...lines.map(line => section(line)), ...(unasked ? [context(unasked)] : [])],
  });
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
    await ctx.answer(await listWords(ctx, query, ''));
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'invalid_argument' || query === '') throw error;
    await ctx.reject(`I cannot search for that: “${toMrkdwn(error.message, 400)}”. ${example}`);
  }
}

/** Shows the next page. */
export const moreButton = defineButton({
  id: 'incident.list.more',
  label: 'More',
  value: z.object({ query: z.string(), cursor: z.string() }),
  reads: true,
  run: async (ctx, { value }) => ctx.answer(await listWords(ctx, value.query, value.cursor)),
});
