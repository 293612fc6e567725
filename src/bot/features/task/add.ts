import { maxTaskText } from '../../../contract/tasks.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  privateNotice,
  toMessageForm,
} from '../../dispatch/forms/about-message.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, parseCommand } from '../../grammar/grammar.ts';
import type { VerbShape } from '../../grammar/verb.ts';
import { onlyIncidentHere } from '../../incident/acts/incidents-here.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { messageText, permalinkOf } from '../../incident/notes/message-note.ts';
import { type NamedPerson, toOthers } from '../../people/directory.ts';
import { findMentioned, type MentionedPeople, readMentions } from '../../people/mentions.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { cap, escapeMrkdwn, toOneLine } from '../../text/words.ts';
import { addTask, addTasks, checkTaskText, faces, type TaskRequest, toAssignee } from './intents.ts';

/** A task as a person asks for it. */
interface TaskWish extends MentionedPeople {
  /** The words with every name in its place. They become the task when nobody can be assigned, so that nothing typed is lost. */
  readonly text: string;
}

/** Tasks that are added at once, at most. */
const mostAtOnce = 20;

/** The texts of tasks as they are stored, or a sentence of plain text on what is wrong with one of them. */
function checkTasks(typed: readonly string[]): { readonly texts: readonly string[] } | { readonly problem: string } {
  if (typed.length > mostAtOnce)
    return { problem: `At most ${mostAtOnce} tasks at once, and these are ${typed.length} lines.` };
  const checked = typed.map(checkTaskText);
  return (
    checked.find(each => 'problem' in each) ?? { texts: checked.flatMap(each => ('text' in each ? each.text : [])) }
  );
}

/** Adds what a command asks for: one task, or one for each of its lines. */
export async function runAdd(ctx: Context, args: Args, incidentID: string): Promise<void> {
  // A run in quotes is one word.
  const lines = args.words.length === 1 ? [args.text] : splitTasks(args.text);
  if (lines.length > 1) return addEach(ctx, incidentID, readEach(lines, args, ctx.actor.userId));
  const wish = readMentions(args, ctx.actor.userId, { onlyAt: true });
  const checked = checkTaskText(wish.rest);
  if ('text' in checked) return addOne(ctx, incidentID, { ...wish, text: args.text });
  const example = 'For example `/task add check the replica @bob`.';
  await ctx.reject(`${checked.problem} ${example}`, [actions([pressable(faces.add, { incidentID })])]);
}

/** Adds the task of each wish, and answers once. */
async function addEach(ctx: Context, incidentID: string, wishes: readonly TaskWish[]): Promise<void> {
  const [only, ...others] = wishes;
  if (only && others.length === 0) return addOne(ctx, incidentID, only);
  const checked = checkTasks(wishes.map(each => each.text));
  if ('problem' in checked) return ctx.reject(`${toMrkdwn(checked.problem)} Nothing was added.`);
  const read = await Promise.all(wishes.map(each => toPayload(ctx, each)));
  const how = { incidentID, others: toOthers(read.flatMap(each => each.named)) };
  const { words } = await ctx.perform(addTasks, { incidentID, tasks: read.map(each => each.task) }, how);
  if (words) await ctx.answer(words);
}

/**
 * Adds a task and answers with what can be done with it. It is added also when the person named for it cannot be assigned: the work
 * matters more than the name, and the receipt says that nobody is assigned.
 */
async function addOne(ctx: Context, incidentID: string, wish: TaskWish): Promise<void> {
  const { task, named } = await toPayload(ctx, wish);
  const checked = checkTaskText(task.text);
  if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
  const how = { incidentID, others: toOthers(named) };
  const { words } = await ctx.perform(addTask, { incidentID, ...task, text: checked.text }, how);
  if (words) await ctx.answer(words);
}

