import type { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type QueuedSort, queuedOf } from '../../incident/acts/queued-words.ts';
import type { StoredLine } from '../../incident/lines/store.ts';
import { lineText } from '../../incident/lines/words.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { whyAway } from '../../incident/state/snapshot-words.ts';
import { mention, section, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { type Filter, filterWords } from './filter.ts';

/** Lines that are looked through, and shown. */
const mostRead = 200;
const mostShown = 20;

/** The queued changes of the timeline. */
export const queuedNotes: QueuedSort = {
  name: 'timeline',
  kinds: ['note.', 'timeline.', 'update.', 'incident.resolve.summary'],
};

/**
 * The timeline as Muster remembers it while the API cannot be reached: the lines about changes, and what is queued. Throws the error when
 * it remembers nothing.
 */
export async function rememberedTimeline(
  ctx: Context,
  { incidentID, filter }: { readonly incidentID: string; readonly filter: Filter },
  error: RpcError,
): Promise<Words> {
  const { deps, now, log } = ctx;
  // The line about the outage is nobody's change.
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
