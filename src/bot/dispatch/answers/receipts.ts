import { RpcError } from '../../../contract/errors.ts';
import {
  type AfterDoneContext,
  type AfterDoneResult,
  type IntentKind,
  type ReceiptContext,
  toOwner,
} from '../../incident/acts/intent-kind.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { aimOf, linesOf, receiptOf } from '../../incident/lines/did.ts';
import { findOutside, type Invitee, inviteIfAllowed } from '../../incident/room/invite.ts';
import { unreadWords } from '../../incident/state/refusal-words.ts';
import type { NotDone, Outcome } from '../../journal/intent.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { hung } from '../../journal/rows.ts';
import type { KeptMention } from '../../people/kept-mentions.ts';
import { actions, confirmation, context, mention, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { cutMrkdwn, toPlainText, withoutFormatting } from '../../text/words.ts';
import type { Context, PendingConfirmation } from '../feature/context.ts';
import { incidentIn } from '../feature/deps.ts';
import type { Draft, PendingDraft } from '../feature/drafts.ts';
import { inviteFace, wayIn } from '../feature/faces.ts';
import { pressable } from '../feature/feature.ts';
import { resumeButton } from '../feature/resume.ts';
import { explain, explainQueued, worthRetrying } from './error-messages.ts';
import { addTypedText, typedBack } from './typed-back.ts';

/** The button that tries a failed or queued intent again, as it looks. */
export const retryFace = { id: 'muster.again', label: 'Try again' } as const;
/** The button that discards one, as it looks. */
export const discardFace = { id: 'muster.discard', label: 'Discard' } as const;

/** The button that undoes a done intent, as it looks. */
export const undoFace = { id: 'muster.undo', label: 'Undo' } as const;

/** Several words as one answer. */
export function together(all: readonly Words[]): Words {
  const [only, ...others] = all;
  if (only && others.length === 0) return only;
  return {
    text: all.map(each => each.text).join('\n'),
    blocks: all.flatMap(each => each.blocks ?? [section(each.text)]),
  };
}

/** The row of a receipt with its Discard button. */
export function discardRow(intent: string) {
  return actions([discarding(intent)]);
}

/** The button itself, which asks before it forgets what a person typed. */
function discarding(intent: string) {
  const ask = { title: 'Discard it?', text: 'It will never be done.', confirm: 'Discard', deny: 'Keep it' };
  return { ...pressable(discardFace, { intent }), confirm: confirmation({ ...ask, dangerous: false }) };
}

/**
 * The payload that was submitted the first time. A command that is handled again may compute another payload, since it reads the
 * current state.
 */
export async function askedFor<P, R>(
  { deps, actor }: ReceiptContext,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Outcome<R>,
): Promise<P> {
  const stored = outcome.repeated ? await deps.journal.find(outcome.id, toOwner(actor)) : undefined;
  return stored?.kind.kind === intent.kind ? (stored.payload as P) : payload;
}

/** When and where a receipt is read. */
interface ReceiptOptions {
  /** The person no longer waits for it. */
  readonly isLate?: boolean;
  readonly askedAt?: Date;
}

/** The notes, troubles and buttons about people who are not in an incident's room. */
export type Invitations = Required<Omit<AfterDoneResult, 'rows'>>;

/**
 * Lets people who were given something into the incident's room. The person who gave it reads who was invited, and gets a button that
 * invites those whom Muster does not invite unasked.
 */
export async function inviteAllowed(
  ctx: AfterDoneContext,
  incidentID: string,
  people: readonly Invitee[],
): Promise<Invitations> {
  const notes: string[] = [];
  const troubles: string[] = [];
  const users: string[] = [];
  for (const person of people) {
    const entry = await inviteIfAllowed(ctx, incidentID, person);
    if (entry.how === 'outside') users.push(person.slackUserID);
    if (entry.how === 'invited') notes.push(`I invited ${person.words} to <#${entry.channelId}>.`);
    if (entry.how === 'refused') troubles.push(entry.trouble);
  }
  return { notes, troubles, buttons: users.length === 0 ? [] : [pressable(inviteFace, { incidentID, users })] };
}

/** Offers the person to invite those whom a text names and who are not in the incident's room. Nobody enters by a mention. */
export async function offerInvitations(
  ctx: AfterDoneContext,
  incidentID: string,
  mentions: readonly KeptMention[],
): Promise<Invitations> {
  const { channelId, users } = await findOutside(ctx, incidentID, mentions);
  if (users.length === 0) return { notes: [], troubles: [], buttons: [] };
  const are = users.length > 1 ? 'are' : 'is';
  const note = `${users.map(mention).join(' and ')} ${are} not in <#${channelId}>, so Slack does not notify them there.`;
  return { notes: [note], troubles: [], buttons: [pressable(inviteFace, { incidentID, users })] };
}

/** Why the person who asked is not in the incident's channel and what to do, as mrkdwn; undefined when Slack let them in. */
export function whyOutside<P, R>(kind: IntentKind<P, R>, payload: P, result: R): string | undefined {
  const why = kind.links?.(payload, result).uninvited ?? '';
  if (why === '') return undefined;
  return `${why} *Join* tries again; if that does not help, tell your Muster administrator.`;
}

/** The sentence that the person reads of a done intent. */
export async function receiptWords<P, R>(
  { deps, actor }: ReceiptContext,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Extract<Outcome<R>, { state: 'done' }>,
): Promise<Words> {
  // Some keys name the effect alone, so another person may have asked for it first.
  const isOwn = !outcome.repeated || (await deps.journal.find(outcome.id, toOwner(actor))) !== undefined;
  return receiptOf(intent, payload, outcome, actor.userId, isOwn ? 'You' : 'Your team');
}

/** Does the steps in Slack that follow a done intent; returns the receipt for both. */
export async function afterwards<P, R>(
  receipt: ReceiptContext,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Extract<Outcome<R>, { state: 'done' }>,
  { isLate = false, askedAt = receipt.now }: ReceiptOptions = {},
): Promise<Words> {
  const { result, repeated, id } = outcome;
  const asked = await askedFor(receipt, intent, payload, outcome);
  const steps = await intent.afterDone?.({ ...toAfterDone(receipt, id, isLate, askedAt), repeated }, result, asked);
  const line = repeated ? undefined : await findLine(receipt, intent, asked, result);
  const outside = whyOutside(intent, asked, result);
  const troubles = [outside ?? '', ...(steps?.troubles ?? []), line?.unread ?? ''].filter(each => each !== '');
  const told = { notes: steps?.notes ?? [], troubles };
  const words = addSteps(await receiptWords(receipt, intent, asked, outcome), told);
  const hasUndo = !repeated && !isLate && intent.undo?.(result, asked) !== undefined;
  const rows = [...(steps?.rows ?? [])];
  const buttons = [
    ...(outside === undefined ? [] : [wayIn(incidentIn(asked) ?? '')]),
    ...(steps?.buttons ?? []),
    ...(hasUndo
      ? [
          pressable(
            undoFace,
            { intent: id },
            { spoken: `Undo: ${toPlainText(withoutFormatting(aimOf(intent, asked)))}` },
          ),
        ]
      : []),
  ];
  if (buttons.length > 0) rows.push(actions(buttons));
  return rows.length === 0 ? words : { ...words, blocks: [...(words.blocks ?? [section(words.text)]), ...rows] };
}

/** The receipt of a queued intent. `still`: it was tried now because the person asked. */
export async function queuedWords<P, R>(
  receipt: ReceiptContext,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: NotDone,
  how: 'first' | 'still' = 'first',
): Promise<Words> {
  const isKnown = outcome.repeated || how === 'still';
  const ctx = toAfterDone(receipt, outcome.id, false, receipt.now);
  const steps = isKnown ? undefined : await intent.whileQueued?.(ctx, payload);
  const aim = cutMrkdwn(aimOf(intent, payload), 700);
  const state = how === 'still' ? 'Still saved.' : outcome.repeated ? 'Saved already.' : 'Saved.';
  const until = explainQueued(
    outcome.error,
    doerOf(receipt, intent, payload),
    isProvisional(incidentIn(payload) ?? ''),
  );
  const text = `${incidentSigns.waiting} ${state} I’ll ${aim} as soon as ${until}.`;
  const buttons = [
    pressable(retryFace, { intent: outcome.id, draft: '' }, { label: 'Try now' }),
    discarding(outcome.id),
  ];
  const words = addSteps({ text, blocks: [section(text)] }, steps);
  return { text: words.text, blocks: [...(words.blocks ?? []), actions(buttons)] };
}

function toAfterDone(receipt: ReceiptContext, id: string, isLate: boolean, askedAt: Date): AfterDoneContext {
  const { deps, actor, location, now, log } = receipt;
  const mayAlreadyExist = isLate || receipt.mayAlreadyExist;
  return { deps, actor, location, now, mayAlreadyExist, log, id, isLate, askedAt, repeated: false };
}

function addSteps(words: Words, steps: AfterDoneResult | undefined): Words {
  const more = [...(steps?.notes ?? []), ...(steps?.troubles ?? []).map(each => `${signs.warning} ${each}`)];
  if (more.length === 0) return words;
  return {
    text: [words.text, ...more].join('\n'),
    blocks: [...(words.blocks ?? [section(words.text)]), section(more.join('\n'))],
  };
}

/** Words typed for an intent, and the id under which they are kept. */
interface StoredDraft {
  readonly draft: Draft | undefined;
  readonly id: string | undefined;
}

/** Says that an intent failed, why, and what to do: the choices that its kind has for that, else the error with the typed words. */
export async function failedWords<P, R>(
  receipt: ReceiptContext,
  intent: IntentKind<P, R>,
  payload: P,
  failed: { readonly id: string; readonly error: RpcError },
  typed: StoredDraft,
  couldNot = 'I could not',
): Promise<Words> {
  if (failed.error.reason === hung.reason) return sentence(hung.message);
  const choices = await intent.choices?.(receipt, failed, payload);
  const words = () =>
    failureWords(`${couldNot} ${aimOf(intent, payload)}.`, failed, typed, doerOf(receipt, intent, payload));
  return choices ?? words();
}

/** The API or pager that takes an intent, as the subject of a sentence. */
export function doerOf<P, R>({ deps }: ReceiptContext, { links }: IntentKind<P, R>, payload: P): string {
  const pager = links?.(payload).pager;
  return pager === undefined ? deps.settings.apiName : `*${toMrkdwn(pager, 40)}*`;
}

/** Says by its error alone that an intent failed. `what` is mrkdwn, `api` the name of what takes it. */
export function failureWords(
  what: string,
  failed: { readonly id: string; readonly error: RpcError },
  typed: StoredDraft,
  api: string,
): Words {
  if (failed.error.reason === changedSince) {
    return sentence(`I did not undo that: ${toMrkdwn(failed.error.message, 300)}. It stays as it is now.`);
  }
  const text = `${cutMrkdwn(what, 700)} ${explain(failed.error, api)}`;
  const draft = typed.id ?? '';
  const retry = pressable(retryFace, { intent: failed.id, draft }, { style: 'primary' });
  const buttons = [
    ...(worthRetrying(failed.error) ? [retry] : []),
    ...(draft && typed.draft?.kind === 'form'
      ? [pressable(resumeButton, { draft, incidentID: '' }, { label: 'Change it' })]
      : []),
  ];
  return {
    text,
    blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : []), ...typedBack(typed.draft)],
  };
}