/** The task as it is submitted, and the person whom it names. */
async function toPayload(ctx: Context, wish: TaskWish): Promise<{ task: TaskRequest; named: readonly NamedPerson[] }> {
  const several = wish.ids.length > 1 ? 'a task has one assignee. Pick one below, or add a task for each.' : '';
  const unread = wish.problem || several;
  const found = unread === '' ? await findMentioned(ctx.deps, wish.ids, 'task') : { problem: unread };
  const problem = 'problem' in found ? found.problem : '';
  const named = 'people' in found ? await Promise.all(found.people.map(each => ctx.deps.people.toNamed(each))) : [];
  const [assignee] = named;
  const text = (problem ? wish.text : wish.rest).trim() || wish.text.trim();
  const notice = problem && `Nobody is assigned: ${problem}`;
  const whose = assignee ? toClaimed(assignee, ctx.now) : {};
  return { task: { text, assignee: assignee ? toAssignee(assignee) : null, notice, ...whose }, named };
}

const textOf = { id: 'text', label: 'What needs doing?', multiline: true };
const whoField = (filled: Filled) =>
  userField({ id: 'assignee', label: 'Who does it?', optional: true, hint: 'Empty: nobody yet' }, filled);
const wishOf = (text: string, assignee: string): TaskWish => ({
  ...{ text, rest: text, problem: '' },
  ids: assignee === '' ? [] : [assignee],
});

