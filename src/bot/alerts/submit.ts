import { type IncidentDeps, type IntentKind, type Origin, toOwner } from '../incident/acts/intent-kind.ts';
import type { Offered } from '../incident/state/alert-store.ts';
import type { Outcome } from '../journal/intent.ts';

/** A source of alerts as the API knows people. */
export function toActor(source: string) {
  return { userID: `alerts:${source}`, name: source };
}

/** An act in the name of a source of alerts, as the journal keeps it. */
export function alertOrigin({ slack }: Pick<IncidentDeps, 'slack'>, { offer: { source } }: Offered): Origin {
  return {
    people: { actor: toActor(source) },
    teamId: slack.identity.teamId,
    userId: '',
    channelId: '',
    threadTs: '',
    source,
  };
}

/** Submits an intent in the name of a source of alerts, without a receipt; `key` names it for ever. */
export async function submitForAlert<P, R>(
  deps: Pick<IncidentDeps, 'journal' | 'slack' | 'log'>,
  kind: IntentKind<P, R>,
  payload: P,
  { offered, key, subject }: { readonly offered: Offered; readonly key: string; readonly subject: string },
): Promise<Outcome<R>> {
  const { journal, slack, log } = deps;
  const outcome = await journal.submit(kind, {
    ...{ key, renews: false, payload, subject, caller: '' },
    ...{ owner: toOwner({ teamId: slack.identity.teamId, userId: '' }), origin: alertOrigin(deps, offered) },
  });
  if (outcome.state !== 'queued') await journal.told([outcome.id]);
  if (outcome.state === 'failed')
    log.warn({ err: outcome.error, offer: offered.offer.id, kind: kind.kind }, 'alerts: an act was refused');
  return outcome;
}
