import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Task } from '../../../contract/tasks.ts';
import type { Deps } from '../../dispatch/deps.ts';
import { type ButtonFace, menuBlockId, pressable, userMenu } from '../../dispatch/feature.ts';
import { toComparable } from '../../people/mentions.ts';
import { actions, context, mention, plain, said, section, type Words } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { type Numbered, named, toNumbered } from './intents.ts';

/**
 * The task that a button is about, and where it stands: on a page of the list, or by itself (`null`). `at` is when it was
 * shown, in epoch milliseconds: a changed message wants new block ids (docs/slack.md 5).
 */
export const Target = z.object({
  incidentID: z.string(),
  taskID: z.string(),
  page: z.number().nullable(),
  at: z.number(),
});
/** The task that a button is about, and where it stands. */
export type Target = z.output<typeof Target>;

const Page = z.object({ incidentID: z.string(), page: z.number() });

const onTask = (id: string): ButtonFace<Target> => ({ id, value: Target });
const onList = (id: string): ButtonFace<z.output<typeof Page>> => ({ id, value: Page });

/** The buttons about tasks, as they look; what they do is the feature's. */
export const faces = {
  start: onTask('task.start'),
  done: onTask('task.done'),
  reopen: onTask('task.reopen'),
  assign: onTask('task.assign'),
  delete: onTask('task.delete'),
  list: onList('task.list'),
  previous: onList('task.previous'),
  next: onList('task.next'),
  add: onList('task.add'),
} as const;

/** Tasks on one page: each takes two of the 50 blocks of a message (docs/slack.md 5), and the page must be readable on a phone. */
export const pageSize = 12;
/** Most characters of a block id (docs/slack.md 5). */
const maxBlockId = 255;

const signs: Readonly<Record<string, string>> = {
  todo: ':white_large_square:',
  progress: ':arrow_forward:',
  done: ':white_check_mark:',
};

/** The tasks of an incident for one person, a page of them, under a notice of mrkdwn. Throws an RpcError when they cannot be read. */
export async function taskListWords(
  deps: Deps,
  now: Date,
  incidentID: string,
  wanted = 0,
  notice = '',
): Promise<Words> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const { todoCount, doneCount } = incident.taskList;
  const all = toNumbered(incident.taskList);
  const pages = Math.max(1, Math.ceil(all.length / pageSize));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  const shown = all.slice(page * pageSize, (page + 1) * pageSize);
  const count =
    all.length === 0
      ? 'No tasks yet. `/task add check the replica @bob` adds one.'
      : `${todoCount} open, ${doneCount} done`;
  const title = `*Tasks of incident ${said(incidentID, 40)}* ${named(incident.title, 100)}: ${count}`;
  const rows = await Promise.all(
    shown.map(each => taskRow(deps, each, { incidentID, taskID: each.task.taskID, page, at: now.getTime() })),
  );
  const turning = [
    ...(page > 0 ? [pressable(faces.previous, '‹ Previous', { incidentID, page: page - 1 })] : []),
    ...(page + 1 < pages ? [pressable(faces.next, 'Next ›', { incidentID, page: page + 1 })] : []),
  ];
  return {
    text: notice || title,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows.flat(),
      ...(pages > 1 ? [context(`Page ${page + 1} of ${pages}`)] : []),
      actions([...turning, pressable(faces.add, 'Add task', { incidentID, page })]),
    ],
  };
}

/** A task in the list: what it says, and what can be done with it. The system keeps the immutable ones itself. */
async function taskRow(deps: Deps, { task, number }: Numbered, target: Target): Promise<KnownBlock[]> {
  const slackId = task.assignedUser ? await deps.people.toSlackId(task.assignedUser.userID) : '';
  const whose = task.assignedUser
    ? ` · ${slackId ? mention(slackId) : said(task.assignedUser.name || task.assignedUser.userID, 80)}`
    : '';
  const sign = signs[task.status] ?? `:grey_question: ${said(task.status, 20)}`;
  const text = said(toOneLine(task.text), 300);
  const line = `${sign} *${number}.* ${text}${whose}`;
  if (task.immutable) return [section(line), context('The incident ticks this task off automatically.')];
  return [section(line), ...taskButtons(task, target, slackId)];
}

/** What can be done with a task as it stands, in one row. */
export function taskButtons(task: Task, target: Target, assignee = ''): KnownBlock[] {
  const inList = target.page !== null;
  const isOpen = task.status !== 'done';
  const blockId = menuBlockId(faces.assign, target);
  const elements: ActionsBlockElement[] = [
    ...(task.status === 'todo' ? [pressable(faces.start, 'Start', target)] : []),
    ...(isOpen ? [pressable(faces.done, 'Done', target, 'primary')] : []),
    ...(isOpen ? [] : [pressable(faces.reopen, 'Reopen', target)]),
    ...(isOpen && blockId.length <= maxBlockId ? [userMenu(faces.assign, 'Assign', assignee)] : []),
    ...(inList
      ? [deleteButton(task, target)]
      : [pressable(faces.list, 'Tasks', { incidentID: target.incidentID, page: 0 })]),
  ];
  return [actions(elements, blockId.length <= maxBlockId ? blockId : undefined)];
}

function deleteButton(task: Task, target: Target): ActionsBlockElement {
  return {
    ...pressable(faces.delete, 'Delete', target),
    confirm: {
      title: plain('Delete this task?', 100),
      text: plain(task.text, 250),
      confirm: plain('Delete', 30),
      deny: plain('Keep it', 30),
      style: 'danger',
    },
  };
}

/**
 * The tasks that somebody may mean: by a number only the one that has it; by words those of exactly that text, else all that
 * contain every word.
 */
export function findTasks(all: readonly Numbered[], typed: string): readonly Numbered[] {
  const number = /^#?(\d{1,6})[.):]?$/.exec(typed.trim())?.[1];
  if (number !== undefined) return all.filter(each => each.number === Number(number));
  const wanted = toComparable(typed);
  if (wanted === '') return [];
  const exact = all.filter(({ task }) => toComparable(task.text) === wanted);
  if (exact.length > 0) return exact;
  const words = wanted.split(' ');
  return all.filter(({ task }) => {
    const text = toComparable(task.text);
    return words.every(word => text.includes(word));
  });
}
