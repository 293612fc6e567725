import { type Change, changesOf, type Intent, longestCall, undoneBy } from './changes.ts';
import type { Complaint, Evidence } from './evidence.ts';

/**
 * An undo restores the value that was there before, undoes nobody's later change, and is refused only because of one. What it removes is
 * gone. The API compares nothing while it changes, so another client may come between Muster's look and its change.
 */
export function undosTrue(evidence: Evidence): readonly Complaint[] {
  const byIncident = new Map<string, readonly Change[]>();
  return evidence.intents.flatMap(undo => {
    const act = undoneBy(evidence, undo);
    if (!act) return [];
    const { subject } = undo;
    const changes = byIncident.get(subject) ?? changesOf(evidence, Number(subject));
    byIncident.set(subject, changes);
    const found = [
      ...(undo.kind === 'note.remove' ? removalTrue(evidence, undo) : []),
      ...(undo.kind === 'incident.declare.undo' ? builtUpon(evidence, undo) : valueTrue(changes, undo, act)),
    ];
    return found.map(
      complaint => `the undo ${undo.kind} ${undo.id} of ${act.kind} in incident ${subject} ${complaint}`,
    );
  });
}

/** Whether an intent came to nothing because somebody had changed it since. */
function isRefused({ state, outcome }: Intent): boolean {
  return state === 'failed' && JSON.parse(outcome).reason === 'changedSince';
}

function removalTrue({ activity, world }: Evidence, { state, payload, outcome }: Intent): string[] {
  const { activityItemID, text } = JSON.parse(payload);
  if (state === 'done')
    return activity.some(each => each.id === activityItemID) ? [`left “${text}” on the timeline`] : [];
  // The note of a message goes with its last reaction too.
  const isTalk = world.witness.talks.all.some(({ mark }) => text.includes(mark));
  return state === 'failed' && !isTalk && !/invalid_argument/.test(outcome) ? [`failed: ${outcome}`] : [];
}

function valueTrue(changes: readonly Change[], undo: Intent, act: Intent): string[] {
  const made = changes.find(each => each.intent?.id === act.id);
  if (!made) return [];
  const later = changes.filter(each => each.field === made.field && each.item.seq > made.item.seq);
  const back = later.findIndex(each => each.intent?.id === undo.id);
  if (isRefused(undo)) {
    const isChanged = changes.some(each => each.item.seq > made.item.seq && refusing(each) === refusing(made));
    return isChanged ? [] : ['was refused, and nothing had changed since'];
  }
  const taken = later[back];
  if (!taken)
    return undo.state === 'failed' && !/not_found|invalid_argument/.test(undo.outcome)
      ? [`failed: ${undo.outcome}`]
      : [];
  const between = later
    .slice(0, back)
    .filter(({ isOwn, item }) => isOwn || taken.item.created_at - item.created_at > longestCall * 1000);
  const last = between.at(-1);
  // An undo compares the value: it also takes back the same that was set again.
  if (last && last.value !== made.value)
    return [`undid a later change of ${last.field} to ${last.value}, by ${last.item.user_id}`];
  return made.was !== undefined && made.was !== taken.value && later.length > 0 && back === 0
    ? [`made ${made.field} ${taken.value}, which was ${made.was} before`]
    : [];
}

/** What a later change must be of to refuse an undo. A role is handed back only while nobody else got it. */
function refusing({ field }: Change): string {
  return field.startsWith('role ') ? field.replace(/ of .*$/, '') : field;
}

/** A declaration is not taken back once somebody has noted something. */
function builtUpon({ activity }: Evidence, { subject, state }: Intent): string[] {
  const notes = activity.filter(row => row.incident_id === Number(subject) && row.kind === 'userNote');
  const reason = notes.find(row => row.body.startsWith('Declared by mistake'));
  if (!reason || state !== 'done') return [];
  const before = notes.find(row => row.seq < reason.seq && row.fields.source === 'note');
  return before ? [`took it back, and somebody had noted “${before.body}”`] : [];
}
