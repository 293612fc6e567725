import type { Deps } from '../../dispatch/feature/deps.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { findNote, Written } from '../../incident/notes/notes.ts';
import { messageKind } from '../../incident/notes/of-message.ts';
import type { Entry } from '../../journal/entry.ts';
import { isTakenOff } from './take-off.ts';

/** An intent that put a message on a timeline. */
type Addition = Entry<IntentKind>;

/** The key of the addition that follows another one, of a message whose first one has the key `first`. */
export function keyAfter(first: string, { id }: Pick<Addition, 'id'>): string {
  return `${first}/after/${id}`;
}

/** The intents that put a message on a timeline, oldest first. `first` is the key of the first one. */
export async function additionsOf({ journal }: Pick<Deps, 'journal'>, first: string): Promise<readonly Addition[]> {
  const all = new Map((await journal.findLike(messageKind, `${first}%`)).map(each => [each.key, each]));
  const inOrder: Addition[] = [];
  for (let each = all.get(first); each; each = all.get(keyAfter(first, each))) inOrder.push(each);
  return inOrder;
}

/** Whether a note was removed, or will be before anything that is submitted now. Throws RpcError. */
export async function isGone(deps: Deps, { id, state, subject, outcome }: Addition): Promise<boolean> {
  if (state === 'discarded' || (await isTakenOff(deps, id))) return true;
  if (outcome?.state !== 'done') return false;
  const { activityItemID } = Written.parse(outcome.result);
  return !(await findNote(deps.api, subject, item => item.activityItemID === activityItemID));
}
