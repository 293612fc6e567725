import type { Context } from '../../dispatch/feature/context.ts';
import { catchUpButton } from '../../dispatch/feature/faces.ts';
import { type Button, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import type { Settings } from '../../incident/state/settings.ts';
import type { IncidentSummary } from '../../incident/state/snapshots.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { actions, context, section } from '../../text/blocks.ts';
import { listButton, moreButton, postedList, runList } from './list.ts';
import { asRemembered, incidentRow, readLeaders, unregisteredRow } from './list-read.ts';
import { openButton, postedStatus, statusWords } from './words.ts';

/** Showing incidents: one in full, or a list of them. */
export const status: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'status',
      example: '`/incident status` shows people, tasks and the latest',
      aliases: ['show', 'info', 'overview', 'details'],
      textVerb: 'update',
      bare: true,
      argumentKind: 'nothing',
      summary: 'Show you alone the status: people, open tasks, latest on the timeline. By mention, show it to all.',
      reads: true,
      // Answers with the status, and offers to post it. A mention is answered in its thread, for all.
      run: async (ctx, _args, incidentID) => {
        if (await postedStatus.answerMention(ctx, { incidentID })) return;
        const { text, blocks = [] } = await statusWords(ctx, incidentID);
        const offer = isProvisional(incidentID) ? [] : postedStatus.offer(ctx, { incidentID });
        await ctx.answer({ text, blocks: offer.length > 0 ? [...blocks, actions(offer)] : blocks });
      },
    },
    {
      noun: 'incident',
      verb: 'list',
      aliases: ['ls', 'recent', 'search'],
      shorthands: { mine: 'me' },
      usage: '[query | me]',
      summary:
        'List recent incidents, your own, or those matching a query: status:active severity:major label:checkout. By mention, show everybody.',
      reads: true,
      about: 'anything',
      run: runList,
    },
  ],
  buttons: [listButton, moreButton, openButton, postedStatus.button, postedList.button] as Button[],
  onHome: incidentsPart,
};

/** Incidents on the home tab at most, and those among them that the API does not know yet. */
const mostShown = 10;
const mostUnregistered = 3;

/** The incidents that go on, on the home tab: the most severe, how many more there are, and the way to all of them. */
async function incidentsPart(
  { deps, now }: Context,
  { active, hasMore, unregistered }: HomeInput,
): Promise<readonly HomePart[]> {
  const waiting = unregistered.slice(0, mostUnregistered);
  const most = mostShown - waiting.length;
  const listed =
    'previews' in active
      ? await readLeaders(deps, now, gravestFirst(active.previews, deps.settings, each => each).slice(0, most))
      : await asRemembered(
          deps,
          now,
          gravestFirst(active.remembered, deps.settings, each => each.summary).slice(0, most),
        );
  const known = 'previews' in active ? active.previews.length : active.remembered.length;
  const count = known + unregistered.length;
  const more = count - listed.length - waiting.length;
  const title = count === 0 ? '*No incident is active.*' : `*Active incidents* (${count}${hasMore ? ' or more' : ''})`;
  const rest = more > 0 ? [context(`And ${hasMore ? 'more than ' : ''}${more} more.`)] : [];
  const rows = await Promise.all(
    listed.map(async each => {
      const { incidentID, title } = each.incident;
      const spoken = `Catch me up on incident ${incidentID}, ${title}`;
      return [await incidentRow(deps, each, now, false), actions([catchUpButton(incidentID, { spoken })])];
    }),
  );
  const blocks = [
    section(title),
    ...(await Promise.all(waiting.map(each => unregisteredRow(deps, each, now, false)))),
    ...rows.flat(),
    ...rest,
    actions([pressable(listButton, {})]),
  ];
  return [{ place: 'incidents', blocks }];
}

/** The most severe first, real ones before drills; of the same severity in the order given, which is the newest first. */
function gravestFirst<T>(
  incidents: readonly T[],
  { severities }: Settings,
  summaryOf: (each: T) => IncidentSummary,
): readonly T[] {
  const names = severities.map(each => each.toLowerCase());
  const rank = (each: T) => {
    const { severityLabel, isDrill } = summaryOf(each);
    return isDrill ? -2 : names.indexOf(severityLabel.toLowerCase());
  };
  return incidents.toSorted((one, other) => rank(other) - rank(one));
}
