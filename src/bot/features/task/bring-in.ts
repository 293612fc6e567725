import { pressable } from '../../dispatch/feature.ts';
import { incidentLabel } from '../../incident/incident-name.ts';
import type { AfterDoneContext, AfterDoneResult } from '../../incident/intent-kind.ts';
import { inviteByMention } from '../../incident/invite.ts';
import { reasonWords } from '../../incident/reason-words.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { actions, mention, section, toMrkdwn } from '../../text/blocks.ts';
import { toMessage } from '../../text/spoken.ts';
import type { Assignee } from './assignee.ts';
import { type Numbered, quoted } from './numbered.ts';
import { doneFace, notMeFace, startFace, type Target } from './target.ts';

/**
 * Tells the assignee of a task in a direct message: a private message in a channel is lost on people who are not looking. Returns a
 * sentence of mrkdwn when that failed, and `""` otherwise.
 */
async function tellAssignee(
  { deps, actor, now, repeated, log }: AfterDoneContext,
  incidentID: string,
  assignee: Assignee | null,
  { task, number }: Numbered,
): Promise<string> {
  if (repeated || !assignee || assignee.slackUserID === actor.userId) return '';
  const user = assignee.slackUserID;
  const room = await deps.rooms.ofIncident(incidentID);
  // Whoever is not in a private room does not learn of its incident.
  const open = room && !room.isPrivate ? room : undefined;
  const title = open ? ((await deps.snapshots.get(incidentID))?.summary.title ?? '') : '';
  const about = [
    `Task ${number} of ${incidentLabel(incidentID)}${title === '' ? '' : ` “${toMrkdwn(title, 150)}”`}`,
    ...(open ? [`<#${open.channelId}>`] : []),
  ].join(' · ');
  const text = `${mention(actor.userId)} gave you a task: ${quoted(task.text, 500)}\n${about}`;
  const target: Target = { incidentID, taskID: task.taskID, page: null, at: now.getTime() };
  const buttons = [startFace, doneFace, notMeFace].map(face => pressable(face, target));
  try {
    const known = await deps.people.find(user);
    const viewer = { teamId: known?.teamId ?? '', userId: user, isGuest: known?.isGuest ?? true, channelId: '' };
    if (!(await deps.visibility.sees('assignee', viewer, { incidentID })))
      return `${mention(user)} does not know yet, because they do not see this incident. Invite them to its channel.`;
    await deps.slack.once.chat.postMessage({
      channel: user,
      ...toMessage({ text, blocks: [section(text), actions(buttons)] }),
    });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'task: could not tell the assignee');
    return `${mention(user)} does not know yet: I could not tell them. ${reasonWords(error)}`;
  }
}

/** Brings the assignee in: invites and tells them. `notice` is a sentence on what else is to be said, or `""`. */
export async function bringIn(
  ctx: AfterDoneContext,
  incidentID: string,
  assignee: Assignee | null,
  result: Numbered,
  notice = '',
): Promise<AfterDoneResult> {
  const invitation = await inviteByMention(ctx, incidentID, assignee?.slackUserID ?? '');
  const untold = await tellAssignee(ctx, incidentID, assignee, result);
  const troubles = [notice, ...invitation.troubles, untold].filter(each => each !== '');
  return { notes: [...invitation.notes, ...(await limitsOf(ctx, assignee))], troubles };
}

/** What an assignee cannot do: a guest does the work, and somebody else ticks it off (docs/decisions.md, Guests and strangers). */
async function limitsOf({ deps }: AfterDoneContext, assignee: Assignee | null): Promise<readonly string[]> {
  const person = assignee && (await deps.people.find(assignee.slackUserID).catch(() => undefined));
  if (!person?.isGuest) return [];
  return [`${mention(person.userId)} is a guest and cannot mark the task as done here. Do it for them.`];
}
