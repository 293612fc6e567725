import type { Outcome } from '../../journal/intent.ts';
import type { NewIntent } from '../../journal/journal.ts';
import { type IncidentDeps, type IntentKind, type Origin, toOwner } from './intent-kind.ts';

/**
 * Submits an intent that Muster itself asks for. No person is told of its outcome. It acts in the name of the source of alerts, where the
 * submission has one, and else in the name of Muster. The key names its effect.
 */
export async function submitAlone<P, R>(
  { journal, slack }: Pick<IncidentDeps, 'journal' | 'slack'>,
  kind: IntentKind<P, R>,
  intent: Pick<NewIntent<P>, 'key' | 'renews' | 'payload' | 'subject' | 'lane' | 'onStored'> &
    Pick<Origin, 'source'> &
    Partial<Pick<Origin, 'people'>>,
): Promise<Outcome<R>> {
  const { source, people = {}, ...rest } = intent;
  const { teamId } = slack.identity;
  const place = { teamId, userId: '', channelId: '', threadTs: '' };
  const origin: Origin = { people, ...place, ...(source === undefined ? {} : { source }) };
  const outcome = await journal.submit(kind, { ...rest, owner: toOwner(place), origin, caller: '' });
  if (outcome.state !== 'queued') await journal.told([outcome.id]);
  return outcome;
}
