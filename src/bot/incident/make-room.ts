import { z } from 'zod';
import type { Incident } from '../../contract/incidents.ts';
import { RetryLater } from '../journal/intent.ts';
import { isProvisional } from '../journal/provisional-id.ts';
import { isPassing, refusalLevel, slackReason, slackRefusal } from '../slack/clients.ts';
import { postOnce } from '../slack/post-once.ts';
import { sentence, type Words } from '../text/blocks.ts';
import { DeclaredIncident } from './declared-incident.ts';
import { toWebUrl } from './house-rules.ts';
import type { IncidentDeps } from './intent-kind.ts';
import { defineIntent, type IntentContext } from './intent-kind.ts';
import { channelName, maxNames, reasonWords, roomMention } from './room.ts';
import type { Room } from './room-store.ts';
import { digest, type Shown } from './shown.ts';

/** The plan of an incident's room in Slack. */
export const RoomPlan = z.object({
  incidentID: z.string(),
  declared: DeclaredIncident,
  /** Makes a channel; otherwise the incident stays where it was declared. */
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  teamId: z.string(),
  /** Where it was declared; `""` for nowhere in particular. */
  channelId: z.string(),
  /** Slack ids of those to invite, of that workspace. */
  invite: z.array(z.string()),
});
/** The plan of an incident's room in Slack. */
export type RoomPlan = z.output<typeof RoomPlan>;

/**
 * Makes an incident's room in Slack: channel, invitations, card, pin, announcement, bookmark. Each step checks whether its
 * effect exists, so a retry continues where the last attempt stopped. A refusal of Slack becomes a sentence and the other steps go
 * on; a passing failure is retried later.
 */
export const makeRoom = defineIntent({
  kind: 'room.make',
  payload: RoomPlan,
  result: z.object({ troubles: z.array(z.string()) }),
  run: async (context, plan) => {
    const { deps, log } = context;
    const troubles: string[] = [];
    let delayed: string | undefined;
    let room = (await deps.rooms.ofIncident(plan.incidentID)) ?? toEmpty(plan);
    const keep = async (known: Partial<Room>, shown: Partial<Shown> = {}) => {
      room = { ...room, ...known };
      if (room.channelId !== '') await deps.rooms.keep(room, shown);
    };
    /** Runs one step. A refusal of Slack becomes a sentence. */
    const step = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        const reason = slackReason(error);
        log[refusalLevel(error)]({ reason, step: what, incident: plan.incidentID }, 'room: a step failed in Slack');
        if (isPassing(error)) delayed ??= laterWords(reason, what);
        else troubles.push(`I could not ${what}: ${reasonWords(error)}`);
      }
    };

    const incident = await readIncident(context, plan);
    // An incident whose card is posted stays where it is.
    if (plan.makeChannel && room.channelName === '' && room.cardTs === '') {
      await step('make a channel for this incident', async () => keep(await createChannel(context, plan)));
    }
    if (delayed) throw new RetryLater(delayed);
    if (room.channelName !== '') {
      await step('invite everybody', () => invite(context, room.channelId, plan.invite));
    }
    // A private incident's card is never posted in a channel that others read.
    const home = room.channelId || (plan.isPrivate ? '' : plan.channelId);
    if (plan.isPrivate && home === '') {
      troubles.push('You wanted it private, so I posted its card nowhere and told nobody else.');
    }
    const post = (channel: string, part: string, words: Words) => {
      const mayStand = context.isRetry;
      return postOnce(deps.slack, { channel, words, intent: context.id, part, mayStand, since: context.askedAt });
    };
    // A message of an earlier attempt may say something else.
    const digestOf = (words: Words) => (context.isRetry ? '' : digest(words));
    if (home !== '' && room.cardTs === '') {
      await step('post the incident’s card here', async () => {
        const words = incident ? deps.cards.card(incident) : deps.cards.declared(plan.declared, true);
        const cardTs = await post(home, 'card', words);
        await keep({ channelId: home, cardTs }, { card: digestOf(words) });
      });
    }
    const announceIn = deps.house.announceChannel;
    if (announceIn !== '' && announceIn !== home && !plan.isPrivate && room.announcementTs === '') {
      await step(`announce it in <#${announceIn}>`, async () => {
        const linked = room.channelName === '' ? '' : room.channelId;
        const words = incident
          ? deps.cards.announcement(incident, linked)
          : deps.cards.declared(plan.declared, false, linked);
        const announcementTs = await post(announceIn, 'announcement', words);
        await keep({ announcementChannelId: announceIn, announcementTs }, { announcement: digestOf(words) });
      });
    }
    if (room.cardTs !== '') await step('pin the card', () => pin(context, room));
    if (incident) await step('bookmark the incident’s page', () => bookmark(deps, room, incident));
    if (delayed) throw new RetryLater(delayed);
    return { troubles };
  },
  describe: ({ declared }) => `make the channel and the card of “${declared.title}”`,
  receipt: (_result, { incidentID }) => sentence(`Incident ${incidentID} has its channel and card.`),
  afterDone: async ({ deps }, { troubles }, { incidentID }) => {
    const where = roomMention(await deps.rooms.ofIncident(incidentID));
    return { notes: where ? [`Everything happens in ${where}: you are in it.`] : [], troubles };
  },
});

