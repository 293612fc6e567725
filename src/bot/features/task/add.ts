import { z } from 'zod';
import { withNext } from '../../dispatch/answers/receipts.ts';
import type { Context, SubmitOptions } from '../../dispatch/feature/context.ts';
import { defineButton } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned, type MentionedPeople } from '../../people/mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
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
  const added = await submitTask(ctx, incidentID, wish);
  if (added) await ctx.answer(await withNext(ctx, addTask, added.payload, added.outcome));
}

/** Adds a task. Yields undefined when the person has been answered: it is refused, queued or failed. */
async function submitTask(ctx: Context, incidentID: string, wish: TaskWish, options: SubmitOptions = {}) {
  const assignee = await findAssignee(ctx, wish);
  const checked = checkTaskText('problem' in assignee ? wish.whole : wish.text);
  if ('problem' in checked) {
    await ctx.reject(toMrkdwn(checked.problem));
    return undefined;
  }
  const named = 'named' in assignee ? assignee.named : undefined;
  const payload = {
    incidentID,
    text: checked.text,
    assignee: named ? toAssignee(named) : null,
    ...(named ? toClaimed(named, ctx.now) : {}),
    notice: 'problem' in assignee ? `Nobody is assigned: ${assignee.problem}` : '',
  };
  const others = named ? toOthers([named]) : [];
  const outcome = await ctx.submit(addTask, payload, { incidentID, others, ...options });
  if (outcome.state === 'done') return { payload, outcome };
  await ctx.answerNotDone(addTask, payload, outcome);
  return undefined;
}

/** What stands before each line of a list. */
const marker = /^\s*(?:[-*•·–—]|\d{1,2}[.)]|(?:[-*]\s*)?\[[ x]?\])\s+/i;
/** Tasks that one command adds, at most, and characters of one that is known by its line alone. */
const most = { tasks: 20, characters: 100 };

/**
 * The tasks of a list that was typed or pasted: lines with a mark before each, or a few short lines. Undefined for one task, whose text may
 * have lines too.
 */
export function tasksInLines({
  sentence,
  mentions,
  words,
}: Pick<Args, 'sentence' | 'mentions' | 'words'>): readonly TaskWish[] | undefined {
  const lines = sentence.split('\n').filter(line => line.trim() !== '');
  const isMarked = lines.every(line => marker.test(line));
  const isShort = lines.every(line => line.length <= most.characters && /^[\p{L}\p{N}@#]/u.test(line));
  // A run in quotes is one text.
  const isQuoted = words.length === 1;
  if (isQuoted || lines.length < 2 || lines.length > most.tasks || !(isMarked || isShort)) return undefined;
  return lines.map(line => {
    const whole = line.replace(marker, '').trim();
    const of = mentions.find(({ kind, shown }) => kind === 'user' && endsWith(whole, shown));
    const text = of ? whole.slice(0, -of.shown.length).replace(/(?:\s+for)?\s*$/i, '') : whole;
    return { text: text || whole, whole, ids: of ? [of.id] : [], problem: '' };
  });
}

function endsWith(line: string, shown: string): boolean {
  return line.endsWith(shown) && /(?:^|\s)$/.test(line.slice(0, -shown.length));
}

/** Adds the tasks of a list, or none of them where one cannot be a task. Yields what to say above the list (mrkdwn). */
export async function addAll(ctx: Context, incidentID: string, wishes: readonly TaskWish[]): Promise<string> {
  for (const { whole } of wishes) {
    const checked = checkTaskText(whole);
    if ('problem' in checked) return `${toMrkdwn(checked.problem)} Nothing was added.`;
  }
  const notices: string[] = [];
  let count = 0;
  for (const [at, wish] of wishes.entries()) {
    const added = await submitTask(ctx, incidentID, wish, { step: `line ${at}`, hasMore: at + 1 < wishes.length });
    if (added) count += 1;
    if (added && added.payload.notice !== '') notices.push(added.payload.notice);
  }
  return count === 0 ? '' : [`${signs.added} ${count} tasks added.`, ...notices].join('\n');
}

async function findAssignee(ctx: Context, wish: TaskWish) {
  if (wish.problem !== '') return { problem: wish.problem };
  if (wish.ids.length > 1) return { problem: 'a task has one assignee. Pick one below, or add a task for each.' };
  const found = await findMentioned(ctx.deps, wish.ids, 'task');
  if ('problem' in found) return found;
  const person = found.people[0];
  return person ? { named: await ctx.deps.people.toNamed(person) } : {};
}
