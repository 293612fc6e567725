import { z } from 'zod';
import { RpcError } from '../contract/errors.ts';
import type { Person } from './actor.ts';
import type { Arrival } from './arrival.ts';
import { actions, said, section, sentence, type Words } from './blocks.ts';
import type { Desk } from './desk.ts';
import { defineButton, pressable } from './feature.ts';
import { typedBack, withTyped } from './help.ts';
import type { IntentKind, Outcome } from './journal/intent.ts';
import type { Draft, Offered } from './memory/drafts.ts';
import { type Modal, toView } from './modal.ts';
import { explain, worthRetrying } from './refusal.ts';
import { slackReason, slackRefusal } from './slack.ts';
import type { SubmitOptions, Turn } from './turn.ts';

/** Offers a draft again; `incidentID` is the incident picked for it, or `""`. */
export const resumeValue = z.object({ draft: z.string(), incidentID: z.string() });
/** The button that takes up what somebody began. What it does is the frame's. */
export const resume = defineButton({ id: 'muster.resume', value: resumeValue, run: async () => {} });
/** The button that tries a refused intent again; `draft` is what was typed for it, or `""`. What it does is the frame's. */
export const again = defineButton({
  id: 'muster.again',
  value: z.object({ intent: z.string(), draft: z.string().default('') }),
  run: async () => {},
});

const tooLate = [
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
];

/** The turn of one arrival. `person` has passed the gate. */
export function createTurn(desk: Desk, arrival: Arrival, person: Person): Turn {
  const { place, now, log } = arrival;
  const { teamId, userId } = person;

  /** Tries the next way when one fails: a doubled answer is better than none. */
  async function answer(words: Words): Promise<void> {
    const message = { text: words.text, blocks: [...(words.blocks ?? [])], unfurl_links: false, unfurl_media: false };
    if (arrival.respond) {
      try {
        await arrival.respond(words, 'add');
        return;
      } catch (error) {
        log.info({ reason: slackReason(error) }, 'the response address did not take the answer');
      }
    }
    if (place.channelId !== '') {
      try {
        const thread = place.threadTs === '' ? {} : { thread_ts: place.threadTs };
        await desk.slack.once.chat.postEphemeral({ channel: place.channelId, user: userId, ...message, ...thread });
        return;
      } catch (error) {
        log.info({ reason: slackReason(error) }, 'the answer could not be shown where it was asked for');
      }
    }
    await desk.slack.web.chat.postMessage({ channel: userId, ...message });
  }

  async function keepDraft(draft: Turn['draft']): Promise<string | undefined> {
    return draft && (await desk.drafts.keep({ teamId, userId }, draft, now));
  }

  const turn: Turn = {
    desk,
    actor: person,
    place,
    now,
    log,
    draft: arrival.draft,
    answer,
    replace: async words => {
      if (!arrival.respond || !arrival.replaceable) return answer(words);
      try {
        await arrival.respond(words, 'replace');
      } catch (error) {
        log.info({ reason: slackReason(error) }, 'a message could not be replaced');
        await answer(words);
      }
    },
    openForm: async <S, V>(modal: Modal<S, V>, state: S, filled = {}, offered?: Offered) => {
      const view = toView(modal, state, filled, { house: desk.house, now, offered }, place);
      let reason = 'A mention cannot open a form by itself.';
      if (arrival.triggerId !== '') {
        try {
          await desk.slack.quick.views.open({ trigger_id: arrival.triggerId, view });
          return;
        } catch (error) {
          const refusal = slackRefusal(error);
          const isLate = refusal === undefined || tooLate.includes(refusal);
          const level = refusal?.startsWith('invalid_') && !isLate ? 'error' : 'warn';
          log[level]({ reason: slackReason(error), modal: modal.id }, 'a form could not be opened');
          reason = isLate
            ? 'Slack gives three seconds to open a form, and they were over.'
            : `Slack did not open the form (\`${said(refusal, 60)}\`).`;
        }
      }
      const draft = await keepDraft({ kind: 'form', modal: modal.id, state, filled, offered });
      const text = `${reason} What you typed is kept: press the button and the form opens with it.`;
      await answer({
        text,
        blocks: [
          section(text),
          actions([pressable(resume, 'Open the form', { draft: draft ?? '', incidentID: '' }, 'primary')]),
        ],
      });
    },
    submit: async <P, R>(intent: IntentKind<P, R>, payload: P, options: SubmitOptions = {}) => {
      const outcome: Outcome<R> = await desk.journal.submit(intent, {
        key: options.key ?? `${arrival.key}/${intent.kind}${options.step ? `/${options.step}` : ''}`,
        renew: options.key !== undefined,
        payload,
        people: { actor: await desk.people.toKnown(person), others: options.others ?? [] },
        teamId,
        userId,
        channelId: place.channelId,
        incidentID: options.incidentID ?? '',
      });
      if (outcome.state === 'done' && options.incidentID) desk.cards.refresh(options.incidentID);
      return outcome;
    },
    carryOut: async <P, R>(intent: IntentKind<P, R>, payload: P, options: SubmitOptions = {}) => {
      const outcome = await turn.submit(intent, payload, options);
      if (outcome.state === 'refused') {
        await turn.answerRefusal(intent, payload, outcome);
        return undefined;
      }
      await answer(await afterwards(turn, intent, payload, outcome));
      return outcome.result;
    },
    answerRefusal: async (intent, payload, refused) => {
      const draft = await keepDraft(arrival.draft);
      await answer(refusalWords(`I could not ${intent.aim(payload)}.`, refused, { draft: arrival.draft, id: draft }));
    },
  };
  return turn;
}

/** What must follow a done intent, and the words about both. */
export async function afterwards<P, R>(
  turn: Turn,
  intent: IntentKind<P, R>,
  payload: P,
  outcome: Extract<Outcome<R>, { state: 'done' }>,
): Promise<Words> {
  const { desk, actor, place, now, log } = turn;
  const { result, repeated } = outcome;
  const followed = await intent.follow?.({ desk, actor, place, now, log, repeated }, result, payload);
  const words = intent.done(result, payload, repeated);
  const more = [...(followed?.notes ?? []), ...(followed?.troubles ?? []).map(each => `:warning: ${each}`)];
  if (more.length === 0) return words;
  return {
    text: [words.text, ...more].join('\n'),
    blocks: [...(words.blocks ?? [section(words.text)]), section(more.join('\n'))],
  };
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
