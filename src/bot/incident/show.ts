import type { ActionsBlockElement } from '@slack/types';
import type { Api } from '../../contract/contract.ts';
import type { Incident } from '../../contract/incidents.ts';
import type { Slack } from '../slack/clients.ts';
import type { AttemptedCall, Reception, Refusals } from '../slack/refusals.ts';
import { actions, type Words } from '../text/blocks.ts';
import { incidentFacts, incidentLine, incidentTopic } from './card-view.ts';
import { type HouseRules, toWebUrl } from './house-rules.ts';
import type { Room, Rooms } from './room-store.ts';
import { digest, type Shown, type ShownPart } from './shown.ts';

/** What showing an incident needs. */
export interface ShowDeps {
  readonly slack: Slack;
  readonly api: Api;
  readonly rooms: Rooms;
  readonly refusals: Refusals;
  readonly house: HouseRules;
  /** The buttons under an incident's card. */
  buttonsOf(incident: Incident): readonly ActionsBlockElement[];
}

/** The card as it stands in the incident's channel. */
export function toCard({ house, buttonsOf }: Pick<ShowDeps, 'house' | 'buttonsOf'>, incident: Incident): Words {
  const buttons = buttonsOf(incident);
  const blocks = incidentFacts(incident, { overview: toWebUrl(house, incident.overviewURL), channelId: '' });
  return {
    text: incidentLine(incident),
    blocks: buttons.length > 0 ? [...blocks, actions(buttons, `card:${incident.incidentID}`)] : blocks,
  };
}

/** The announcement: the same facts without buttons, and the way to the channel. */
export function toAnnouncement({ house }: Pick<ShowDeps, 'house'>, incident: Incident, channelId: string): Words {
  const overview = toWebUrl(house, incident.overviewURL);
  return { text: incidentLine(incident), blocks: incidentFacts(incident, { overview, channelId }) };
}

/** What a round has shown. */
export interface Round {
  /** Digests of the parts that are there. */
  readonly shown: Partial<Shown>;
  /** False when some of it may work later. */
  readonly isWhole: boolean;
}

/** One part of a room, as it is to be. */
interface Part {
  readonly name: ShownPart;
  readonly content: unknown;
  readonly call: AttemptedCall;
  write(): Promise<unknown>;
}

/** Shows an incident as it is now, where that differs from `before`. Throws the RpcError when it cannot be read. */
export async function showIncident(deps: ShowDeps, incidentID: string, before: Shown): Promise<Round> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room) return { shown: {}, isWhole: true };
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const shown: Partial<Record<ShownPart, string>> = {};
  const receptions = await Promise.all(
    toParts(deps, room, incident).map(async ({ name, content, call, write }): Promise<Reception> => {
      const wanted = digest(content);
      const isThere = wanted === before[name];
      const reception = isThere ? 'taken' : await deps.refusals.attempt(call, write);
      shown[name] = reception === 'taken' ? wanted : '';
      return reception;
    }),
  );
  return { shown, isWhole: !receptions.includes('later') };
}

function toParts(deps: ShowDeps, room: Room, incident: Incident): readonly Part[] {
  const linked = room.channelName === '' ? '' : room.channelId;
  const announced = toAnnouncement(deps, incident, linked);
  return [
    ...toMessage(deps, 'card', { channel: room.channelId, ts: room.cardTs, isPrivate: room.isPrivate }, () =>
      toCard(deps, incident),
    ),
    ...toMessage(
      deps,
      'announcement',
      { channel: room.announcementChannelId, ts: room.announcementTs, isPrivate: false },
      () => announced,
    ),
    ...(linked === '' ? [] : [toTopic(deps, room, incident)]),
  ];
}

function toMessage(
  { slack }: ShowDeps,
  name: ShownPart,
  { channel, ts, isPrivate }: { channel: string; ts: string; isPrivate: boolean },
  render: () => Words,
): readonly Part[] {
  if (channel === '' || ts === '') return [];
  const content = render();
  const { text, blocks = [] } = content;
  const call = { method: 'chat.update', channel, isPrivate };
  return [{ name, content, call, write: () => slack.web.chat.update({ channel, ts, text, blocks: [...blocks] }) }];
}

/** One try: when Slack limits it, the topic is set with the next change or when the card is caught up. */
function toTopic({ slack }: ShowDeps, { channelId: channel, isPrivate }: Room, incident: Incident): Part {
  const topic = incidentTopic(incident);
  const call = { method: 'conversations.setTopic', channel, isPrivate };
  return { name: 'topic', content: topic, call, write: () => slack.once.conversations.setTopic({ channel, topic }) };
}
