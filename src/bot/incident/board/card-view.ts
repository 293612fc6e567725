import type { KnownBlock } from '@slack/types';
import { type Incident, maxTitle } from '../../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../../contract/mistakes.ts';
import { type Absence, leftBehind } from '../../people/reach.ts';
import { slackLimits } from '../../slack/limits.ts';
import { code, context, header, section, toEscaped, toLinkLabel, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { when, whenAndAge } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';
import { andMore, cutMrkdwn } from '../../text/words.ts';
import type { Offered } from '../state/alert-store.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { fold, usersHolding } from '../state/roles.ts';
import type { Sources } from '../state/room-store.ts';
import { drillWords, mistakeName, mistakeWords, severityWord, standing } from '../state/state-words.ts';
import { type Lead, leadLine, nextLine, type Update } from '../state/update-store.ts';
import { stateWords } from './alert-words.ts';

/** The facts of an incident that card and announcement show. */
export interface CardInput {
  readonly incident: Incident;
  /** The name of the incident API. */
  readonly api: string;
  /** The severities of the team, from mild to grave. */
  readonly severities: readonly string[];
  /** Name of the role that leads an incident; `""` for none. */
  readonly commander: string;
  /** How people are shown (mrkdwn), by their ids in the API. */
  readonly people: ReadonlyMap<string, string>;
  /** The holders of its roles who cannot act, and why, by their ids in the API. */
  readonly absent: ReadonlyMap<string, Absence>;
  /** Its declarer (mrkdwn), where Muster knows them and the API does not; `""` otherwise. */
  readonly declarer: string;
  /** Address of the incident's page; `""` when it opens nowhere. */
  readonly overview: string;
  /** Where it came from. */
  readonly sources: Sources;
  /** The first words: its summary, its last update, or the words about its end. */
  readonly lead: Lead | undefined;
  /** The last update; undefined when there is none. */
  readonly update: Update | undefined;
  /** The offers of alerts that it took. */
  readonly alerts: readonly Offered[];
  /** How many people are in its private room, 0 when that is not known; undefined when its room is not private. */
  readonly insiders: number | undefined;
}

/** A name and what belongs to it (mrkdwn): `Commander`, `@bob`. */
type Fact = readonly [name: string, mrkdwn: string];

/** A message about an incident as its parts, from which both the blocks and the text for screen readers are made. */
interface CardParts {
  readonly headline: string;
  readonly title: string;
  /** The headline in words alone (mrkdwn). */
  readonly inWords: string;
  /** The first line: the summary, the last update, or the words about the end (mrkdwn); `""` for none. */
  readonly lead: string;
  readonly facts: readonly Fact[];
  readonly foot: readonly string[];
  /** Says that all of this may be old. */
  readonly stale?: string;
}

/** People of one role, and labels, that are named; the rest is counted. */
const mostNamed = 10;

/** The card's parts: everything about the incident. `asOf` is how old they are, while the API does not answer. */
export function cardParts(facts: CardInput, asOf?: Date): CardParts {
  const { incident } = facts;
  const { tasks, todoCount, doneCount } = incident.taskList;
  const labels = ownLabels(incident).map(label => code(label.label, 60));
  return {
    ...headlineParts(facts),
    lead: leadLine(facts.lead),
    facts: [
      ...privateFacts(facts),
      ...stateFacts(facts),
      ...leadFacts(facts, 'press *Take command*'),
      ...otherRoles(facts),
      ...updateFacts(facts, ': post one with `/incident update`'),
      ...alertFacts(facts),
      ...(tasks.length === 0 ? [] : [['Tasks', `${todoCount} open, ${doneCount} done`] as const]),
      ...(labels.length === 0 ? [] : [['Labels', andMore(labels, mostNamed, { separator: ' ' })] as const]),
    ],
    foot: footLines(facts),
    // A line of its room says that nothing is lost meanwhile.
    ...(asOf ? { stale: `${incidentSigns.waiting} As of ${toSlackDate(asOf)}: ${facts.api} does not answer.` } : {}),
  };
}

/** The announcement's parts: the facts for people who do not work on the incident. */
export function announcementParts(
  facts: CardInput,
  room: {
    /** `""` for none. */
    readonly channelId: string;
    readonly isArchived: boolean;
  },
): CardParts {
  const where = room.channelId === '' ? [] : [`<#${room.channelId}>${room.isArchived ? ' (archived)' : ''}`];
  return {
    ...headlineParts(facts),
    lead: leadLine(facts.lead),
    facts: [...stateFacts(facts), ...leadFacts(facts, ''), ...updateFacts(facts, '')],
    foot: [...where, ...footLines(facts)],
  };
}

/** The parts as blocks, without buttons. */
export function partsBlocks({ headline, title, lead, facts, foot, stale }: CardParts): KnownBlock[] {
  const isCut = headline.length > slackLimits.headerText;
  return [
    header(headline),
    ...(isCut ? [section(toMrkdwn(title, maxTitle))] : []),
    ...(lead ? [section(lead)] : []),
    section(facts.map(([name, mrkdwn]) => `*${name}* ${mrkdwn}`.trimEnd()).join('\n')),
    context(foot.join(' · ')),
    ...(stale ? [context(stale)] : []),
  ];
}

/** The parts as one text, for notifications and screen readers. */
export function partsText({ inWords, lead, facts, foot, stale = '' }: CardParts): string {
  const lines = facts.map(([name, mrkdwn]) => `${name} ${mrkdwn}`.trimEnd());
  const all = [inWords, lead, ...lines, stale, foot.join(' · ')];
  return cutMrkdwn(all.filter(line => line !== '').join('\n'), maxText);
}

function headlineParts({ incident, severities }: CardInput): Pick<CardParts, 'headline' | 'title' | 'inWords'> {
  const { incidentID, title, severity, status } = incident;
  const mistake = isMistake(incident);
  const state = mistake
    ? mistakeWords
    : status === 'resolved'
      ? `${incidentSigns.resolved} RESOLVED`
      : severityWord(severity.toUpperCase(), severities);
  const inWords = `${drillWords(incident, 'drill, ')}${toMrkdwn(status || 'active', 20)}, ${toMrkdwn(severity, 40)}`;
  const words = mistake ? 'declared by mistake' : inWords;
  return {
    headline: [drillWords(incident, `${incidentSigns.drill} DRILL`), state, title]
      .filter(part => part !== '')
      .join(' · '),
    title,
    inWords: `${incidentLabel(incidentID, 'Incident')} (${words}): ${toMrkdwn(title, maxTitle)}`,
  };
}

/** Says that a private incident is one, and who sees it. */
function privateFacts({ insiders }: CardInput): readonly Fact[] {
  if (insiders === undefined) return [];
  const one = `the ${insiders} ${insiders === 1 ? 'person' : 'people'}`;
  return [
    [
      `${signs.private} Private`,
      `– only ${insiders === 0 ? 'people' : one} in this channel ${insiders === 1 ? 'sees' : 'see'} it`,
    ],
  ];
}

/** Since when it is active, or when it ended and after how long: a card shows each moment once. */
function stateFacts({ incident, severities }: CardInput): readonly Fact[] {
  const { status, incidentStart, incidentEnd, createdTime, severity, durationSeconds } = incident;
  const start = incidentStart || createdTime;
  const state = standing({ ...incident, isDrill: isMistake(incident) });
  if (status !== 'resolved') return [[state, `since ${whenAndAge(start)}`]];
  if (isMistake(incident)) return [[state, when(incidentEnd)]];
  const over: Fact = [state, `${when(incidentEnd)} after ${formatDuration(durationSeconds)}`];
  return [over, ['Severity', toMrkdwn(severityWord(severity, severities), 80)]];
}

/** Whether a person who can act leads an incident. */
export function isLed({ incident, commander, absent }: CardInput): boolean {
  return usersHolding(incident, commander).some(each => !absent.has(each.userID));
}

/** The people who lead, or the warning that nobody does; `how` says what to do about it. */
function leadFacts(facts: CardInput, how: string): readonly Fact[] {
  const { incident, commander } = facts;
  const who = holdersOf(facts, commander);
  const isOver = incident.status === 'resolved';
  if (commander === '' || (who.length === 0 && isOver)) return [];
  const isOpen = !isOver && !isLed(facts);
  const behind = isOpen && how !== '' ? ` – ${how}` : '';
  const warning = isOpen ? `${signs.warning} ` : '';
  if (who.length > 0) return [[`${warning}${roleWord(commander)}`, `${andMore(who, mostNamed)}${behind}`]];
  return [[`${warning}No ${toMrkdwn(commander, 60)}`, behind.trimStart()]];
}

/** When the next update is due, and `how` to give one that is late; nothing more is promised once it is over. */
function updateFacts({ incident, update }: CardInput, how: string): readonly Fact[] {
  if (!update) return [];
  const next = incident.status === 'resolved' ? '' : nextLine(update);
  if (next === '') return [];
  return [update.isOverdue ? [`${signs.warning} Next update`, `${next}${how}`] : ['Next update', next]];
}

/** The alerts that it is about: whether they fire still, how often that was said, and when last. */
function alertFacts({ alerts: offers }: CardInput): readonly Fact[] {
  const alerts = offers.flatMap(each => each.alerts);
  const [first] = alerts;
  if (first === undefined) return [];
  const total = offers.reduce((sum, each) => sum + each.total, 0);
  if (total === 1) return [['Alert', stateWords(first)]];
  const firing = offers.reduce((sum, each) => sum + each.firing, 0);
  const newest = Math.max(...offers.map(each => each.newestAt));
  const state = firing === 0 ? 'all ended' : `${firing} of ${total} fire`;
  return [['Alerts', `${state}, the last notice ${toSlackDate(new Date(newest))}`]];
}

function otherRoles(facts: CardInput): readonly Fact[] {
  const { incident, commander } = facts;
  const names = incident.incidentMembership.assignments.map(each => each.role.name);
  const others = [...new Map(names.map(name => [fold(name), name])).values()].filter(
    name => fold(name) !== fold(commander),
  );
  return others.map(name => [roleWord(name), andMore(holdersOf(facts, name), mostNamed)] as const);
}

function holdersOf({ incident, people, absent }: CardInput, role: string): readonly string[] {
  return usersHolding(incident, role).map(
    ({ userID, name }) => `${people.get(userID) ?? toMrkdwn(name || userID, 80)}${leftBehind(absent, userID)}`,
  );
}

/** The work of the holders of a role, for the roles that every organisation begins with (docs/api-rules.md A3). */
const roleWords: Readonly<Record<string, string>> = { investigator: 'Investigating', observer: 'Observing' };

/** A role's name at the beginning of a line. */
function roleWord(role: string): string {
  return roleWords[fold(role)] ?? toMrkdwn(role.slice(0, 1).toUpperCase() + role.slice(1), 60);
}

function footLines({ incident, people, declarer, overview, sources }: CardInput): readonly string[] {
  const { incidentID, incidentStart, createdTime, createdByUser } = incident;
  const by = declarer || (people.get(createdByUser.userID) ?? toMrkdwn(createdByUser.name || 'an integration', 80));
  const started = Date.parse(incidentStart || createdTime);
  // An incident that was declared as it began has that moment in its first lines.
  const isSame = !(Math.abs(Date.parse(createdTime) - started) >= 60_000);
  return [
    `${incidentLabel(incidentID, 'Incident')} · declared ${isSame ? '' : `${when(createdTime)} `}by ${by}`,
    ...sourceLinks(sources),
    ...(overview ? [`<${overview}|Overview>`] : []),
  ];
}

/** The alert, graph or ticket that came with the declaration, and the message it was declared from, as links. */
export function sourceLinks({ link, caption, message }: Sources): readonly string[] {
  return [
    ...(link === '' ? [] : [`${incidentSigns.link} <${toSafeUrl(link)}|${toLinkLabel(caption) || 'The alert'}>`]),
    ...(message === '' ? [] : [`<${toSafeUrl(message)}|The message it was declared from>`]),
  ];
}

/**
 * A channel's topic. Slack shows it as text, yet it is announced in the channel, so it is escaped like any message. It lacks the
 * severity: the room reads of that in a line, and Slack would add a line about the topic.
 */
export function incidentTopic(incident: Incident, isPrivate: boolean): string {
  const lock = isPrivate ? `${signs.private} Private · ` : '';
  const drill = drillWords(incident, 'Drill · ');
  const state = isMistake(incident)
    ? mistakeName
    : incident.status === 'resolved'
      ? 'Resolved'
      : standing({ ...incident, isDrill: false });
  return cutMrkdwn(`${lock}${drill}${state} · ${toEscaped(incident.title)}`, slackLimits.topic);
}
