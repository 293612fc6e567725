import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import type { AlertTable } from '../../schema/alerts.ts';
import type { LineOffer } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';
import { andMore } from '../../text/words.ts';
import { AlertGroup, possibleMoment } from '../state/alert-group.ts';
import { readOffers } from '../state/alert-store.ts';
import type { Settings } from '../state/settings.ts';
import { readKnownState } from './known-state.ts';
import { addLine, type NewLine } from './outbox.ts';

/** News of an alert for the people of its incident. */
export interface AlertNews {
  /**
   * `crowded`: it joins, and so many have joined that the room reads of the next ones in counts alone; `others`: other alerts of it fire;
   * `burns`: it fires, though its incident is over.
   */
  readonly what: 'joined' | 'crowded' | 'grew' | 'others' | 'graver' | 'still' | 'burns' | 'again' | 'ended';
  readonly offer: string;
  /** The group as it is afterwards. */
  readonly group: AlertTable;
  /** How many alerts fire in the group that did not before, and the names of some. */
  readonly more: number;
  readonly names: readonly string[];
  /** It is graver than its incident; absent: it is not. */
  readonly isAbove?: boolean;
}

/** Alerts that a line names; the others are counted. */
const named = 5;

/** The line in the room about it. `offers` is the act that it offers; `since`: several groups fire, and this is when the first began. */
export function alertLine(
  incidentID: string,
  { what, offer, group, more, names, isAbove = false }: AlertNews,
  { now, offers, since }: { readonly now: Date; readonly offers: LineOffer; readonly since: number | undefined },
): NewLine {
  const told = AlertGroup.parse(JSON.parse(group.told));
  const name = `*${toMrkdwn(told.title, 150)}*`;
  const by = toMrkdwn(group.source, 40);
  const base = { incidentID, actor: '', askedAt: now, doneAt: now };
  const of = `${offer}/${what}`;
  const alone = { ...base, isOwnMessage: true };
  switch (what) {
    case 'ended': {
      const which = since === undefined ? 'The alert ended' : 'The alerts ended';
      const at = toSlackDate(new Date(possibleMoment(told.endedAt, group.ended_at) || group.ended_at));
      const words = `${signs.alert} *${which}* ${at} after ${formatDuration(lengthOf(group, told, since))} – ${by}`;
      return { ...alone, offers, id: `${of}/${group.first_at}`, words };
    }
    case 'again': {
      const bad = isAbove ? `, *${toMrkdwn(group.severity, 60)}* this time` : '';
      const words = `${signs.alert} *The alert fires again*: ${toMrkdwn(told.title, 150)}${bad} – ${by}`;
      return { ...alone, offers, id: `${of}/${group.first_at}`, words };
    }
    case 'burns': {
      const where = 'The channel of alerts offers it again.';
      const words = `${signs.alert} *The alert fires on*, though this incident is over: ${toMrkdwn(told.title, 150)} – ${by}. ${where}`;
      const row = { ...base, id: `${of}/${group.id}/${group.newest_at}`, words };
      return since === undefined ? { ...row, isOwnMessage: true, offers } : { ...row, isOwnMessage: false };
    }
    case 'graver': {
      const words = `${signs.alert} ${name} is *${toMrkdwn(group.severity, 60)}* now – ${by}`;
      return { ...alone, offers, id: `${of}/${group.id}/${group.newest_at}`, words };
    }
    case 'joined':
    case 'crowded': {
      const rest = what === 'crowded' ? '. The card counts those that join from now on.' : '';
      const words = `${signs.alert} ${name} fires too – ${by}${rest}`;
      return { ...base, id: `${of}/${group.id}/${group.first_at}`, words, isOwnMessage: false };
    }
    case 'grew':
    case 'others': {
      const list = names.map(each => toMrkdwn(each, 100));
      const which = list.length === 0 ? '' : `: ${andMore(list, named, { total: more })}`;
      const kind = what === 'grew' ? 'more' : 'other';
      const words = `${signs.alert} ${more} ${kind} ${more === 1 ? 'alert' : 'alerts'} of ${name}${which} – ${by}`;
      return { ...base, id: `${of}/${group.id}/${group.newest_at}`, words, isOwnMessage: false };
    }
    case 'still': {
      const words = `${signs.alert} ${name} still fires, after ${group.times} notices – ${by}`;
      return { ...base, id: `${of}/${group.id}/${group.newest_at}`, words, isOwnMessage: false };
    }
  }
}

/** How long a group fired, in seconds: by the tool's clock where it tells both moments. */
function lengthOf(group: AlertTable, told: AlertGroup, since: number | undefined): number {
  const end = possibleMoment(told.endedAt, group.ended_at);
  const isToolsOwn = since === undefined && told.startedAt !== '' && end !== '';
  const [from, to] = isToolsOwn ? [told.startedAt, end] : [since ?? group.first_at, group.ended_at];
  return Math.max(0, (new Date(to).getTime() - new Date(from).getTime()) / 1000);
}

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
    const isActive = (await readKnownState(db, incidentID))?.status === 'active';
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
