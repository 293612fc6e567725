import { z } from 'zod';
import type { Context } from '../../dispatch/context.ts';
import { defineButton, type Feature, pressable, type Verb } from '../../dispatch/feature.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readNamed } from '../../people/mentions.ts';
import { actions, mention } from '../../text/blocks.ts';
import {
  alone,
  freeTask,
  giveTask,
  markTask,
  pickTask,
  pressedTask,
  recordTask,
  removeTask,
  rewordTask,
  showList,
  wrong,
} from './actions.ts';
import {
  addTask,
  assignTask,
  checkTaskText,
  deleteTask,
  editTask,
  setTaskStatus,
  type statusWords,
} from './intents.ts';
import { faces, type Target, taskButtons } from './list.ts';

/** The form of a new task. Whether its assignee may be named only Slack can tell, so that is said afterwards. */
const addForm = defineModal({
  id: 'task.add',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled) => ({
    title: 'Add a task',
    submit: 'Add',
    blocks: [
      textField(
        { id: 'text', label: 'What is to be done?', multiline: true, placeholder: 'Fail over to the replica' },
        filled,
      ),
      userField({ id: 'assignee', label: 'Who does it?', optional: true, hint: 'Empty: nobody yet' }, filled),
    ],
  }),
  check: filled => {
    const checked = checkTaskText(fieldValue(filled, 'text'));
    if ('problem' in checked) return { problems: { text: checked.problem } };
    return { value: { text: checked.text, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: (ctx, { text, assignee }, { incidentID }) =>
    recordTask(ctx, incidentID, { text, whole: text, ids: assignee ? [assignee] : [], problem: '' }),
});

/** The form that changes a task's text. */
const editForm = defineModal({
  id: 'task.edit',
  state: z.object({ incidentID: z.string(), taskID: z.string() }),
  view: (_state, filled) => ({
    title: 'Change a task',
    submit: 'Save',
    blocks: [textField({ id: 'text', label: 'What is to be done?', multiline: true }, filled)],
  }),
  check: filled => {
    const checked = checkTaskText(fieldValue(filled, 'text'));
    return 'problem' in checked ? { problems: { text: checked.problem } } : { value: checked.text };
  },
  submit: async (ctx, text, { incidentID, taskID }) => {
    const target = alone(ctx, incidentID, { taskID });
    const found = await pressedTask(ctx, target);
    if (found) await rewordTask(ctx, target, found, text);
  },
});

/** A verb that marks a task. */
function marking(verb: string, status: keyof typeof statusWords, aliases: readonly string[], summary: string): Verb {
  return {
    noun: 'task',
    verb,
    aliases,
    usage: '<number or words>',
    summary,
    about: 'incident',
    needsRegistered: true,
    run: async (ctx, args, incidentID) => {
      const found = await pickTask(ctx, incidentID, args.sentence);
      if (found) await markTask(ctx, alone(ctx, incidentID, found.task), found, status);
    },
  };
}

async function runAdd(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const named = readNamed(args, ctx.actor.userId, { onlyAt: true });
  const checked = checkTaskText(named.rest);
  if ('problem' in checked) {
    const example = 'For example `/task add check the replica @bob`.';
    return wrong(ctx, `${checked.problem} ${example}`, [
      actions([pressable(faces.add, 'Add task', { incidentID, page: 0 })]),
    ]);
  }
  await recordTask(ctx, incidentID, {
    text: named.rest,
    whole: args.sentence,
    ids: named.ids,
    problem: named.problem,
  });
}

async function runAssign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const named = readNamed(args, ctx.actor.userId);
  const found = await pickTask(ctx, incidentID, named.rest);
  if (!found) return;
  const target = alone(ctx, incidentID, found.task);
  const [id, ...others] = named.ids;
  if (id && others.length === 0 && named.problem === '') return giveTask(ctx, target, found, id);
  const why =
    named.problem ||
    (id
      ? `A task has one assignee, and you named ${named.ids.map(mention).join(' and ')}.`
      : `Who is to do task ${found.number}? For example \`/task assign ${found.number} @bob\`, or \`me\`.`);
  await wrong(ctx, `${why} Nobody was assigned; you can pick one here.`, taskButtons(found.task, target));
}

async function runUnassign(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { rest } = readNamed(args, ctx.actor.userId);
  const found = await pickTask(ctx, incidentID, rest);
  if (found) await freeTask(ctx, alone(ctx, incidentID, found.task), found);
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
  if ('problem' in checked) return wrong(ctx, checked.problem);
  await rewordTask(ctx, alone(ctx, incidentID, found.task), found, checked.text);
}

async function runDelete(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const found = await pickTask(ctx, incidentID, args.sentence);
  if (found) await removeTask(ctx, alone(ctx, incidentID, found.task), found);
}

/** A button that marks the task it stands with. */
function marker(face: typeof faces.done, status: keyof typeof statusWords) {
  return defineButton({
    ...face,
    run: async (ctx, { value }) => {
      const found = await pressedTask(ctx, value);
      if (found) await markTask(ctx, value, found, status);
    },
  });
}

/** A button that shows a page of the list. */
function pageTurner(face: typeof faces.list) {
  return defineButton({ ...face, reads: true, run: (ctx, { value }) => showList(ctx, value.incidentID, value.page) });
}

const assignButton = defineButton<Target>({
  ...faces.assign,
  run: async (ctx, { value, picked }) => {
    const found = await pressedTask(ctx, value);
    if (found) await giveTask(ctx, value, found, picked);
  },
});

const deleteButton = defineButton<Target>({
  ...faces.delete,
  run: async (ctx, { value }) => {
    const found = await pressedTask(ctx, value);
    if (found) await removeTask(ctx, value, found);
  },
});

const addButton = defineButton({
  ...faces.add,
  run: (ctx, { value }) => ctx.openForm(addForm, { incidentID: value.incidentID }),
});

/** What has to be done in an incident: adding, listing, assigning and ticking off. */
export const task: Feature = {
  name: 'task',
  verbs: [
    {
      noun: 'task',
      verb: 'add',
      aliases: ['new', 'create'],
      usage: '<text> [@user]',
      summary: 'Add a task, for somebody or for nobody yet.',
      about: 'incident',
      run: runAdd,
    },
    {
      noun: 'task',
      verb: 'list',
      aliases: ['show', 'ls'],
      usage: '',
      summary: 'Show the tasks to you alone, with buttons to start, finish, assign and delete them.',
      reads: true,
      about: 'incident',
      needsRegistered: true,
      run: (ctx, _args, incidentID) => showList(ctx, incidentID),
    },
    marking('done', 'done', ['finish', 'complete', 'close', 'check', 'tick'], 'Mark a task as done.'),
    marking('start', 'progress', ['begin', 'doing'], 'Mark a task as in progress.'),
    marking('reopen', 'todo', ['undo', 'undone', 'uncheck'], 'Open a task again.'),
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
      summary: 'Take a task from whoever has it.',
      about: 'incident',
      needsRegistered: true,
      run: runUnassign,
    },
    {
      noun: 'task',
      verb: 'edit',
      aliases: ['reword'],
      usage: '<number> [new text]',
      summary: 'Change the text of a task; without a new text, in a form.',
      about: 'incident',
      needsRegistered: true,
      run: runEdit,
    },
    {
      noun: 'task',
      verb: 'delete',
      aliases: ['remove', 'drop'],
      usage: '<number or words>',
      summary: 'Delete a task.',
      about: 'incident',
      needsRegistered: true,
      run: runDelete,
    },
  ],
  modals: [addForm, editForm],
  buttons: [
    marker(faces.start, 'progress'),
    marker(faces.done, 'done'),
    marker(faces.reopen, 'todo'),
    assignButton,
    deleteButton,
    addButton,
    pageTurner(faces.list),
    pageTurner(faces.previous),
    pageTurner(faces.next),
  ],
  intents: [addTask, setTaskStatus, assignTask, editTask, deleteTask],
  onCard: ({ incidentID }) => [
    pressable(faces.list, 'Tasks', { incidentID, page: 0 }),
    pressable(faces.add, 'Add task', { incidentID, page: 0 }),
  ],
};
