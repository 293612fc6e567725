import type { ActionsBlockElement } from '@slack/types';
import { maxTitle } from '../../../contract/incidents.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, code, context, header, mention, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentColor, incidentSigns, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { cutMrkdwn, toLines, withoutFormatting } from '../../text/words.ts';
import type { DeclaredIncident } from '../state/declared-incident.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { severityWord } from '../state/state-words.ts';
import { sourceLinks } from './card-view.ts';

/** Says how to work in a room while the API cannot be reached. */
function whileAway(api: string): string {
  return `Work here as usual: it is all saved, and added as soon as ${api} answers.`;
}

/** The card of an incident that was declared while the API could not be reached. */
export function declaredWords(
  declared: DeclaredIncident,
  about: {
    readonly hint: boolean;
    readonly channelId: string;
    readonly severities: readonly string[];
    readonly api: string;
    readonly buttons: readonly ActionsBlockElement[];
  },
): Words {
  const { isDrill, title, severity, declaredAt, sources } = declared;
  const lead = declared.summary === '' ? [] : [toMrkdwn(toLines(declared.summary), 700)];
  const labels = declared.labels.map(label => code(label, 60));
  const drill = isDrill ? `${incidentSigns.drill} DRILL · ` : '';
  const headline = `${drill}${severityWord(severity.toUpperCase(), about.severities)} · ${title}`;
  const state = [
    `*${incidentSigns.waiting} Not registered yet*, declared ${when(declaredAt)}`,
    `*Severity* ${toMrkdwn(severityWord(severity, about.severities), 80)}`,
    ...(labels.length === 0 ? [] : [`*Labels* ${labels.slice(0, 10).join(' ')}`]),
  ];
  const foot = [
    declared.declaredBy ? `Declared by ${mention(declared.declaredBy)}` : 'Declared by an integration',
    ...(about.channelId ? [`<#${about.channelId}>`] : []),
    ...sourceLinks(sources),
  ].join(' · ');
  const blocks = [
    header(headline),
    ...(headline.length > slackLimits.headerText ? [section(toMrkdwn(title, maxTitle))] : []),
    ...lead.map(each => section(each)),
    section(state.join('\n')),
    ...(about.hint ? [section(whileAway(about.api))] : []),
    context(foot),
    ...(about.buttons.length === 0 ? [] : [actions(about.buttons)]),
  ];
  const spoken = [...lead, ...state, ...(about.hint ? [whileAway(about.api)] : []), foot].map(withoutFormatting);
  const line = `Incident not registered yet (${isDrill ? 'drill, ' : ''}${toMrkdwn(severity, 40)}): ${toMrkdwn(title, maxTitle)}`;
  const text = cutMrkdwn([line, ...spoken].join('\n'), maxText);
  const color = incidentColor(about.severities, { severity, status: 'active' });
  return { text, isWhole: true, blocks, color };
}

/**
 * Replaces a card or an announcement where people of another organisation read: it gives the number, and nothing else. An
 * incident that is not registered has none.
 */
export function stubWords(incidentID: string): Words {
  const name = isProvisional(incidentID) ? 'An incident' : incidentLabel(incidentID, 'Incident');
  return sentence(
    `${signs.private} ${name}. People of another organisation read this channel, so ask inside: \`/incident status\` shows it to members of this workspace.`,
  );
}

/** Replaces the card once its channel no longer follows the incident. It gives the number alone. */
export function partedWords(incidentID: string): Words {
  const name = incidentLabel(incidentID);
  const number = toMrkdwn(incidentID, 40);
  return sentence(
    `${incidentSigns.link} This channel no longer follows ${name}. \`/incident link ${number}\` makes it follow again.`,
  );
}
