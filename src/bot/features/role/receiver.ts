import { pressable } from '../../dispatch/feature.ts';
import { incidentLabel } from '../../incident/incident-name.ts';
import type { AfterDoneContext } from '../../incident/intent-kind.ts';
import { reasonWords } from '../../incident/reason-words.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { actions, mention, section, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toMessage } from '../../text/spoken.ts';
import type { Holder } from './holder.ts';

/** The button that shows the roles of an incident, as it looks. */
export const rolesFace = { id: 'role.list', label: 'Roles' } as const;

/**
 * Tells the person who received a role in a direct message, unless they took it themselves: a line in a channel is lost on people who
 * are not looking. Returns a sentence of mrkdwn when that failed, and `""` otherwise.
 */
export async function tellReceiver(
  { deps, actor, log }: AfterDoneContext,
  { incidentID, role }: { readonly incidentID: string; readonly role: string },
  { slackUserID: user }: Pick<Holder, 'slackUserID'>,
  how: 'assigned' | 'handed over',
): Promise<string> {
  if (user === '' || user === actor.userId) return '';
  const room = await deps.rooms.ofIncident(incidentID);
  // A person outside a private room does not learn of its incident.
  const open = room && !room.isPrivate && room.channelId !== '' ? room : undefined;
  const title = open ? ((await deps.snapshots.get(incidentID))?.summary.title ?? '') : '';
  const about = [
    `${incidentLabel(incidentID, 'Incident')}${title === '' ? '' : ` “${toMrkdwn(title, 150)}”`}`,
    ...(open ? [`<#${open.channelId}>`] : []),
  ].join(' · ');
  const what = `*${toMrkdwn(role, 100)}*`;
  const news = how === 'assigned' ? `made you ${what}` : `handed ${what} to you`;
  const text = `${signs.person} ${mention(actor.userId)} ${news}.\n${about}`;
  try {
    const known = await deps.people.find(user);
    const viewer = { teamId: known?.teamId ?? '', userId: user, isGuest: known?.isGuest ?? true, channelId: '' };
    if (!(await deps.visibility.sees('assignee', viewer, { incidentID })))
      return `${mention(user)} does not know yet, because they do not see this incident. Invite them to its channel.`;
    const blocks = [section(text), actions([pressable(rolesFace, { incidentID })])];
    await deps.slack.once.chat.postMessage({ channel: user, ...toMessage({ text, blocks }) });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'role: could not tell who received it');
    return `${mention(user)} does not know yet: I could not tell them. ${reasonWords(error)}`;
  }
}
