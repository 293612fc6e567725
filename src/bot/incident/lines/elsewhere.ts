import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ActivityItem } from '../../../contract/activity.ts';
import type { Api } from '../../../contract/contract.ts';
import { isUnread, RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { type LeadingNote, lastNote, leadingNotes, namesOfNote, splitNoteBody } from '../../../contract/note-forms.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { BotTables } from '../../schema/tables.ts';
import { code, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore, toLines } from '../../text/words.ts';
import { takeBackOffers } from '../state/alert-store.ts';
import { beginChains } from '../state/call-store.ts';
import { roomMention } from '../state/incident-name.ts';
import { countChange, type Room } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { forgetOutcome, recordUpdate, type TimelineNote, type Updates } from '../state/update-store.ts';
import { updateLine } from './headline.ts';
import { type Differences, differencesOf, type HeldRole, isReopened, type KnownStates } from './known-state.ts';
import { newsLines, updateNews } from './news.ts';
import { addLine, forReaders } from './outbox.ts';

/*
 * Changes that another client of the API made: a person in Grafana, a page, or another Muster. The state of the incident is compared with the
 * one that its readers know (`known-state.ts`), and its notes with those that are remembered. The room and the readers of the announcement
 * read the differences.
 */

/**
 * Adds the lines about a state that was changed elsewhere, for the room and for the readers of the announcement. `version` is the card's.
 * `unsettled`: a write of Muster's own may be in that state, and has yet to end.
 */
export async function tellOfElsewhere(
  { knownStates, settings, clock }: { readonly knownStates: KnownStates; readonly settings: Settings; clock(): Date },
  room: Room,
  incident: Incident,
  { version, outcome }: { readonly version: number; readonly outcome: LeadingNote | undefined },
): Promise<'learned' | 'unsettled'> {
  const { incidentID, durationSeconds } = incident;
  const { severities } = settings;
  const found = await knownStates.difference(incident);
  if (found === undefined) return 'learned';
  const isOver = incident.status === 'resolved' && found !== 'unknown' && found.before.status !== 'resolved';
  // The incident's own summary comes before the note about its end.
  const isOwn = incident.summary !== '' || !outcome;
  const activityItemID = isOwn ? `outcome/${randomUUID()}` : outcome.item.activityItemID;
  const ended = isOver ? { summary: isOwn ? incident.summary : outcome.text, activityItemID } : undefined;
  const end = ended && { durationSeconds, summary: ended.summary };
  return await knownStates.learn(incident, version, async (trx, { before, after }) => {
    const [id, now] = [`elsewhere/${randomUUID()}`, clock()];
    const change = { incidentID, actor: '', askedAt: now, doneAt: now, isOwnMessage: false };
    const phrases = phrasesOf(differencesOf(before, after));
    const words =
      phrases.length === 0
        ? `${signs.elsewhere} Somebody changed this incident outside Slack, and changed it back.`
        : `${signs.elsewhere} Outside Slack, somebody ${phrases.join('; ')}.`;
    await addLine(trx, { ...change, id, words });
    if (ended?.summary === '') await forgetOutcome(trx, incidentID);
    else if (ended) {
      const { summary: text, activityItemID } = ended;
      const given = { kind: 'given', as: 'outcome', activityItemID, text, at: now, nextAt: undefined } as const;
      await recordUpdate(trx, incidentID, '', given);
    }
    await beginChains(trx, incidentID, { before, after }, settings, now);
    if (isReopened({ before, after })) await takeBackOffers(trx, incidentID);
    const news = newsLines({ incidentID, before, after, end, severities, room: roomMention(room) });
    for (const [index, words] of news.entries())
      await addLine(trx, { ...change, ...forReaders, id: `${id}/news/${index}`, words });
  });
}

/** Labels and people of each kind that the line names. */
const mostNamed = 5;

/** The differences as ends of a sentence that begins with a person. */
function phrasesOf({ isMistake, title, status, severity, isDrill, ...lists }: Differences): readonly string[] {
  const { addedLabels, removedLabels, given, taken } = lists;
  const changed = (to: string) =>
    to === 'resolved'
      ? '*resolved* the incident'
      : to === 'active'
        ? '*reopened* the incident'
        : `set the status to *${toMrkdwn(to, 40)}*`;
  const held = (roles: readonly HeldRole[], way: 'to' | 'from') =>
    andMore(
      roles.map(each => `${toMrkdwn(each.role, 60)} ${way} ${toMrkdwn(each.name, 80)}`),
      mostNamed,
    );
  return [
    ...(isMistake ? ['said that it was *declared by mistake*'] : []),
    ...(status ? [changed(status[1])] : []),
    ...(severity
      ? [`set the severity from ${toMrkdwn(severity[0], 60) || 'none'} to *${toMrkdwn(severity[1], 60)}*`]
      : []),
    ...(title ? [`renamed the incident to “${toMrkdwn(title[1], 300)}”`] : []),
    ...(isDrill === undefined ? [] : [isDrill ? 'marked it as a drill' : 'marked it as real, no drill']),
    ...(given.length > 0 ? [`gave ${held(given, 'to')}`] : []),
    ...(taken.length > 0 ? [`took ${held(taken, 'from')}`] : []),
    ...(addedLabels.length > 0 ? [`added ${labelWords(addedLabels)}`] : []),
    ...(removedLabels.length > 0 ? [`removed ${labelWords(removedLabels)}`] : []),
  ];
}

function labelWords(labels: readonly string[]): string {
  return `the label${labels.length === 1 ? '' : 's'} ${andMore(
    labels.map(label => code(label, 60)),
    mostNamed,
  )}`;
}

/** How many of the newest notes and changes of the status are read. */
const maxItems = 50;

/** An update older than this is no news, in milliseconds. */
const newsTime = 3_600_000;

/**
 * Learns the summaries, updates and outcomes that another client of the API wrote, reworded or removed on the timeline. The room and the
 * readers of the announcement read its update. `later`: the timeline cannot be read at this moment. `outcome` is undefined when no note says
 * what ended the incident.
 */
export async function learnNotes(
  { api, updates, settings }: { readonly api: Api; readonly updates: Updates; readonly settings: Settings },
  incident: Incident,
  now: Date,
): Promise<{ readonly outcome: LeadingNote | undefined } | 'later'> {
  // Read first: a write of Muster's own that ends meanwhile is no change.
  const known = await updates.notes(incident.incidentID);
  const items = await readNotes(api, incident.incidentID);
  if (items === 'later') return items;
  const outcomes = new Set(known.filter(each => each.kind === 'outcome').map(each => each.activityItemID));
  // A server may keep no fields: then only Muster knows that it wrote a note about an end.
  const marked = (item: ActivityItem): ActivityItem =>
    outcomes.has(item.activityItemID) ? { ...item, fieldValues: { source: 'resolution', ...item.fieldValues } } : item;
  const notes = leadingNotes(items.map(marked));
  const outcome = incident.status === 'resolved' ? lastNote(notes, 'outcome') : undefined;
  const found = notes.map(each => {
    const { activityItemID, eventTime, user } = each.item;
    const by = toMrkdwn(namesOfNote(each.item).at(-1) ?? user.name, 80);
    const { kind, text } = each;
    return { activityItemID, kind, text, by, at: new Date(eventTime), isNow: kind !== 'outcome' || each === outcome };
  });
  const since = items.length < maxItems ? undefined : new Date(items[0]?.eventTime ?? '');
  await updates.learn(incident, { known, found, since }, async (trx, note) => {
    const item = notes.find(each => each.item.activityItemID === note.activityItemID)?.item;
    // Another Muster that wrote a note has lines of its own.
    const isForeign = item?.fieldValues.addedBy === undefined && splitNoteBody(item?.body ?? '').foot === '';
    if (note.kind === 'update' && item !== undefined && isForeign)
      await tellOfUpdate(settings, trx, incident, note, { now, writtenAt: item.createdTime });
  });
  return { outcome };
}

/** Tells of an update that came since the incident has its room, and lately; only the card shows an older one. */
async function tellOfUpdate(
  settings: Settings,
  trx: Kysely<NoTables>,
  incident: Incident,
  { activityItemID, text, by, at }: TimelineNote,
  { now, writtenAt }: { readonly now: Date; readonly writtenAt: string },
): Promise<void> {
  const { incidentID, severity } = incident;
  const room = await trx
    .withTables<BotTables>()
    .selectFrom('bot_room')
    .select('created_at')
    .where('incident_id', '=', incidentID)
    .executeTakeFirst();
  const oldest = Math.max(Date.parse(room?.created_at ?? ''), now.getTime() - newsTime);
  if (!(Date.parse(writtenAt) > oldest)) return;
  const line = { incidentID, actor: '', askedAt: now, doneAt: now };
  const [id, who] = [`said/${activityItemID}`, `${by}, outside Slack`];
  const said = toMrkdwn(toLines(text), 2000);
  await addLine(trx, {
    ...line,
    id,
    words: updateLine(settings.severities, { severity, by: who, said }),
    isOwnMessage: true,
  });
  const given = { kind: 'given', as: 'update', activityItemID, text, at, nextAt: undefined } as const;
  const news = updateNews(given, incidentID, incident, who, settings);
  await addLine(trx, { ...line, ...forReaders, id: `${id}/news`, words: news });
  await countChange(trx, incidentID);
}

/** The newest notes and changes of the status, oldest first; none where the API refuses to tell. */
async function readNotes(api: Api, incidentID: string): Promise<readonly ActivityItem[] | 'later'> {
  try {
    const activityKind = ['userNote' as const, 'incidentStatusChanged' as const];
    const query = { incidentID, activityKind, orderDirection: 'DESC' as const, limit: maxItems };
    const { activityItems } = await api.ActivityService.QueryActivity({ query });
    return activityItems.toReversed();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return isUnread(error) ? 'later' : [];
  }
}
