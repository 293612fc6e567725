import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import type { BotTables } from '../../schema/tables.ts';
import { readOffers } from '../state/alert-store.ts';
import type { Settings } from '../state/settings.ts';
import { alertLine } from './alert-line.ts';
import { readStored } from './known-state.ts';
import { addLine } from './outbox.ts';

/**
 * The room reads of alerts of its incident that ended before there was a room. An end that it has read already is not told again. Called in
 * the transaction that stores that the room reads of the alerts. Where the team wants it, the incident then ends with them.
 */
export async function tellOfEnds(
  trx: Kysely<NoTables>,
  incidentID: string,
  now: Date,
  { alertsEnd, severities }: Settings,
): Promise<void> {
  const db = trx.withTables<BotTables>();
  const offers = await readOffers(db, severities, rows =>
    rows.where('incident_id', '=', incidentID).where('state', '=', 'taken'),
  );
  for (const { offer, alerts, total, firing, changedAt } of offers) {
    const last = alerts.toSorted((one, other) => one.ended_at - other.ended_at).at(-1);
    if (last === undefined || firing > 0) continue;
    const isActive = (await readStored(db, incidentID))?.status === 'active';
    // The tool's moment is that of a group that was read.
    const endedAt = last.ended_at === changedAt ? last.told.endedAt : '';
    const group = { ...last, ended_at: changedAt, told: JSON.stringify({ ...last.told, endedAt }) };
    const news = { what: 'ended', offer: offer.id, group, more: 0, names: [] } as const;
    const isOwed = alertsEnd === 'auto' && isActive && offer.actor === '' && offer.owes === '';
    if (isOwed) await db.updateTable('bot_alert_offer').set({ owes: 'resolve' }).where('id', '=', offer.id).execute();
    const since = total > 1 ? offer.begun_at : undefined;
    await addLine(
      trx,
      alertLine(incidentID, news, { now, offers: isActive && offer.owes === '' && !isOwed ? 'resolve' : '', since }),
    );
  }
}
