import { z } from 'zod';
import type { KnownPerson } from '../../../contract/define.ts';
import { letAllIn } from '../../dispatch/answers/receipts.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { AfterDoneContext, AfterDoneResult } from '../../incident/acts/intent-kind.ts';
import { tellDirectly } from '../../incident/room/bring-in.ts';
import { mention } from '../../text/blocks.ts';
import { alone, doneFace, type Numbered, notMeFace, quoted, startFace } from './row.ts';

/** A task's assignee: their id in the API and in Slack. */
export const Assignee = z.object({
  userID: z.string(),
  slackUserID: z.string(),
  /** `""` in what an older version stored. */
  slackTeamID: z.string().default(''),
});
/** A task's assignee. */
export type Assignee = z.output<typeof Assignee>;

/** A person as the assignee of a task. */
export function toAssignee({ userID, slackUserID = '', slackTeamID = '' }: KnownPerson): Assignee {
  return { userID, slackUserID, slackTeamID };
}

/** The end of a receipt that names the assignee. */
export function forWhom(assignee: Assignee | null): string {
  return assignee ? `, for ${mention(assignee.slackUserID)}` : '';
}

/** Tells the assignee of a task. Returns a sentence of mrkdwn when they do not know of it, and `""` otherwise. */
async function tellAssignee(
  ctx: AfterDoneContext,
  incidentID: string,
  assignee: Assignee | null,
  { task, number }: Numbered,
): Promise<string> {
  if (!assignee) return '';
  const target = alone(ctx, incidentID, task);
  return tellDirectly(ctx, incidentID, assignee.slackUserID, {
    text: `${mention(ctx.actor.userId)} gave you a task: ${quoted(task.text, 500)}`,
    part: `Task ${number}`,
    buttons: [startFace, doneFace, notMeFace].map(face => pressable(face, target)),
  });
}

/** Tells a person that a task is not theirs any more, and whose it is; `deleted`: nobody's. */
export async function tellFormerAssignee(
  ctx: AfterDoneContext,
  incidentID: string,
  former: Assignee | null | undefined,
  { text, number, now }: { readonly text: string; readonly number: number; readonly now: Assignee | null | 'deleted' },
): Promise<void> {
  if (!former) return;
  const what = formerWords(ctx, former, now);
  if (what === undefined) return;
  await tellDirectly(ctx, incidentID, former.slackUserID, {
    text: `${mention(ctx.actor.userId)} ${what}: ${quoted(text, 500)}`,
    ...(number > 0 ? { part: `Task ${number}` } : {}),
    buttons: [],
  });
}

/** What became of a task of somebody; undefined when they have it still. */
function formerWords({ actor }: AfterDoneContext, former: Assignee, now: Assignee | null | 'deleted') {
  if (now === 'deleted') return 'deleted your task';
  if (now === null) return 'took a task from you, and nobody has it now';
  if (now.slackUserID === former.slackUserID) return undefined;
  return now.slackUserID === actor.userId ? 'took over your task' : `gave your task to ${mention(now.slackUserID)}`;
}

/** Brings the assignee in: invites and tells them. `notice` is a sentence on what else is to be said, or `""`. */
export async function bringIn(
  ctx: AfterDoneContext,
  incidentID: string,
  assignee: Assignee | null,
  result: Numbered,
  notice = '',
): Promise<AfterDoneResult> {
  const slackUserID = assignee?.slackUserID ?? '';
  const entry = await letAllIn(ctx, incidentID, [{ slackUserID, words: mention(slackUserID) }]);
  const untold = await tellAssignee(ctx, incidentID, assignee, result);
  const troubles = [notice, ...entry.troubles, untold].filter(each => each !== '');
  return { ...entry, notes: [...entry.notes, ...(await limitsOf(ctx, assignee))], troubles };
}

/** What an assignee cannot do: a guest does the work, and somebody else ticks it off (docs/decisions.md, Guests and strangers). */
async function limitsOf({ deps }: AfterDoneContext, assignee: Assignee | null): Promise<readonly string[]> {
  const person = assignee && (await deps.people.find(assignee.slackUserID).catch(() => undefined));
  if (!person?.isGuest) return [];
  return [`${mention(person.userId)} is a guest and cannot mark the task as done here. Do it for them.`];
}
