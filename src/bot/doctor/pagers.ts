import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { SeenPage, Sightings } from './sightings.ts';

/** Whether each pager took the newest page. */
export async function checkPagers(
  { pagers }: Pick<Installation, 'pagers'>,
  sightings: Pick<Sightings, 'lastPages'>,
): Promise<readonly Finding[]> {
  if (pagers.length === 0)
    return [
      ok('pagers', 'PAGERS is not set, so nobody is paged from Slack; docs/pager.md says how a pager is set up.'),
    ];
  return await Promise.all(pagers.map(async pager => judge(pager, await sightings.lastPages(pager))));
}

function judge(pager: string, last: ReadonlyMap<SeenPage, Date>): Finding {
  const subject = `pager ${pager}`;
  const stops = `pages to ${pager}: nobody is woken`;
  const [sent, again, failed] = [last.get('sent'), last.get('again'), last.get('failed')];
  const before = sent ? ` It took one at ${sent.toISOString()}.` : ' It has taken none before.';
  if (isNewer(failed, sent) && isNewer(failed, again)) {
    const found = `It refused a page at ${failed.toISOString()}.${before}`;
    const fix = `The log says why: look for “journal: intent failed” with the kind page.send. Correct ${pager} in PAGERS.`;
    return failing(subject, found, stops, fix);
  }
  if (isNewer(again, sent)) {
    const found = `It could not take a page at ${again.toISOString()}, and Muster tries again.${before}`;
    const fix = 'See whether the pager answers, and whether this machine reaches it. The log has the reason.';
    return failing(subject, found, stops, fix);
  }
  if (sent) return ok(subject, `It takes pages, the newest at ${sent.toISOString()}.`);
  const fix = `Type “muster pager test ${pager}” in a shell, or page it once from a drill: /incident page ${pager} a test.`;
  return unknown(subject, 'Nobody has paged it yet.', stops, fix);
}

function isNewer(at: Date | undefined, than: Date | undefined): at is Date {
  return at !== undefined && at.getTime() > (than?.getTime() ?? 0);
}
