import type { StateCount } from '../journal/rows.ts';
import { type Finding, failing, ok } from './finding.ts';

/** The oldest intent that waits longer than this tells that something is wrong, in milliseconds. */
const longest = 10 * 60_000;
/** So many that wait tell it sooner: a backlog that is being done is shorter by then, in milliseconds. */
const many = { count: 10, longest: 2 * 60_000 };

/** Whether intents wait for so long that an operator should look. */
export function isStuck({ count, since }: StateCount, now: Date): boolean {
  const waits = now.getTime() - Date.parse(since);
  return waits > longest || (count >= many.count && waits > many.longest);
}

/** What waits in the journal, what failed, and since when. */
export async function checkJournal(count: () => Promise<readonly StateCount[]>, now: Date): Promise<Finding> {
  const subject = 'journal';
  const counts = new Map((await count()).map(each => [each.state, each]));
  const pending = counts.get('pending');
  const failed = counts.get('failed')?.count ?? 0;
  const refused =
    failed === 0 ? '' : ` ${failed} failed, and those people know; “muster journal list --state failed” shows them.`;
  if (!pending) return ok(subject, `Nothing waits.${refused}`);
  const minutes = Math.floor((now.getTime() - Date.parse(pending.since)) / 60_000);
  const waits = `${pending.count} wait${pending.count === 1 ? 's' : ''}, the oldest for ${minutes} min.${refused}`;
  if (!isStuck(pending, now)) return ok(subject, waits);
  return failing(
    subject,
    waits,
    'what people asked for: it is kept and not done',
    '“muster journal list” shows each with its reason; when the reason is gone, “muster journal retry --all”.',
  );
}
