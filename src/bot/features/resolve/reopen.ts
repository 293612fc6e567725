import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, type Verb } from '../../dispatch/feature/feature.ts';
import { OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { slackLimits } from '../../slack/limits.ts';
import { stripControls } from '../../text/words.ts';
import { addSummary, alreadyWords, changeStatus } from './intents.ts';
import { tooLong, toSummary } from './summary.ts';

async function reopen(ctx: Context, incidentID: string, reason = ''): Promise<void> {
  const why = reason === '' ? undefined : toSummary(ctx, incidentID, reason, 'reopening');
  const noted = why && (await ctx.submit(addSummary, why, { incidentID, hasMore: true }));
  const said = noted?.state === 'held' ? '' : reason;
  const reopened = await changeStatus(ctx, { incidentID, status: 'active', summary: said, mentions: [] });
  if ('words' in reopened) await ctx.answer(reopened.words);
  else await reopened.answerNotDone();
  if (why && noted && noted.state !== 'done') await ctx.answerNotDone(addSummary, why, noted);
}

async function runReopen(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const reason = stripControls(args.sentence).trim();
  if (reason.length > slackLimits.inputText) return ctx.reject(`I did not reopen it. ${tooLong(reason)}`);
  const incident = reason === '' ? undefined : await readKnown(ctx.deps, incidentID);
  if (incident?.status === 'active') return ctx.reject(alreadyWords(incident, 'active').text);
  await reopen(ctx, incidentID, reason);
}

/** Opens an incident again that is over. */
export const reopenButton = defineButton({
  id: 'incident.reopen',
  label: 'Reopen',
  value: OnIncident,
  run: (ctx, { value }) => reopen(ctx, value.incidentID),
});

/** The same as typed, with the reason. */
export const reopenVerb: Verb = {
  noun: 'incident',
  verb: 'reopen',
  aliases: ['unresolve', 'unclose', 'reactivate'],
  begins: 'reason',
  usage: '[why]',
  summary: 'Open a resolved incident again.',
  about: 'incident',
  needsRegistered: true,
  meansResolved: true,
  run: runReopen,
};