/**
 * Says that an act failed before anything was submitted. A button resumes its draft: always for a form, otherwise when trying again
 * can help. `text` is Muster's own mrkdwn; `id` is the draft's.
 */
export function notBegunWords(text: string, typed: StoredDraft, mayHelp: boolean): Words {
  const isForm = typed.draft?.kind === 'form';
  if (!typed.id || !(isForm || mayHelp)) return addTypedText(text, typed.draft);
  const value = { draft: typed.id, incidentID: '' };
  return addTypedText(text, typed.draft, [
    actions([pressable(resumeButton, value, { style: 'primary', ...(isForm ? { label: 'Open the form' } : {}) })]),
  ]);
}

/** An apology for a failure of Muster, with a reference that is in the log. */
export function apology(reference: string): Words {
  return sentence(
    `Something broke inside Muster, and what you asked for may or may not have happened: look at \`/incident status\`. Your Muster administrator finds the cause in the log under \`${reference}\`.`,
  );
}

/** Whether an error came from the API, so that it can be explained. */
export function isRpcError(error: unknown): error is RpcError {
  return error instanceof RpcError;
}

/**
 * Whether the room of a change reads the line about it; `unread` is why not (mrkdwn), `""` where it does or wants no lines. Undefined when
 * there is no line or no room.
 */
