import type { Context } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { actions } from '../../text/blocks.ts';
import { incidentsPart } from './home.ts';
import { listButton, moreButton, runList } from './list.ts';
import { openButton } from './open.ts';
import { postedList, postedStatus } from './posted.ts';
import { statusWords } from './words.ts';

/** Answers with the status, and offers to post it. A mention is answered in its thread, for all. */
async function showStatus(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  if (await postedStatus.answerMention(ctx, { incidentID })) return;
  const { text, blocks = [] } = await statusWords(ctx, incidentID);
  const offer = isProvisional(incidentID) ? [] : postedStatus.offer(ctx, { incidentID });
  await ctx.answer({ text, blocks: offer.length > 0 ? [...blocks, actions(offer)] : blocks });
}

/** Showing incidents: one in full, or a list of them. */
export const status: Feature = {
  name: 'status',
  verbs: [
    {
      noun: 'incident',
      verb: 'status',
      aliases: ['show', 'info', 'overview', 'details'],
      withWords: 'update',
      bare: true,
      begins: 'nothing',
      usage: '',
      summary: 'Show you alone the status: people, open tasks, latest on the timeline. By mention, show it to all.',
      reads: true,
      about: 'incident',
      run: showStatus,
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
  operations: {
    'IncidentsService.GetIncident': ['/incident status', 'button incident.show'],
    'IncidentsService.QueryIncidentPreviews': ['/incident list', 'button incident.list', 'button incident.list.more'],
    'IncidentsService.GetIncidentMembership': ['/incident status'],
    'ActivityService.QueryActivity': ['/incident status'],
  },
};
