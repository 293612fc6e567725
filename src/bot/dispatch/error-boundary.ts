import { randomBytes } from 'node:crypto';
import { isUnavailable } from '../../db/failure.ts';
import { NotRegistered } from '../incident/unregistered.ts';
import { slackRefusal } from '../slack/clients.ts';
import type { Turn } from './context.ts';
import type { Draft } from './drafts.ts';
import { explainRead, worthRetrying } from './error-messages.ts';
import { apology, failureWords, isRpcError } from './receipts.ts';

/** Answers whoever acts that it failed: why, and how to go on, with what they typed. Logs what is not theirs to mend. */
export async function answerFailure(turn: Turn, error: unknown): Promise<void> {
  const { draft } = turn;
  const id = draft && (await keepDraft(turn, draft));
  if (isRpcError(error)) {
    const isTrouble = worthRetrying(error);
    turn.log[isTrouble ? 'warn' : 'info']({ err: error }, 'the API refused a read');
    await turn.answer(failureWords(explainRead(error), { draft, id }, isTrouble));
    return;
  }
  if (error instanceof NotRegistered) {
    await turn.answer(failureWords(error.mrkdwn, { draft, id }, error.isPending));
    return;
  }
  if (isUnavailable(error)) {
    turn.log.warn({ err: error }, 'a turn met a database that is away');
    await turn.answer(failureWords(databaseAway, { draft, id }, true));
    return;
  }
  const reference = randomBytes(4).toString('hex');
  turn.log.error({ err: error, reference, slack: slackRefusal(error) }, 'a turn failed');
  await turn.answer(failureWords(apology(reference).text, { draft, id }, false));
}

const databaseAway =
  'Muster’s own database cannot be reached right now, so I could not do that, or cannot tell whether I have. `/incident status` shows it when the database is back; do it again if it is not there.';

/** Keeps what was typed for a turn that failed. A failure to do so is not worth losing the answer for. */
async function keepDraft(turn: Turn, draft: Draft): Promise<string | undefined> {
  try {
    return await turn.desk.drafts.keep(turn.actor, draft, turn.key, turn.now);
  } catch (error) {
    turn.log.error({ err: error }, 'what was typed could not be kept');
    return undefined;
  }
}
