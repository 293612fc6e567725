import type { Outcome } from '../../journal/intent.ts';
import type { Submission } from '../../journal/journal.ts';
import { type IncidentDeps, type IntentKind, type Origin, toOwner } from './intent-kind.ts';

/**
 * Submits an intent that no person asks for, and nobody is told of it: in the name of a source of alerts where it has one, else in Muster's
 * own. The key names its effect.
 */
export async function submitAlone<P, R>(
  { journal, slack }: Pick<IncidentDeps, 'journal' | 'slack'>,
  kind: IntentKind<P, R>,
  submission: Pick<Submission<P>, 'key' | 'renews' | 'payload' | 'subject' | 'lane'> &
    Pick<Origin, 'source'> &
    Partial<Pick<Origin, 'people'>>,
): Promise<Outcome<R>> {
  const { source, people = {}, ...rest } = submission;
  const { teamId } = slack.identity;
  const place = { teamId, userId: '', channelId: '', threadTs: '' };
  const origin: Origin = { people, ...place, ...(source === undefined ? {} : { source }) };
  const outcome = await journal.submit(kind, { ...rest, owner: toOwner(place), origin, caller: '' });
  if (outcome.state !== 'queued') await journal.told([outcome.id]);
  return outcome;
}
