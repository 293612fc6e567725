import type { ActionsBlockElement } from '@slack/types';
import type { Incident } from '../../../../contract/incidents.ts';
import { isMistake } from '../../../../contract/mistakes.ts';
import { actions, section, sentence, type Words } from '../../../text/blocks.ts';
import { toSlackMoment, toSlackWindow } from '../../../text/shown-times.ts';
import { signs } from '../../../text/signs.ts';
import type { NextSteps } from './store.ts';

/** An incident that is over, as the features that offer next steps see it. */
export interface Over {
  readonly incident: Incident;
  /** When its channel is archived; undefined when it stays. */
  readonly archiveAt: Date | undefined;
  /** The channel is Muster's to archive. */
  readonly mayArchive: boolean;
  /** Nobody said how bad it was. */
  readonly isUnrated: boolean;
  /** Names the incident where others live in the same channel (mrkdwn); `""` where none does. */
  readonly subject: string;
}

/** The message that says what comes next, with its buttons. */
export function nextWords(
  { incident, archiveAt, subject, isUnrated }: Over,
  { archivedAt, problem, isWarned }: Pick<NextSteps, 'archivedAt' | 'problem' | 'isWarned'>,
  row: readonly ActionsBlockElement[],
): Words {
  const { todoCount } = incident.taskList;
  const open = todoCount === 0 ? '' : todoCount === 1 ? '1 task is still open.' : `${todoCount} tasks are still open.`;
  const archived = archivedAt ? `I archived this channel at ${toSlackMoment(archivedAt)}.` : '';
  const due = archiveAt ? `This channel will be archived at ${toSlackMoment(archiveAt)}.` : '';
  const failed = problem === '' ? '' : `${signs.warning} I could not archive this channel: ${problem}`;
  const unrated = isUnrated ? 'Nobody said how bad it was: press *Severity*.' : '';
  const about = [open, unrated, timesWords(incident), archived || due, failed].filter(part => part !== '').join(' ');
  const words = isWarned && due !== '' ? `${signs.warning} *${due}* ${open}`.trim() : `*What comes next:* ${about}`;
  const text = subject + (isMistake(incident) ? mistakenWords([archived || due, failed]) : words);
  return { text, blocks: [section(text), ...(row.length === 0 ? [] : [actions(row)])] };
}

/** After a mistake there is nothing to do but to archive the channel. */
function mistakenWords(parts: readonly string[]): string {
  const rest = parts.filter(part => part !== '').join(' ');
  return `*What comes next:* ${rest === '' ? 'nothing is left to do here.' : rest}`;
}

/** The same once the incident is open again. `resolution` is when it was closed, RFC 3339. */
export function notYetWords(subject: string, resolution: string): Words {
  const at = new Date(resolution);
  const end = Number.isNaN(at.getTime()) ? '' : ` It had been resolved at ${toSlackMoment(at)}.`;
  return sentence(`${subject}*What comes next:* nothing yet, since the incident is open again.${end}`);
}

function timesWords({ incidentStart, incidentEnd }: Incident): string {
  const [from, to] = [new Date(incidentStart), new Date(incidentEnd)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return '';
  return `Recorded times: ${toSlackWindow(from, to)}. *Fill in times* corrects them.`;
}