export async function findLine<P, R>(
  { deps }: ReceiptContext,
  kind: IntentKind<P, R>,
  payload: P,
  result: R,
): Promise<{ readonly unread: string; readonly isRead: boolean } | undefined> {
  if (linesOf(kind, payload, result).length === 0) return undefined;
  const incidentID = kind.declares?.subject(result) ?? incidentIn(payload);
  const room = incidentID === undefined ? undefined : await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return undefined;
  // The channel of a declaration reads of it in a line, the announcement or the card. Nothing is asked: people wait for this answer.
  if (kind.declares) return { unread: '', isRead: true };
  const { channelId, receipts } = room;
  const isShared = (await deps.visibility.share('line', room, channelId)) !== 'all';
  // Slack was asked just now, where what is known was old.
  const { refusal } = (await deps.rooms.ofIncident(room.incidentID)) ?? room;
  const isRead = !isShared && !refusal && receipts !== 'quiet';
  if (isShared)
    return { unread: `I did not say so in <#${channelId}>: people of another organisation read it.`, isRead };
  if (!refusal) return { unread: '', isRead };
  const isPrivate = await deps.channels.isKnownPrivate(channelId);
  return { unread: unreadWords({ ...room, isPrivate }, refusal), isRead };
}

/** The choices about a text that looks like a secret, as their buttons look. */
export const secretFaces = {
  redact: { id: 'muster.secret.redact', label: 'Redact', style: 'primary' },
  keep: { id: 'muster.secret.keep', label: 'Keep' },
  drop: { id: 'muster.secret.drop', label: 'Drop', style: 'danger' },
} as const;

/**
 * Keeps an intent as a draft if a text in it looks like a secret; else returns undefined. An intent whose key is done writes nothing, so it
 * is not held back.
 */
export async function askBeforeStoring<P, R>(
  { deps, actor, key: delivery, now }: Context,
  intent: IntentKind<P, R>,
  payload: P,
  write: { readonly key: string; readonly incidentID: string; readonly others: PendingDraft['others'] },
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
  const buttons = Object.values(secretFaces).map(face => pressable(face, { draft: id }));
  return { text, blocks: [section(text), actions(buttons), context(...meanings)] };
}

const meanings = [
  '*Redact* stores it without the secret, *Keep* stores all of it, *Drop* stores nothing; I keep your words for a week.',
  'If it was also posted in a channel, delete that message and change the secret.',
];

/** A text with its secrets redacted, for words whose author Muster does not ask. */
export async function withoutSecrets({ settings }: Context['deps'], text: string): Promise<string> {
  if (settings.secretsGuard === 'off') return text;
  // Here: no start needs the patterns.
  const { findSecrets, redact } = await import('../../secrets/find-secrets.ts');
  return redact(text, findSecrets(text));
}

/** The payload with its secrets redacted, the secrets themselves, and their kinds. */
export async function examine<P, R>(
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
