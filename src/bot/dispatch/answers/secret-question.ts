import { z } from 'zod';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { withCurrentID } from '../../incident/acts/registration.ts';
import { aimOf } from '../../incident/lines/did.ts';
import { AlreadyAnswered, type Outcome } from '../../journal/intent.ts';
import { actions, context, section, sentence, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cutMrkdwn } from '../../text/words.ts';
import type { Context, PendingConfirmation } from '../feature/context.ts';
import type { PendingDraft } from '../feature/drafts.ts';
import { type Button, type ButtonFace, defineButton, pressable } from '../feature/feature.ts';
import { afterwards, failedWords, queuedWords } from './receipts.ts';

const Value = z.object({ draft: z.string() });

type Choice = 'redact' | 'keep' | 'drop';

function choiceButton(choice: Choice, face: ButtonFace): Button<z.output<typeof Value>> {
  return defineButton({
    ...face,
    id: `muster.secret.${choice}`,
    value: Value,
    run: (ctx, { value }) => choose(ctx, value.draft, choice),
  });
}

const choiceButtons = [
  choiceButton('redact', { label: 'Redact', style: 'primary' }),
  choiceButton('keep', { label: 'Keep' }),
  choiceButton('drop', { label: 'Drop', style: 'danger' }),
];

/** The buttons of the question about a secret. They belong to no feature. */
export const secretButtons: readonly Button[] = choiceButtons as Button[];

/**
 * Keeps an intent as a draft if a text in it looks like a secret; else returns undefined. An intent whose key is done writes nothing, so it
 * is not held back.
 */
export async function askBeforeStoring<P, R>(
  { deps, actor, key: delivery, now }: Context,
  intent: IntentKind<P, R>,
  payload: P,
  write: Pick<PendingDraft, 'key' | 'incidentID' | 'others'>,
): Promise<PendingConfirmation | undefined> {
  if (deps.settings.secretsGuard === 'off' || !intent.mapTexts) return undefined;
  const { secrets } = await examine(intent, payload);
  if (secrets.length === 0) return undefined;
  const known = await deps.journal.findByKey(write.key);
  if (known?.outcome?.state === 'done') return undefined;
  const draft: PendingDraft = { kind: 'held', intent: intent.kind, payload, ...write };
  return { state: 'held', id: await deps.drafts.keep(actor, draft, delivery, now) };
}

/** The question about a text that looks like a secret. It shows the words as they are once redacted. */
export async function questionWords<P, R>(id: string, intent: IntentKind<P, R>, payload: P): Promise<Words> {
  const { redacted, kinds } = await examine(intent, payload);
  const text = `${signs.private} I did not ${cutMrkdwn(aimOf(intent, redacted), 700)} yet: it seems to contain a secret (${kinds.join(', ')}). Only you can decide what happens.`;
  const buttons = choiceButtons.map(button => pressable(button, { draft: id }));
  return { text, blocks: [section(text), actions(buttons), context(...meanings)] };
}

const meanings = [
  '*Redact* stores it without the secret, *Keep* stores all of it, *Drop* stores nothing; I keep your words for a week.',
  'If it was also posted in a channel, delete that message and change the secret.',
];

const gone = sentence('There is nothing left to choose: only its author can, once, within a week.');

/**
 * Carries out the author's choice. The draft goes once the author has the answer, so that a choice that is carried out again after a
 * crash finds it and says the same. Without the draft it was answered before. Another press waits until the draft is gone.
 */
async function choose(ctx: Context, id: string, choice: Choice): Promise<void> {
  const { deps, actor, now } = ctx;
  const draft = await deps.drafts.find(actor, id, now);
  if (draft?.kind !== 'held') return ctx.mayStand && choice !== 'drop' ? undefined : ctx.answer(gone);
  const { intent, key, incidentID, others } = draft;
  const kind = deps.kindOf(intent);
  if (!kind) throw new Error(`This version has no intent ${intent}`);
  const payload = await withCurrentID(deps, kind.payload.parse(draft.payload));
  const { redacted, secrets } = await examine(kind, payload);
  if (choice === 'drop') {
    // First, since an answer lets the next press begin.
    await deps.drafts.remove(actor, id, secrets);
    return ctx.replace(sentence(`Dropped. I will not ${cutMrkdwn(aimOf(kind, redacted), 700)}.`));
  }
  const chosen = choice === 'keep' ? payload : redacted;
  const remove = () => deps.drafts.remove(actor, id, choice === 'keep' ? [] : secrets);
  try {
    const outcome = await ctx.submit(kind, chosen, { key, incidentID, others, isExamined: true, keepsTurn: true });
    if (outcome.state === 'held') throw new Error('What was examined is not held back');
    await ctx.replace(await outcomeWords(ctx, kind, chosen, outcome));
  } catch (error) {
    if (error instanceof AlreadyAnswered) await remove();
    throw error;
  }
  await remove();
}

function outcomeWords(ctx: Context, kind: IntentKind, payload: unknown, outcome: Outcome<unknown>): Promise<Words> {
  switch (outcome.state) {
    case 'done':
      return afterwards(ctx, kind, payload, outcome);
    case 'queued':
      return queuedWords(ctx, kind, payload, outcome);
    case 'failed':
      return failedWords(ctx, kind, payload, outcome, { draft: undefined, id: undefined });
  }
}

/** A text with its secrets redacted, for words whose author Muster does not ask. */
export async function withoutSecrets({ settings }: Context['deps'], text: string): Promise<string> {
  if (settings.secretsGuard === 'off') return text;
  // Here: no start needs the patterns.
  const { findSecrets, redact } = await import('../../secrets/find-secrets.ts');
  return redact(text, findSecrets(text));
}

/** The payload with its secrets redacted, the secrets themselves, and their kinds. */
async function examine<P, R>(
  intent: IntentKind<P, R>,
  payload: P,
): Promise<{ readonly redacted: P; readonly secrets: readonly string[]; readonly kinds: readonly string[] }> {
  // Here: no start needs the patterns.
  const { findSecrets, redact } = await import('../../secrets/find-secrets.ts');
  const secrets: string[] = [];
  const kinds = new Set<string>();
  const redacted = intent.mapTexts?.(payload, text => {
    const found = findSecrets(text);
    for (const { kind, start, end } of found) {
      secrets.push(text.slice(start, end));
      kinds.add(kind);
    }
    return redact(text, found);
  });
  return { redacted: redacted ?? payload, secrets, kinds: [...kinds] };
}
