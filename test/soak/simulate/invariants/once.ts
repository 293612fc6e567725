import type { Act } from '../people/acts.ts';
import { type Intent, setBy, undoneBy } from './changes.ts';
import { type Complaint, type Evidence, effectsOf, incidentsOf, standing, tell, wishes } from './evidence.ts';

/** Whatever the bot took upon itself took effect once, in the incident that it was meant for, and nothing took effect twice. */
export function everythingOnce(evidence: Evidence): readonly Complaint[] {
  return [...wishesOnce(evidence), ...postsStand(evidence), ...recordsStand(evidence)];
}

/** What tells of a record, and what the record begins with. */
const recorded = /I sent you the record of incident (\d+) in a direct message/;
const incidentOfRecord = /^(?:```)?# Incident (\d+): /;

/** Who is said to have been sent a record has it: as a file, or as text to copy, in a thread that nobody else reads. */
function recordsStand({ acts, world }: Evidence): readonly Complaint[] {
  const { slack } = world;
  const numbersOf = (text: string) => incidentOfRecord.exec(text)?.[1];
  return acts
    .filter(each => each.kind === 'record')
    .flatMap(act => {
      const number = act.answers.map(({ text }) => recorded.exec(text)?.[1]).find(each => each !== undefined);
      const person = slack.person(act.userId);
      const sent = slack.channels
        .filter(each => each.isIm && each.members.has(act.userId))
        .flatMap(each => person.sees(each))
        .flatMap(({ text, files }) => [text, ...files.map(id => slack.file(id)?.content ?? '')].map(numbersOf));
      return number === undefined || sent.includes(number)
        ? []
        : [`${tell(act)} is said to be sent the record of incident ${number}, and has none`];
    });
}

/** What is said to be posted stands in a channel. That it stands there once is another invariant’s. */
function postsStand({ acts, world }: Evidence): readonly Complaint[] {
  const posted = world.slack.channels.flatMap(({ messages }) =>
    messages.map(each => JSON.stringify(each.metadata ?? {})),
  );
  return acts
    .filter(
      ({ kind, answers }) => kind === 'post' && answers.some(({ text }) => text.startsWith('Posted for everybody')),
    )
    .filter(({ value }) => !posted.some(each => each.includes(JSON.stringify(value))))
    .map(act => `${tell(act)} is said to be posted, and stands nowhere`);
}

function wishesOnce(evidence: Evidence): readonly Complaint[] {
  return wishes(evidence).flatMap(acts => {
    const [act] = acts;
    const effects = effectsOf(evidence, act);
    const isAccepted = acts.some(each => standing(evidence, each) === 'accepted');
    const isRemoved = isNoteRemoved(evidence, acts) || isTaskDeleted(evidence, act);
    if (effects.length > timesOf(evidence, act, effects)) return [`${tell(act)} took effect ${effects.length} times`];
    if (isAccepted && effects.length === 0 && !isRemoved) return [`${tell(act)} was accepted and never took effect`];
    const [effect] = effects;
    const incidents = incidentsOf(evidence, act.incident).map(each => each.id);
    return effect && !incidents.includes(effect.incident_id)
      ? [`${tell(act)} took effect in incident ${effect.incident_id}, and was meant for ${incidents.join()}`]
      : [];
  });
}

/** Whether an undo removed the note of these acts. */
function isNoteRemoved(evidence: Evidence, acts: readonly Act[]): boolean {
  const isOf = (intent: Intent | undefined) => acts.some(act => act.intents.has(intent?.key ?? ''));
  return evidence.intents.some(
    each => each.kind === 'note.remove' && each.state === 'done' && isOf(undoneBy(evidence, each)),
  );
}

/** Whether somebody deleted the task that was to be finished. */
function isTaskDeleted({ activity }: Evidence, { kind, value }: Act): boolean {
  return kind === 'done' && activity.some(row => row.kind === 'taskDeleted' && row.body.includes(value));
}

/** How often an act may have taken effect: again when an undo, or somebody after an undo, did the same. */
function timesOf({ intents }: Evidence, { kind, mark }: Act, effects: Evidence['activity']): number {
  const [effect] = effects;
  if (kind === 'task') {
    const restored = intents.filter(each => each.kind === 'task.restore' && each.payload.includes(`${mark} `));
    return 1 + restored.filter(each => each.state === 'done').length;
  }
  if (!effect || (kind !== 'done' && kind !== 'role')) return 1;
  const { taskID, role, userID } = effect.fields;
  const field = kind === 'done' ? `status of ${taskID}` : `role ${role} of ${userID}`;
  const value = kind === 'done' ? 'done' : 'on';
  const set = intents.flatMap(setBy).filter(each => each.field === field && each.value === value);
  return Math.max(1, set.length);
}
