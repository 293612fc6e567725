import { code, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore } from '../../text/words.ts';
import type { Differences } from './own-change.ts';

/** Labels and people of each kind that the line names. */
const mostNamed = 5;

/** The one line about changes made elsewhere, as mrkdwn. */
export function elsewhereLine(differences: Differences): string {
  const phrases = toPhrases(differences);
  return phrases.length === 0
    ? `${signs.elsewhere} Somebody changed this incident outside Slack, and changed it back.`
    : `${signs.elsewhere} Outside Slack, somebody ${phrases.join('; ')}.`;
}

/** What somebody did, as the ends of a sentence that begins with “somebody”. */
function toPhrases({ isMistake, title, status, severity, isDrill, ...lists }: Differences): readonly string[] {
  const { addedLabels, removedLabels, given, taken } = lists;
  return [
    ...(isMistake ? ['said that it was *declared by mistake*'] : []),
    ...(status ? [statusPhrase(status[1])] : []),
    ...(severity
      ? [`set the severity from ${toMrkdwn(severity[0], 60) || 'none'} to *${toMrkdwn(severity[1], 60)}*`]
      : []),
    ...(title ? [`renamed the incident to “${toMrkdwn(title[1], 300)}”`] : []),
    ...(isDrill === undefined ? [] : [isDrill ? 'marked it as a drill' : 'marked it as real, no drill']),
    ...(given.length > 0
      ? [
          `gave ${andMore(
            given.map(each => `${toMrkdwn(each.role, 60)} to ${toMrkdwn(each.name, 80)}`),
            mostNamed,
          )}`,
        ]
      : []),
    ...(taken.length > 0
      ? [
          `took ${andMore(
            taken.map(each => `${toMrkdwn(each.role, 60)} from ${toMrkdwn(each.name, 80)}`),
            mostNamed,
          )}`,
        ]
      : []),
    ...(addedLabels.length > 0 ? [`added ${labelWords(addedLabels)}`] : []),
    ...(removedLabels.length > 0 ? [`removed ${labelWords(removedLabels)}`] : []),
  ];
}

function statusPhrase(status: string): string {
  if (status === 'resolved') return '*resolved* the incident';
  return status === 'active' ? '*reopened* the incident' : `set the status to *${toMrkdwn(status, 40)}*`;
}

function labelWords(labels: readonly string[]): string {
  return `the label${labels.length === 1 ? '' : 's'} ${andMore(
    labels.map(label => code(label, 60)),
    mostNamed,
  )}`;
}
