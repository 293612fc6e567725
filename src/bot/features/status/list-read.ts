import type { KnownBlock } from '@slack/types';
import type { IncidentPreview } from '../../../contract/incidents.ts';
import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { type LoneKind, loneKind } from '../../grammar/lone-words.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { readUnregistered } from '../../incident/acts/choices.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { roomMention } from '../../incident/state/incident-name.ts';
import { chooseRoles, fold, usersHolding } from '../../incident/state/roles.ts';
import { findSeverity } from '../../incident/state/settings.ts';
import type { IncidentSummary, Snapshot } from '../../incident/state/snapshots.ts';
import { drillWords, howLong, mistakeWords, severityWord } from '../../incident/state/state-words.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { mention, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { toComparable } from '../../text/words.ts';
import { openButton } from './words.ts';

/** An incident of a list. */
export interface ListedIncident {
  readonly incident: IncidentSummary;
  /** Those who lead it; undefined when that is not known. */
  readonly leaders: readonly Leader[] | undefined;
}

/** A person who leads an incident; `slackId` is `""` where it is not known. */
interface Leader {
  readonly slackId: string;
  readonly name: string;
}

/** Most characters of a title in a list, and in one that has little room. */
const titleLength = { full: 150, brief: 40 };

/** The row of an incident: its state in words, its number and title, who leads it, its channel, and the way in. */
export async function incidentRow(
  deps: Deps,
  listed: ListedIncident,
  now: Date,
  isBrief: boolean,
): Promise<KnownBlock> {
  const { incidentID, title } = listed.incident;
  const spoken = `Open incident ${incidentID}, ${title}`;
  const button = pressable(openButton, { incidentID }, { spoken });
  return section(await incidentLine(deps, listed, now, { isBrief }), isBrief ? undefined : button);
}

/** The row of an incident as a line of mrkdwn. `isPublic`: many people read it, so it names people and mentions nobody. */
export async function incidentLine(
  deps: Deps,
  { incident, leaders }: ListedIncident,
  now: Date,
  { isBrief = false, isPublic = false },
): Promise<string> {
  const { incidentID, title, status, severityLabel } = incident;
  const mistake = isMistake(incident);
  const isOver = status === 'resolved';
  const severity = toMrkdwn(severityWord(severityLabel, deps.settings.severities), 60);
  const room = roomMention(await deps.rooms.ofIncident(incidentID));
  const parts = [
    mistake ? mistakeWords : isOver ? `${incidentSigns.resolved} resolved` : severity,
    `*#${toMrkdwn(incidentID, 40)}* ${titleOf(title, incident, isBrief)}`,
    ...(isOver && !mistake ? [toMrkdwn(severityLabel, 60)] : []),
    isOver ? howLong(incident, now) : `${toMrkdwn(status || 'active', 40)} ${howLong(incident, now)}`.trim(),
    leaders && !(isOver && (!isPublic || leaders.length === 0)) ? commanderWords(leaders, isPublic) : '',
    ...(room === '' ? [] : [room]),
  ];
  return parts.filter(part => part !== '').join(' · ');
}

function commanderWords(leaders: readonly Leader[], isPublic: boolean): string {
  if (leaders.length === 0) return 'no commander';
  const names = leaders.map(({ slackId, name }) =>
    slackId === '' || isPublic ? toMrkdwn(name, 80) : mention(slackId),
  );
  return `commander ${names.join(', ')}`;
}

/** The row of an incident that the API does not know yet. */
export async function unregisteredRow(
  deps: Deps,
  declared: DeclaredIncident,
  now: Date,
  isBrief: boolean,
): Promise<KnownBlock> {
  const { incidentID, title } = declared;
  const button = pressable(openButton, { incidentID }, { spoken: `Open the incident ${title}` });
  return section(await unregisteredLine(deps, declared, now, { isBrief }), isBrief ? undefined : button);
}

/** The row of an incident that the API does not know yet, as a line of mrkdwn. */
export async function unregisteredLine(
  deps: Deps,
  { incidentID, title, severity, isDrill, declaredAt, declaredBy }: DeclaredIncident,
  now: Date,
  { isBrief = false, isPublic = false },
): Promise<string> {
  const room = roomMention(await deps.rooms.ofIncident(incidentID));
  const age = formatDuration((now.getTime() - Date.parse(declaredAt)) / 1000);
  const parts = [
    `${incidentSigns.waiting} not registered yet`,
    titleOf(title, { status: '', isDrill, labels: [] }, isBrief),
    toMrkdwn(severityWord(severity, deps.settings.severities), 60),
    `declared ${age} ago${declaredBy === '' || isPublic ? '' : ` by ${mention(declaredBy)}`}`,
    ...(room === '' ? [] : [room]),
  ];
  return parts.join(' · ');
}

function titleOf(title: string, incident: MaybeMistake, isBrief: boolean): string {
  const drill = drillWords(incident, `${incidentSigns.drill} Drill · `);
  return `${drill}${toMrkdwn(title, isBrief ? titleLength.brief : titleLength.full)}`;
}

/** The incidents that the API listed, with those who lead them. */
export async function readLeaders(
  deps: Deps,
  now: Date,
  previews: readonly IncidentPreview[],
): Promise<readonly ListedIncident[]> {
  const choice = await chooseRoles(deps, now).catch(() => undefined);
  const role = choice?.roles.find(each => fold(each.name) === fold(choice.commander));
  return await Promise.all(
    previews.map(async incident => {
      const people = incident.incidentMembershipPreview;
      if (!people || !role || role.roleID === 0) return { incident, leaders: undefined };
      const { importantAssignments, totalAssignments } = people;
      const leading = importantAssignments.filter(({ roleID }) => roleID === role.roleID).map(({ user }) => user);
      // A role that does not count as important is not in the preview.
      const isKnown = role.important || role.mandatory || totalAssignments === importantAssignments.length;
      return { incident, leaders: await toLeaders(deps, leading, isKnown) };
    }),
  );
}

