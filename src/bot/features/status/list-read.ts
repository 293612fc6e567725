import { deadlines } from '../../../deadlines.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { readUnregistered } from '../../incident/acts/choices.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toComparable } from '../../text/words.ts';
import { type Listed, withCommanders } from './rows.ts';

/** The states by which incidents are listed. */
export type State = 'active' | 'resolved';
/** Incidents that the API does not know yet, shown at most. */
const mostUnregistered = 5;
/** Snapshots among which incidents are looked for while the API is away. */
export const mostRemembered = 100;

/** What a person asked for: a query as typed, and as the API takes it. */
export interface Asked {
  readonly typed: string;
  readonly isOwn: boolean;
  readonly queryString: string;
}

/** Reads what follows the verb; `me` means the person's own incidents. */
export async function toAsked({ deps, actor }: Context, typed: string): Promise<Asked> {
  if (!asksForOwn(typed)) return { typed, isOwn: false, queryString: typed };
  const name = actor.email || (await deps.people.toKnown(actor)).userID;
  const value = name.includes('"') ? `'${name}'` : `"${name}"`;
  return { typed, isOwn: true, queryString: `or(createdby:${value} user.email:${value})` };
}

/** What was asked for, as the end of a headline (mrkdwn). */
export function askedFor({ typed, isOwn }: Asked): string {
  return isOwn ? ' that you declared or have a role in' : typed ? ` for “${toMrkdwn(typed, 200)}”` : '';
}

/** Incidents in one state from a cursor on (`""`: the newest), and the cursor of the next ones, `""` for none. Throws RpcErrors. */
export async function readListed(
  { deps, now }: Context,
  { queryString }: Asked,
  state: State,
  { limit, from = '' }: { readonly limit: number; readonly from?: string },
): Promise<{ readonly listed: readonly Listed[]; readonly next: string }> {
  const { incidentPreviews, cursor } = await deps.api.IncidentsService.QueryIncidentPreviews(
    {
      query: {
        limit,
        orderField: 'createdTime',
        orderDirection: 'DESC',
        // The person's query comes first, so that an error names a place in it.
        queryString: `${queryString} status:${state}`.trim(),
      },
      cursor: { nextValue: from, hasMore: from !== '' },
      includeMembershipPreview: true,
    },
    { budget: deadlines.reads.asked },
  );
  const listed = await withCommanders(deps, now, incidentPreviews);
  return { listed, next: cursor.hasMore ? cursor.nextValue : '' };
}

/** The incidents that the API does not know yet, of those that were asked for. The API's queries cannot be put to them. */
export async function unregisteredOf(ctx: Context, { typed, isOwn }: Asked): Promise<readonly DeclaredIncident[]> {
  const all = await readUnregistered(ctx.deps);
  const words = toComparable(typed);
  const fits = ({ title, declaredBy }: DeclaredIncident) =>
    isOwn ? declaredBy === ctx.actor.userId : /[:()]/.test(typed) || toComparable(title).includes(words);
  return all.filter(fits).slice(0, mostUnregistered);
}
