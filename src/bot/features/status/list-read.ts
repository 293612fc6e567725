import type { IncidentPreview } from '../../../contract/incidents.ts';
import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { withoutPolite } from '../../grammar/casual.ts';
import { type LoneKind, loneKind } from '../../grammar/lone-words.ts';
import { readUnregistered } from '../../incident/acts/choices.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { findSeverity } from '../../incident/state/settings.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toComparable } from '../../text/words.ts';
import { type Listed, withCommanders } from './feature.ts';

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
  /** Incidents in this state alone; absent: in any. */
  readonly only?: State;
  /** It searches: then incidents that were declared by mistake are found too. Without a search they are no resolutions. */
  readonly isSearch?: true;
}

/** The states that lone words ask for. */
const states: Readonly<Record<LoneKind, State | undefined>> = { all: undefined, open: 'active', over: 'resolved' };
/** Words that name a kind of incidents, alone behind the verb. */
const kinds: readonly { readonly words: RegExp; readonly query: string }[] = [
  { words: /^(drills?|tests?|practice)$/, query: 'isdrill:true' },
  { words: /^(real|no drills)$/, query: 'isdrill:false' },
];

/** A query for a lone word that names a state, a kind or a severity, or may name a label; undefined for any other. */
function loneQuery({ deps }: Context, typed: string): Pick<Asked, 'queryString' | 'only' | 'isSearch'> | undefined {
  const word = toComparable(typed).replace(/ (incidents?|ones?)$/, '');
  const lone = loneKind(word);
  if (lone) return { queryString: '', ...(states[lone] ? { only: states[lone] } : {}) };
  const kind = kinds.find(each => each.words.test(word));
  if (kind) return { queryString: kind.query };
  const severity = findSeverity(deps.settings, word);
  if (severity !== undefined) return { queryString: `severity:${quotedTerm(severity)}` };
  return /^[\p{L}\p{M}\p{N}_.-]+$/u.test(word)
    ? { queryString: `or(${quotedTerm(typed.trim())} label:${quotedTerm(word)})`, isSearch: true }
    : undefined;
}

/** A query that asks for one state, and for nothing with alternatives; the other state need not be asked for. */
function statedQuery(typed: string): Pick<Asked, 'queryString' | 'only' | 'isSearch'> | undefined {
  const [term, state] = /(?<=^|\s)status:"?(active|resolved)"?(?=\s|$)/i.exec(typed) ?? [];
  if (term === undefined || /[()]|\bor\b/i.test(typed)) return undefined;
  const only = state?.toLowerCase() === 'active' ? 'active' : 'resolved';
  return { queryString: typed.replace(term, '').trim(), only, isSearch: true };
}

function quotedTerm(value: string): string {
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}

/** Reads what follows the verb; `me` means the person's own incidents. */
export async function toAsked(ctx: Context, sentence: string): Promise<Asked> {
  const { deps, actor } = ctx;
  const typed = withoutPolite(sentence);
  if (!asksForOwn(typed)) {
    const lone = typed === '' ? { queryString: '' } : loneQuery(ctx, typed);
    return { typed, isOwn: false, ...(lone ?? statedQuery(typed) ?? { queryString: typed, isSearch: true }) };
  }
  // A Grafana names the account of Muster's token as the creator: `listWords` adds what Muster knows.
  const value = quotedTerm(actor.email || (await deps.people.toKnown(actor)).userID);
  return { typed, isOwn: true, queryString: `or(createdby:${value} user.email:${value})` };
}

/** What was asked for, as the end of a headline (mrkdwn). */
export function askedFor({ typed, isOwn }: Asked): string {
  return isOwn ? ' that you declared or have a role in' : typed ? ` for “${toMrkdwn(typed, 200)}”` : '';
}

/** Whether an incident stands among those of a state where nobody searches: a mistake is no resolution. */
export function isListedAs(state: State, incident: MaybeMistake): boolean {
  return !isMistake(incident) && (incident.status === 'resolved') === (state === 'resolved');
}

/** A part of a list. `next` is the cursor of the incidents behind it, `""` for none; `mistakes` counts those that were left out. */
interface ReadPart {
  readonly listed: readonly Listed[];
  readonly next: string;
  readonly mistakes: number;
}

/** How often a list reads on to fill up after some were left out. */
const mostReads = 5;

/** Incidents in one state from a cursor on (`""`: the newest). Throws RpcErrors. */
export async function readListed(
  ctx: Context,
  asked: Asked,
  state: State,
  { limit, from = '' }: { readonly limit: number; readonly from?: string },
): Promise<ReadPart> {
  if (asked.only !== undefined && asked.only !== state) return { listed: [], next: '', mistakes: 0 };
  const previews: IncidentPreview[] = [];
  let [next, mistakes] = [from, 0];
  for (let read = 0; read < mostReads && previews.length < limit && (read === 0 || next !== ''); read += 1) {
    const page = await readPage(ctx, asked, state, { limit: limit - previews.length, from: next });
    const kept = page.previews.filter(each => asked.isSearch || !isMistake(each));
    previews.push(...kept);
    mistakes += page.previews.length - kept.length;
    next = page.next;
  }
  return { listed: await withCommanders(ctx.deps, ctx.now, previews), next, mistakes };
}

async function readPage(
  { deps }: Context,
  { queryString }: Asked,
  state: State,
  { limit, from }: { readonly limit: number; readonly from: string },
): Promise<{ readonly previews: readonly IncidentPreview[]; readonly next: string }> {
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
    { budget: deps.deadlines.reads.asked },
  );
  return { previews: incidentPreviews, next: cursor.hasMore ? cursor.nextValue : '' };
}

/** The incidents that the API does not know yet, of those that were asked for. The API's queries cannot be put to them. */
export async function unregisteredOf(
  ctx: Context,
  { typed, isOwn, queryString, only }: Asked,
): Promise<readonly DeclaredIncident[]> {
  if (only === 'resolved') return [];
  const all = await readUnregistered(ctx.deps);
  const words = toComparable(typed);
  const fits = ({ title, declaredBy }: DeclaredIncident) =>
    isOwn
      ? declaredBy === ctx.actor.userId
      : queryString === '' || /[:()]/.test(typed) || toComparable(title).includes(words);
  return all.filter(fits).slice(0, mostUnregistered);
}

/** How many incidents go on, for a person who looked for something else: a sentence of mrkdwn; `""` when none does or nobody can tell. */
export async function othersActive(ctx: Context): Promise<string> {
  const all: Asked = { typed: '', isOwn: false, queryString: '' };
  const { listed, next } = await readListed(ctx, all, 'active', { limit: mostCounted }).catch(() => ({
    listed: [],
    next: '',
  }));
  if (listed.length === 0) return '';
  const count = next === '' ? `${listed.length}` : `More than ${listed.length}`;
  const noun = listed.length === 1 ? 'incident is' : 'incidents are';
  return `${count} ${noun} active: \`/incident list\` shows ${listed.length === 1 ? 'it' : 'them'}.`;
}

/** Incidents that are counted at most. */
const mostCounted = 50;
