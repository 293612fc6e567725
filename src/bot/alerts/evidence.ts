import { z } from 'zod';
import { defineIntent, type IncidentDeps, type IntentContext } from '../incident/acts/intent-kind.ts';
import { alertLinks, alertRow, alertsTitle } from '../incident/board/alert-words.ts';
import { findWritten, Note, Written, writeNote } from '../incident/notes/notes.ts';
import { alreadyTaken, type Offered, type StoredAlert } from '../incident/state/alert-store.ts';
import { toMrkdwn } from '../text/blocks.ts';
import { signs } from '../text/signs.ts';
import { andMore, restRow } from '../text/words.ts';
import { toActor } from './submit.ts';

/** The `source` of a note with the evidence of alerts, for programs. */
const alertSource = 'alert';

/** The evidence of an offer's alerts for an incident. */
export const Evidence = Note.extend({
  /** The offer that gets its incident by it; `""`: it has that incident already. */
  takes: z.string(),
  /** The source of the alerts: it speaks, and not the person who adds them. */
  from: z.string(),
  /** The words for the room, as mrkdwn. */
  line: z.string(),
  /** Whether an alert fires by these words. */
  isFiring: z.boolean().default(true),
});
export type Evidence = z.output<typeof Evidence>;

/** Puts the evidence of alerts on the timeline of an incident and into its room. */
export const addEvidence = defineIntent({
  kind: 'alert.evidence',
  payload: Evidence,
  result: Written,
  run: async (context, note) => {
    if (note.takes !== '' && !(await context.deps.alerts.isFor(note.takes, context.id))) throw alreadyTaken();
    return await writeNote(asSource(context, note), note);
  },
  reconcile: (context, note) => findWritten(asSource(context, note), note),
  did: ({ takes, line: words }, { incident, line }) => ({
    ...{ sign: signs.alert, verb: 'put', what: `the alert on the timeline of ${incident}` },
    ...(line
      ? {
          room: {
            words: takes === '' ? `${signs.alert} ${words}` : `${signs.alert} ${line.by} added: ${words}`,
            ...{ isOwnMessage: true, of: 'channel' },
          },
        }
      : {}),
  }),
  links: ({ takes: offer, isFiring: isOfFiring }) => ({ offer, isOfFiring }),
});

/** The calls of an intent, in the name of the source of its alerts. */
function asSource({ api, call }: IntentContext, { from }: Evidence) {
  const { signal, budget } = call;
  return {
    api,
    call: { ...(signal ? { signal } : {}), ...(budget ? { budget } : {}), people: { actor: toActor(from) } },
  };
}

/** Groups that a note and a line name, and groups that they link; the others are counted, and `/incident alerts` shows them. */
const most = { note: 20, line: 10, links: 5 };

/** The evidence of an offer's alerts, in the name of their source. */
export function toEvidence(offered: Offered, { severities }: IncidentDeps['settings']): Evidence {
  const { offer, alerts, total, firing } = offered;
  const [first] = alerts;
  const isOne = total <= 1;
  const source = toMrkdwn(offer.source, 40);
  const rows = alerts.slice(0, most.line).map((each, index) => {
    const links = index < most.links ? alertLinks(each) : [];
    const row = alertRow(each, { severities });
    return isOne
      ? [`${row} – ${source}`, links.join(' · ')].join('\n').trim()
      : [row, ...links.slice(0, 1)].join(' · ');
  });
  const head = isOne ? [] : [`*${toMrkdwn(alertsTitle(offered), 150)}* – ${source}`];
  const said = alerts.slice(0, most.note).map((each, index) => toPlain(each, isOne ? 10 : index < most.links ? 1 : 0));
  return {
    incidentID: '',
    text: [
      `${signs.alert} ${alertsTitle(offered)} – from ${offer.source}`,
      ...said.flat(),
      ...restRow(total, most.note),
    ].join('\n'),
    eventTime: first?.told.startedAt || new Date(offer.begun_at).toISOString(),
    ...{ saidBy: '', addedBy: '', permalink: '', source: alertSource, takes: '', from: offer.source },
    line: [...head, ...rows, ...restRow(total, most.line)].join('\n'),
    isFiring: firing > 0,
  };
}

/** A group on the timeline: its name, its alerts with their values, and so many of the places to which it leads. */
function toPlain(alert: StoredAlert, links: number): readonly string[] {
  const { title, summary, startedAt } = alert.told;
  const since = startedAt === '' ? '' : ` since ${startedAt}`;
  const { alerts, firing, resolved } = alert.told;
  const named = alerts.map(({ name, value }) => (value === '' ? name : `${name} (${value})`));
  const names = andMore(named, named.length, { total: firing + resolved });
  return [
    `${title}${since}`,
    ...(summary === '' ? [] : [summary]),
    ...(names === '' || names === summary ? [] : [names]),
    ...alert.told.links.slice(0, links).map(({ what, url }) => `${what}: ${url}`),
  ];
}
