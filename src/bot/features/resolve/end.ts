import { z } from 'zod';
import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Verb } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { actorName } from '../../incident/lines/own-acts.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { type KeptMention, withGroups } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { alert } from '../../text/newer-blocks.ts';
import { andMore, stripControls } from '../../text/words.ts';
import { addSummary, changeStatus, setEnd } from './intents.ts';
import { meansMistake, mistakeAlready, setMistake } from './mistake.ts';
import { finishTasks, openTasksNamed } from './open-tasks.ts';
import { tooLong, toSummary } from './summary.ts';

/* The two ways in which an incident ends: it is over, or it was declared by mistake. */

/** How an incident is resolved; `endedAt` is RFC 3339, or `""` for now. */
export interface Resolution {
  readonly summary: string;
  readonly endedAt: string;
  /** The end that it had when the person asked; `""` for none. */
  readonly endBefore: string;
  /** Marks the open tasks as done. */
  readonly finishesTasks: boolean;
  /** Whom Slack made mentions of in the summary. */
  readonly mentions: readonly KeptMention[];
}

/** Resolves an incident, or says that it was declared by mistake where the summary says no more than that. */
export function endIncident(ctx: Context, incidentID: string, wish: Resolution): Promise<void> {
  return meansMistake(wish.summary) ? cancel(ctx, incidentID, wish.summary) : resolve(ctx, incidentID, wish);
}

/** Carries out the parts one by one. A part that is not done does not stop the others. */
async function resolve(ctx: Context, incidentID: string, wish: Resolution): Promise<void> {
  const { summary, endedAt, finishesTasks } = wish;
  const parts: { readonly words: Words; readonly isSaid?: true }[] = [];
  const notDone: (() => Promise<void>)[] = [];
  let told = summary;
  let endBefore: string | undefined;
  if (endedAt) {
    const payload = { incidentID, moment: 'incidentEnd' as const, at: endedAt, was: wish.endBefore };
    const outcome = await ctx.submit(setEnd, payload, { incidentID, hasMore: true });
    if (outcome.state !== 'done') notDone.push(() => ctx.answerNotDone(setEnd, payload, outcome));
    else {
      endBefore = outcome.result.was;
      parts.push({
        words: setEnd.answer.receipt({ ...outcome.result, status: 'resolved' }, payload, outcome.repeated),
      });
    }
  }
  if (summary) {
    const payload = toSummary(ctx, incidentID, summary, 'resolution');
    const outcome = await ctx.submit(addSummary, payload, { incidentID, hasMore: true });
    // The incident does not wait for the choice about its summary, and nobody reads what the timeline does not say.
    if (outcome.state === 'held' || outcome.state === 'failed') told = '';
    if (outcome.state !== 'done') notDone.push(() => ctx.answerNotDone(addSummary, payload, outcome));
    else parts.push({ words: addSummary.answer.receipt(outcome.result, payload, outcome.repeated), isSaid: true });
  }
  if (finishesTasks) {
    const payload = { incidentID };
    const outcome = await ctx.submit(finishTasks, payload, { incidentID, hasMore: true });
    if (outcome.state !== 'done') notDone.push(() => ctx.answerNotDone(finishTasks, payload, outcome));
    else parts.push({ words: finishTasks.answer.receipt(outcome.result, payload, outcome.repeated) });
  }
  const end = endBefore === undefined ? {} : { endBefore };
  const mentions = [...(await withGroups(ctx.deps.slack, told, wish.mentions))];
  const resolved = await changeStatus(ctx, { incidentID, status: 'resolved', summary: told, mentions, ...end });
  if ('answerNotDone' in resolved) notDone.unshift(resolved.answerNotDone);
  const heard = 'heard' in resolved ? resolved.heard : 'nowhere';
  // The room's headline has the summary, and the lines beside it have the rest.
  const unsaid = heard === 'here' ? [] : parts.filter(each => heard === 'nowhere' || !each.isSaid);
  const receipts = [...('words' in resolved ? [resolved.words] : []), ...unsaid.map(each => each.words)];
  if (receipts.length > 0) {
    const blocks = receipts.flatMap(words => words.blocks ?? []);
    await ctx.answer({
      text: receipts.map(words => words.text).join('\n'),
      // Buttons stand below all words.
      blocks: [...blocks.filter(each => each.type !== 'actions'), ...blocks.filter(each => each.type === 'actions')],
    });
  }
  for (const answer of notDone) await answer();
}

/**
 * Says that an incident was declared by mistake, at once while nobody else takes part in it, else after a question; `typed` is why,
 * which goes on the timeline.
 */
