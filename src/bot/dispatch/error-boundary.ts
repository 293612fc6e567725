import { randomBytes } from 'node:crypto';
import { isFull, isUnavailable } from '../../db/failure.ts';
import { NotRegistered } from '../incident/acts/registration.ts';
import { NotAllowed } from '../people/access.ts';
import { NotIdentified } from '../people/directory.ts';
import { NotVisible } from '../people/visibility.ts';
import { slackRefusal } from '../slack/clients.ts';
import { explainRead, worthRetrying } from './answers/error-messages.ts';
import { apology, isRpcError, notBegunWords } from './answers/receipts.ts';
import type { Context } from './feature/context.ts';
import type { Draft } from './feature/drafts.ts';

/** Tells the person that their act failed: why, and how to go on, with the words they typed. Logs faults that they cannot fix. */
export async function answerError(ctx: Context, error: unknown): Promise<void> {
  const { draft } = ctx;
  const id = draft && (await keepDraft(ctx, draft));
  if (isRpcError(error)) {
    const isTrouble = worthRetrying(error);
    ctx.log[isTrouble ? 'warn' : 'info']({ err: error }, 'api: a read failed');
    await ctx.answer(notBegunWords(explainRead(error, ctx.deps.settings.apiName), { draft, id }, isTrouble));
    return;
  }
  if (error instanceof NotRegistered) {
    await ctx.answer(notBegunWords(error.mrkdwn, { draft, id }, error.isPending));
    return;
  }
  if (error instanceof NotIdentified) {
    await ctx.answer(notBegunWords(notIdentified, { draft, id }, true));
    return;
  }
  if (error instanceof NotAllowed) {
    await ctx.answer(notBegunWords(error.message, { draft, id }, false));
    return;
  }
  if (error instanceof NotVisible) {
    await ctx.answer(notBegunWords(error.mrkdwn, { draft, id }, false));
    return;
  }
  if (isUnavailable(error)) {
    ctx.log.warn({ err: error }, 'database: away during a request');
    await ctx.answer(notBegunWords(isFull(error) ? diskFull : databaseAway, { draft, id }, true));
    return;
  }
  const reference = randomBytes(4).toString('hex');
  ctx.log.error({ err: error, reference, slack: slackRefusal(error) }, 'request: failed because of a bug in Muster');
  await ctx.answer(notBegunWords(apology(reference).text, { draft, id }, false));
}

const notIdentified = 'Slack does not tell me right now who you are, so nothing was changed. Try again in a moment.';

const databaseAway =
  'Muster’s database cannot be reached, so your change may or may not have happened. Look at `/incident status` when it is back, and try again if your change is missing.';

const diskFull =
  'The disk of Muster’s database is full, so your change may or may not have happened. Tell your Muster administrator to make room, then look at `/incident status` and try again if it is missing.';

/** Keeps what was typed for a request that failed. A failure to do so is not worth losing the answer for. */
async function keepDraft(ctx: Context, draft: Draft): Promise<string | undefined> {
  try {
    return await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
  } catch (error) {
    ctx.log.error({ err: error }, 'drafts: could not keep what was typed');
    return undefined;
  }
}
