import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Task } from '../../../contract/tasks.ts';
import { menuBlockId, pressable, userMenu } from '../../dispatch/feature.ts';
import type { ReceiptContext } from '../../incident/intent-kind.ts';
import { actions, confirmLoss } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import {
  assignFace,
  deleteFace,
  doneFace,
  listFace,
  nobodyFace,
  reopenFace,
  startFace,
  type Target,
} from './target.ts';

/** Most characters of a block id (docs/slack.md 5). */
const maxBlockId = 255;

/** The target of a task that is shown alone. */
export function alone({ now }: { readonly now: Date }, incidentID: string, { taskID }: Pick<Task, 'taskID'>): Target {
  return { incidentID, taskID, page: null, at: now.getTime() };
}

/** The buttons of a task, in one row. */
export function buttonRow(task: Task, target: Target, assignee = ''): KnownBlock[] {
  const isOpen = task.status !== 'done';
  const blockId = menuBlockId(assignFace, target);
  // Once for the row where it fits: a message holds only so many characters.
  const isInRow = blockId.length <= maxBlockId;
  const value = isInRow ? undefined : target;
  const elements: ActionsBlockElement[] = [
    ...(task.status === 'todo' ? [pressable(startFace, value)] : []),
    ...(isOpen ? [pressable(doneFace, value)] : [pressable(reopenFace, value)]),
    ...(isOpen && isInRow ? [userMenu(assignFace, assignee)] : []),
    ...(isOpen && task.assignedUser?.userID ? [pressable(nobodyFace, value)] : []),
    target.page === null
      ? pressable(listFace, { incidentID: target.incidentID, page: 0 })
      : {
          ...pressable(deleteFace, value),
          confirm: confirmLoss('Delete this task?', toOneLine(task.text), 'Delete'),
        },
  ];
  return [actions(elements, isInRow ? blockId : undefined)];
}

/** The same below the receipt of a task. */
export async function rowBelow(ctx: ReceiptContext, incidentID: string, task: Task): Promise<KnownBlock[]> {
  const assignee = task.assignedUser ? await ctx.deps.people.toSlackId(task.assignedUser.userID) : '';
  return buttonRow(task, alone(ctx, incidentID, task), assignee);
}
