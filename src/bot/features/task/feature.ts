import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Feature, Verb } from '../../dispatch/feature/feature.ts';
import { onMessage } from '../../dispatch/forms/about-message.ts';
import { defineModal, fieldValue, textField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readMentions, unknownName } from '../../people/mentions.ts';
import { mention, section, toMrkdwn } from '../../text/blocks.ts';
import {
  findTasks,
  freeTask,
  giveTask,
  isTaskNumber,
  markAll,
  markTask,
  onlyOpen,
  readTasks,
  removedBefore,
  removeTask,
  rewordTask,
  type Shown,
  severalNumbers,
} from './actions.ts';
import { addForm, runAdd } from './add.ts';
import { addTasks, removeTasks } from './add-several.ts';
import { askDelete, cardButtons, onTask, taskButtons } from './buttons.ts';
import { deleteTask, restoreTask } from './delete.ts';
import { isTaskFilter, runList } from './filter.ts';
import { addByReaction, addFromMessage, messageForm, messageShortcut } from './from-message.ts';
import { tasksPart } from './home.ts';
import { addTask, assignTask, checkTaskText, editTask, setTaskStatus, statusNames } from './intents.ts';
import { show, showList } from './list.ts';
import { alone, buttonRow, type Numbered, overButtons, quoted, reminderButtons } from './row.ts';

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
        : isTaskNumber(typed)
          ? `There is no task ${quoted(typed, 80)}.`
          : `There is no task ${quoted(typed, 80)}; \`/task add …\` adds one.`;
    const count = all.length === 1 ? 'is one' : `are ${all.length}`;
    await showList(ctx, incidentID, 0, all.length === 0 ? undefined : { text: `${missing} There ${count}:` });
    return undefined;
  }
  const choices = found.slice(0, maxChoices).flatMap(({ task, number }) => {
    const status = task.status in statusNames ? statusNames[task.status as keyof typeof statusNames] : 'unknown';
    return [
      section(`*${number}.* ${quoted(task.text)} (${status})`),
      ...(task.immutable ? [] : buttonRow({ task, number }, { ...alone(ctx, incidentID, task), isOneOfSeveral: true })),
    ];
  });
  const numbers = found.map(each => each.number).slice(0, 30);
  const what = `${quoted(typed, 80)} matches ${found.length} tasks (${numbers.join(', ')}).`;
  await ctx.reject(`${what} Type a number or press a button.`, choices);
  return undefined;
}

/** Runs an act on the task that a person means, and shows its result. */
async function onPicked(
  ctx: Context,
  incidentID: string,
  typed: string,
  act: (found: Numbered) => Promise<Shown | undefined>,
): Promise<void> {
  const found = await pickTask(ctx, incidentID, typed);
  if (found) await show(ctx, alone(ctx, incidentID, found.task), await act(found));
}

/** The form that changes a task's text. */
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
  submit: (ctx, text, { incidentID, taskID }) =>
    onTask(ctx, alone(ctx, incidentID, { taskID }), found => rewordTask(ctx, incidentID, found, text)),
});

/** A verb that marks a task. */
function marking(
  verb: string,
  status: keyof typeof statusNames,
  words: Pick<Verb, 'aliases' | 'beforeNumber'>,
  summary: string,
): Verb {
  return {
    noun: 'task',
    verb,
    ...words,
    usage: '<number or words>',
    summary,
    about: 'incident',
    needsRegistered: true,
    run: async (ctx, args, incidentID) => {
      const typed = args.sentence.trim() === '' ? await onlyOpen(ctx, incidentID, status) : args.sentence;
      const [first = '', ...others] = severalNumbers(typed);
      if (others.length === 0) return onPicked(ctx, incidentID, first, each => markTask(ctx, incidentID, each, status));
      const text = await markAll(ctx, incidentID, [first, ...others], status);
      if (text !== '') await showList(ctx, incidentID, 0, { text });
    },
  };
}

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const mentioned = readMentions(args, ctx.actor.userId);
  const { ids } = mentioned;
  // `assign 1 carol`: a number, and a name that is no mention.
  const [, number, name] =
    ids.length > 0 ? [] : (/^(#?\d{1,6}[.):]?)\s+(?:to\s+|for\s+)?(\S{1,60})$/i.exec(mentioned.text) ?? []);
  const problem = name === undefined ? mentioned.problem : unknownName(toMrkdwn(name, 60));
  const found = await pickTask(ctx, incidentID, number ?? mentioned.text);
  if (!found) return;
  const target = alone(ctx, incidentID, found.task);
  const [id, ...others] = ids;
  if (id && others.length === 0 && problem === '') {
    return show(ctx, target, await giveTask(ctx, incidentID, found, id));
  }
  const why =
    problem ||
    (id
      ? `A task has one assignee, and you named ${ids.map(mention).join(' and ')}.`
      : `Name who does task ${found.number}, as in \`/task assign ${found.number} @bob\` or \`me\`.`);
  if (found.task.status === 'done') {
    return ctx.reject(`${why} Task ${found.number} is done, so reopen it first.`, [...buttonRow(found, target)]);
  }
  await ctx.reject(`${why} You can pick one here.`, buttonRow(found, target));
}

async function runUnassign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { text } = readMentions(args, ctx.actor.userId);
  await onPicked(ctx, incidentID, text, found => freeTask(ctx, incidentID, found));
}

