import type { KnownBlock } from '@slack/types';
import { type Incident, maxTitle } from '../../contract/incidents.ts';
import { code, context, facts, header, maxHeader, section, toEscaped, toMrkdwn } from '../text/blocks.ts';
import { formatDuration, toSlackDate } from '../text/times.ts';
import { cutMrkdwn } from '../text/words.ts';
import { incidentLabel } from './incident-name.ts';

const signs: Readonly<Record<string, string>> = {
  '': ':red_circle: Active',
  active: ':red_circle: Active',
  resolved: ':large_green_circle: Resolved',
};

/** Sign and word for an incident's status. An unknown status is shown as the API names it. */
export function standing(incident: Pick<Incident, 'status' | 'isDrill'>): string {
  const word = signs[incident.status] ?? `:large_orange_circle: ${toMrkdwn(incident.status, 40)}`;
  return incident.isDrill ? `${word} · :dart: Drill` : word;
}

/** An RFC 3339 time of the API as each reader's own; `–` when unset. */
export function when(time: string): string {
  const date = new Date(time);
  return time === '' || Number.isNaN(date.getTime()) ? '–' : toSlackDate(date);
}

/** The facts on an incident's card, without buttons: the same in the channel and in the announcement. */
export function incidentFacts(
  incident: Incident,
  links: { readonly overview: string; readonly channelId: string; readonly isArchived?: boolean },
): KnownBlock[] {
  const resolved = incident.status === 'resolved';
  const tasks = incident.taskList;
  const people = incident.incidentMembership.assignments.map(
    each => `${toMrkdwn(each.role.name, 60)}: ${toMrkdwn(each.user.name || each.user.userID, 80)}`,
  );
  const labels = incident.labels.map(label => code(label.label, 60));
  const foot = [
    `${incidentLabel(incident.incidentID, 'Incident')} · declared ${when(incident.createdTime)} by ${toMrkdwn(incident.createdByUser.name || 'an integration', 80)}`,
    ...(links.channelId ? [`<#${links.channelId}>${links.isArchived ? ' (archived)' : ''}`] : []),
    ...(links.overview ? [`<${links.overview}|Overview>`] : []),
  ];
  const title = `${incident.isDrill ? '[Drill] ' : ''}${incident.title}`;
  return [
    header(title),
    ...(title.length > maxHeader ? [section(toMrkdwn(title, maxTitle))] : []),
    facts([
      ['Status', standing(incident)],
      ['Severity', toMrkdwn(incident.severity, 60)],
      ['Started', when(incident.incidentStart)],
      ...(resolved
        ? [['Ended', `${when(incident.incidentEnd)} (${formatDuration(incident.durationSeconds)})`] as const]
        : []),
      ['Tasks', tasks.tasks.length === 0 ? 'none' : `${tasks.todoCount} open, ${tasks.doneCount} done`],
      ['Roles', people.length === 0 ? 'nobody yet' : people.slice(0, 10).join('\n')],
      ['Labels', labels.slice(0, 10).join(' ')],
    ]),
    ...(incident.summary ? [section(toMrkdwn(incident.summary, 1000))] : []),
    context(foot.join(' · ')),
  ];
}

/** The card in one line, for notifications and screen readers. */
export function incidentLine(incident: Incident): string {
  const drill = incident.isDrill ? 'drill, ' : '';
  return `${incidentLabel(incident.incidentID, 'Incident')} (${drill}${toMrkdwn(incident.status, 20)}, ${toMrkdwn(incident.severity, 40)}): ${toMrkdwn(incident.title, 300)}`;
}

/** Most characters of a channel's topic (docs/slack.md 5). */
const maxTopic = 250;

/** A channel's topic. Slack shows it as text, yet it is announced in the channel, so it is escaped like any message. */
export function incidentTopic(incident: Incident): string {
  const sign = standing({ status: incident.status, isDrill: false }).replace(/^:\w+: /, '');
  const drill = incident.isDrill ? 'Drill · ' : '';
  return cutMrkdwn(`${drill}${sign} · ${toEscaped(incident.severity, 60)} · ${toEscaped(incident.title)}`, maxTopic);
}
