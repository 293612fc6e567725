import type { ActionsBlockElement } from '@slack/types';
import { sendDirectly } from '../../slack/answer.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { actions, mention, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { reasonWords } from '../state/refusal-words.ts';
import type { AfterDoneContext } from './intent-kind.ts';

/** News for one person. */
export interface PersonalNews {
  /** Mrkdwn. */
  readonly text: string;
  /** What of the incident it is about: `Task 2`; absent for the incident itself. */
  readonly part?: string;
  readonly buttons: readonly ActionsBlockElement[];
}

/**
 * Tells a person of something that another person did to them, in a direct message: a line in a channel is lost on people who are not
 * looking. It skips the person who did it, a person who may not see the incident, and one who was told before.
 * Returns a sentence of mrkdwn when the person does not know of it, and `""` otherwise.
 */
export async function tellDirectly(
  { deps, actor, repeated, log }: AfterDoneContext,
  incidentID: string,
  user: string,
  { text, part, buttons }: PersonalNews,
): Promise<string> {
  if (repeated || user === '' || user === actor.userId) return '';
  const room = await deps.rooms.ofIncident(incidentID);
  // A person outside a private room does not learn of its incident.
  const open = room && !room.isPrivate && room.channelId !== '' ? room : undefined;
  const title = open ? ((await deps.snapshots.get(incidentID))?.summary.title ?? '') : '';
  const label = part ? `${part} of ${incidentLabel(incidentID)}` : incidentLabel(incidentID, 'Incident');
  const about = [
    `${label}${title === '' ? '' : ` “${toMrkdwn(title, 150)}”`}`,
    ...(open ? [`<#${open.channelId}>`] : []),
  ].join(' · ');
  const words = `${text}\n${about}`;
  const blocks = [section(words), ...(buttons.length > 0 ? [actions(buttons)] : [])];
  try {
    const known = await deps.people.find(user);
    const viewer = { teamId: known?.teamId ?? '', userId: user, isGuest: known?.isGuest ?? true, channelId: '' };
    if (!(await deps.visibility.sees('assignee', viewer, { incidentID })))
      return `${mention(user)} does not know yet, because they do not see this incident. Invite them to its channel.`;
    await sendDirectly(deps.slack, user, { text: words, blocks });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'person: could not be told');
    return `${mention(user)} does not know yet: I could not tell them. ${reasonWords(error)}`;
  }
}
