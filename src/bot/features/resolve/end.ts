import { z } from 'zod';
import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { findLine, receiptWords } from '../../dispatch/answers/receipts.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import type { Verb } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { actorName } from '../../incident/lines/mentions.ts';
import { type Note, wordsOf } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { type KeptMention, withGroups } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { callout, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { andMore, stripControls } from '../../text/words.ts';
import {
  addSummary,
  alreadyWords,
  mistakeAlready,
  type StatusChange,
  setEnd,
  setMistake,
  setStatus,
} from './intents.ts';
import { finishTasks, openTasksNamed } from './open-tasks.ts';

/* How an incident ends, because it is over or was declared by mistake, and how it is opened again. */

/** Words that say that there was no incident, with which people also end one. */
const means =
  /^(?:(?:it (?:is|was)|this (?:is|was)|was) )?(?:an? )?(?:false alarm|false positive|(?:declared |opened )?(?:by mistake|by accident|in error)|mistake|duplicate(?: of .{1,60})?)[.!]*$/iu;

/** Whether the words about an end say no more than that the incident was declared by mistake. */
export function meansMistake(words: string): boolean {
  return means.test(words.replaceAll(/\s+/gu, ' ').trim());
}

/** Says that words about an end or a reopening are too long. */
export function tooLong(summary: string): string {
  return `A summary has at most ${slackLimits.inputText} characters, and this one has ${summary.length}. Put the rest in a note.`;
}

/** Words about the status as a note. */
function toSummary(ctx: Context, incidentID: string, text: string, source: string): Note {
  return { incidentID, text, eventTime: ctx.now.toISOString(), ...wordsOf(ctx.actor), source };
}

/** How an incident is resolved; `endedAt` is RFC 3339, or `""` for now. */
interface Resolution {
  readonly summary: string;
  readonly endedAt: string;
  /** The end that it had when the person asked; `""` for none. */
  readonly endBefore: string;
  /** Marks the open tasks as done. */
  readonly finishesTasks: boolean;
  /** The people whom Slack made mentions of in the summary. */
  readonly mentions: readonly KeptMention[];
}

/** Resolves an incident, or says that it was declared by mistake where the summary says no more than that. */
export function endIncident(ctx: Context, incidentID: string, wish: Resolution): Promise<void> {
  return meansMistake(wish.summary) ? cancel(ctx, incidentID, wish.summary) : resolve(ctx, incidentID, wish);
}

/** Carries out the parts one by one. A part that is not done does not stop the others. */
async function resolve(ctx: Context, incidentID: string, wish: Resolution): Promise<void> {
  const { summary, endedAt, finishesTasks } = wish;
  const part = { incidentID, hasMore: true, isPart: true };
  const receipts: { readonly words: Words; readonly isSaid?: boolean }[] = [];
  const notDone: Submitted<unknown>[] = [];
  let told = summary;
  let endBefore: string | undefined;
  if (endedAt) {
    const payload = { incidentID, moment: 'incidentEnd' as const, at: endedAt, was: wish.endBefore };
    const set = await ctx.perform(setEnd, payload, part);
    if (set.state === 'done') {
      endBefore = set.result.was;
      // The incident is about to be over.
      const asOver = { ...set, result: { ...set.result, status: 'resolved' } };
      receipts.push({ words: await receiptWords(ctx, setEnd, payload, asOver) });
    } else notDone.push(set);
  }
  if (summary) {
    const noted = await ctx.perform(addSummary, toSummary(ctx, incidentID, summary, 'resolution'), part);
    // The incident does not wait for the choice about its summary, and the channel reads only words that the timeline has.
    if (noted.state === 'held' || noted.state === 'failed') told = '';
    if (noted.state === 'done') receipts.push({ words: noted.words, isSaid: true });
    else notDone.push(noted);
  }
  if (finishesTasks) {
    const finished = await ctx.perform(finishTasks, { incidentID }, part);
    if (finished.state === 'done') receipts.push({ words: finished.words });
    else notDone.push(finished);
  }
  const mentions = [...(await withGroups(ctx.deps.slack, told, wish.mentions))];
  const change = { incidentID, status: 'resolved' as const, summary: told, mentions };
  const resolved = await changeStatus(ctx, endBefore === undefined ? change : { ...change, endBefore });
  if (resolved.state !== 'done') notDone.unshift(resolved);
  // The room's headline has the summary.
  const unsaid = receipts.filter(each => !resolved.isRead || !each.isSaid);
  const all = [...(resolved.state === 'done' ? [resolved.words] : []), ...unsaid.map(each => each.words)];
  if (all.length > 0) {
    const blocks = all.flatMap(words => words.blocks ?? []);
    await ctx.answer({
      text: all.map(words => words.text).join('\n'),
      // Buttons come below all words.
      blocks: [...blocks.filter(each => each.type !== 'actions'), ...blocks.filter(each => each.type === 'actions')],
    });
  }
  for (const each of notDone) await each.tell();
}

/** Changes the status, and tells whether its room reads of it. */
async function changeStatus(ctx: Context, change: StatusChange) {
  const changed = await ctx.perform(setStatus, change, { incidentID: change.incidentID, isPart: true });
  const isNews = changed.state === 'done' && !changed.repeated && changed.result.changed;
  const line = isNews ? await findLine(ctx, setStatus, change, changed.result) : undefined;
  return { ...changed, isRead: line?.isRead ?? false };
}

/**
 * Says that an incident was declared by mistake, at once while no other person takes part in it, else after a question; `typed` is why,
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
  if (others.length === 0) return recordMistake(ctx, incidentID, typed);
  const { title = '', status } = incident ?? {};
  const work = others.length === 1 ? 'takes part in it' : 'take part in it';
  const tasks = incident ? openTasksNamed(incident) : '';
  const facts = `${andMore(others, mostNamed)} ${work}, so nothing was changed yet.${tasks === '' ? '' : ` ${tasks}`}`;
  await ctx.openForm(cancelForm, { incidentID, title, facts, isOver: status === 'resolved' }, { why: typed });
}

/** People that the question names. */
const mostNamed = 5;

/** The other people who take part in an incident, by name (mrkdwn): they changed it, hold a role, or were called. */
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

async function recordMistake(ctx: Context, incidentID: string, typed: string): Promise<void> {
  const why = /^(?:declared )?(?:by )?mistake[.!]*$/iu.test(typed) ? '' : typed;
  const text = why === '' ? mistakeName : `${mistakeName}: ${why}`;
  const note = toSummary(ctx, incidentID, text, 'resolution');
  const noted = await ctx.perform(addSummary, note, { incidentID, hasMore: true, isPart: true });
  // The incident does not wait for the choice about the words.
  await ctx.carryOut(setMistake, { incidentID, why: noted.state === 'held' ? '' : why }, { incidentID });
  if (noted.state !== 'done') await noted.tell();
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
        callout('warning', facts),
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
      : recordMistake(ctx, incidentID, why),
});

