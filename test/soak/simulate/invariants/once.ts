import { type Complaint, type Evidence, effectsOf, incidentsOf, standing, tell, wishes } from './evidence.ts';

/** Whatever the bot took upon itself took effect once, in the incident that it was meant for, and nothing took effect twice. */
export function everythingOnce(evidence: Evidence): readonly Complaint[] {
  return wishes(evidence).flatMap(acts => {
    const [act] = acts;
    const effects = effectsOf(evidence, act);
    const isAccepted = acts.some(each => standing(evidence, each) === 'accepted');
    const isDone = act.kind === 'done' && evidence.world.acts.all.length > 0 && effects.length > 0;
    if (effects.length > 1) return [`${tell(act)} took effect ${effects.length} times`];
    if (isAccepted && effects.length === 0 && !isDone) return [`${tell(act)} was accepted and never took effect`];
    const [effect] = effects;
    const incidents = incidentsOf(evidence, act.incident).map(each => each.id);
    return effect && !incidents.includes(effect.incident_id)
      ? [`${tell(act)} took effect in incident ${effect.incident_id}, and was meant for ${incidents.join()}`]
      : [];
  });
}
