import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { trimEnd } from '../../../trim-end.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackReason, slackRefusal } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { TeamArgument } from '../../slack/workspaces.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { defineIntent, type IntentContext, toConsequence } from '../acts/intent-kind.ts';
import { postBoard } from '../board/messages.ts';
import type { BoardDigests } from '../state/digests.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import { byNumber, linkHere } from '../state/refusal-words.ts';
import type { Room } from '../state/room-store.ts';
import { postedDigest, RoomPlan, readPlanned, roomLane, toEmptyRoom } from './plan.ts';
import { setUpRoom } from './set-up.ts';
import { RoomSteps } from './steps.ts';

/**
 * Makes the parts of an incident's room that a person waits for: its channel and its card. {@link setUpRoom} does the rest. Each
 * step checks whether its effect exists, so a retry continues where the last attempt stopped. A refusal of Slack becomes a sentence
 * and the other steps go on; a passing failure is retried later.
 */
export const makeRoom = defineIntent({
  kind: 'room.make',
  lane: plan => roomLane(plan),
  payload: RoomPlan,
  /** `isLate`: an earlier attempt was put off, and the person heard so. */
  result: z.object({
    troubles: z.array(z.string()),
    isLate: z.boolean().default(false),
    /** It has a channel of its own. */
    hasChannel: z.boolean().default(true),
  }),
  run: async (context, plan) => {
    const { deps } = context;
    const steps = new RoomSteps(context.log);
    let room = (await deps.rooms.ofIncident(plan.incidentID)) ?? toEmptyRoom(plan);
    const keep = async (known: Partial<Room>, shown: Partial<BoardDigests> = {}) => {
      room = { ...room, ...known };
      if (room.channelId !== '') await deps.rooms.keep(room, shown);
    };
    const incident = await readPlanned(context, plan);
    const subject = incident ?? { incidentID: plan.incidentID, incidentType: '' };
    // Only its declarer sees a private incident while it has no channel.
    if (plan.isPrivate && room.channelId === '') await deps.rooms.keep(room);
    // An incident whose card is posted stays where it is.
    if (plan.makeChannel && room.channelName === '' && room.cardTs === '') {
      await steps.run('make a channel for this incident', async () => keep(await createChannel(context, plan)));
      steps.throwDelayed();
      if (room.channelName === '') {
        const way = `To give it a channel all the same, ${linkHere(plan.incidentID)}`;
        steps.troubles.push(`${way} ${byNumber(plan.incidentID)}`);
      }
    }
    // A private incident's card is never posted in a channel that others read.
    const home = room.channelId || (plan.isPrivate ? '' : plan.channelId);
    if (plan.isPrivate && home === '') {
      steps.troubles.push('You wanted it private, so I posted its card nowhere and told nobody else.');
    }
    if (home !== '' && room.cardTs === '') {
      await steps.run('post the incident’s card here', async () => {
        await keep({ channelId: home });
        const isOurs = (await deps.visibility.share('card', subject, home)) === 'all';
        const full = incident ? await deps.cards.card(incident) : deps.cards.declared(plan.declared, true);
        const words = isOurs ? full : deps.cards.stub(plan.incidentID);
        const { id: intent, isRetry: mayAlreadyExist, askedAt: since } = context;
        const cardTs = await postBoard(deps.slack, {
          channel: home,
          words,
          intent,
          part: 'card',
          mayAlreadyExist,
          since,
        });
        await keep({ channelId: home, cardTs }, { card: postedDigest(context, words) });
      });
    }
    steps.throwDelayed();
    return { troubles: steps.troubles, isLate: context.isRetry, hasChannel: room.channelName !== '' };
  },
  did: ({ incidentID, declared }, { result }) => {
    if (!result) return { verb: 'make', what: `the channel and the card of “${toMrkdwn(declared.title)}”`, room: [] };
    const has = result.hasChannel ? 'its channel and card' : 'no channel of its own';
    return { fact: `${incidentLabel(incidentID, 'Incident')} has ${has}.` };
  },
  isTold: ({ isLate }) => isLate,
  links: ({ declared: room }) => ({ room }),
  consequences: (_result, plan) => [toConsequence(setUpRoom, plan, 'furnish')],
  afterDone: async ({ deps }, { troubles }, { incidentID }) => {
    const where = roomMention(await deps.rooms.ofIncident(incidentID));
    return { notes: where ? [`Head to ${where}.`] : [], troubles };
  },
});

/**
 * Creates the channel under the first free name: one with the incident's title, and where Slack takes no such name, as for a script that it does
 * not write, one without it. A channel of an earlier attempt whose answer was lost is used: it is looked for only
 * when its name is taken.
 */
