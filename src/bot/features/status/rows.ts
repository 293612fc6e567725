import type { KnownBlock } from '@slack/types';
import type { IncidentPreview } from '../../../contract/incidents.ts';
import { isMistake, type MaybeMistake } from '../../../contract/mistakes.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { DeclaredIncident } from '../../incident/state/declared-incident.ts';
import { chooseRoles, fold, usersHolding } from '../../incident/state/roles.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import type { IncidentSummary, Snapshot } from '../../incident/state/snapshots.ts';
import { drillWords, howLong, mistakeWords, severityWord } from '../../incident/state/state-words.ts';
import { mention, section, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { openButton } from './open.ts';

/** An incident of a list. */
export interface Listed {
  readonly incident: IncidentSummary;
  /** Those who lead it; undefined when that is not known. */
  readonly leaders: readonly Leader[] | undefined;
}

/** Somebody who leads an incident; `slackId` is `""` where it is not known. */
interface Leader {
  readonly slackId: string;
  readonly name: string;
}

type Somebody = { readonly userID: string; readonly name: string };

/** Most characters of a title in a list, and in one that has little room. */
const titleLength = { full: 150, brief: 40 };

/** The row of an incident: its state in words, its number and title, who leads it, its channel, and the way in. */
export async function incidentRow(deps: Deps, listed: Listed, now: Date, isBrief: boolean): Promise<KnownBlock> {
  const { incidentID, title } = listed.incident;
  const spoken = `Open incident ${incidentID}, ${title}`;
  const button = pressable(openButton, { incidentID }, { spoken });
  return section(await incidentLine(deps, listed, now, { isBrief }), isBrief ? undefined : button);
}

/** The same as a line of mrkdwn. `isPublic`: it is read by many, so people are named and not mentioned. */
export async function incidentLine(
  deps: Deps,
  { incident, leaders }: Listed,
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

/** The same as a line of mrkdwn. */
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
export async function withCommanders(
  deps: Deps,
  now: Date,
  previews: readonly IncidentPreview[],
): Promise<readonly Listed[]> {
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
export async function asRemembered(deps: Deps, now: Date, seen: readonly Snapshot[]): Promise<readonly Listed[]> {
  const commander = (await chooseRoles(deps, now).catch(() => undefined))?.commander ?? '';
  return await Promise.all(
    seen.map(async ({ summary: incident, whole }) => {
      if (!whole || commander === '') return { incident, leaders: undefined };
      return { incident, leaders: await toLeaders(deps, usersHolding(whole.incident, commander), true) };
    }),
  );
}

async function toLeaders(deps: Deps, people: readonly Somebody[], isKnown: boolean): Promise<Listed['leaders']> {
  if (people.length === 0) return isKnown ? [] : undefined;
  return Promise.all(
    people.map(async ({ userID, name }) => ({ slackId: await deps.people.toSlackId(userID), name: name || userID })),
  );
}
