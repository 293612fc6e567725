import type { UserPreview } from '../../../contract/fields.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import type { People } from '../../people/directory.ts';
import { actions, context, mention, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentColor } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { cutMrkdwn, withoutFormatting } from '../../text/words.ts';
import { actorName, unnamedDeclarer } from '../lines/mentions.ts';
import { noSources } from '../state/room-store.ts';
import { announcementParts, type CardInput, cardParts, isLed, partsBlocks, partsText } from './card-view.ts';
import type { BoardParts } from './deps.ts';

/* The card and the announcement of an incident: the facts are gathered here, and become blocks in `card-view.ts`. */

/** The card in the incident's channel. `asOf` is how old it is, while the API does not answer. */
export async function toCard(deps: BoardParts, incident: Incident, asOf?: Date): Promise<Words> {
  const input = await readCardInput(deps, incident);
  const parts = cardParts(deps.opensByLink ? { ...input, overview: '' } : input, asOf);
  const row = await deps.rowOf(incident, isLed(input));
  const mayInvite = input.insiders !== undefined && incident.status !== 'resolved';
  const invite = mayInvite ? [deps.inviteRowOf(incident.incidentID)] : [];
  const color = incidentColor(deps.settings.severities, incident, isMistake(incident));
  return {
    text: partsText(parts),
    isWhole: true,
    blocks: [...partsBlocks(parts), ...(row ? [row] : []), ...invite],
    color,
  };
}

/**
 * The announcement: what others need to know, and the way to the room, with *Join* while the incident goes on. While an active incident
 * has no room, its buttons offer one.
 */
export async function toAnnouncement(
  deps: BoardParts,
  incident: Incident,
  { channelId, channelName }: { readonly channelId: string; readonly channelName: string },
  isArchived = false,
): Promise<Words> {
  const { incidentID } = incident;
  const way = { channelId: channelName === '' ? '' : channelId, isArchived };
  const parts = announcementParts(await readCardInput(deps, incident), way);
  const blocks = partsBlocks(parts);
  const color = incidentColor(deps.settings.severities, incident, isMistake(incident));
  const offers = channelId === '' && incident.status !== 'resolved' ? deps.offersOf(incidentID) : [];
  if (offers.length === 0) {
    const isOpen = way.channelId !== '' && !isArchived && incident.status !== 'resolved';
    const join = isOpen ? [actions(deps.joinOf(incidentID))] : [];
    return { text: partsText(parts), isWhole: true, blocks: [...blocks, ...join], color };
  }
  const hint = `It has no channel. If another app made one already, invite me there and type \`/incident link ${toMrkdwn(incidentID, 40)}\` in it.`;
  const text = cutMrkdwn(`${partsText(parts)}\n${withoutFormatting(hint)}`, maxText);
  return { text, isWhole: true, blocks: [...blocks, context(hint), actions(offers)], color };
}

/** Gathers the facts that card and announcement show besides the incident itself. */
async function readCardInput(deps: BoardParts, incident: Incident): Promise<CardInput> {
  const { createdByUser, incidentMembership } = incident;
  const users = [createdByUser, ...incidentMembership.assignments.map(each => each.user)];
  const [people, absent, overview, commander, room, { lead, update }, alerts] = await Promise.all([
    nameUsers(deps.people, users, createdByUser.userID),
    deps.people.absentUsers(users.slice(1)),
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
  const sources = room?.sources ?? noSources;
  return {
    ...{ incident, api, severities, commander, people, absent, declarer, overview, sources, lead, update, alerts },
    insiders,
  };
}

/**
 * How people are shown, by their ids in the API: by a mention if Slack knows them, so that readers can reach them, else by their name.
 * The card does not mention the `declarer`, since Slack would notify them of their own act.
 */
async function nameUsers(
  people: People,
  users: readonly UserPreview[],
  declarer: string,
): Promise<ReadonlyMap<string, string>> {
  const shown = users
    .filter(user => user.userID !== '')
    .map(async ({ userID, name }) => {
      const slackId = await people.toSlackId(userID);
      if (slackId === '') return [userID, toMrkdwn(name || userID, 80)] as const;
      return [userID, userID === declarer ? await actorName(people, slackId) : mention(slackId)] as const;
    });
  return new Map(await Promise.all(shown));
}
