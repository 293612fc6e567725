import type { IncidentDeps, IntentKind } from '../incident/acts/intent-kind.ts';
import { submitAlone } from '../incident/acts/submit-alone.ts';
import type { Offered } from '../incident/state/alert-store.ts';
import type { Outcome } from '../journal/intent.ts';

/** A source of alerts as the API knows people. */
export function toActor(source: string) {
  return { userID: `alerts:${source}`, name: source };
}

/** The origin of an act in the name of a source of alerts. */
export function originOf({ offer: { source } }: Offered) {
  return { source, people: { actor: toActor(source) } };
}

/** Submits an intent in the name of a source of alerts, without a receipt; `key` names it for good. */
export async function submitForAlert<P, R>(
  deps: IncidentDeps,
  kind: IntentKind<P, R>,
  payload: P,
  { offered, key, subject }: { readonly offered: Offered; readonly key: string; readonly subject: string },
): Promise<Outcome<R>> {
  const outcome = await submitAlone(deps, kind, { key, renews: false, payload, subject, ...originOf(offered) });
  if (outcome.state === 'failed')
    deps.log.warn({ err: outcome.error, offer: offered.offer.id, kind: kind.kind }, 'alerts: an act was refused');
  return outcome;
}
