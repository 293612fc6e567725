import type { Context } from '../../dispatch/feature/context.ts';
import type { Verb } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { slackLimits } from '../../slack/limits.ts';
import { stripControls } from '../../text/words.ts';
import { addSummary } from './intents.ts';
import { setMistake } from './mistake.ts';
import { toSummary } from './summary.ts';

/** Says that an incident was declared by mistake; `typed` is why, which goes on the timeline. */
export async function cancel(ctx: Context, incidentID: string, typed: string): Promise<void> {
  const why = /^(?:declared )?(?:by )?mistake[.!]*$/iu.test(typed) ? '' : typed;
  const text = why === '' ? mistakeName : `${mistakeName}: ${why}`;
  const note = toSummary(ctx, incidentID, text, 'resolution');
  const noted = await ctx.submit(addSummary, note, { incidentID, hasMore: true });
  // The incident does not wait for the choice about the words.
  await ctx.carryOut(setMistake, { incidentID, why: noted.state === 'held' ? '' : why }, { incidentID });
  if (noted.state !== 'done') await ctx.answerNotDone(addSummary, note, noted);
}

async function runCancel(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const why = stripControls(args.sentence).trim();
  const most = slackLimits.inputText - mistakeName.length - 2;
  if (why.length > most) return ctx.reject(`That is longer than ${most} characters. Nothing was changed.`);
  await cancel(ctx, incidentID, why);
}

/** Saying that an incident was none. */
export const cancelVerb: Verb = {
  noun: 'incident',
  verb: 'cancel',
  aliases: ['abort', 'mistake', 'bymistake'],
  shorthands: { falsealarm: 'False alarm', falsepositive: 'False positive', duplicate: 'Duplicate' },
  begins: 'prose',
  usage: '[why]',
  summary: 'Say that it was declared by mistake: it is over, and left out of the figures.',
  about: 'incident',
  needsRegistered: true,
  meansResolved: true,
  run: runCancel,
};
