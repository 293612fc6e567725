import type { Button, Feature } from '../../dispatch/feature.ts';
import { moreButton, runList } from './list.ts';
import { openButton } from './open.ts';
import { statusWords } from './status-words.ts';

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
      summary: 'Show you alone how the incident stands: people, open tasks, latest on the timeline.',
      reads: true,
      about: 'incident',
      run: async (ctx, _args, incidentID) => ctx.answer(await statusWords(ctx, incidentID)),
    },
    {
      noun: 'incident',
      verb: 'list',
      aliases: ['ls', 'recent', 'search'],
      shorthands: { mine: 'me' },
      usage: '[query | me]',
      summary:
        'List recent incidents, your own, or those that a query finds: status:active severity:major label:checkout.',
      reads: true,
      about: 'anything',
      run: runList,
    },
  ],
  buttons: [moreButton, openButton] as Button[],
  operations: {
    'IncidentsService.GetIncident': ['/incident status', 'button incident.show'],
    'IncidentsService.QueryIncidentPreviews': ['/incident list', 'button incident.list.more'],
    'IncidentsService.GetIncidentMembership': ['/incident status'],
    'ActivityService.QueryActivity': ['/incident status'],
  },
};