/** The form of a new task. Only Slack knows whether its assignee may be quoted, so the receipt says that. */
export const addForm = defineModal({
  id: 'task.add',
  state: OnIncident,
  view: (_state, filled) => ({
    title: 'Add a task',
    submit: 'Add',
    blocks: [textField({ ...textOf, placeholder: 'Fail over to the replica' }, filled), whoField(filled)],
  }),
  check: filled => {
    const checked = checkTasks(splitTasks(fieldValue(filled, 'text')));
    if ('problem' in checked) return { problems: { text: checked.problem } };
    return { value: { texts: checked.texts, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: (ctx, { texts, assignee }, { incidentID }) =>
    addEach(
      ctx,
      incidentID,
      texts.map(text => wishOf(text, assignee)),
    ),
});

/** How a line of a list begins: `- `, `• `, `1. `, `2) `, `[ ] `. */
const bullet = /^\s*(?:[-*•‣–—+]\s+|\d{1,2}[.)]\s+|\[[ xX]?\]\s*)+/u;
/** How a line begins that is cited, or code. */
const cited = /^\s*(?:>|```)/;

/**
 * The tasks that a text of several lines asks for: one for each line. In a list, a line without a sign goes on with the one above it, and
 * a line with a colon above the list precedes each of them. A text of one line is one task, and so is one with cited lines or, where
 * no line has a sign, with an indent.
 */
export function splitTasks(text: string): readonly string[] {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  if (lines.length < 2 || lines.some(line => cited.test(line))) return [text.trim()];
  if (!lines.some(line => bullet.test(line))) {
    const isIndented = lines.slice(1).some(line => /^\s/.test(line));
    return isIndented ? [text.trim()] : lines.map(line => line.trim());
  }
  const tasks: string[] = [];
  let [above, isListed] = ['', false];
  for (const line of lines) {
    const words = line.replace(bullet, '').trim();
    const isItem = words !== line.trim();
    if (words === '') continue;
    if (isItem) tasks.push(`${above}${words}`);
    else if (words.endsWith(':')) above = `${words} `;
    else if (isListed) tasks.push(`${tasks.pop() ?? ''} ${words}`);
    else tasks.push(words);
    isListed = isItem || (isListed && !words.endsWith(':'));
  }
  return tasks;
}

const shape: VerbShape = { noun: 'task', verb: 'add', argumentKind: 'prose', summary: '' };

/** The people whom each of these lines of a command names for it, read as a command of its own. */
function readEach(lines: readonly string[], { mentions }: Args, me: string): TaskWish[] {
  const waiting = [...mentions];
  return lines.map(line => {
    const as = { noun: 'task', verb: 'add', from: 1 };
    const command = { root: shape.noun, commandRoot: '', text: `add ${asSent(line, waiting)}`, as };
    const parsed = parseCommand([shape], command);
    const read = parsed.kind === 'verb' ? readMentions(parsed.args, me, { onlyAt: true }) : undefined;
    return { ...(read ?? wishOf(line, '')), text: line };
  });
}

/** The line as Slack sent it: its names are mentions again. Takes them out of `waiting`. */
function asSent(line: string, waiting: Args['mentions'][number][]): string {
  let sent = '';
  let rest = line;
  for (let next = waiting[0]; next && rest.includes(next.shown); next = waiting[0]) {
    const at = rest.indexOf(next.shown);
    const target = next.kind === 'user' ? `@${next.id}` : `!subteam^${next.id}`;
    sent += `${escapeMrkdwn(rest.slice(0, at))}<${target}|${escapeMrkdwn(next.shown.replace(/^@/, '').replaceAll('|', ' '))}>`;
    rest = rest.slice(at + next.shown.length);
    waiting.shift();
  }
  return sent + escapeMrkdwn(rest);
}

/** A message that is longer than this is shown in the form first, so that the person shortens it. */
const maxUnasked = 300;

/** The words of a message on one line, and as a task: with its address behind them, and cut where they leave that no room. */
async function toTask({ deps }: Context, message: SourceMessage): Promise<{ words: string; text: string }> {
  const [text, link] = await Promise.all([messageText(deps, message), permalinkOf(deps, message)]);
  const words = toOneLine(text);
  const behind = link && ` ${link}`;
  return { words, text: `${cap(words, maxTaskText - behind.length)}${behind}` };
}

/** Adds the task of a message and answers. A message that asked for a task is not added again, unless the task was deleted since. */
async function addOnce(ctx: Context, incidentID: string, message: MessageAddress, text: string, isSaidAgain: boolean) {
  const payload = { incidentID, text, assignee: null, notice: '' };
  const first = `task/${incidentID}/${ctx.actor.teamId}/${message.channelId}/${message.ts}`;
  for (let key = first; ; ) {
    const outcome = await ctx.perform(addTask, payload, { incidentID, key });
    if (outcome.state !== 'done') return;
    const { words, repeated, result } = outcome;
    // When this delivery is handled a second time, it has added the task itself.
    if (!repeated || ctx.mayAlreadyExist) return ctx.answer(words);
    const { taskList } = await readKnown(ctx.deps, incidentID);
    if (taskList.tasks.some(each => each.taskID === result.task.taskID))
      return isSaidAgain ? ctx.answer(words) : undefined;
    key = `${first}/after/${outcome.id}`;
  }
}

/** The form of a task that a message asks for. */
export const messageForm = defineModal({
  id: 'task.message',
  state: AboutMessage,
  view: (state, filled, { offered }) => ({
    title: 'Task from a message',
    submit: 'Add',
    blocks: [
      ...incidentField(state, filled, offered),
      textField({ ...textOf, hint: 'The link leads to the message.' }, filled),
      whoField(filled),
      ...privateNotice(state),
    ],
  }),
  check: (filled, state) => {
    const { incidentID, problems } = checkIncident(filled, state);
    const checked = checkTaskText(fieldValue(filled, 'text'));
    if ('problem' in checked) return { problems: { ...problems, text: checked.problem } };
    if (incidentID === '') return { problems };
    return { value: { incidentID, text: checked.text, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: (ctx, { incidentID, text, assignee }) => addOne(ctx, incidentID, wishOf(text, assignee)),
});

/** Adds a short message as a task at once where an incident is handled; else opens the form. */
export async function addFromMessage(ctx: Context, message: SourceMessage): Promise<void> {
  const [here, task] = await Promise.all([
    onlyIncidentHere(ctx.deps, { teamId: ctx.actor.teamId, channelId: message.channelId }, ctx.now),
    toTask(ctx, message),
  ]);
  if (here !== '' && task.words.length <= maxUnasked) return addOnce(ctx, here, message, task.text, true);
  const form = await toMessageForm(ctx, 'task_message', message, here);
  if (form) await ctx.openForm(messageForm, form.state, { ...form.filled, text: task.text }, form.offered);
}

/** Adds a message as a task because of a reaction. The link leads to the words for which a task has no room. */
export async function addByReaction(ctx: Context, incidentID: string, message: SourceMessage): Promise<void> {
  await addOnce(ctx, incidentID, message, (await toTask(ctx, message)).text, false);
}
