import { maxTaskText } from '../../../contract/tasks.ts';
import { withNext } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  incidentOf,
  privateNotice,
  toMessageForm,
} from '../../dispatch/forms/about-message.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { messageText, permalinkOf } from '../../incident/notes/of-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { cap, toOneLine } from '../../text/words.ts';
import { readTasks } from './actions.ts';
import { addAndAnswer } from './add.ts';

import { addTask, checkTaskText } from './intents.ts';

/** A message that is longer than this is shown in the form first, so that somebody shortens it. */
const maxAtOnce = 300;

/** What a message says on one line, and its address; `""` when Slack gives none. */
interface MessageTask {
  readonly words: string;
  readonly link: string;
}

/** The task that a message asks for. */
async function toTask(ctx: Context, message: SourceMessage): Promise<MessageTask> {
  const [text, link] = await Promise.all([messageText(ctx.deps, message), permalinkOf(ctx.deps, message)]);
  return { words: toOneLine(text), link };
}

/**
 * Adds the task of a message and answers. A message that asked for a task is not added again, unless the task was deleted since.
 */
async function addOnce(
  ctx: Context,
  incidentID: string,
  message: MessageAddress,
  wanted: MessageTask,
  again: 'is said' | 'is silent',
): Promise<void> {
  const payload = { incidentID, text: withLink(wanted), assignee: null, notice: '' };
  const first = `task/${incidentID}/${ctx.actor.teamId}/${message.channelId}/${message.ts}`;
  for (let key = first; ; ) {
    const outcome = await ctx.submit(addTask, payload, { incidentID, key });
    if (outcome.state !== 'done') return ctx.answerNotDone(addTask, payload, outcome);
    const { task } = outcome.result;
    // When this delivery is handled a second time, it has added the task itself.
    const mayBeGone = outcome.repeated && !ctx.mayStand;
    if (mayBeGone && !(await readTasks(ctx, incidentID)).some(each => each.task.taskID === task.taskID)) {
      key = `${first}/after/${outcome.id}`;
      continue;
    }
    if (outcome.repeated && again === 'is silent' && !ctx.mayStand) return;
    return ctx.answer(await withNext(ctx, addTask, payload, outcome));
  }
}

/** A task's words with the address of its message behind them; words that leave it no room are cut. */
function withLink({ words, link }: MessageTask): string {
  return link === '' ? cap(words, maxTaskText) : `${cap(words, maxTaskText - link.length - 1)} ${link}`;
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
      textField(
        { id: 'text', label: 'What needs doing?', multiline: true, hint: 'The link leads to the message.' },
        filled,
      ),
      userField({ id: 'assignee', label: 'Who does it?', optional: true, hint: 'Empty: nobody yet' }, filled),
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
  submit: (ctx, { incidentID, text, assignee }) => {
    const ids = assignee === '' ? [] : [assignee];
    return addAndAnswer(ctx, incidentID, { text, whole: text, ids, problem: '' });
  },
});

/** The entry of the menu of a message that adds a task. */
export const messageShortcut = {
  id: 'task_message',
  name: 'Task from message',
  description: 'Add a task with this message’s words and its link',
} as const;

/** Adds a short message as a task at once where an incident is handled; else opens the form. */
export async function addFromMessage(ctx: Context, message: SourceMessage): Promise<void> {
  const [here, task] = await Promise.all([incidentOf(ctx, message), toTask(ctx, message)]);
  if (here !== '' && task.words.length <= maxAtOnce) return addOnce(ctx, here, message, task, 'is said');
  const form = await toMessageForm(ctx, messageShortcut.id, message, here);
  const filled = { ...form?.filled, text: withLink(task) };
  if (form) await ctx.openForm(messageForm, form.state, filled, form.offered);
}

/** Adds a message as a task because somebody reacted to it. The link leads to the words for which a task has no room. */
export async function addByReaction(ctx: Context, incidentID: string, message: SourceMessage): Promise<void> {
  await addOnce(ctx, incidentID, message, await toTask(ctx, message), 'is silent');
}
