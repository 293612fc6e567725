import { z } from 'zod';
import { afterwards, withNext } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { type NamedPerson, toOthers } from '../../people/directory.ts';
import { findMentioned, type MentionedPeople, readMentions } from '../../people/mentions.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { addTasks, type TaskPayload } from './add-several.ts';
import { toAssignee } from './assignee.ts';
import { addTask, checkTaskText } from './intents.ts';
import { mostAtOnce, readEach, splitTasks } from './several.ts';

/** Opens the form of a new task. */
export const addButton = defineButton<{ incidentID: string }>({
  id: 'task.add',
  label: 'Add task',
  value: z.object({ incidentID: z.string() }),
  run: (ctx, { value }) => ctx.openForm(addForm, { incidentID: value.incidentID }),
});

/** The form of a new task. Only Slack knows whether its assignee may be quoted, so the receipt says that. */
export const addForm = defineModal({
  id: 'task.add',
  state: z.object({ incidentID: z.string() }),
  view: (_state, filled) => ({
    title: 'Add a task',
    submit: 'Add',
    blocks: [
      textField(
        { id: 'text', label: 'What needs doing?', multiline: true, placeholder: 'Fail over to the replica' },
        filled,
      ),
      userField({ id: 'assignee', label: 'Who does it?', optional: true, hint: 'Empty: nobody yet' }, filled),
    ],
  }),
  check: filled => {
    const checked = checkTasks(splitTasks(fieldValue(filled, 'text')));
    if ('problem' in checked) return { problems: { text: checked.problem } };
    return { value: { texts: checked.texts, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: async (ctx, { texts, assignee }, { incidentID }) => {
    const ids = assignee ? [assignee] : [];
    const wishes = texts.map(text => ({ text, whole: text, ids, problem: '' }));
    await addEach(ctx, incidentID, wishes);
  },
});

/** The texts of tasks as they are stored, or a sentence of plain text on what is wrong with one of them. */
function checkTasks(typed: readonly string[]): { readonly texts: readonly string[] } | { readonly problem: string } {
  if (typed.length > mostAtOnce)
    return { problem: `At most ${mostAtOnce} tasks at once, and these are ${typed.length} lines.` };
  const texts: string[] = [];
  for (const each of typed) {
    const checked = checkTaskText(each);
    if ('problem' in checked) return checked;
    texts.push(checked.text);
  }
  return { texts };
}

/** Adds the task of each wish, and answers once. */
async function addEach(ctx: Context, incidentID: string, wishes: readonly TaskWish[]): Promise<void> {
  const [only, ...others] = wishes;
  if (only && others.length === 0) return addAndAnswer(ctx, incidentID, only);
  const checked = checkTasks(wishes.map(each => each.whole));
  if ('problem' in checked) return ctx.reject(`${toMrkdwn(checked.problem)} Nothing was added.`);
  const read = await Promise.all(wishes.map(each => toPayload(ctx, each)));
  const tasks = read.map(each => each.task);
  const known = read.flatMap(each => each.named);
  const outcome = await ctx.submit(addTasks, { incidentID, tasks }, { incidentID, others: toOthers(known) });
  if (outcome.state !== 'done') return ctx.answerNotDone(addTasks, { incidentID, tasks }, outcome);
  const words = await afterwards(ctx, addTasks, { incidentID, tasks }, outcome, { mayBeBrief: true });
  await ctx.answer(words);
}

/** A task as a person asks for it. */
interface TaskWish extends MentionedPeople {
  /** The text with every name in its place. It becomes the text when nobody can be assigned, so that nothing typed is lost. */
  readonly whole: string;
}

/**
 * Adds a task and answers with what can be done with it. It is added also when the person named for it cannot be assigned: the work
 * matters more than the name, and the receipt says that nobody is assigned.
 */
export async function addAndAnswer(ctx: Context, incidentID: string, wish: TaskWish): Promise<void> {
  const { task, named } = await toPayload(ctx, wish);
  const checked = checkTaskText(task.text);
  if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
  const payload = { incidentID, ...task, text: checked.text };
  const outcome = await ctx.submit(addTask, payload, { incidentID, others: toOthers(named) });
  if (outcome.state !== 'done') return ctx.answerNotDone(addTask, payload, outcome);
  await ctx.answer(await withNext(ctx, addTask, payload, outcome));
}

/** The task as it is submitted, and the person whom it names. */
async function toPayload(ctx: Context, wish: TaskWish): Promise<{ task: TaskPayload; named: readonly NamedPerson[] }> {
  const assignee = await findAssignee(ctx, wish);
  const named = 'named' in assignee ? assignee.named : undefined;
  const text = ('problem' in assignee ? wish.whole : wish.text).trim();
  const task = {
    text: text === '' ? wish.whole.trim() : text,
    assignee: named ? toAssignee(named) : null,
    ...(named ? toClaimed(named, ctx.now) : {}),
    notice: 'problem' in assignee ? `Nobody is assigned: ${assignee.problem}` : '',
  };
  return { task, named: named ? [named] : [] };
}

async function findAssignee(ctx: Context, wish: TaskWish) {
  if (wish.problem !== '') return { problem: wish.problem };
  if (wish.ids.length > 1) return { problem: 'a task has one assignee. Pick one below, or add a task for each.' };
  const found = await findMentioned(ctx.deps, wish.ids, 'task');
  if ('problem' in found) return found;
  const person = found.people[0];
  return person ? { named: await ctx.deps.people.toNamed(person) } : {};
}

/** Adds what a command asks for: one task, or one for each of its lines. */
export async function runAdd(ctx: Context, args: Args, incidentID: string): Promise<void> {
  // A run in quotes is one word.
  const lines = args.words.length === 1 ? [args.sentence] : splitTasks(args.sentence);
  if (lines.length > 1) return addEach(ctx, incidentID, readEach(lines, args, ctx.actor.userId));
  const wish = readMentions(args, ctx.actor.userId, { onlyAt: true });
  const checked = checkTaskText(wish.text);
  if ('problem' in checked) {
    const example = 'For example `/task add check the replica @bob`.';
    return ctx.reject(`${checked.problem} ${example}`, [actions([pressable(addButton, { incidentID })])]);
  }
  await addAndAnswer(ctx, incidentID, { ...wish, whole: args.sentence });
}
