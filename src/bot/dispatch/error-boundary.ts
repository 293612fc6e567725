import { randomBytes } from 'node:crypto';
import { isUnavailable } from '../../db/failure.ts';
import { NotRegistered } from '../incident/unregistered.ts';
import { slackRefusal } from '../slack/clients.ts';
import type { Context } from './context.ts';
import type { Draft } from './drafts.ts';
import { explainRead, worthRetrying } from './error-messages.ts';
import { apology, failureWords, isRpcError } from './receipts.ts';

/** Answers whoever acts that it failed: why, and how to go on, with what they typed. Logs what is not theirs to mend. */
export async function answerFailure(ctx: Context, error: unknown): Promise<void> {
  const { draft } = ctx;
  const id = draft && (await keepDraft(ctx, draft));
  if (isRpcError(error)) {
    const isTrouble = worthRetrying(error);
    ctx.log[isTrouble ? 'warn' : 'info']({ err: error }, 'the API refused a read');
    await ctx.answer(failureWords(explainRead(error), { draft, id }, isTrouble));
    return;
  }
  if (error instanceof NotRegistered) {
    await ctx.answer(failureWords(error.mrkdwn, { draft, id }, error.isPending));
    return;
  }
  if (isUnavailable(error)) {
    ctx.log.warn({ err: error }, 'a turn met a database that is away');
    await ctx.answer(failureWords(databaseAway, { draft, id }, true));
    return;
  }
  const reference = randomBytes(4).toString('hex');
  ctx.log.error({ err: error, reference, slack: slackRefusal(error) }, 'a turn failed');
  await ctx.answer(failureWords(apology(reference).text, { draft, id }, false));
}

const databaseAway =
  'Muster’s own database cannot be reached right now, so I could not do that, or cannot tell whether I have. `/incident status` shows it when the database is back; do it again if it is not there.';

/** Keeps what was typed for a turn that failed. A failure to do so is not worth losing the answer for. */
async function keepDraft(ctx: Context, draft: Draft): Promise<string | undefined> {
  try {
    return await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
  } catch (error) {
    ctx.log.error({ err: error }, 'what was typed could not be kept');
    return undefined;
  }
}
