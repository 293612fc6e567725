import { type Complaint, type Evidence, effectsOf, tell, wishes } from './evidence.ts';

/** How much later than its arrival an act may be taken to have happened, in milliseconds. */
const slack = 10_000;

/** However late something took effect, it has the time at which it was done and the person who did it. */
export function originalsKept(evidence: Evidence): readonly Complaint[] {
  return wishes(evidence).flatMap(acts => {
    const [act] = acts;
    const effect = effectsOf(evidence, act)[0];
    if (!effect || act.kind === 'done' || act.kind === 'role') return [];
    const authors = acts.map(each => each.userId);
    const complaints: Complaint[] = [];
    if (!authors.some(each => effect.user_id.endsWith(each))) {
      complaints.push(`${tell(act)} stands as done by ${effect.user_id}`);
    }
    if (effect.kind !== 'userNote') return complaints;
    const moment = effect.event_at / 1000;
    const isOwnTime = act.original
      ? Math.abs(moment - act.original.time) < 1
      : acts.some(each => each.arrivals.some(({ clock }) => clock - 1 <= moment && moment <= clock + slack));
    const shown = new Date(moment).toISOString();
    if (!isOwnTime) complaints.push(`${tell(act)} stands at ${shown}, which is not when it was done`);
    const isAuthor =
      !act.original || authors.includes(act.original.userId) || saidBy(evidence, effect.body, act.original.userId);
    if (!isAuthor) complaints.push(`${tell(act)} does not say who said it: ${effect.body}`);
    return complaints;
  });
}

/** Whether a note names the person, or the id of somebody whom Slack did not tell the name of. */
function saidBy({ world }: Evidence, body: string, userId: string): boolean {
  return body.includes(`said by ${world.slack.person(userId).name}`) || body.includes(userId);
}
