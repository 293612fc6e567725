import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { readChoices, toOptions } from '../../incident/acts/choices.ts';
import { comesFromPrivate } from '../../incident/notes/message-note.ts';
import { whyNot } from '../../people/reach.ts';
import { slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { readMessageAt } from '../../slack/read-message.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { callout, sentence } from '../../text/blocks.ts';
import type { Context } from '../feature/context.ts';
import type { Filled, Offered } from '../feature/drafts.ts';
import { choiceField, fieldValue } from './modal.ts';
import { noIncidentYet } from './no-incident.ts';

/** Incidents that a menu offers. */
const maxOffered = { active: slackLimits.options, resolved: 40 };

/**
 * The state of a form about a message: the draft that holds the message, the incident of its channel (`""`: the person chooses one),
 * and whether the person must know that words leave a private channel.
 */
export const AboutMessage = z.object({ draft: z.string(), incidentID: z.string(), isPrivate: z.boolean() });
export type AboutMessage = z.output<typeof AboutMessage>;

/**
 * Keeps a message for a form of that shortcut, with the incidents among which the person chooses unless it is known. Undefined when
 * there is no incident, and the person was told.
 */
export async function toMessageForm(ctx: Context, shortcut: string, message: SourceMessage, incidentID: string) {
  const { deps } = ctx;
  const [choices, isPrivate, draft] = await Promise.all([
    incidentID === '' ? readChoices(deps, maxOffered) : undefined,
    incidentID === '' && comesFromPrivate(deps, message.channelId),
    deps.drafts.keep(ctx.actor, { kind: 'message', shortcut, message }, ctx.key, ctx.now),
  ]);
  const state = { draft, incidentID, isPrivate };
  if (!choices) return { state, filled: {}, offered: {} };
  const { ongoing, over } = toOptions(choices, deps.settings.severities, ctx.now);
  const incident = [...ongoing, ...over].slice(0, slackLimits.options);
  if (incident.length === 0) {
    const { text, offers } = noIncidentYet(ctx.actor);
    await ctx.reject(text, offers);
    return undefined;
  }
  const [first] = incident;
  const only = ongoing.length === 1 || incident.length === 1 ? first?.value : undefined;
  const filled: Filled = only ? { incident: only } : {};
  return { state, filled, offered: { incident } };
}

/** The field that asks for the incident, where the channel does not tell it. */
export function incidentField(
  { incidentID }: AboutMessage,
  filled: Filled,
  offered: Offered | undefined,
): KnownBlock[] {
  if (incidentID !== '') return [];
  return [choiceField({ id: 'incident', label: 'Which incident?', options: offered?.incident ?? [] }, filled)];
}

/** The warning above the button that sends words out of a private channel. */
export function privateNotice({ isPrivate }: { readonly isPrivate: boolean }): KnownBlock[] {
  const warning =
    'This message is from a private channel, and everybody who sees the incident will read it. Cancel if they should not.';
  return isPrivate ? [callout('warning', warning)] : [];
}

/** The incident that the form is about, or the problem of its field. */
export function checkIncident(
  filled: Filled,
  { incidentID }: AboutMessage,
): { readonly incidentID: string; readonly problems: Readonly<Record<string, string>> } {
  const chosen = incidentID || fieldValue(filled, 'incident');
  return { incidentID: chosen, problems: chosen === '' ? { incident: 'Choose the incident it belongs to.' } : {} };
}

/** The message of a form; undefined when it is no longer kept, and the person was told. */
export async function readKept(ctx: Context, draft: string): Promise<SourceMessage | undefined> {
  const kept = await ctx.deps.drafts.find(ctx.actor, draft, ctx.now);
  if (kept?.kind === 'message') return kept.message;
  await ctx.answer(sentence('I no longer have that message: I keep one for a week. Use the shortcut on it again.'));
  return undefined;
}

/**
 * The message of a form, as it was `kept` and with its newest words, since it may have been edited while the form was open: `isOutdated`
 * when `message` does not have them. It keeps its words while Slack does
 * not show it, and when its author may not change incidents (docs/decisions.md, Notes follow their messages). Undefined as
 * {@link readKept}.
 */
export async function readNewest(ctx: Context, draft: string) {
  const kept = await readKept(ctx, draft);
  if (!kept) return undefined;
  const message = await readMessageAt(ctx.deps.slack.quick, kept)
    .then(standing => standing?.message ?? kept)
    .catch(error => {
      ctx.log.info({ reason: slackReason(error) }, 'form: Slack does not show its message, so its words stay');
      return kept;
    });
  if (message.text === kept.text) return { kept, message: kept, isOutdated: false };
  const author = kept.userId === '' ? undefined : await ctx.deps.people.find(kept.userId).catch(() => undefined);
  const mayChange = author !== undefined && whyNot(author) === undefined;
  return { kept, message: mayChange ? message : kept, isOutdated: !mayChange };
}
