import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import type { Api } from '../../contract/contract.ts';
import { RpcError } from '../../contract/errors.ts';
import type { Incident } from '../../contract/incidents.ts';
import { leaseTime } from '../../db/leases.ts';
import { isProvisional } from '../journal/provisional-id.ts';
import { isPassing, type Slack, slackReason } from '../slack/clients.ts';
import { actions, type Words } from '../text/blocks.ts';
import type { CardLeases } from './card-leases.ts';
import { incidentFacts, incidentLine, incidentTopic } from './card-view.ts';
import type { DeclaredIncident } from './declared-incident.ts';
import { type HouseRules, toWebUrl } from './house-rules.ts';
import type { Room, Rooms } from './room-store.ts';
import { declaredFacts, declaredLine } from './unregistered-card.ts';

/** Topics in the cache: a topic is set only when it differs, since Slack allows twenty a minute (docs/slack.md 6). */
const maxTopics = 1000;
/** After a failure a card is not caught up for so many milliseconds. */
const restAfterFailure = 15_000;

/** The card of each incident: one message in its channel and one announcement, edited in place. */
export interface Cards {
  /** The card as it is to be posted in the incident's channel. */
  card(incident: Incident): Words;
  /** The announcement: the same facts without buttons, and the way to the channel. */
  announcement(incident: Incident, channelId: string): Words;
  /** The card of an incident that is declared and not registered; with `hint`, also what can be done with it until then. */
  declared(declared: DeclaredIncident, hint: boolean, channelId?: string): Words;
  /** Sets the topic of an incident's own channel where it differs from what was set last. Throws what Slack refuses. */
  setTopic(channel: string, incident: Incident): Promise<void>;
  /** Updates card, announcement and topic in the background. Requests during a round become one more round. */
  refresh(incidentID: string): void;
  /** Updates the cards that are behind, for example because their process died. */
  catchUp(): Promise<void>;
  /** Resolves when every card is up to date. */
  idle(): Promise<void>;
}

/** What the cards are made with. */
interface CardDeps {
  readonly slack: Slack;
  readonly api: Api;
  readonly rooms: Rooms;
  readonly leases: CardLeases;
  readonly house: HouseRules;
  /** The buttons under an incident's card. */
  buttonsOf(incident: Incident): readonly ActionsBlockElement[];
  readonly log: Logger;
  /** Milliseconds of a clock that never steps. */
  readonly steady: () => number;
}

function facts({ house }: CardDeps, incident: Incident, channelId: string): KnownBlock[] {
  return incidentFacts(incident, { overview: toWebUrl(house, incident.overviewURL), channelId });
}

function toCard(deps: CardDeps, incident: Incident): Words {
  const buttons = deps.buttonsOf(incident);
  const blocks = facts(deps, incident, '');
  return {
    text: incidentLine(incident),
    blocks: buttons.length > 0 ? [...blocks, actions(buttons, `card:${incident.incidentID}`)] : blocks,
  };
}

function toAnnouncement(deps: CardDeps, incident: Incident, channelId: string): Words {
  return { text: incidentLine(incident), blocks: facts(deps, incident, channelId) };
}

/** Edits a message; false when it may work later. */
async function update({ slack, log }: CardDeps, channel: string, ts: string, words: Words): Promise<boolean> {
  if (channel === '' || ts === '') return true;
  try {
    await slack.web.chat.update({ channel, ts, text: words.text, blocks: [...(words.blocks ?? [])] });
    return true;
  } catch (error) {
    log.warn({ reason: slackReason(error), channel }, 'card: Slack did not take an update');
    return !isPassing(error);
  }
}

/** The topics of incidents' channels, as they were set last. */
class Topics {
  readonly #deps: CardDeps;
  readonly #known = new Map<string, string>();

  constructor(deps: CardDeps) {
    this.#deps = deps;
  }

