import type { FakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import type { openTaking } from '../../support/pagers/taking.ts';
import type { Act } from '../chaos/people.ts';
import { query } from '../chaos/query.ts';

/** What became of the pages. Each is named by its incident and reason. */
export interface PagesVerdict {
  /** Those that were acknowledged. */
  readonly accepted: number;
  /** Those of them that their pager has. */
  readonly sent: number;
  /** Acknowledged ones that their pager never got, with the state in which they are stored. */
  readonly lost: readonly string[];
  /** Those that their pager knows under two keys, so that it wakes people twice. */
  readonly doubled: readonly string[];
  /** How often a pager got a key that it had, which wakes nobody. */
  readonly repeated: number;
  /** Answers that nobody was paged. Nobody asks twice, so none is true. */
  readonly denied: readonly string[];
  /** The longest time until a pager had a page, in seconds: since it was acknowledged, and since that or the last restart before. */
  readonly longest: { readonly sinceAccepted: number; readonly sinceRestart: number };
}

/** Judges from what the pagers got. `restarts`: when a process was ready again, in epoch milliseconds. */
export async function judgePages(
  acts: readonly Act[],
  heard: Awaited<ReturnType<typeof openTaking>>['heard'],
  rest: { readonly databaseUrl: string; readonly restarts: readonly number[]; readonly slack: FakeSlack },
): Promise<PagesVerdict> {
  const { databaseUrl, restarts, slack } = rest;
  const rows = await query(databaseUrl, 'select id, incident_id, why, state from bot_page');
  // A page whose incident may be private has no words at the pager; the key tells which one it is.
  const deliveries = heard.map(({ body, at }) => ({ key: String(JSON.parse(body).key), at }));
  const verdict = { accepted: 0, sent: 0, lost: [] as string[], doubled: [] as string[] };
  const longest = { sinceAccepted: 0, sinceRestart: 0 };
  for (const { kind, incidentID, token, acknowledged } of acts) {
    if (kind !== 'page') continue;
    const name = `${incidentID}/${token}`;
    const own = rows.filter(row => row.incident_id === incidentID && row.why === token);
    const got = deliveries.filter(each => own.some(row => row.id === each.key));
    if (new Set(got.map(each => each.key)).size > 1) verdict.doubled.push(name);
    if (acknowledged === undefined) continue;
    verdict.accepted += 1;
    const [first] = got;
    if (first === undefined) {
      verdict.lost.push(`${name} (${own.map(row => row.state).join(', ') || 'not stored as a page'})`);
      continue;
    }
    verdict.sent += 1;
    const restart = restarts.findLast(at => at <= first.at) ?? 0;
    // An answer may come after the page.
    const since = (at: number) => Math.max(0, first.at - at) / 1000;
    longest.sinceAccepted = Math.max(longest.sinceAccepted, since(acknowledged.at));
    longest.sinceRestart = Math.max(longest.sinceRestart, since(Math.max(acknowledged.at, restart)));
  }
  const repeated = deliveries.length - new Set(deliveries.map(each => each.key)).size;
  const texts = slack.channels.flatMap(each => each.messages).map(each => each.text);
  return { ...verdict, repeated, denied: texts.filter(each => each.includes('Nobody was paged')), longest };
}
