import type { Context } from '../../dispatch/feature/context.ts';
import type { Verb } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { alertLinks, alertRow, namesWords } from '../../incident/board/alert-words.ts';
import type { StoredAlert } from '../../incident/state/alert-store.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { restRow } from '../../text/words.ts';

/** Groups that the list shows; the others are counted. */
const mostShown = 20;

async function runAlerts(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  const { incident, notice } = await readSeen(deps, incidentID, ctx.now);
  const offers = await deps.alerts.ofIncident(incident.incidentID);
  const all = offers.flatMap(each => each.alerts);
  const name = incidentLabel(incident.incidentID, 'Incident');
  if (all.length === 0)
    return ctx.answer(sentence(`${name} has no alerts. *Add to…* below an alert in its channel adds one.`));
  const head = `${signs.alert} *${all.length} ${all.length === 1 ? 'alert' : 'alerts'} of ${name.toLowerCase()}*`;
  const shown = all.slice(0, mostShown).map(each => toRow(each, deps.settings.severities));
  const lines = [head, ...(notice === '' ? [] : [notice]), ...shown, ...restRow(all.length, mostShown)];
  await ctx.answer({ text: lines.join('\n'), blocks: lines.map(each => section(each)) });
}

function toRow(alert: StoredAlert, severities: readonly string[]): string {
  const names = namesWords(alert);
  const links = alertLinks(alert);
  return [
    `${alertRow(alert, { severities })} · ${toMrkdwn(alert.source, 40)}`,
    ...(names === '' ? [] : [names]),
    ...(links.length === 0 ? [] : [links.join(' · ')]),
  ].join('\n');
}

/** `/incident alerts`: the alerts that an incident is about. */
export const alertsList: Verb = {
  noun: 'incident',
  verb: 'alerts',
  aliases: ['alert'],
  begins: 'nothing',
  usage: '',
  summary: 'Show the alerts that this incident is about, with their links.',
  about: 'incident',
  reads: true,
  run: runAlerts,
};
