import type { ActivityItem } from '../../../contract/activity.ts';
import type { Api } from '../../../contract/contract.ts';
import { isTransient, RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { type LeadingNote, lastNote, leadingNotes } from '../../../contract/note-forms.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import type { NoteFound, Updates } from '../state/update-store.ts';

/** Newest notes and changes of the status among which those that stand first are looked for. */
const maxItems = 50;

/** The parts of Muster that learning what was said uses. */
export interface SaidDeps {
  readonly api: Pick<Api, 'ActivityService'>;
  readonly updates: Pick<Updates, 'notes' | 'learn'>;
}

/** What the timeline says of the end; `outcome` is undefined when nobody said what ended the incident. */
export interface SaidOfEnd {
  readonly outcome: LeadingNote | undefined;
}

/**
 * Brings over what another client of the API said of an incident: a summary, an update or an outcome that it wrote, reworded or removed on
 * the timeline. `later`: the timeline cannot be read at this moment.
 */
export async function learnSaid(
  { api, updates }: SaidDeps,
  incident: Pick<Incident, 'incidentID' | 'status' | 'summary'>,
): Promise<SaidOfEnd | 'later'> {
  // Read first: a write of Muster's own that ends meanwhile is no change.
  const known = await updates.notes(incident.incidentID);
  const items = await readSaid(api, incident.incidentID);
  if (items === 'later') return items;
  const notes = leadingNotes(items);
  const outcome = incident.status === 'resolved' ? lastNote(notes, 'outcome') : undefined;
  const found = notes.map(each => ({ ...toFound(each), isNow: each.kind !== 'outcome' || each === outcome }));
  const since = items.length < maxItems ? undefined : new Date(items[0]?.eventTime ?? '');
  await updates.learn(incident, { known, found, since });
  return { outcome };
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
    return isTransient(error) ? 'later' : [];
  }
}

function toFound({ kind, text, item }: LeadingNote): NoteFound {
  const { activityItemID, eventTime, fieldValues, user } = item;
  const { addedBy } = fieldValues;
  const name = typeof addedBy === 'string' && addedBy !== '' ? addedBy : user.name;
  return { activityItemID, kind, text, by: toMrkdwn(name, 80), at: new Date(eventTime) };
}