/** Saying that an incident was none. */
export const cancelVerb: Verb = {
  noun: 'incident',
  verb: 'cancel',
  grave: true,
  aliases: ['abort', 'mistake', 'bymistake'],
  shorthands: { falsealarm: 'False alarm', falsepositive: 'False positive', duplicate: 'Duplicate' },
  argumentKind: 'reason',
  usage: '[why]',
  summary:
    'Say that it was declared by mistake: it is over, and left out of the figures. It asks first once others take part in it.',
  about: 'incident',
  needsRegistered: true,
  run: async (ctx, args, incidentID) => {
    const why = stripControls(args.text).trim();
    if (why.length > mostWhy) return ctx.reject(`That is longer than ${mostWhy} characters. Nothing was changed.`);
    await cancel(ctx, incidentID, why);
  },
};

async function reopen(ctx: Context, incidentID: string, reason = ''): Promise<void> {
  const why = toSummary(ctx, incidentID, reason, 'reopening');
  const part = { incidentID, hasMore: true, isPart: true };
  const noted = reason === '' ? undefined : await ctx.perform(addSummary, why, part);
  const said = noted?.state === 'held' ? '' : reason;
  const reopened = await changeStatus(ctx, { incidentID, status: 'active', summary: said, mentions: [] });
  if (reopened.state === 'done') await ctx.answer(reopened.words);
  else await reopened.tell();
  if (noted && noted.state !== 'done') await noted.tell();
}

/** Opens an incident again that is over. */
export const reopenButton = incidentButton({ id: 'incident.reopen', label: 'Reopen' }, (ctx, incidentID) =>
  reopen(ctx, incidentID),
);

/** Opens it again, with the reason. */
export const reopenVerb: Verb = {
  noun: 'incident',
  verb: 'reopen',
  aliases: ['unresolve', 'unclose', 'reactivate'],
  argumentKind: 'reason',
  usage: '[why]',
  summary: 'Open a resolved incident again.',
  about: 'incident',
  needsRegistered: true,
  meansResolved: true,
  run: async (ctx, args, incidentID) => {
    const reason = stripControls(args.text).trim();
    if (reason.length > slackLimits.inputText) return ctx.reject(`I did not reopen it. ${tooLong(reason)}`);
    const incident = reason === '' ? undefined : await readKnown(ctx.deps, incidentID);
    if (incident?.status === 'active') return ctx.reject(alreadyWords(incident, 'active').text);
    await reopen(ctx, incidentID, reason);
  },
};
