import type { ActionsBlockElement } from '@slack/types';
import type { Incident } from '../../../../contract/incidents.ts';
import { isMistake } from '../../../../contract/mistakes.ts';
import { actions, section, sentence, type Words } from '../../../text/blocks.ts';
import { toSlackWindow } from '../../../text/shown-times.ts';
import { signs } from '../../../text/signs.ts';
import { toSlackDate } from '../../../text/times.ts';
import type { NextSteps } from './store.ts';

/** An incident that is over, as the features that offer next steps see it. */
export interface Over {
  readonly incident: Incident;
  /** When its channel is archived; undefined when it stays. */
  readonly archiveAt: Date | undefined;
  /** The channel is Muster's to archive. */
  readonly mayArchive: boolean;
  /** Its severity is not known. */
  readonly isUnrated: boolean;
  /** Names the incident where other incidents share its channel (mrkdwn); `""` where none does. */
  readonly subject: string;
}

/** The message that says what comes next, with its buttons. */
export function nextWords(
  { incident, archiveAt, subject, isUnrated }: Over,
  { archivedAt, problem, isWarned }: NextSteps,
  row: readonly ActionsBlockElement[],
): Words {
  const { todoCount } = incident.taskList;
  const open = todoCount === 0 ? '' : `close ${todoCount} open ${todoCount === 1 ? 'task' : 'tasks'}`;
  const archived = archivedAt ? `archived ${toSlackDate(archivedAt)}` : '';
  const due = archiveAt ? `archives ${toSlackDate(archiveAt)}` : '';
  const failed = problem === '' ? '' : `\n${signs.warning} I could not archive this channel: ${problem}`;
  const unrated = isUnrated ? 'set the severity' : '';
  const isToBeArchived = isWarned && due !== '';
  const listed = (parts: readonly string[]) => parts.filter(part => part !== '').join(' · ');
  const about = listed(
    isMistake(incident) ? [archived || due] : [open, unrated, timesWords(incident), archived || due],
  );
  const words = isToBeArchived
    ? listed([`${signs.warning} *This channel ${due}*`, open])
    : `*What comes next:* ${about || 'nothing is left to do here.'}`;
  const text = `${subject}${words}${failed}`;
  return { text, blocks: [section(text), ...(row.length === 0 ? [] : [actions(row)])] };
}

/** The message once the incident is open again: it has no buttons. */
export function notYetWords(subject: string): Words {
  return sentence(`${subject}*What comes next:* nothing yet, since the incident is open again.`);
}

function timesWords({ incidentStart, incidentEnd }: Incident): string {
  const [from, to] = [new Date(incidentStart), new Date(incidentEnd)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return '';
  return `check the times (${toSlackWindow(from, to)})`;
}