  /** One try: when Slack limits it, the next change of the incident sets it. */
  async set(channel: string, incident: Incident): Promise<void> {
    const topic = incidentTopic(incident);
    if (this.#known.get(incident.incidentID) === topic) return;
    await this.#deps.slack.once.conversations.setTopic({ channel, topic });
    if (this.#known.size >= maxTopics) this.#known.clear();
    this.#known.set(incident.incidentID, topic);
  }

  /** The same for an incident's own channel; a refusal is logged. */
  async renew(room: Room, incident: Incident): Promise<void> {
    if (room.channelName === '') return;
    try {
      await this.set(room.channelId, incident);
    } catch (error) {
      this.#deps.log.warn({ reason: slackReason(error), channel: room.channelId }, 'topic: Slack did not take it');
    }
  }
}

/** Shows an incident as it is now; false when not all of it could be shown. */
async function show(deps: CardDeps, topics: Topics, incidentID: string): Promise<boolean> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room) return true;
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  const linked = room.channelName === '' ? '' : room.channelId;
  const updated = await Promise.all([
    update(deps, room.channelId, room.cardTs, toCard(deps, incident)),
    update(deps, room.announcementChannelId, room.announcementTs, toAnnouncement(deps, incident, linked)),
  ]);
  await topics.renew(room, incident);
  return !updated.includes(false);
}

/** Opens the cards of one process. */
export function createCards(deps: CardDeps): Cards {
  const { leases, steady } = deps;
  const rounds = new Map<string, { again: boolean; done: Promise<void> }>();
  /** Until when cards that failed are not caught up, by incident. */
  const resting = new Map<string, number>();
  let heart: NodeJS.Timeout | undefined;
  const topics = new Topics(deps);

  /** True when nothing is left to show. */
  async function bringUpToDate(incidentID: string): Promise<boolean> {
    if (isProvisional(incidentID)) return true;
    const version = await leases.take(incidentID);
    // The process that has the lease sees what was changed meanwhile.
    if (version === undefined) return true;
    try {
      if (await show(deps, topics, incidentID)) return await leases.shown(incidentID, version);
    } catch (error) {
      // There is nothing to show any more, and asking again would not change that.
      if (error instanceof RpcError && error.code === 'not_found') return await leases.shown(incidentID, version);
      deps.log.warn({ err: error, incident: incidentID }, 'card: could not be rendered');
    }
    // What could not be shown now is shown when it is caught up.
    resting.set(incidentID, steady() + restAfterFailure);
    await leases.leave(incidentID);
    return true;
  }

  async function round(incidentID: string): Promise<void> {
    const mine = rounds.get(incidentID);
    do {
      if (mine) mine.again = false;
      try {
        if (!(await bringUpToDate(incidentID)) && mine) mine.again = true;
      } catch (error) {
        deps.log.warn({ err: error, incident: incidentID }, 'card: could not store its lease');
      }
    } while (mine?.again);
    rounds.delete(incidentID);
    if (rounds.size > 0) return;
    clearInterval(heart);
    heart = undefined;
  }

  async function beat(): Promise<void> {
    await leases.hold().catch(err => deps.log.warn({ err }, 'card: could not renew leases'));
  }

  function refresh(incidentID: string): void {
    const running = rounds.get(incidentID);
    if (running) {
      running.again = true;
      return;
    }
    const started = { again: false, done: Promise.resolve() };
    rounds.set(incidentID, started);
    heart ??= setInterval(() => void beat(), leaseTime / 4).unref();
    started.done = round(incidentID);
  }

  return {
    card: incident => toCard(deps, incident),
    announcement: (incident, channelId) => toAnnouncement(deps, incident, channelId),
    declared: (declared, hint, channelId = '') => ({
      text: declaredLine(declared),
      blocks: declaredFacts(declared, { hint, channelId }),
    }),
    refresh,
    catchUp: async () => {
      for (const [incidentID, until] of resting) if (until <= steady()) resting.delete(incidentID);
      // A round that runs sees for itself whether anything was changed meanwhile.
      const outdated = await leases.outdated();
      for (const incidentID of outdated) {
        if (!rounds.has(incidentID) && !resting.has(incidentID)) refresh(incidentID);
      }
    },
    setTopic: (channel, incident) => topics.set(channel, incident),
    idle: async () => {
      while (rounds.size > 0) await Promise.allSettled([...rounds.values()].map(each => each.done));
    },
  };
}
