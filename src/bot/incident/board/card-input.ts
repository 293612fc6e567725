import type { Incident } from '../../../contract/incidents.ts';
import type { User } from '../../../contract/users.ts';
import type { People } from '../../people/directory.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { actorName, unnamedDeclarer } from '../lines/own-acts.ts';
import type { Alerts } from '../state/alert-store.ts';
import type { Channels } from '../state/channels.ts';
import type { OverviewOf } from '../state/page-links.ts';
import { noSources, type Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import type { Updates } from '../state/update-store.ts';
import type { CardInput } from './card-view.ts';

/** What gathering the facts of a card needs. */
export interface CardInputDeps {
  readonly rooms: Rooms;
  readonly people: People;
  readonly settings: Settings;
  readonly channels: Pick<Channels, 'insiders' | 'isKnownPrivate'>;
  readonly overviewOf: OverviewOf;
  readonly updates: Updates;
  readonly alerts: Alerts;
  /** The name of the role that leads an incident; `""` for none. */
  commanderRole(): Promise<string>;
}

/** Gathers what card and announcement show beside the incident itself. */
export async function readCardInput(deps: CardInputDeps, incident: Incident): Promise<CardInput> {
  const { createdByUser, incidentMembership } = incident;
  const users = [createdByUser, ...incidentMembership.assignments.map(each => each.user)];
  const [people, overview, commander, room, { lead, update }, offers] = await Promise.all([
    namePeople(deps.people, users, createdByUser.userID),
    deps.overviewOf(incident),
    deps.commanderRole(),
    deps.rooms.ofIncident(incident.incidentID),
    deps.updates.latest(incident),
    deps.alerts.ofIncident(incident.incidentID),
  ]);
  const unnamed = await unnamedDeclarer(deps.people, room, incident);
  const declarer = unnamed === '' ? '' : await actorName(deps.people, unnamed);
  const insiders = room?.channelId ? await deps.channels.insiders(room.channelId) : undefined;
  const { severities, apiName: api } = deps.settings;
  return {
    incident,
    api,
    severities,
    commander,
    people,
    declarer,
    overview,
    sources: room?.sources ?? noSources,
    lead,
    update,
    alerts: offers,
    insiders,
  };
}

/**
 * How people are shown: a mention where Slack knows them, so that readers can reach them, else their name. `declarer` is not mentioned for
 * their own act.
 */
async function namePeople(
  people: CardInputDeps['people'],
  users: readonly Pick<User, 'userID' | 'name'>[],
  declarer: string,
): Promise<CardInput['people']> {
  const known = users.filter(user => user.userID !== '');
  const shown = known.map(async ({ userID, name }) => {
    const slackId = await people.toSlackId(userID);
    if (slackId === '') return [userID, toMrkdwn(name || userID, 80)] as const;
    return [userID, userID === declarer ? await actorName(people, slackId) : mention(slackId)] as const;
  });
  return new Map(await Promise.all(shown));
}
