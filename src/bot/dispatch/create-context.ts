import { settleIncident } from '../incident/unregistered.ts';
import type { IntentKind, Outcome } from '../journal/intent.ts';
import type { Person } from '../people/person.ts';
import { isPassing, slackReason, slackRefusal } from '../slack/clients.ts';
import { actions, said, section, type Words } from '../text/blocks.ts';
import type { Arrival } from './arrival.ts';
import { type Context, type SubmitOptions, Unanswered } from './context.ts';
import type { Deps } from './deps.ts';
import type { Offered } from './drafts.ts';
import { pressable } from './feature.ts';
import { type Modal, toView } from './modal.ts';
import { afterwards, askedFor, keptWords, refusalWords, resume } from './receipts.ts';

const tooLate = [
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
];

/** The ids that incidents have before they are registered, in what is about to be said. */
const provisionalIDs = /~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The words with the number of an incident that was registered while they were made. */
async function withNumbers(deps: Deps, words: Words): Promise<Words> {
  const json = JSON.stringify(words);
  const ids = [...new Set(json.match(provisionalIDs) ?? [])];
  if (ids.length === 0) return words;
  const now = new Map(await Promise.all(ids.map(async id => [id, await deps.rooms.idNow(id)] as const)));
  return JSON.parse(json.replace(provisionalIDs, id => now.get(id) ?? id));
}

/** The turn of one arrival. `person` has passed the gate. Ids of intents that are to be closed when it ends go into `open`. */
export function createContext(deps: Deps, arrival: Arrival, person: Person, open: string[] = []): Context {
  const { place, now, log } = arrival;
  const { teamId, userId } = person;

  let isSubmitted = false;
  /** Answering may take long, and a form waits for the person. */
  function letPass(): void {
    if (!isSubmitted) arrival.letPass();
  }

  /** Tries the next way when one fails: a doubled answer is better than none. */
  async function answer(spoken: Words): Promise<void> {
    letPass();
    const words = await withNumbers(deps, spoken);
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
        await deps.slack.once.chat.postEphemeral({ channel: place.channelId, user: userId, ...message, ...thread });
        return;
      } catch (error) {
        log.info({ reason: slackReason(error) }, 'the answer could not be shown where it was asked for');
      }
    }
    try {
      await deps.slack.web.chat.postMessage({ channel: userId, ...message });
    } catch (error) {
      throw isPassing(error) ? new Unanswered('Slack cannot be reached', { cause: error }) : error;
    }
  }

  async function keepDraft(draft: Context['draft']): Promise<string | undefined> {
    return draft && (await deps.drafts.keep({ teamId, userId }, draft, arrival.key, now));
  }

  const ctx: Context = {
    key: arrival.key,
    deps,
    actor: person,
    place,
    now,
    log,
    draft: arrival.draft,
    answer,
    replace: async words => {
      if (!arrival.respond || !arrival.replaceable) return answer(words);
      letPass();
      try {
        await arrival.respond(words, 'replace');
      } catch (error) {
        log.info({ reason: slackReason(error) }, 'a message could not be replaced');
        await answer(words);
      }
    },
    openForm: async <S, V>(modal: Modal<S, V>, state: S, filled = {}, offered?: Offered) => {
      letPass();
      const view = toView(modal, state, filled, { house: deps.house, now, offered }, place);
      let reason = 'A mention cannot open a form by itself.';
      if (arrival.triggerId !== '') {
        try {
          await deps.slack.quick.views.open({ trigger_id: arrival.triggerId, view });
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
      const outcome: Outcome<R> = await deps.journal.submit(intent, {
        key: options.key ?? `${arrival.key}/${intent.kind}${options.step ? `/${options.step}` : ''}`,
        renew: options.key !== undefined,
        payload,
        people: { actor: await deps.people.toKnown(person), others: options.others ?? [] },
        teamId,
        userId,
        channelId: place.channelId,
        threadTs: place.threadTs,
        incidentID: await settleIncident(deps, options.incidentID ?? ''),
        asked: arrival.asked,
      });
      isSubmitted = true;
      if (outcome.state === 'kept') return outcome;
      // To be answered for until it is known whose it is: looking for that may fail.
      open.push(outcome.id);
      // What somebody else did before is theirs to be told of.
      if (outcome.repeated && !(await deps.journal.find(outcome.id, person))) open.splice(open.indexOf(outcome.id), 1);
      return outcome;
    },
    again: async id => {
      const outcome = await deps.journal.retry(id, person);
      if (outcome && outcome.state !== 'kept') open.push(outcome.id);
      return outcome;
    },
    carryOut: async <P, R>(intent: IntentKind<P, R>, payload: P, options: SubmitOptions = {}) => {
      const outcome = await ctx.submit(intent, payload, options);
      if (outcome.state !== 'done') {
        await ctx.answerUndone(intent, payload, outcome);
        return undefined;
      }
      await answer(await afterwards(ctx, intent, payload, outcome));
      return outcome.result;
    },
    answerUndone: async (intent, payload, undone) => {
      const draft = await keepDraft(arrival.draft);
      const asked = await askedFor(ctx, intent, payload, undone);
      if (undone.state === 'kept') {
        if (draft) await deps.journal.typed(undone.id, draft);
        await answer(await keptWords(ctx, intent, asked, undone));
        return;
      }
      await answer(refusalWords(`I could not ${intent.aim(asked)}.`, undone, { draft: arrival.draft, id: draft }));
    },
  };
  return ctx;
}
