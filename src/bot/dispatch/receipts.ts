import { z } from 'zod';
import { RpcError } from '../../contract/errors.ts';
import type { Aftermath, Followed, IntentKind, Outcome, Undone } from '../journal/intent.ts';
import { isProvisional } from '../journal/lanes.ts';
import type { Person, Place } from '../people/person.ts';
import { actions, said, section, sentence, type Words } from '../text/blocks.ts';
import type { Deps } from './deps.ts';
import type { Draft } from './drafts.ts';
import { explain, explainKept, worthRetrying } from './error-messages.ts';
import { type ButtonFace, defineButton, pressable } from './feature.ts';
import { typedBack, withTyped } from './help.ts';
import { undoing } from './undo.ts';

/** Offers a draft again; `incidentID` is the incident picked for it, or `""`. */
export const resumeValue = z.object({ draft: z.string(), incidentID: z.string() });
/** The button that takes up what somebody began. What it does is the frame's. */
export const resume = defineButton({ id: 'muster.resume', value: resumeValue, run: async () => {} });
const AgainValue = z.object({ intent: z.string(), draft: z.string().default('') });
/** The button that tries a refused or kept intent again; `draft` is what was typed for it, or `""`. */
export const again: ButtonFace<z.output<typeof AgainValue>> = { id: 'muster.again', value: AgainValue };
const DiscardValue = z.object({ intent: z.string() });
/** The button that gives a kept or refused intent up. */
export const discard: ButtonFace<z.output<typeof DiscardValue>> = { id: 'muster.discard', value: DiscardValue };

/** Who is spoken to about an intent, and where. */
export interface Scene {
  readonly deps: Deps;
  readonly actor: Person;
  readonly place: Place;
  readonly now: Date;
  readonly log: Aftermath['log'];
}

/**
 * What was asked for the first time, of what was asked for before: carried out again, a command may come to another payload,
 * since it reads how things stand now.
 */
export async function askedFor<P, R>(
  { deps, actor }: Scene,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Outcome<R>,
): Promise<P> {
  const stored = outcome.repeated ? await deps.journal.find(outcome.id, actor) : undefined;
  return stored?.intent.kind === intent.kind ? (stored.payload as P) : payload;
}

/** What must follow a done intent, and the words about both. */
export async function afterwards<P, R>(
  scene: Scene,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Extract<Outcome<R>, { state: 'done' }>,
  isLate = false,
  askedAt: Date = scene.now,
): Promise<Words> {
  const { result, repeated, id } = outcome;
  const asked = await askedFor(scene, intent, payload, outcome);
  const followed = await intent.follow?.({ ...toAftermath(scene, id, isLate, askedAt), repeated }, result, asked);
  const words = withFollowed(intent.done(result, asked, repeated), followed);
  if (repeated || isLate || !intent.undo?.(result, asked)) return words;
  const button = pressable(undoing, 'Undo', { intent: id });
  return { text: words.text, blocks: [...(words.blocks ?? [section(words.text)]), actions([button])] };
}

/** What is to be seen while an intent is kept, and the words about both. `still`: it was tried now because the person asked. */
export async function keptWords<P, R>(
  scene: Scene,
  intent: IntentKind<P, R>,
  payload: P,
  undone: Undone,
  how: 'first' | 'still' = 'first',
): Promise<Words> {
  const aftermath = toAftermath(scene, undone.id, false, scene.now);
  const isKnown = undone.repeated || how === 'still';
  const followed = isKnown ? undefined : await intent.whileKept?.(aftermath, payload);
  const aim = said(intent.aim(payload), 700);
  const what =
    how === 'still'
      ? `Not yet: I still keep that, to ${aim}.`
      : undone.repeated
        ? `I have that already, and have yet to ${aim}.`
        : `I keep that, to ${aim}.`;
  const text = `:hourglass_flowing_sand: ${what} ${explainKept(undone.error, isForUnregistered(payload))}`;
  const buttons = [pressable(again, 'Try now', { intent: undone.id, draft: '' }), discardButton(undone.id)];
  const words = withFollowed({ text, blocks: [section(text)] }, followed);
  return { text: words.text, blocks: [...(words.blocks ?? []), actions(buttons)] };
}

function isForUnregistered(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  return isProvisional(String(Reflect.get(payload, 'incidentID') ?? ''));
}

function toAftermath(scene: Scene, id: string, isLate: boolean, askedAt: Date): Aftermath {
  const { deps, actor, place, now, log } = scene;
  return { deps, actor, place, now, log, id, isLate, askedAt, repeated: false };
}

function withFollowed(words: Words, followed: Followed | undefined): Words {
  const more = [...(followed?.notes ?? []), ...(followed?.troubles ?? []).map(each => `:warning: ${each}`)];
  if (more.length === 0) return words;
  return {
    text: [words.text, ...more].join('\n'),
    blocks: [...(words.blocks ?? [section(words.text)]), section(more.join('\n'))],
  };
}

/** The button that gives an intent up. */
export function discardButton(intent: string): ReturnType<typeof pressable> {
  return pressable(discard, 'Discard', { intent }, 'danger');
}

/** Says that something was refused, why, and the way out, with what was typed for it. `what` is plain text. */
export function refusalWords(
  what: string,
  refused: { id: string; error: RpcError },
  typed: { draft: Draft | undefined; id: string | undefined },
): Words {
  const text = `${said(what, 700)} ${explain(refused.error)}`;
  const draft = typed.id ?? '';
  const buttons = [
    ...(worthRetrying(refused.error) ? [pressable(again, 'Try again', { intent: refused.id, draft }, 'primary')] : []),
    ...(draft && typed.draft?.kind === 'form' ? [pressable(resume, 'Change it', { draft, incidentID: '' })] : []),
  ];
  return {
    text,
    blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : []), ...typedBack(typed.draft)],
  };
}

/**
 * Says that something could not even be begun, with a button that takes up what was typed for it: a form always, anything else
 * when trying again can help. `text` is Muster's own mrkdwn; `id` is that of the kept draft.
 */
export function failureWords(
  text: string,
  typed: { draft: Draft | undefined; id: string | undefined },
  mayHelp: boolean,
): Words {
  const isForm = typed.draft?.kind === 'form';
  if (!typed.id || !(isForm || mayHelp)) return withTyped(text, typed.draft);
  const value = { draft: typed.id, incidentID: '' };
  return withTyped(text, typed.draft, [
    actions([pressable(resume, isForm ? 'Open the form' : 'Try again', value, 'primary')]),
  ]);
}

/** A sentence about a failure of ours, with a reference that is in the log. */
export function apology(reference: string): Words {
  return sentence(
    `Something broke inside Muster, and it is not your doing. It may or may not have happened: look at \`/incident status\`. Whoever runs Muster finds the cause in the log under \`${reference}\`.`,
  );
}

/** True for the API's own refusals, which have words for people. */
export function isRpcError(error: unknown): error is RpcError {
  return error instanceof RpcError;
}
