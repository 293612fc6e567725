import { z } from 'zod';
import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { findLine, receiptWords } from '../../dispatch/answers/receipts.ts';
import type { Context, Submitted } from '../../dispatch/feature/context.ts';
import { resolveFace } from '../../dispatch/feature/faces.ts';
import { defineButton, pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { resumeButton } from '../../dispatch/feature/resume.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { actorName } from '../../incident/lines/mentions.ts';
import { type Note, wordsOf } from '../../incident/notes/notes.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { type KeptMention, withGroups } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { andMore, stripControls, toOneLine } from '../../text/words.ts';
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

function meansMistake(words: string): boolean {
  return means.test(words.replaceAll(/\s+/gu, ' ').trim());
}

/** Says that an incident was declared by mistake where the words about its end say no more than that; else returns false. */
export async function cancelIfMeant(ctx: Context, incidentID: string, words: string): Promise<boolean> {
  const isMeant = meansMistake(words);
  if (isMeant) await cancel(ctx, incidentID, words);
  return isMeant;
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
export async function endIncident(ctx: Context, incidentID: string, wish: Resolution): Promise<void> {
  if (!(await cancelIfMeant(ctx, incidentID, wish.summary))) await resolve(ctx, incidentID, wish);
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
async function cancel(ctx: Context, incidentID: string, typed: string): Promise<void> {
  const incident = await readUnlessAway(ctx, incidentID);
  if (incident && isMistake(incident)) return ctx.reject(mistakeAlready(incidentID));
  const others = await othersIn(ctx, incidentID, incident);
  return others.length === 0
    ? recordMistake(ctx, incidentID, typed)
    : ask(ctx, { incidentID, incident, others }, typed);
}

/** An incident; undefined while the API is away: the change waits for it, and a question has what Muster itself knows. */
async function readUnlessAway({ deps }: Context, incidentID: string): Promise<Incident | undefined> {
  return readKnown(deps, incidentID).catch(error => {
    if (!isUnread(error)) throw error;
    return undefined;
  });
}

/** An incident as a question about its end shows it. */
interface Shown {
  readonly incidentID: string;
  readonly incident: Incident | undefined;
  readonly others: readonly string[];
}

/** `instead` is the slash command that the words mean as likely. */
async function ask(
  ctx: Context,
  { incidentID, incident, others }: Shown,
  typed: string,
  instead?: string,
): Promise<void> {
  const { title = '', status = '' } = incident ?? {};
  const update = incident && (await ctx.deps.updates.latest(incident)).update;
  const asks =
    status === 'resolved'
      ? 'It is resolved. Was it declared by mistake?'
      : 'Was it declared by mistake, or is it over?';
  const text = [
    `${incidentLabel(incidentID, 'Incident')}${titleBehind(title)}: ${asks} Nothing was changed yet.`,
    others.length === 0 ? '' : `${together(others)} ${others.length === 1 ? 'takes' : 'take'} part in it.`,
    ...(incident ? [openTasksNamed(incident)] : []),
    update ? `The last update is from ${update.by || 'somebody'}: ${toMrkdwn(toOneLine(update.text), 200)}` : '',
    typed === '' ? '' : `You say: ${toMrkdwn(typed, mostWhy)}`,
  ];
  const words = text.filter(each => each !== '').join('\n');
  const seen = { at: ctx.now.getTime(), status, others: others.length };
  const over = pressable(resolveFace, { incidentID, summary: meansMistake(typed) ? '' : typed, seen });
  const mistake = pressable(mistakeButton, { incidentID, why: typed, asked: ctx.key, seen });
  const [, root = '', line = ''] = /^\/(\S+) (.+)$/.exec(instead ?? '') ?? [];
  const draft =
    instead && (await ctx.deps.drafts.keep(ctx.actor, { kind: 'command', root, text: line }, ctx.key, ctx.now));
  const other = draft ? [pressable(resumeButton, { draft, incidentID }, { label: instead })] : [];
  const buttons = actions([...other, mistake, ...(status === 'resolved' ? [] : [over])]);
  await ctx.answer({ text: words, blocks: [section(words), buttons] });
}

/** Names as a sentence has them: “bob, carol and the pager sre”. */
function together(names: readonly string[]): string {
  const [first, last] = [names.slice(0, -1), names.slice(-1)];
  return names.length > mostNamed
    ? andMore(names, mostNamed)
    : [andMore(first, mostNamed), ...last].filter(Boolean).join(' and ');
}

/** What a question about an end showed: its time in epoch milliseconds, the status (`""`: unknown), how many others took part. */
export const Seen = z.object({ at: z.number(), status: z.string(), others: z.number() });

/**
 * Asks again where another person has acted since the question, or the incident has changed. Returns false where all is as the question
 * showed. `seen` is absent in a question of an earlier version.
 */
export async function askedAgain(
  ctx: Context,
  incidentID: string,
  { seen, why }: { readonly seen: z.output<typeof Seen> | undefined; readonly why: string },
): Promise<boolean> {
  const incident = await readUnlessAway(ctx, incidentID);
  const others = await othersIn(ctx, incidentID, incident);
  const acted = await ctx.deps.calls.actors(incidentID, (seen?.at ?? -1) + 1);
  const hasStatus = !incident || seen?.status === '' || incident.status === seen?.status;
  const isSame =
    hasStatus && others.length === seen?.others && [...acted].every(id => ['', ctx.actor.userId].includes(id));
  if (isSame) return false;
  if (incident && isMistake(incident)) await ctx.reject(mistakeAlready(incidentID));
  else await ask(ctx, { incidentID, incident, others }, why);
  return true;
}

/** The act on each thing of Muster whose name right behind a verb that ends is likely meant, as a slash command; undefined for none. */
const things: readonly (readonly [name: RegExp, act?: (number: string, isDone: boolean) => string])[] = [
  [
    /^tasks?(?: #?(\d{1,6}))?/i,
    (number, isDone) => (number ? `/task ${isDone ? 'done' : 'delete'} ${number}` : '/task list'),
  ],
  [/^(?:reminders?|nudges?)/i, () => '/incident reminders off'],
  [/^(?:updates?|notes?)/i, () => '/note list'],
  [/^roles?/i, () => '/role list'],
  [/^alerts?/i, () => '/incident alerts'],
  [/^(?:rooms?|channels?)/i, () => '/incident archive'],
  [/^(?:calls?|pages?|pagers?|links?|dash(?:board)?s?)/i],
];

/** Words before the name of a thing. */
const determiner = /^(?:(?:the|my|our|his|her|their|your|this|that|all|last|latest|open|next)\s+)+/i;

/** How the words for a definite thing begin: “the meeting”, “bob’s deploy”, “tomorrows window”. */
const definite = /^(?:(?:the|my|our|his|her|their|your)|\p{L}+['’]s|(?:today|tonight|tomorrow|\p{L}+day)s)\s/iu;
/** Words behind a participle that tell more of the thing: “the meeting planned for today”. */
const goesOnAs = /^(?:at|by|for|in|on|with|until|to)$/i;

/** Words that make a sentence of those before them: “the probe was wrong”, “the replica took over”. */
const isVerb = /^(?:is|are|was|were|has|have|had|does|did|do|can|could|\p{L}+n['’]t)$/iu;
const hasHappened = /^(?:\p{L}+ed|took|went|came|broke|fell|ran|got|lost|made|hung|gave|works|worked)[,.!]*$/iu;

/**
 * Asks where the words behind a verb that ends an incident name another thing: one of Muster, or a definite one, as in `the meeting`. “The
 * probe was wrong” is a reason. False: they name none.
 */
export async function askAboutThing(ctx: Context, incidentID: string, typed: string, isDone = false): Promise<boolean> {
  const rest = typed.replace(determiner, '');
  const words = typed.split(/\s+/);
  const isSaid = words.some(
    (word, at) =>
      (at > 0 && isVerb.test(word)) ||
      (at > (isDone ? 0 : 1) && hasHappened.test(word) && !(word.endsWith('ed') && goesOnAs.test(words[at + 1] ?? ''))),
  );
  const isName = (name: RegExp) => !/^[\p{L}\p{N}]/u.test(rest.replace(name, '')) && name.test(rest);
  const thing = isSaid ? undefined : things.find(([name]) => isName(name));
  // Behind “resolve” such words are a summary: “the pool, once more”.
  const isDefinite = !isDone && definite.test(typed) && !isSaid && !/^(?:incident|outage|drill)\b/i.test(rest);
  if (!thing && !isDefinite) return false;
  const incident = await readUnlessAway(ctx, incidentID);
  if (incident && isMistake(incident)) return false;
  const [name, act] = thing ?? [];
  const others = await othersIn(ctx, incidentID, incident);
  await ask(ctx, { incidentID, incident, others }, typed, act?.(name?.exec(rest)?.[1] ?? '', isDone));
  return true;
}

/** People that the question names. */
const mostNamed = 5;

/** The others who take part in an incident, by name (mrkdwn): they changed it, hold a role, have a task or were called; pagers were paged. */
async function othersIn(
  { deps: { calls, pagers, people }, actor }: Context,
  incidentID: string,
  incident: Incident | undefined,
): Promise<readonly string[]> {
  const called = (await calls.ofIncident(incidentID)).filter(each => each.state !== 'withdrawn');
  const ids = new Set([
    ...(await calls.actors(incidentID, 0)),
    ...called.flatMap(call => call.people.map(each => each.user_id)),
  ]);
  const strangers = new Set<string>();
  const { incidentMembership, taskList } = incident ?? {};
  const ofTasks = (taskList?.tasks ?? []).map(each => each.assignedUser);
  for (const user of [...(incidentMembership?.assignments ?? []).map(each => each.user), ...ofTasks]) {
    if (user === null) continue;
    const id = await people.toSlackId(user.userID);
    if (id === '') strangers.add(toMrkdwn(user.name || 'somebody', 80));
    else ids.add(id);
  }
  const others = [...ids].filter(id => id !== '' && id !== actor.userId);
  const paged = await Promise.all(pagers.names.map(pager => pagers.lastSince(incidentID, { pager, since: 0 })));
  const woken = paged.flatMap(page => (page ? [`the pager ${toMrkdwn(page.pager, 40)}`] : []));
  return [...(await Promise.all(others.map(id => actorName(people, id)))), ...strangers, ...woken];
}

/** `asked` names the question that was pressed, so that two presses do it once; absent: none was. */
async function recordMistake(ctx: Context, incidentID: string, typed: string, asked?: string): Promise<void> {
  const why = /^(?:declared )?(?:by )?mistake[.!]*$/iu.test(typed) ? '' : typed;
  const text = why === '' ? mistakeName : `${mistakeName}: ${why}`;
  const keyed = (part: string) => (asked === undefined ? {} : { key: `${asked}/mistake/${part}` });
  const note = toSummary(ctx, incidentID, text, 'resolution');
  const noted = await ctx.perform(addSummary, note, { incidentID, hasMore: true, isPart: true, ...keyed('why') });
  // The incident does not wait for the choice about the words.
  const wish = { incidentID, why: noted.state === 'held' ? '' : why };
  await ctx.carryOut(setMistake, wish, { incidentID, ...keyed('mark') });
  if (noted.state !== 'done') await noted.tell();
}

/** Most characters of the reason: a button of the question carries it. */
const mostWhy = 800;

/** Says it after the question. */
export const mistakeButton = defineButton({
  id: 'incident.cancel',
  label: 'By mistake',
  style: 'danger',
  value: z.object({ incidentID: z.string(), why: z.string(), asked: z.string(), seen: Seen.optional() }),
  run: async (ctx, { value: { incidentID, why, asked, seen } }) => {
    if (!(await askedAgain(ctx, incidentID, { seen, why }))) await recordMistake(ctx, incidentID, why, asked);
  },
});

/** Saying that an incident was none. */
const cancelVerb: Verb = {
  noun: 'incident',
  verb: 'cancel',
  grave: true,
  aliases: ['abort', 'mistake', 'bymistake'],
  shorthands: { falsealarm: 'False alarm', falsepositive: 'False positive', duplicate: 'Duplicate' },
  argumentKind: 'reason',
  usage: '[why]',
  summary:
    'Say that it was declared by mistake: it is over, and left out of the figures. It asks first once others take part in it.',
  needsRegistered: true,
  run: async (ctx, args, incidentID) => {
    const why = stripControls(args.text).trim();
    if (why.length > mostWhy) return ctx.reject(`That is longer than ${mostWhy} characters. Nothing was changed.`);
    if (!(await askAboutThing(ctx, incidentID, why))) await cancel(ctx, incidentID, why);
  },
};

/** Opens an incident again, and answers. */
export async function reopen(ctx: Context, incidentID: string, reason = ''): Promise<void> {
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
const reopenVerb: Verb = {
  noun: 'incident',
  verb: 'reopen',
  example: '`/incident reopen it is back` opens it again',
  aliases: ['unresolve', 'unclose', 'reactivate'],
  argumentKind: 'reason',
  usage: '[why]',
  summary: 'Open a resolved incident again.',
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

/** The verbs that end an incident as none, and open it again. */
export const otherVerbs = [reopenVerb, cancelVerb];