async function createChannel(context: IntentContext, plan: RoomPlan): Promise<Pick<Room, 'channelId' | 'channelName'>> {
  const { deps } = context;
  // Named by the declaration as at the first attempt, so that a channel whose answer was lost is found under its name.
  const { incidentID, title } = plan.declared;
  const wanted = { incidentID: isProvisional(incidentID) ? '' : incidentID, title };
  const plain = { ...wanted, title: wanted.incidentID === '' ? 'incident' : '' };
  const names = [wanted, plain].flatMap(each =>
    Array.from({ length: maxNames }, (_, index) => channelName(deps.settings.channelPrefix, each, index + 1)),
  );
  const team = await deps.slack.workspaces.forChannel(plan.workspaceId);
  let mayBeOurs = context.isRetry;
  let takesTitle = true;
  for (const [index, name] of names.entries()) {
    if (!takesTitle && index < maxNames) continue;
    try {
      const { channel } = await deps.slack.once.conversations.create({ name, is_private: plan.isPrivate, ...team });
      const made = { channelId: channel?.id ?? '', channelName: channel?.name ?? name };
      await deps.channels.learn(made.channelId, {
        name: made.channelName,
        isPrivate: plan.isPrivate,
        isShared: false,
        isArchived: false,
        isDeleted: false,
      });
      return made;
    } catch (error) {
      const isTaken = slackRefusal(error) === 'name_taken';
      if (slackReason(error) === 'unreachable' || (isTaken && mayBeOurs)) {
        mayBeOurs = false;
        const ours = await findOurs(context, names, plan, team);
        if (ours) return ours;
      }
      const isNoName = index < maxNames && slackRefusal(error)?.startsWith('invalid_name') === true;
      if (isNoName) takesTitle = false;
      else if (!isTaken || index === names.length - 1) throw error;
    }
  }
  throw new Error('There are no names to try');
}

/** How far Slack's clock may be behind ours, in seconds. */
const clockSkew = 120;
/** Pages of a thousand channels that Slack may give; more than a workspace has. */
const maxPages = 1000;

/**
 * A channel of one of these names that this bot created since the declaration, and that no other incident has. The bot is a member of
 * what it creates, so only its own channels are looked at, whatever the size of the workspace. All of them: what is not found is made a
 * second time.
 */
async function findOurs(context: IntentContext, names: readonly string[], plan: RoomPlan, team: TeamArgument) {
  if (plan.isPrivate) return findAmong(context, 'private_channel', names, plan, team);
  const ours = await findAmong(context, 'public_channel', names, plan, team);
  // A person may have made it private meanwhile. An app without the scope for private channels does not see it.
  if (ours) return ours;
  try {
    return await findAmong(context, 'private_channel', names, plan, team);
  } catch (error) {
    if (slackRefusal(error) !== 'missing_scope') throw error;
    return undefined;
  }
}

async function findAmong(
  { deps, askedAt }: IntentContext,
  types: 'private_channel' | 'public_channel',
  names: readonly string[],
  plan: RoomPlan,
  team: TeamArgument,
) {
  let cursor = '';
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await deps.slack.web.users.conversations({
      types,
      limit: 1000,
      exclude_archived: true,
      ...team,
      ...(cursor ? { cursor } : {}),
    });
    for (const { id = '', name = '', creator, created = 0 } of answer.channels ?? []) {
      const isOurs = names.includes(name) && creator === deps.slack.identity.botUserId;
      const isNew = created >= askedAt.getTime() / 1000 - clockSkew;
      if (isOurs && isNew && !(await deps.rooms.isTaken(plan.teamId, id))) return { channelId: id, channelName: name };
    }
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return undefined;
  }
  throw new Error('Slack lists the channels of the bot without an end');
}

/** Some characters of a channel's name are left for a suffix. */
const maxName = slackLimits.channelName - 10;
/** Names tried of each kind before giving up: the bare one, then with suffixes. */
const maxNames = 20;

/** The name of an incident's channel: `inc-7-db-is-down`, without its number while it has none; with a suffix from the second attempt on. */
export function channelName(prefix: string, incident: Pick<Incident, 'incidentID' | 'title'>, attempt = 1): string {
  const slug = incident.title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '');
  const number = incident.incidentID.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const name = `${prefix}${number}${number === '' ? '' : '-'}${slug}`;
  const cut = trimEnd([...name].slice(0, maxName).join(''), /-/);
  return attempt === 1 ? cut : `${cut}-${attempt}`;
}
