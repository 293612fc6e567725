import { z } from 'zod';
import type { Task } from '../../../contract/tasks.ts';
import type { Context, Modal, SubmitOptions } from '../../dispatch/feature/context.ts';
import {
  type Button,
  defineButton,
  type Face,
  type Feature,
  onMessage,
  pressable,
} from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { withoutPolite } from '../../grammar/words.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned, readMentions, unknownName } from '../../people/mentions.ts';
import { actions, mention, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { numbers } from '../../text/clock-words.ts';
import { toComparable } from '../../text/words.ts';
import { addByReaction, addForm, addFromMessage, messageForm, runAdd } from './add.ts';
import {
  type Assignee,
  addTask,
  addTasks,
  alone,
  assignTask,
  buttonRow,
  checkTaskText,
  deleteTask,
  editTask,
  faces,
  type Numbered,
  quoted,
  removeTasks,
  restoreTask,
  type Status,
  setTaskStatus,
  statusNames,
  Target,
  toAssignee,
  toKnownStatus,
  toList,
  toNumbered,
} from './intents.ts';
import { isTaskFilter, runList, show, type TaskResult, tasks, tasksPart } from './list.ts';

/* Which tasks a person means: `2`, `#2`, `the second`, `1, 2 and 3`, `1-3`, or some of a task's words. */

/** Words around the number of a task that say nothing more. */
const lead = /^(?:(?:the|tasks?|todos?|items?|numbers?|no\.?|nr\.?)\s+)+(?=\S)/i;
const tail = /(?:(?<![\s,])[\s,]+(?:to|for|is|with))+$/i;
/** Most characters of a task's number, with the words around it. */
const longestNumber = 100;

function numberIn(typed: string): string | undefined {
  if (typed.length > longestNumber) return undefined;
  const text = withoutPolite(typed.normalize('NFKC').trim()).replace(tail, '').replace(lead, '');
  const named = numbers.indexOf(text.toLowerCase());
  return named > 0 ? String(named) : /^#?(\d{1,6})[.):!]*$/.exec(text)?.[1];
}

/** Whether a person named a task by its number, and not by words. */
function isTaskNumber(typed: string): boolean {
  return numberIn(typed) !== undefined;
}

/** Tasks that one command changes, at most. */
const mostTogether = 20;

/** The words of a person, taken apart where they are several numbers: `1 2`, `1, 2`, `1 and 2`, `1-3`. */
function severalNumbers(typed: string): readonly string[] {
  const parts = withoutPolite(typed)
    .replace(lead, '')
    .split(/\s*(?:[\s,;&+、，]|\band\b)\s*/i)
    .filter(each => each !== '')
    .flatMap(inRange);
  return parts.length > 1 && parts.length <= mostTogether && parts.every(isTaskNumber) ? [...new Set(parts)] : [typed];
}

/** The numbers of `1-3`; anything else alone. */
function inRange(typed: string): readonly string[] {
  const [, from = '', to = ''] = /^#?(\d{1,6})[-–—]#?(\d{1,6})$/.exec(typed) ?? [];
  const count = Number(to) - Number(from) + 1;
  if (from === '' || count < 2 || count > mostTogether) return [typed];
  return Array.from({ length: count }, (_, at) => String(Number(from) + at));
}

/** Scripts that set no spaces between words: a word is looked for anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * The tasks that match what a person typed: the one of that number; else those of exactly that text; else all in which a word begins with
 * each word that was typed.
 */
function findTasks(all: readonly Numbered[], typed: string): readonly Numbered[] {
  const number = numberIn(typed);
  if (number !== undefined) return all.filter(each => each.number === Number(number));
  const wanted = toComparable(typed);
  if (wanted === '') return [];
  const exact = all.filter(({ task }) => toComparable(task.text) === wanted);
  if (exact.length > 0) return exact;
  return all.filter(({ task }) => {
    const text = toComparable(task.text);
    const own = [...text.split(/[^\p{L}\p{M}\p{N}]+/u), ...text.split(' ')];
    return wanted
      .split(' ')
      .every(word => (unspaced.test(word) ? text.includes(word) : own.some(each => each.startsWith(word))));
  });
}

/** All tasks of an incident, as far as they are known. Throws an RpcError when nothing is. */
async function readTasks(ctx: Context, incidentID: string): Promise<readonly Numbered[]> {
  return toNumbered(ctx.deps, incidentID, (await readKnown(ctx.deps, incidentID)).taskList);
}

/** Says that a task is gone; `text` is its own, or `""`. */
function goneWords(text = ''): Words {
  return {
    text: `${text ? `The task ${quoted(text)}` : 'That task'} was deleted in the meantime. Nothing was changed.`,
  };
}

/** Submits a change of one task. Yields undefined when the person has been answered: it is queued or failed. */
async function change<P extends { incidentID: string; text: string }, R extends object>(
  ctx: Context,
  intent: IntentKind<P, R>,
  payload: P,
  options: SubmitOptions = {},
): Promise<TaskResult | undefined> {
  const how = { incidentID: payload.incidentID, ...options, gone: goneWords(payload.text) };
  const { words, result } = await ctx.perform(intent, payload, how);
  return words && { words, ...result };
}

/** An act of a person on one task, by a button in its row or a verb. It changes nothing where the task is so already. */
type Act = (ctx: Context, incidentID: string, found: Numbered, picked?: string) => Promise<TaskResult | undefined>;

/** The task as it is, under a sentence on why nothing was changed. */
function unchanged({ task, number }: Numbered, is: string): TaskResult {
  return { words: { text: `Task ${number} ${is}: ${quoted(task.text)}.` }, task, number };
}

function addressOf(incidentID: string, { taskID, text }: Task) {
  return { incidentID, taskID, text };
}

/** The person who does the task now; null for none. */
async function assigneeOf({ deps }: Context, { assignedUser }: Task): Promise<Assignee> {
  if (!assignedUser?.userID) return null;
  const { userID } = assignedUser;
  return { userID, slackUserID: await deps.people.toSlackId(userID), slackTeamID: deps.slack.identity.teamId };
}

const mark =
  (status: Status, options?: SubmitOptions): Act =>
  async (ctx, incidentID, found) => {
    const { task } = found;
    if (task.status === status) return unchanged(found, `is ${statusNames[status]} already`);
    if (task.immutable) {
      const text = `The incident ticks task ${found.number} off automatically: ${quoted(task.text)}.`;
      return { ...found, words: { text } };
    }
    const payload = { ...addressOf(incidentID, task), status, was: toKnownStatus(task.status) };
    return change(ctx, setTaskStatus, payload, options);
  };

const assign: Act = async (ctx, incidentID, { task, number }, picked = '') => {
  const found = await findMentioned(ctx.deps, [picked], 'task');
  const person = 'people' in found ? found.people[0] : undefined;
  if (!person) return { words: { text: 'problem' in found ? found.problem : 'Choose who does it.' }, task, number };
  const named = await ctx.deps.people.toNamed(person);
  if (task.assignedUser?.userID === named.userID)
    return unchanged({ task, number }, `is for ${mention(picked)} already`);
  const [assignee, was] = [toAssignee(named), await assigneeOf(ctx, task)];
  const payload = { ...addressOf(incidentID, task), assignee, was, ...toClaimed(named, ctx.now) };
  return change(ctx, assignTask, payload, { others: toOthers([named]) });
};

const unassign: Act = async (ctx, incidentID, found) => {
  const was = await assigneeOf(ctx, found.task);
  if (!was) return unchanged(found, 'is unassigned already');
  return change(ctx, assignTask, { ...addressOf(incidentID, found.task), assignee: null, was });
};

/** Gives a task back that was given to the person, as long as it is theirs. */
const giveBack: Act = async (ctx, incidentID, found) => {
  const holder = await assigneeOf(ctx, found.task);
  if (holder === null || holder.slackUserID === ctx.actor.userId) return unassign(ctx, incidentID, found);
  const whose = holder.slackUserID === '' ? 'somebody else' : mention(holder.slackUserID);
  const { words, task } = unchanged(found, `is not yours any more, it is for ${whose}`);
  return { words, ...(task ? { task } : {}) };
};

const reword =
  (newText: string): Act =>
  async (ctx, incidentID, found) =>
    found.task.text === newText
      ? unchanged(found, 'already says that')
      : change(ctx, editTask, { ...addressOf(incidentID, found.task), newText });

const remove: Act = async (ctx, incidentID, { task, number }) => {
  const [status, assignee] = [toKnownStatus(task.status) ?? 'todo', await assigneeOf(ctx, task)];
  const done = await change(ctx, deleteTask, { ...addressOf(incidentID, task), number, status, assignee });
  return done && { words: done.words };
};

/** Runs an act on the task of a button; when the task is gone, says so. */
async function onTask(ctx: Context, target: Target, act: Act, picked?: string): Promise<void> {
  const found = (await readTasks(ctx, target.incidentID)).find(({ task }) => task.taskID === target.taskID);
  await show(ctx, target, found ? await act(ctx, target.incidentID, found, picked) : { words: goneWords() });
}

const pressed = (face: Face, act: Act) =>
  defineButton<Target>({ ...face, value: Target, run: (ctx, { value, picked }) => onTask(ctx, value, act, picked) });

const addButton = incidentButton(faces.add, (ctx, incidentID) => ctx.openForm(addForm, { incidentID }));

const listButton = defineButton({
  ...faces.list,
  value: OnIncident.extend({ page: z.number() }),
  reads: true,
  run: (ctx, { value }) => tasks.show(ctx, value.incidentID, value.page),
});

/** Most tasks shown when words fit several. */
const maxChoices = 5;

/** The task that a person means. When the words fit none or several, answers so and returns undefined. */
async function pickTask(ctx: Context, incidentID: string, typed: string): Promise<Numbered | undefined> {
  const all = await readTasks(ctx, incidentID);
  const isAll = /^(all|everything|every|each|both)( tasks?| of (them|it))?$/i.test(typed.trim());
  const found = isAll ? [] : findTasks(all, typed);
  if (found.length === 1) return found[0];
  if (found.length === 0) {
    const missing =
      typed.trim() === '' || isAll
        ? 'Say which task, by its number or some of its words.'
        : `There is no task ${quoted(typed, 80)}${isTaskNumber(typed) ? '.' : '; `/task add …` adds one.'}`;
    const count = all.length === 1 ? 'is one' : `are ${all.length}`;
    return void (await tasks.show(ctx, incidentID, 0, all.length ? { text: `${missing} There ${count}:` } : undefined));
  }
  const choices = found.slice(0, maxChoices).flatMap(({ task, number }) => {
    const status = statusNames[toKnownStatus(task.status) ?? 'todo'];
    return [
      section(`*${number}.* ${quoted(task.text)} (${toKnownStatus(task.status) ? status : 'unknown'})`),
      ...(task.immutable ? [] : buttonRow({ task, number }, { ...alone(ctx, incidentID, task), isOneOfSeveral: true })),
    ];
  });
  const numbers = found.map(each => each.number).slice(0, 30);
  const what = `${quoted(typed, 80)} matches ${found.length} tasks (${numbers.join(', ')}).`;
  return void (await ctx.reject(`${what} Type a number or press a button.`, choices));
}

/** Runs an act on the task that a person means, and shows its result. */
async function onPicked(ctx: Context, incidentID: string, typed: string, act: Act, picked?: string): Promise<void> {
  const found = await pickTask(ctx, incidentID, typed);
  if (found) await show(ctx, alone(ctx, incidentID, found.task), await act(ctx, incidentID, found, picked));
}

/** Marks the tasks of several numbers, or none of them when one is missing. Yields what to say above the list (mrkdwn). */
async function markAll(ctx: Context, incidentID: string, numbers: readonly string[], status: Status): Promise<string> {
  const all = await readTasks(ctx, incidentID);
  const found = numbers.map(number => ({ number, task: findTasks(all, number)[0] }));
  const missing = found.filter(each => each.task === undefined).map(each => quoted(each.number, 20));
  if (missing.length > 0) return `There is no task ${missing.join(' and no task ')}. Nothing was changed.`;
  const notices: string[] = [];
  for (const [at, { number, task }] of found.entries()) {
    const act = mark(status, { step: `task ${number}`, hasMore: at + 1 < found.length });
    const shown = task && (await act(ctx, incidentID, task));
    if (shown) notices.push(shown.words.text);
  }
  return notices.join('\n');
}

/** A verb that marks a task. `done` without words means the only task that is open. */
async function runMark(ctx: Context, { verb, text: typed }: Args, incidentID: string): Promise<void> {
  const status = verb === 'start' ? 'progress' : verb === 'reopen' ? 'todo' : 'done';
  const open = typed.trim() || status !== 'done' ? [] : (await readTasks(ctx, incidentID)).filter(isOpen);
  const [first = '', ...others] = severalNumbers(open.length === 1 ? String(open[0]?.number) : typed);
  if (others.length === 0) return onPicked(ctx, incidentID, first, mark(status));
  const text = await markAll(ctx, incidentID, [first, ...others], status);
  if (text !== '') await tasks.show(ctx, incidentID, 0, { text });
}

function isOpen({ task }: Numbered): boolean {
  return task.status !== 'done' && !task.immutable;
}

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const mentioned = readMentions(args, ctx.actor.userId);
  const { ids } = mentioned;
  // `assign 1 carol`: a number, and a name that is no mention.
  const [, number, name] =
    ids.length > 0 ? [] : (/^(#?\d{1,6}[.):]?)\s+(?:to\s+|for\s+)?(\S{1,60})$/i.exec(mentioned.rest) ?? []);
  const problem = name === undefined ? mentioned.problem : unknownName(toMrkdwn(name, 60));
  const found = await pickTask(ctx, incidentID, number ?? mentioned.rest);
  if (!found) return;
  const target = alone(ctx, incidentID, found.task);
  const [id, ...others] = ids;
  if (id && others.length === 0 && problem === '') return show(ctx, target, await assign(ctx, incidentID, found, id));
  const why =
    problem ||
    (id
      ? `A task has one assignee, and you named ${ids.map(mention).join(' and ')}.`
      : `Name who does task ${found.number}, as in \`/task assign ${found.number} @bob\` or \`me\`.`);
  const then =
    found.task.status === 'done' ? `Task ${found.number} is done, so reopen it first.` : 'You can pick one here.';
  await ctx.reject(`${why} ${then}`, buttonRow(found, target));
}

const editForm = defineModal({
  id: 'task.edit',
  state: z.object({ incidentID: z.string(), taskID: z.string() }),
  view: (_state, filled) => ({
    title: 'Change a task',
    submit: 'Save',
    blocks: [textField({ id: 'text', label: 'What needs doing?', multiline: true }, filled)],
  }),
  check: filled => {
    const checked = checkTaskText(fieldValue(filled, 'text'));
    return 'problem' in checked ? { problems: { text: checked.problem } } : { value: checked.text };
  },
  submit: (ctx, text, { incidentID, taskID }) => onTask(ctx, alone(ctx, incidentID, { taskID }), reword(text)),
});

const usage = '<number or words>';
/** A verb about one task. */
const onOne = { noun: 'task', usage, needsRegistered: true } as const;

/** The tasks of an incident: adding, listing, assigning and ticking off. */
export const task: Feature = {
  verbs: [
    {
      noun: 'task',
      verb: 'add',
      example: '`/task add check the replica @bob` gives somebody a task',
      aliases: ['new', 'create'],
      argumentKind: 'prose',
      usage: '<text> [@user]',
      summary: 'Add a task, for somebody or for nobody yet.',
      run: runAdd,
    },
    {
      noun: 'task',
      verb: 'list',
      aliases: ['show', 'ls'],
      bare: true,
      argumentKind: 'nothing',
      filters: isTaskFilter,
      usage: '[me | @user | unassigned | open | done]',
      summary:
        'Show you the tasks, with buttons to start, finish, assign and delete them; with words, the ones they name. By mention, show everybody.',
      reads: true,
      run: runList,
    },
    {
      ...onOne,
      verb: 'done',
      aliases: ['finish', 'complete', 'close'],
      beforeNumber: ['check', 'tick'],
      summary: 'Mark a task as done; with `start` as in progress, with `reopen` as open again.',
      words: [
        { verb: 'start', aliases: ['begin', 'doing'], usage },
        { verb: 'reopen', aliases: ['undone', 'uncheck'], beforeNumber: ['undo', 'open'], usage },
      ],
      run: runMark,
    },
    {
      ...onOne,
      verb: 'assign',
      aliases: ['give', 'delegate'],
      shorthands: { take: 'me', claim: 'me' },
      usage: '<number or words> @user',
      summary: 'Give a task to somebody, or with `me` to yourself; with `unassign` to nobody.',
      words: [{ verb: 'unassign', aliases: ['release'], usage }],
      run: (ctx, args, incidentID) =>
        args.verb === 'unassign'
          ? onPicked(ctx, incidentID, readMentions(args, ctx.actor.userId).rest, unassign)
          : runAssign(ctx, args, incidentID),
    },
    {
      ...onOne,
      verb: 'edit',
      aliases: ['reword'],
      needsNoun: true,
      usage: '<number> [new text]',
      summary: 'Change the text of a task; without a new text, in a form.',
      // `edit 2 new text`: the first word is the task, or in quotes some words of it.
      run: async (ctx, args, incidentID) => {
        const [which = '', ...words] = args.words;
        const newText = args.text.startsWith(which) ? args.text.slice(which.length).trim() : words.join(' ');
        const found = await pickTask(ctx, incidentID, which);
        if (!found) return;
        const { taskID, text } = found.task;
        if (newText === '') return ctx.openForm(editForm, { incidentID, taskID }, { text });
        const checked = checkTaskText(newText);
        if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
        await show(ctx, alone(ctx, incidentID, { taskID }), await reword(checked.text)(ctx, incidentID, found));
      },
    },
    {
      ...onOne,
      verb: 'delete',
      beforeNumber: ['remove', 'drop'],
      needsNoun: true,
      summary: 'Delete a task.',
      // Deletes the task of a number. Words may fit another task than the one that was meant, so they are asked about first.
      run: async (ctx, { text }, incidentID) => {
        // A delivery that is carried out again has deleted it.
        const before = await ctx.before(deleteTask);
        if (before) {
          const done = await change(ctx, deleteTask, before);
          return show(ctx, alone(ctx, incidentID, { taskID: '' }), done && { words: done.words });
        }
        if (isTaskNumber(text)) return onPicked(ctx, incidentID, text, remove);
        const found = await pickTask(ctx, incidentID, text);
        if (!found) return;
        const button = pressable(faces.delete, alone(ctx, incidentID, found.task), { style: 'danger' });
        const question = `Delete task ${found.number} ${quoted(found.task.text)}? Nothing was deleted yet.`;
        await ctx.reject(question, found.task.immutable ? [] : [actions([button])]);
      },
    },
  ],
  modals: [addForm, editForm, messageForm] as Modal[],
  buttons: [
    pressed(faces.start, mark('progress')),
    pressed(faces.done, mark('done')),
    pressed(faces.reopen, mark('todo')),
    pressed(faces.assign, assign),
    pressed(faces.nobody, unassign),
    pressed(faces.notMe, giveBack),
    pressed(faces.delete, remove),
    addButton,
    listButton,
    ...tasks.buttons,
  ] as Button[],
  shortcuts: [
    onMessage({
      id: 'task_message',
      name: 'Task from message',
      description: 'Add a task with this message’s words and its link',
      instead: 'Add one with `/task add …`.',
      run: addFromMessage,
    }),
  ],
  reactions: [{ means: 'task', added: addByReaction }],
  intents: [
    addTask,
    addTasks,
    removeTasks,
    setTaskStatus,
    assignTask,
    editTask,
    deleteTask,
    restoreTask,
  ] as IntentKind[],
  onCard: ({ incidentID }) => [onCard('tasks', listButton, { incidentID, page: 0 })],
  onOver: ({ incident: { incidentID, taskList } }) => (taskList.todoCount === 0 ? [] : [toList(incidentID)]),
  onReminder: ({ kind, incidentID }) => (kind === 'task' || kind === 'review' ? [toList(incidentID)] : []),
  onHome: tasksPart,
};