/** `edit 2 new text`: the first word is the task, or in quotes some words of it. */
async function runEdit(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const [which = '', ...words] = args.words;
  const isPlain = args.sentence.startsWith(which);
  const newText = isPlain ? args.sentence.slice(which.length).trim() : words.join(' ');
  const found = await pickTask(ctx, incidentID, which);
  if (!found) return;
  if (newText === '') {
    await ctx.openForm(editForm, { incidentID, taskID: found.task.taskID }, { text: found.task.text });
    return;
  }
  const checked = checkTaskText(newText);
  if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
  const shown = await rewordTask(ctx, incidentID, found, checked.text);
  await show(ctx, alone(ctx, incidentID, found.task), shown);
}

/** Deletes the task of a number. Words may fit another task than the one that was meant, so they are asked about first. */
async function runDelete(ctx: Context, typed: string, incidentID: string): Promise<void> {
  const before = await removedBefore(ctx);
  if (before) return show(ctx, alone(ctx, incidentID, { taskID: '' }), before);
  if (isTaskNumber(typed)) return onPicked(ctx, incidentID, typed, found => removeTask(ctx, incidentID, found));
  const found = await pickTask(ctx, incidentID, typed);
  if (found) await askDelete(ctx, incidentID, found);
}

/** What has to be done in an incident: adding, listing, assigning and ticking off. */
export const task: Feature = {
  name: 'task',
  verbs: [
    {
      noun: 'task',
      verb: 'add',
      aliases: ['new', 'create'],
      begins: 'prose',
      usage: '<text> [@user]',
      summary: 'Add a task, for somebody or for nobody yet.',
      about: 'incident',
      run: runAdd,
    },
    {
      noun: 'task',
      verb: 'list',
      aliases: ['show', 'ls'],
      bare: true,
      begins: 'nothing',
      filters: isTaskFilter,
      usage: '[me | @user | unassigned | open | done]',
      summary:
        'Show you the tasks, with buttons to start, finish, assign and delete them; with words, the ones they name. By mention, show everybody.',
      reads: true,
      about: 'incident',
      run: runList,
    },
    marking(
      'done',
      'done',
      { aliases: ['finish', 'complete', 'close'], beforeNumber: ['check', 'tick'] },
      'Mark a task as done.',
    ),
    marking('start', 'progress', { aliases: ['begin', 'doing'] }, 'Mark a task as in progress.'),
    marking('reopen', 'todo', { aliases: ['undone', 'uncheck'], beforeNumber: ['undo', 'open'] }, 'Open a task again.'),
    {
      noun: 'task',
      verb: 'assign',
      aliases: ['give', 'delegate'],
      shorthands: { take: 'me', claim: 'me' },
      usage: '<number or words> @user',
      summary: 'Give a task to somebody, or with `me` to yourself.',
      about: 'incident',
      needsRegistered: true,
      run: runAssign,
    },
    {
      noun: 'task',
      verb: 'unassign',
      aliases: ['release'],
      usage: '<number or words>',
      summary: 'Unassign a task.',
      about: 'incident',
      needsRegistered: true,
      run: runUnassign,
    },
    {
      noun: 'task',
      verb: 'edit',
      aliases: ['reword'],
      needsNoun: true,
      usage: '<number> [new text]',
      summary: 'Change the text of a task; without a new text, in a form.',
      about: 'incident',
      needsRegistered: true,
      run: runEdit,
    },
    {
      noun: 'task',
      verb: 'delete',
      beforeNumber: ['remove', 'drop'],
      needsNoun: true,
      usage: '<number or words>',
      summary: 'Delete a task.',
      about: 'incident',
      needsRegistered: true,
      run: (ctx, args, incidentID) => runDelete(ctx, args.sentence, incidentID),
    },
  ],
  modals: [addForm, editForm, messageForm],
  buttons: taskButtons,
  shortcuts: [onMessage({ ...messageShortcut, instead: 'Add one with `/task add …`.', run: addFromMessage })],
  reactions: [{ means: 'task', added: addByReaction }],
  intents: [addTask, addTasks, removeTasks, setTaskStatus, assignTask, editTask, deleteTask, restoreTask],
  onCard: ({ incidentID }) => cardButtons(incidentID),
  onOver: ({ incident }) => overButtons(incident),
  onReminder: reminderButtons,
  onHome: tasksPart,
  operations: {
    'TasksService.AddTask': [
      '/task add',
      'form task.add',
      'button task.add',
      'form task.message',
      'shortcut task_message',
    ],
    'TasksService.UpdateTaskStatus': [
      '/task done',
      '/task start',
      '/task reopen',
      'button task.done',
      'button task.start',
      'button task.reopen',
    ],
    'TasksService.UpdateTaskUser': [
      '/task assign',
      '/task unassign',
      'button task.assign',
      'button task.nobody',
      'button task.notMe',
    ],
    'TasksService.UpdateTaskText': ['/task edit', 'form task.edit'],
    'TasksService.DeleteTask': ['/task delete', 'button task.delete'],
  },
};
