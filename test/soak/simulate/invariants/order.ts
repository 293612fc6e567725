import type { Act } from '../people/acts.ts';
import { corrected } from '../people/crowd.ts';
import { changesOf, undoneBy } from './changes.ts';
import { type Complaint, type Evidence, effectsOf, incidentsOf, standing, storedAt, tell, wishes } from './evidence.ts';

/** In one incident things took effect in the order in which people did them, as far as one was stored before the other came. */
export function orderKept(evidence: Evidence): readonly Complaint[] {
  const placed = wishes(evidence).flatMap(acts => {
    const [act] = acts;
    const effect = effectsOf(evidence, act)[0];
    const stored = storedAt(evidence, act);
    if (acts.length > 1 || !effect || stored === undefined || standing(evidence, act) !== 'accepted') return [];
    return [{ act, seq: effect.seq, stored, came: arrival(act) }];
  });
  const complaints: Complaint[] = [];
  for (const before of placed) {
    for (const after of placed) {
      if (before.act.incident !== after.act.incident || before.stored >= after.came || before.seq < after.seq) continue;
      complaints.push(`${tell(after.act)} took effect before ${tell(before.act)}, which had been stored earlier`);
    }
  }
  return [...complaints, ...lastWords(evidence), ...lastEdits(evidence)];
}

function arrival(act: Act): number {
  return Math.min(...act.arrivals.map(each => each.at), Number.POSITIVE_INFINITY);
}

/** A note has the words of the last edit. */
function lastEdits(evidence: Evidence): readonly Complaint[] {
  const edits = evidence.acts.filter(act => act.kind === 'edit');
  return [...new Set(edits.map(act => act.mark))].flatMap(mark => {
    const own = edits.filter(act => act.mark === mark);
    const [note] = own.slice(0, 1).flatMap(act => effectsOf(evidence, act));
    const wanted = own.map(act => ({ act, value: act.value, kind: 'note.correct' }));
    return note ? complain(evidence, wanted, corrected.exec(note.body)?.[0] ?? 'as it was', `the note ${mark}`) : [];
  });
}

/** What was set last is what stands. */
function lastWords(evidence: Evidence): readonly Complaint[] {
  return evidence.incidents.flatMap(incident => {
    const mark = incident.title.split(' ', 1)[0] ?? '';
    if (incidentsOf(evidence, mark).length > 1) return [];
    const of = (kinds: readonly string[]) =>
      evidence.acts.filter(act => act.incident === mark && kinds.includes(act.kind));
    const severity = of(['severity']).map(act => ({ act, value: act.value, kind: 'incident.severity' }));
    const status = of(['resolve', 'reopen']).map(act => ({
      act,
      value: act.kind === 'resolve' ? 'resolved' : 'active',
      kind: 'incident.status',
    }));
    return [
      ...complain(
        evidence,
        severity,
        incident.severity,
        `the severity of “${incident.title}”`,
        otherwiseSince(evidence, incident.id, 'severity'),
      ),
      ...complain(
        evidence,
        status,
        incident.status,
        `the status of “${incident.title}”`,
        otherwiseSince(evidence, incident.id, 'status'),
      ),
    ];
  });
}

function complain(
  evidence: Evidence,
  wanted: readonly { readonly act: Act; readonly value: string; readonly kind: string }[],
  stands: string,
  what: string,
  changedOtherwise = Number.NEGATIVE_INFINITY,
): readonly Complaint[] {
  const set = wanted.filter(({ act, kind }) => standing(evidence, act, [kind]) === 'accepted');
  const last = set.filter(
    ({ act, kind }) =>
      !set.some(other => other.act !== act && (storedAt(evidence, act, [kind]) ?? 0) < arrival(other.act)),
  );
  const maybe = wanted.filter(({ act, kind }) => standing(evidence, act, [kind]) === 'uncertain');
  // Somebody changed it elsewhere, or took a change back, after the act had come.
  if (last.some(({ act }) => arrival(act) < changedOtherwise)) return [];
  if (last.length === 0 || [...last, ...maybe].some(({ value }) => value === stands)) return [];
  return [`${what} is ${stands}, and ${last.map(({ act }) => tell(act)).join(' and ')} came last`];
}

/** When another client of the API, or an undo, made the change of a field that stands; minus infinity when neither did. */
function otherwiseSince(evidence: Evidence, incidentID: number, field: string): number {
  const last = changesOf(evidence, incidentID).findLast(each => each.field === field);
  const isUndo = last?.intent !== undefined && undoneBy(evidence, last.intent) !== undefined;
  return last && (!last.isOwn || isUndo) ? last.item.created_at / 1000 : Number.NEGATIVE_INFINITY;
}