/** The incidents as they were last seen, with those who led them then. */
export async function asRemembered(
  deps: Deps,
  now: Date,
  seen: readonly Snapshot[],
): Promise<readonly ListedIncident[]> {
  const commander = (await chooseRoles(deps, now).catch(() => undefined))?.commander ?? '';
  return await Promise.all(
    seen.map(async ({ summary: incident, whole }) => {
      if (!whole || commander === '') return { incident, leaders: undefined };
      return { incident, leaders: await toLeaders(deps, usersHolding(whole.incident, commander), true) };
    }),
  );
}

async function toLeaders(
  deps: Deps,
  people: readonly { readonly userID: string; readonly name: string }[],
  isKnown: boolean,
): Promise<ListedIncident['leaders']> {
  if (people.length === 0) return isKnown ? [] : undefined;
  return Promise.all(
    people.map(async ({ userID, name }) => ({ slackId: await deps.people.toSlackId(userID), name: name || userID })),
  );
}

/** The states by which incidents are listed. */
export type State = 'active' | 'resolved';
/** Incidents that the API does not know yet, shown at most. */
const mostUnregistered = 5;
/** Snapshots among which incidents are looked for while the API is away. */
export const mostRemembered = 100;

/** A list that a person asks for: a query as typed, and as the API takes it. */
export interface IncidentQuery {
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
function loneQuery(
  { deps }: Context,
  typed: string,
): Pick<IncidentQuery, 'queryString' | 'only' | 'isSearch'> | undefined {
  const word = toComparable(typed).replace(/ (incidents?|ones?)$/, '');
  const lone = loneKind(word);
  if (lone) return { queryString: '', ...(states[lone] ? { only: states[lone] } : {}) };
  const kind = kinds.find(each => each.words.test(word));
  if (kind) return { queryString: kind.query };
  const severity = findSeverity(deps.settings.severities, word);
  if (severity !== undefined) return { queryString: `severity:${quotedTerm(severity)}` };
  return /^[\p{L}\p{M}\p{N}_.-]+$/u.test(word)
    ? { queryString: `or(${quotedTerm(typed.trim())} label:${quotedTerm(word)})`, isSearch: true }
    : undefined;
}

/** A query that asks for one state, and for nothing with alternatives; the other state need not be asked for. */
function statedQuery(typed: string): Pick<IncidentQuery, 'queryString' | 'only' | 'isSearch'> | undefined {
  const [term, state] = /(?<=^|\s)status:"?(active|resolved)"?(?=\s|$)/i.exec(typed) ?? [];
  if (term === undefined || /[()]|\bor\b/i.test(typed)) return undefined;
  const only = state?.toLowerCase() === 'active' ? 'active' : 'resolved';
  return { queryString: typed.replace(term, '').trim(), only, isSearch: true };
}

function quotedTerm(value: string): string {
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}

/** Reads what follows the verb; `me` means the person's own incidents. */
export async function toIncidentQuery(ctx: Context, sentence: string): Promise<IncidentQuery> {
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

/** The query as the end of a headline (mrkdwn). */
export function askedFor({ typed, isOwn }: IncidentQuery): string {
  return isOwn ? ' that you declared or have a role in' : typed ? ` for “${toMrkdwn(typed, 200)}”` : '';
}

/** Whether an incident is listed among those of a state, without a search: a mistake is no resolution. */
export function isListedAs(state: State, incident: MaybeMistake): boolean {
  return !isMistake(incident) && (incident.status === 'resolved') === (state === 'resolved');
}

/** How often a list reads on to fill up after some were left out. */
const mostReads = 5;

/**
 * Incidents in one state from a cursor on (`""`: the newest). `next` is the cursor of the incidents behind, `""` for none; `mistakes` counts
 * those that were left out. Throws RpcErrors.
 */
export async function readListed(
  ctx: Context,
  asked: IncidentQuery,
  state: State,
  { limit, from = '' }: { readonly limit: number; readonly from?: string },
) {
  if (asked.only !== undefined && asked.only !== state)
    return { listed: [] as readonly ListedIncident[], next: '', mistakes: 0 };
  const previews: IncidentPreview[] = [];
  let [next, mistakes] = [from, 0];
  for (let read = 0; read < mostReads && previews.length < limit && (read === 0 || next !== ''); read += 1) {
    const page = await readPage(ctx, asked, state, { limit: limit - previews.length, from: next });
    const kept = page.previews.filter(each => asked.isSearch || !isMistake(each));
    previews.push(...kept);
    mistakes += page.previews.length - kept.length;
    next = page.next;
  }
  return { listed: await readLeaders(ctx.deps, ctx.now, previews), next, mistakes };
}

async function readPage(
  { deps }: Context,
  { queryString }: IncidentQuery,
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
  { typed, isOwn, queryString, only }: IncidentQuery,
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

/** How many incidents go on, for a person who looked for something else: a sentence of mrkdwn; `""` when none does or that is not known. */
export async function othersActive(ctx: Context): Promise<string> {
  const all: IncidentQuery = { typed: '', isOwn: false, queryString: '' };
  const { listed, next } = await readListed(ctx, all, 'active', { limit: mostCounted }).catch(() => ({
    listed: [],
    next: '',
  }));
  if (listed.length === 0) return '';
  const count = next === '' ? `${listed.length}` : `More than ${listed.length}`;
  const noun = listed.length === 1 ? 'incident is' : 'incidents are';
  return `${count} ${noun} active: \`/incident list\` shows ${listed.length === 1 ? 'it' : 'them'}.`;
}

const mostCounted = 50;
