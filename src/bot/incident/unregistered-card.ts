import type { KnownBlock } from '@slack/types';
import { isProvisional } from '../journal/provisional-id.ts';
import { code, context, facts, header, mention, section, sentence, toMrkdwn, type Words } from '../text/blocks.ts';
import { when } from './card-view.ts';
import type { DeclaredIncident } from './declared-incident.ts';
import { incidentLabel } from './incident-name.ts';

/** The card of an incident that was declared while the API could not be reached. */
export function declaredFacts(declared: DeclaredIncident, about: { hint: boolean; channelId: string }): KnownBlock[] {
  const labels = declared.labels.map(label => code(label, 60));
  return [
    header(`${declared.isDrill ? '[Drill] ' : ''}${declared.title}`),
    facts([
      ['Status', ':hourglass_flowing_sand: Not yet registered'],
      ['Severity', toMrkdwn(declared.severity, 60)],
      ['Declared', when(declared.declaredAt)],
      ['Labels', labels.slice(0, 10).join(' ')],
    ]),
    ...(about.hint
      ? [
          section(
            'The incident API cannot be reached. `/note add`, `/task add`, `/role assign`, `/incident severity` and *Add to timeline* still work here: they are saved, and sent in order when the API is back. `/incident status` shows what is queued.',
          ),
        ]
      : []),
    context(
      [
        declared.declaredBy ? `Declared by ${mention(declared.declaredBy)}` : 'Declared by an integration',
        ...(about.channelId ? [`<#${about.channelId}>`] : []),
      ].join(' · '),
    ),
  ];
}

/**
 * What stands in place of a card or an announcement where people of another organisation read: the number, and nothing else. An
 * incident that is not registered has none.
 */
export function stubWords(incidentID: string): Words {
  const name = isProvisional(incidentID) ? 'An incident' : incidentLabel(incidentID, 'Incident');
  return sentence(
    `:lock: ${name}. People of another organisation read this channel, so ask inside: \`/incident status\` shows it to members of this workspace.`,
  );
}

/** Replaces the card once its channel no longer follows the incident. It gives the number alone. */
export function partedWords(incidentID: string): Words {
  const name = incidentLabel(incidentID, 'Incident');
  const number = toMrkdwn(incidentID, 40);
  return sentence(
    `:link: This channel no longer follows ${name}. Notes and commands typed here do not act on it. \`/incident link ${number}\` makes it follow again.`,
  );
}

/** That card in one line, for notifications and screen readers. */
export function declaredLine(declared: DeclaredIncident): string {
  return `Incident not yet registered (${declared.isDrill ? 'drill, ' : ''}${toMrkdwn(declared.severity, 40)}): ${toMrkdwn(declared.title, 300)}`;
}