function laterWords(reason: string, what: string): string {
  const why = reason === 'ratelimited' ? 'Slack is rate limiting me' : 'Slack does not answer';
  return `${why}, so I could not ${what} yet. I will do it as soon as I can.`;
}

function toEmpty(plan: RoomPlan): Room {
  return {
    incidentID: plan.incidentID,
    teamId: plan.teamId,
    channelId: '',
    channelName: '',
    isPrivate: plan.isPrivate,
    cardTs: '',
    announcementChannelId: '',
    announcementTs: '',
  };
}

/** The incident from the API; undefined while it is not registered or cannot be read. Its card is completed later. */
async function readIncident({ api, call }: IntentContext, { incidentID }: RoomPlan): Promise<Incident | undefined> {
  if (isProvisional(incidentID)) return undefined;
  const known = await api.IncidentsService.GetIncident({ incidentID }, call).catch(() => undefined);
  return known?.incident;
}

/** Creates the channel under the first free name. A channel of an earlier attempt whose answer was lost is used. */
async function createChannel(context: IntentContext, plan: RoomPlan): Promise<Pick<Room, 'channelId' | 'channelName'>> {
  const { deps } = context;
  // Named by the declaration as at the first attempt, so that a channel whose answer was lost is found under its name.
  const { incidentID, title } = plan.declared;
  const wanted = { incidentID: isProvisional(incidentID) ? '' : incidentID, title };
  const names = Array.from({ length: maxNames }, (_, index) =>
    channelName(deps.house.channelPrefix, wanted, index + 1),
  );
  const made = context.isRetry ? await findOurs(context, names, plan) : undefined;
  if (made) return made;
  for (const name of names) {
    try {
      const { channel } = await deps.slack.once.conversations.create({ name, is_private: plan.isPrivate });
      return { channelId: channel?.id ?? '', channelName: channel?.name ?? name };
    } catch (error) {
      if (slackReason(error) === 'unreachable') {
        const ours = await findOurs(context, [name], plan);
        if (ours) return ours;
      }
      if (slackRefusal(error) !== 'name_taken' || name === names.at(-1)) throw error;
    }
  }
  throw new Error('There are no names to try');
}

/** How far Slack's clock may be behind ours, in seconds. */
const clockSkew = 120;

/** A channel of one of these names that this bot created since the declaration, and that no other incident has. */
async function findOurs({ deps, askedAt }: IntentContext, names: readonly string[], plan: RoomPlan) {
  const types = plan.isPrivate ? 'private_channel' : 'public_channel';
  let cursor = '';
  do {
    const answer = await deps.slack.web.conversations.list({
      types,
      limit: 1000,
      exclude_archived: true,
      ...(cursor ? { cursor } : {}),
    });
    for (const { id = '', name = '', creator, created = 0 } of answer.channels ?? []) {
      const isOurs = names.includes(name) && creator === deps.slack.identity.botUserId;
      const isNew = created >= askedAt.getTime() / 1000 - clockSkew;
      if (isOurs && isNew && !(await deps.rooms.isTaken(plan.teamId, id))) return { channelId: id, channelName: name };
    }
    cursor = answer.response_metadata?.next_cursor ?? '';
  } while (cursor !== '');
  return undefined;
}

async function invite({ deps }: IntentContext, channel: string, users: readonly string[]): Promise<void> {
  if (users.length === 0) return;
  try {
    await deps.slack.web.conversations.invite({ channel, users: [...new Set(users)].join(','), force: true });
  } catch (error) {
    if (slackRefusal(error) !== 'already_in_channel') throw error;
  }
}

/** Bookmarks the incident's page in its channel, once. Throws Slack's refusals. */
export async function bookmark(deps: IncidentDeps, room: Room, incident: Incident): Promise<void> {
  const link = toWebUrl(deps.house, incident.overviewURL);
  if (link === '' || room.channelName === '') return;
  const { bookmarks } = await deps.slack.web.bookmarks.list({ channel_id: room.channelId });
  if (bookmarks?.some(each => each.link === link)) return;
  await deps.slack.once.bookmarks.add({ channel_id: room.channelId, title: 'Incident', type: 'link', link });
}

async function pin({ deps }: IntentContext, room: Room): Promise<void> {
  try {
    await deps.slack.once.pins.add({ channel: room.channelId, timestamp: room.cardTs });
  } catch (error) {
    if (slackRefusal(error) !== 'already_pinned') throw error;
  }
}
