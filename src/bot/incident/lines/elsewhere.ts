import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Incident } from '../../../contract/incidents.ts';
import type { LeadingNote } from '../../../contract/note-forms.ts';
import type { NoTables } from '../../../db/engine.ts';
import { beginChains } from '../state/call-store.ts';
import { roomMention } from '../state/room-mention.ts';
import type { Room } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { forgetOutcome, noteUpdate } from '../state/update-store.ts';
import { elsewhereLine } from './elsewhere-line.ts';
import type { KnownStates } from './known-state.ts';
import { newsLines } from './news.ts';
import { addLine, forReaders, type NewLine } from './outbox.ts';
import { differencesOf } from './own-change.ts';
import type { SaidOfEnd } from './said-elsewhere.ts';

/** The parts of Muster that noting changes made elsewhere uses. */
export interface ElsewhereDeps {
  readonly knownStates: KnownStates;
  readonly settings: Pick<Settings, 'severities' | 'callChains'>;
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
  { version, outcome }: { readonly version: number } & SaidOfEnd,
): Promise<'learned' | 'unsettled'> {
  const { incidentID, durationSeconds } = incident;
  const { severities } = settings;
  const found = await knownStates.difference(incident);
  const isOver = incident.status === 'resolved' && found !== undefined && found.before.status !== 'resolved';
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
