import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { LeadingNote } from '../../../contract/note-forms.ts';
import type { NoTables } from '../../../db/engine.ts';
import { code, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore } from '../../text/words.ts';
import { beginChains } from '../state/call-store.ts';
import { roomMention } from '../state/incident-name.ts';
import type { Room } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { forgetOutcome, noteUpdate } from '../state/update-store.ts';
import type { openKnownStates } from './known-state.ts';
import { newsLines } from './news.ts';
import { addLine, forReaders, type NewLine } from './outbox.ts';
import { type Differences, differencesOf } from './own-change.ts';

/** The parts of Muster that noting changes made elsewhere uses. */
export interface ElsewhereDeps {
  readonly knownStates: ReturnType<typeof openKnownStates>;
  readonly settings: Settings;
  readonly clock: () => Date;
}

/**
 * Adds the lines about changes made elsewhere, for the room and for the readers of the announcement. `version` is the card's. `unsettled`:
 * what is Muster's own shows when its write is done.
 */
export async function noteElsewhere(
  { knownStates, settings, clock }: ElsewhereDeps,
  room: Room,
  incident: Incident,
  { version, outcome }: { readonly version: number; readonly outcome: LeadingNote | undefined },
): Promise<'learned' | 'unsettled'> {
  const { incidentID, durationSeconds } = incident;
  const { severities } = settings;
  const found = await knownStates.difference(incident);
  if (found === undefined) return 'learned';
  const isOver = incident.status === 'resolved' && found !== 'unknown' && found.before.status !== 'resolved';
  const ended = isOver ? endOf(incident, outcome) : undefined;
  const end = ended && { durationSeconds, summary: ended.summary };
  return await knownStates.learn(incident, version, async (trx, { before, after }) => {
    const [id, now] = [`elsewhere/${randomUUID()}`, clock()];
    const change: Omit<NewLine, 'id' | 'words'> = { incidentID, actor: '', askedAt: now, doneAt: now, isAlone: false };
    await addLine(trx, { ...change, id, words: elsewhereLine(differencesOf(before, after)) });
    if (ended) await noteOutcome(trx, incidentID, ended, now);
    await beginChains(trx, incidentID, { before, after }, settings, now);
    const news = newsLines({ before, after: { incidentID, ...after }, end, severities, room: roomMention(room) });
    for (const [index, words] of news.entries())
      await addLine(trx, { ...change, ...forReaders, id: `${id}/news/${index}`, words });
  });
}

/** Remembers what ended the incident elsewhere; nobody may have said it. */
async function noteOutcome(
  trx: Kysely<NoTables>,
  incidentID: string,
  { summary: text, activityItemID }: { readonly summary: string; readonly activityItemID: string },
  at: Date,
): Promise<void> {
  if (text === '') return forgetOutcome(trx, incidentID);
  await noteUpdate(trx, incidentID, '', { kind: 'given', as: 'outcome', activityItemID, text, at, nextAt: undefined });
}

/** What ended the incident: its own summary, else the note about its end; `""` for neither. */
function endOf({ summary }: Incident, outcome: LeadingNote | undefined) {
  if (summary !== '' || !outcome) return { summary, activityItemID: `outcome/${randomUUID()}` };
  return { summary: outcome.text, activityItemID: outcome.item.activityItemID };
}

/** Labels and people of each kind that the line names. */
const mostNamed = 5;

/** The one line about changes made elsewhere, as mrkdwn. */
function elsewhereLine(differences: Differences): string {
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
