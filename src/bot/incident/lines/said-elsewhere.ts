import type { Kysely } from 'kysely';
import type { ActivityItem } from '../../../contract/activity.ts';
import type { Api } from '../../../contract/contract.ts';
import { isUnread, RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { type LeadingNote, lastNote, leadingNotes, namesOfNote, splitNoteBody } from '../../../contract/note-forms.ts';
import type { NoTables } from '../../../db/engine.ts';
import type { BotTables } from '../../schema/tables.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toLines } from '../../text/words.ts';
import { countChange } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import type { NoteFound, Updates } from '../state/update-store.ts';
import { updateLine } from './headline.ts';
import { updateNews } from './news.ts';
import { addLine, forReaders } from './outbox.ts';

/** Newest notes and changes of the status among which those that stand first are looked for. */
const maxItems = 50;

/** An update older than this is no news, in milliseconds. */
const newsTime = 3_600_000;

/** The parts of Muster that learning what was said uses. */
export interface SaidDeps {
  readonly api: Api;
  readonly updates: Updates;
  readonly settings: Settings;
}

/** The incident as the API shows it. */
type Shown = Pick<Incident, 'incidentID' | 'title' | 'status' | 'severity' | 'isDrill' | 'labels' | 'summary'>;

/**
 * Brings over what another client of the API said of an incident: a summary, an update or an outcome that it wrote, reworded or removed on
 * the timeline. The room and the readers of the announcement read its update. `later`: the timeline cannot be read at this moment.
 * `outcome` is undefined when nobody said what ended the incident.
 */
export async function learnSaid(
  deps: SaidDeps,
  incident: Shown,
  now: Date,
): Promise<{ readonly outcome: LeadingNote | undefined } | 'later'> {
  const { api, updates } = deps;
  // Read first: a write of Muster's own that ends meanwhile is no change.
  const known = await updates.notes(incident.incidentID);
  const items = await readSaid(api, incident.incidentID);
  if (items === 'later') return items;
  const notes = leadingNotes(items.map(each => asKnown(each, known)));
  const outcome = incident.status === 'resolved' ? lastNote(notes, 'outcome') : undefined;
  const found = notes.map(each => ({ ...toFound(each), isNow: each.kind !== 'outcome' || each === outcome }));
  const since = items.length < maxItems ? undefined : new Date(items[0]?.eventTime ?? '');
  await updates.learn(incident, { known, found, since }, async (trx, note) => {
    const item = notes.find(each => each.item.activityItemID === note.activityItemID)?.item;
    if (note.kind === 'update' && item !== undefined && isForeign(item))
      await tellUpdate(deps, trx, incident, note, { now, writtenAt: item.createdTime });
  });
  return { outcome };
}

/** A note that Muster wrote as the words about an end is one where the server keeps no fields, too. */
function asKnown(item: ActivityItem, known: readonly NoteFound[]): ActivityItem {
  const isOutcome = known.some(each => each.kind === 'outcome' && each.activityItemID === item.activityItemID);
  return isOutcome ? { ...item, fieldValues: { source: 'resolution', ...item.fieldValues } } : item;
}

/** Whether no Muster wrote a note: another one has lines of its own. */
function isForeign({ body, fieldValues }: ActivityItem): boolean {
  return fieldValues.addedBy === undefined && splitNoteBody(body).foot === '';
}

/** Tells of an update that came since the incident has its room, and lately; an older one stands on the card alone. */
async function tellUpdate(
  { settings: { severities } }: SaidDeps,
  trx: Kysely<NoTables>,
  incident: Shown,
  { activityItemID, text, by, at }: NoteFound,
  { now, writtenAt }: { readonly now: Date; readonly writtenAt: string },
): Promise<void> {
  const { incidentID, severity, labels } = incident;
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
  await addLine(trx, { ...line, id, words: updateLine(severities, { severity, by: who, said }), isAlone: true });
  const given = { kind: 'given', as: 'update', activityItemID, text, at, nextAt: undefined } as const;
  const named = { ...incident, labels: labels.map(each => each.label) };
  const news = updateNews(given, named, who, { severities });
  await addLine(trx, { ...line, ...forReaders, id: `${id}/news`, words: news });
  await countChange(trx, incidentID);
}

/** The newest notes and changes of the status, oldest first; none where the API refuses to tell. */
async function readSaid(api: SaidDeps['api'], incidentID: string): Promise<readonly ActivityItem[] | 'later'> {
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

function toFound({ kind, text, item }: LeadingNote): NoteFound {
  const { activityItemID, eventTime, user } = item;
  return {
    activityItemID,
    kind,
    text,
    by: toMrkdwn(namesOfNote(item).at(-1) ?? user.name, 80),
    at: new Date(eventTime),
  };
}
