import { z } from 'zod';
import { defineIntent, type IncidentDeps } from '../incident/acts/intent-kind.ts';
import { alertLinks, alertRow, alertsTitle, namesWords } from '../incident/board/alert-words.ts';
import { findWritten, Note, Written, writeNote } from '../incident/notes/notes.ts';
import { alreadyTaken, type Offered, type StoredAlert } from '../incident/state/alert-store.ts';
import { incidentLabel, incidentName } from '../incident/state/incident-name.ts';
import { sentence, toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';

/** What a note with the evidence of alerts is, for programs (`source`). */
const alertSource = 'alert';

/** The evidence of an offer's alerts for an incident. */
export const Evidence = Note.extend({
  /** The offer that gets its incident by it; `""`: it has that incident already. */
  takes: z.string(),
  /** The same for the room, as mrkdwn. */
  line: z.string(),
});
/** The evidence of an offer's alerts for an incident. */
export type Evidence = z.output<typeof Evidence>;

/** Puts the evidence of alerts on the timeline of an incident and into its room. */
export const addEvidence = defineIntent({
  kind: 'alert.evidence',
  payload: Evidence,
  result: Written,
  run: async (context, note) => {
    if (note.takes !== '' && !(await context.deps.alerts.isFor(note.takes, context.id))) throw alreadyTaken();
    return await writeNote(context, note);
  },
  reconcile: (context, note) => findWritten(context, note),
  ofAlert: note => note.takes,
  room: {
    line: (_item, { takes, line }, { by }) => ({
      words: takes === '' ? `${signs.alert} ${line}` : `${signs.alert} ${by} added: ${line}`,
      isAlone: true,
      of: 'channel',
    }),
  },
  describe: ({ incidentID }) => `put the alert on the timeline of ${incidentName(incidentID)}`,
  answer: {
    receipt: (_item, { incidentID }, repeated) =>
      sentence(
        repeated
          ? `The alert belongs to ${incidentLabel(incidentID)} already.`
          : `${signs.alert} The alert belongs to ${incidentLabel(incidentID)} now.`,
      ),
  },
});

/** Groups that a note and a line name; the others are counted. */
const mostNamed = 20;

/** The evidence of an offer's alerts, in the name of their source. */
export function toEvidence(
  { offer, alerts }: Offered,
  { severities }: Pick<IncidentDeps['settings'], 'severities'>,
): Evidence {
  const shown = alerts.slice(0, mostNamed);
  const more = alerts.length > shown.length ? [`… and ${alerts.length - shown.length} more`] : [];
  const [first] = alerts;
  const rows = shown.map(each => {
    const links = alertLinks(each);
    return `${alertRow(each, { severities })}${links.length === 0 ? '' : `\n${links.join(' · ')}`}`;
  });
  const line = [`${rows.length === 1 ? '' : `${alertsTitle(alerts)}\n`}${rows.join('\n')}`, ...more].join('\n');
  return {
    incidentID: '',
    text: [`🔔 ${alertsTitle(alerts)} – from ${offer.source}`, ...shown.flatMap(toPlain), ...more].join('\n'),
    eventTime: first?.told.startedAt || new Date(offer.begun_at).toISOString(),
    ...{ saidBy: '', addedBy: '', permalink: '', source: alertSource, takes: '' },
    line: `${line} – ${toMrkdwn(offer.source, 40)}`,
  };
}

/** A group on the timeline: its name, its alerts with their values, and where they lead. */
function toPlain(alert: StoredAlert): readonly string[] {
  const { title, summary, startedAt, links } = alert.told;
  const since = startedAt === '' ? '' : ` since ${startedAt}`;
  const names = namesWords(alert);
  return [
    `${title}${since}`,
    ...(summary === '' ? [] : [summary]),
    ...(names === '' ? [] : [names]),
    ...links.map(({ what, url }) => `${what}: ${url}`),
  ];
}
