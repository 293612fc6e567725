import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import {
  definePostable,
  type Public,
  readByOthers,
  toListBlocks,
  whyNotPublic,
} from '../../dispatch/surfaces/post-to-channel.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { agedListNotice } from '../../incident/state/snapshots.ts';
import { NotVisible, type Share, type Subject } from '../../people/visibility.ts';
import { context, section } from '../../text/blocks.ts';
import {
  type Asked,
  askedFor,
  asRemembered,
  incidentLine,
  isListedAs,
  type Listed,
  mostRemembered,
  readListed,
  type State,
  toAsked,
  unregisteredLine,
  unregisteredOf,
} from './list-read.ts';
import { orUnreachable, publicWords } from './words.ts';

/** Incidents of a posted list: those that go on matter more. */
const most = { active: 60, resolved: 5 } as const;

/** The list of incidents, for all in a channel: those that everybody there may see. */
export const postedList = definePostable({
  id: 'incident.list.post',
  part: 'incidents',
  value: z.object({ query: z.string() }),
  words: publicList,
});

/** What a list holds. `notice` says that it is old. */
interface Found {
  readonly waiting: readonly DeclaredIncident[];
  readonly active: readonly Listed[];
  readonly resolved: readonly Listed[];
  readonly hasMore: boolean;
  readonly notice: string;
}

async function publicList(ctx: Context, { query }: { query: string }): Promise<Public> {
  const asked = await toAsked(ctx, query);
  const found = await find(ctx, asked);
  if ('not' in found) return found;
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
    ...(hidden > 0 ? { aside: leftOut(hidden) } : {}),
  };
}

function leftOut(count: number): string {
  return count === 1
    ? 'I left out 1 incident that not everybody here sees.'
    : `I left out ${count} incidents that not everybody here sees.`;
}

/** Reads the list as the person sees it; while the API is away, as it was seen last. */
async function find(ctx: Context, asked: Asked): Promise<Found | { readonly not: string }> {
  const waiting = await unregisteredOf(ctx, asked);
  const read = (state: State) => readListed(ctx, asked, state, { limit: most[state] });
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
  const inState = (state: State) => listed.filter(({ incident }) => isListedAs(state, incident)).slice(0, most[state]);
  const [active, resolved] = [inState('active'), inState('resolved')];
  const notice = seen.length === 0 ? '' : agedListNotice(answer.error, seen, now, ctx.deps.settings.apiName);
  return { waiting, active, resolved, hasMore: false, notice };
}

/** What the readers of the channel may see of an incident; nothing while that cannot be told. */
async function shareOf({ deps, location }: Context, subject: Subject): Promise<Share> {
  try {
    return await deps.visibility.share('posted list', subject, location.channelId);
  } catch (error) {
    if (error instanceof NotVisible || error instanceof RpcError) return 'nothing';
    throw error;
  }
}

/** The status of an incident, for all in a channel who may see it. */
export const postedStatus = definePostable({
  id: 'incident.status.post',
  part: 'status',
  value: z.object({ incidentID: z.string() }),
  words: async (ctx, { incidentID }) => {
    const not = await whyNotPublic(ctx, 'status', incidentID);
    if (not) return { not };
    const words = await publicWords(ctx, incidentID);
    return words
      ? { ...words, about: [incidentID] }
      : { not: `${ctx.deps.settings.apiName} cannot be reached, and I have not seen this incident before.` };
  },
});