export async function cancel(ctx: Context, incidentID: string, typed: string): Promise<void> {
  // While the API is away, the change waits for it, and so the question has what Muster itself knows.
  const incident = await readKnown(ctx.deps, incidentID).catch(error => {
    if (!isUnread(error)) throw error;
    return undefined;
  });
  if (incident && isMistake(incident)) return ctx.reject(mistakeAlready(incidentID));
  const others = await othersIn(ctx, incidentID, incident);
  if (others.length === 0) return sayMistake(ctx, incidentID, typed);
  const { title = '', status } = incident ?? {};
  const work = others.length === 1 ? 'takes part in it' : 'take part in it';
  const tasks = incident ? openTasksNamed(incident) : '';
  const facts = `${andMore(others, mostNamed)} ${work}, so nothing was changed yet.${tasks === '' ? '' : ` ${tasks}`}`;
  await ctx.openForm(cancelForm, { incidentID, title, facts, isOver: status === 'resolved' }, { why: typed });
}

/** People that the question names. */
const mostNamed = 5;

/** The people who take part in an incident beside the one who acts, by name (mrkdwn): they changed it, hold a role, or were called. */
async function othersIn(
  { deps: { calls, people }, actor }: Context,
  incidentID: string,
  incident: Incident | undefined,
): Promise<readonly string[]> {
  const called = (await calls.ofIncident(incidentID)).filter(each => each.state !== 'withdrawn');
  const ids = new Set([
    ...(await calls.actors(incidentID, 0)),
    ...called.flatMap(call => call.people.map(each => each.user_id)),
  ]);
  const strangers = new Set<string>();
  for (const { user } of incident?.incidentMembership.assignments ?? []) {
    const id = await people.toSlackId(user.userID);
    if (id === '') strangers.add(toMrkdwn(user.name || 'somebody', 80));
    else ids.add(id);
  }
  const others = [...ids].filter(id => id !== '' && id !== actor.userId);
  return [...(await Promise.all(others.map(id => actorName(people, id)))), ...strangers];
}

async function sayMistake(ctx: Context, incidentID: string, typed: string): Promise<void> {
  const why = /^(?:declared )?(?:by )?mistake[.!]*$/iu.test(typed) ? '' : typed;
  const text = why === '' ? mistakeName : `${mistakeName}: ${why}`;
  const note = toSummary(ctx, incidentID, text, 'resolution');
  const noted = await ctx.submit(addSummary, note, { incidentID, hasMore: true });
  // The incident does not wait for the choice about the words.
  await ctx.carryOut(setMistake, { incidentID, why: noted.state === 'held' ? '' : why }, { incidentID });
  if (noted.state !== 'done') await ctx.answerNotDone(addSummary, note, noted);
}

/** Most characters of the reason: the timeline has the name of a mistake before it. */
const mostWhy = slackLimits.inputText - mistakeName.length - 2;

/** Asks whether an incident in which others take part was declared by mistake, or is over. */
export const cancelForm = defineModal({
  id: 'incident.cancel',
  state: z.object({ incidentID: z.string(), title: z.string(), facts: z.string(), isOver: z.boolean() }),
  view: ({ incidentID, title, facts, isOver }, filled) => {
    const meanings = [
      { value: 'mistake', label: 'It was declared by mistake', description: 'It is over, and left out of the figures' },
      {
        value: 'over',
        label: 'It was real, and it is over',
        description: 'It is resolved, with your words as summary',
      },
    ];
    return {
      title: 'Declared by mistake?',
      submit: isOver ? 'Confirm' : 'End the incident',
      blocks: [
        section(`*${incidentLabel(incidentID, 'Incident')}* “${toMrkdwn(title, 200)}”`),
        alert('warning', facts),
        choiceField(
          { id: 'meaning', label: 'What was it?', options: isOver ? meanings.slice(0, 1) : meanings },
          { meaning: 'mistake', ...filled },
        ),
        textField(
          {
            id: 'why',
            label: 'Why?',
            hint: 'Goes on the timeline and into the channel',
            optional: true,
            multiline: true,
          },
          filled,
        ),
      ],
    };
  },
  check: filled => {
    const why = stripControls(fieldValue(filled, 'why')).trim();
    const isOver = fieldValue(filled, 'meaning') === 'over';
    if (why.length > (isOver ? slackLimits.inputText : mostWhy)) return { problems: { why: tooLong(why) } };
    return { value: { why, isOver } };
  },
  submit: (ctx, { why, isOver }, { incidentID }) =>
    isOver
      ? resolve(ctx, incidentID, { summary: why, endedAt: '', endBefore: '', finishesTasks: false, mentions: [] })
      : sayMistake(ctx, incidentID, why),
});

async function runCancel(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const why = stripControls(args.sentence).trim();
  if (why.length > mostWhy) return ctx.reject(`That is longer than ${mostWhy} characters. Nothing was changed.`);
  await cancel(ctx, incidentID, why);
}

/** Saying that an incident was none. */
export const cancelVerb: Verb = {
  noun: 'incident',
  verb: 'cancel',
  aliases: ['abort', 'mistake', 'bymistake'],
  shorthands: { falsealarm: 'False alarm', falsepositive: 'False positive', duplicate: 'Duplicate' },
  begins: 'reason',
  usage: '[why]',
  summary:
    'Say that it was declared by mistake: it is over, and left out of the figures. It asks first once others take part in it.',
  about: 'incident',
  needsRegistered: true,
  run: runCancel,
};
