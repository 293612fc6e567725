import { z } from 'zod';
import { withNext } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned, type MentionedPeople } from '../../people/mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toAssignee } from './assignee.ts';
import { addTask, checkTaskText } from './intents.ts';

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
    const checked = checkTaskText(fieldValue(filled, 'text'));
    if ('problem' in checked) return { problems: { text: checked.problem } };
    return { value: { text: checked.text, assignee: fieldValue(filled, 'assignee') } };
  },
  submit: async (ctx, { text, assignee }, { incidentID }) => {
    const ids = assignee ? [assignee] : [];
    await addAndAnswer(ctx, incidentID, { text, whole: text, ids, problem: '' });
  },
});

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
  const assignee = await findAssignee(ctx, wish);
  const checked = checkTaskText('problem' in assignee ? wish.whole : wish.text);
  if ('problem' in checked) return ctx.reject(toMrkdwn(checked.problem));
  const named = 'named' in assignee ? assignee.named : undefined;
  const payload = {
    incidentID,
    text: checked.text,
    assignee: named ? toAssignee(named) : null,
    ...(named ? toClaimed(named, ctx.now) : {}),
    notice: 'problem' in assignee ? `Nobody is assigned: ${assignee.problem}` : '',
  };
  const outcome = await ctx.submit(addTask, payload, { incidentID, others: named ? toOthers([named]) : [] });
  if (outcome.state !== 'done') return ctx.answerNotDone(addTask, payload, outcome);
  await ctx.answer(await withNext(ctx, addTask, payload, outcome));
}

async function findAssignee(ctx: Context, wish: TaskWish) {
  if (wish.problem !== '') return { problem: wish.problem };
  if (wish.ids.length > 1) return { problem: 'a task has one assignee. Pick one below, or add a task for each.' };
  const found = await findMentioned(ctx.deps, wish.ids, 'task');
  if ('problem' in found) return found;
  const person = found.people[0];
  return person ? { named: await ctx.deps.people.toNamed(person) } : {};
}
