import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { RetryLater } from '../../journal/intent.ts';
import type { ChannelRecord } from '../../slack/channel-events.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { isPassing, slackReason, slackRefusal } from '../../slack/clients.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { defineIntent, type IncidentDeps, toConsequence, toUndo, type Undo } from '../acts/intent-kind.ts';
import { editBoard, postBoard } from '../board/messages.ts';
import { partedWords } from '../board/unregistered-card.ts';
import { toChannelRecord } from '../state/channels.ts';
import { homeMention, incidentLabel, isClosed } from '../state/incident-name.ts';
import { laterWords, reasonWords } from '../state/refusal-words.ts';
import { noSources } from '../state/room-store.ts';
import { postedDigest, RoomPlan, roomLane, toFoundPlan } from './plan.ts';
import { setUpRoom } from './set-up.ts';
import { RoomSteps } from './steps.ts';

/** An incident, and the channel to link or unlink; `by` is the Slack id of the person who asked. */
const Link = z.object({ incidentID: z.string(), teamId: z.string(), channelId: z.string(), by: z.string() });

/** The card in a channel that was the room. */
const FormerCard = z.object({ channelId: z.string(), cardTs: z.string() });

/** `problem` says in mrkdwn why nothing was changed; `""` when there is no problem. */
const LinkResult = z.object({ changed: z.boolean(), problem: z.string() });

/**
 * Makes an existing channel the room of an incident that has no channel of its own, or one that is closed. Posts the card there; commands
 * typed there then act on the incident. A later attempt finds the card of an earlier one. The room is stored once its card is posted.
 */
export const linkRoom = defineIntent({
  kind: 'room.link',
  lane: link => roomLane(link),
  payload: Link,
  /** `former`: the card in the channel where the incident lived without one of its own. */
  result: LinkResult.extend({ plan: RoomPlan, former: FormerCard.optional() }),
  run: async (context, link) => {
    const { api, call, deps } = context;
    const { incidentID, channelId: channel } = link;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const plan = toFoundPlan(incident, {
      ...{ teamId: link.teamId, workspaceId: '', channelId: channel, makeChannel: false, invite: [] },
    });
    const room = await deps.rooms.ofIncident(incidentID);
    if (room?.channelId === channel && room.cardTs !== '') return { changed: context.isRetry, problem: '', plan };
    const fitness = await fitnessOf(deps, incident, channel);
    if ('problem' in fitness) return { changed: false, problem: fitness.problem, plan };
    const share = await deps.visibility.shareAsRoom(incident, channel);
    const words = share === 'all' ? await deps.cards.card(incident) : deps.cards.stub(incidentID);
    const { id: intent, isRetry: mayAlreadyExist, askedAt: since } = context;
    try {
      const cardTs = await postBoard(deps.slack, { channel, words, intent, part: 'card', mayAlreadyExist, since });
      const card = postedDigest(context, words);
      const { name: channelName, isPrivate } = fitness.channel;
      const kept = room ?? { declaredBy: '', sources: noSources, announcementChannelId: '', announcementTs: '' };
      const where = { teamId: link.teamId, channelId: channel, channelName, isLinked: true, isPrivate, cardTs };
      await deps.rooms.keep({ ...kept, incidentID, ...where }, { card });
    } catch (error) {
      if (isPassing(error)) throw later(error);
      return { changed: false, problem: `I could not post the incident’s card here: ${reasonWords(error)}`, plan };
    }
    const isLeft = room !== undefined && room.cardTs !== '' && room.channelId !== channel && !isClosed(room);
    const former = isLeft ? { former: { channelId: room.channelId, cardTs: room.cardTs } } : {};
    return { changed: true, problem: '', plan, ...former };
  },
  did: ({ incidentID, channelId, by }, { result, incident, line }) => {
    if (!result) return { verb: 'make', what: `this channel follow ${incident}` };
    const { changed, problem } = result;
    if (problem !== '') return { fact: problem };
    if (!changed) return { fact: followsAlready(incidentID, channelId), isUnchanged: true };
    const words = `${incidentSigns.link} ${mention(by)} made this channel follow ${incidentLabel(incidentID)}. Notes and commands typed here act on it.`;
    return {
      ...{ sign: incidentSigns.link, verb: 'make', what: `<#${channelId}> follow ${incident}` },
      more: 'Notes and commands typed there act on it.',
      ...(line ? { room: { words, isOwnMessage: true, of: 'channel' } } : {}),
    };
  },
  consequences: ({ changed, plan, former }, link) => [
    ...(changed ? [toConsequence(setUpRoom, plan, 'furnish')] : []),
    ...(former ? [toConsequence(partRoom, { ...link, ...former }, 'part')] : []),
  ],
  undo: ({ changed }, link): Undo | undefined =>
    changed ? toUndo(unlinkRoom, link, { afterwards: '`/incident unlink` in that channel ends it.' }) : undefined,
});

/** Stops a channel from following an incident. The channel stays, and its card says that it no longer follows. */
export const unlinkRoom = defineIntent({
  kind: 'room.unlink',
  lane: link => roomLane(link),
  payload: Link,
  result: LinkResult.extend({ cardTs: z.string() }),
  run: async (context, { incidentID, teamId, channelId: channel, by }) => {
    const { deps } = context;
    const room = await deps.rooms.ofIncident(incidentID);
    const isRoom = room?.channelId === channel;
    if (!isRoom) return { changed: false, problem: '', cardTs: '' };
    const viewer = { teamId, userId: by, isGuest: false, channelId: '' };
    if (!(await deps.visibility.seesWithoutRoom(viewer, { incidentID }))) {
      const role = `\`/role assign me observer --incident ${toMrkdwn(incidentID, 40)}\``;
      const problem = `${incidentLabel(incidentID, 'Incident')} is private: without this channel, only its declarer and the holders of its roles see it, and you are neither. Take a role first (${role}), then unlink it.`;
      return { changed: false, problem, cardTs: '' };
    }
    await deps.rooms.leave(room, await deps.visibility.isPrivate(room));
    return { changed: true, problem: '', cardTs: room.cardTs };
  },
  did: ({ incidentID, channelId, by }, { result, incident, line }) => {
    if (!result) return { verb: 'unlink', what: `this channel from ${incident}` };
    const { changed, problem } = result;
    if (problem !== '') return { fact: problem };
    if (!changed) return { fact: `<#${channelId}> does not follow ${incidentLabel(incidentID)}.`, isUnchanged: true };
    const words = `${incidentSigns.link} ${mention(by)} unlinked this channel: it no longer follows ${incidentLabel(incidentID)}.`;
    return {
      ...{ sign: incidentSigns.link, verb: 'unlink', what: `<#${channelId}> from ${incident}` },
      more: 'The channel and its messages stay.',
      ...(line ? { room: { words, isOwnMessage: true, of: 'channel', channel: channelId } } : {}),
    };
  },
  consequences: ({ changed, cardTs }, link) => (changed ? [toConsequence(partRoom, { ...link, cardTs }, 'part')] : []),
  undo: ({ changed }, link): Undo | undefined =>
    changed
      ? toUndo(linkRoom, link, { afterwards: `\`/incident link ${link.incidentID}\` makes it follow again.` })
      : undefined,
});

/** Says on the card of a channel that it no longer follows an incident, and unpins it. */
export const partRoom = defineIntent({
  kind: 'room.part',
  lane: link => roomLane(link),
  payload: Link.extend({ cardTs: z.string() }),
  result: z.object({ troubles: z.array(z.string()) }),
  run: async (context, { incidentID, channelId: channel, cardTs }) => {
    const { slack } = context.deps;
    const steps = new RoomSteps(context.log);
    if (cardTs !== '') {
      await steps.run('say so on the card', () => editBoard(slack, { channel, ts: cardTs }, partedWords(incidentID)));
      await steps.run('unpin the card', async () => {
        try {
          await slack.web.pins.remove({ channel, timestamp: cardTs });
        } catch (error) {
          if (!['no_pin', 'not_pinned', 'message_not_found'].includes(slackReason(error))) throw error;
        }
      });
    }
    steps.throwDelayed();
    return { troubles: steps.troubles };
  },
  did: ({ incidentID, channelId }, { result, incident }) =>
    result
      ? { fact: `<#${channelId}> no longer follows ${incidentLabel(incidentID)}.` }
      : { verb: 'say', what: `that a channel no longer follows ${incident}`, room: [] },
  isTold: ({ troubles }) => troubles.length > 0,
  afterDone: async (_ctx, { troubles }) => ({ notes: [], troubles }),
});

/** A channel that can become an incident's room, or why it cannot and what to do, in mrkdwn. */
type Fitness = { readonly problem: string } | { readonly channel: ChannelRecord };

/** Whether a channel can become an incident's room. Throws RetryLater while Slack does not tell. */
export async function fitnessOf(deps: IncidentDeps, incident: Incident, channelId: string): Promise<Fitness> {
  const { incidentID } = incident;
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  const isElsewhere = room && room.channelName !== '' && room.channelId !== channelId;
  // A closed channel takes no command that unlinks it.
  if (isElsewhere && !isClosed(room)) {
    return {
      problem: `${name} is handled in ${homeMention(room)}, and an incident has one channel. To move it here, type \`/incident unlink\` there first.`,
    };
  }
  if (channelId === '' || isDirectMessage(channelId)) {
    const problem = `Nobody else reads a direct message, so it cannot follow ${incidentLabel(incidentID)}. Type \`/incident link\` in a channel.`;
    return { problem };
  }
  const found = await askAbout(deps, channelId);
  if ('problem' in found || (await deps.visibility.shareAsRoom(incident, channelId)) !== 'nothing') return found;
  return { problem: `${name} is private, so only a private channel of this workspace alone can follow it.` };
}

/** The channel as Slack describes it at this moment, or why Muster can post nothing there. Throws RetryLater. */
async function askAbout({ slack, channels }: IncidentDeps, channelId: string): Promise<Fitness> {
  try {
    const { channel } = await slack.quick.conversations.info({ channel: channelId });
    // Archiving takes an app out of a channel, so this comes first.
    if (channel?.is_archived)
      return { problem: 'This channel is archived. Choose another one, or unarchive it and try again.' };
    if (!channel?.is_member) return { problem: inviteMe };
    const fact = toChannelRecord(channel);
    await channels.learn(channelId, fact);
    return { channel: fact };
  } catch (error) {
    if (isPassing(error)) throw later(error);
    const problem = `I cannot use this channel: ${reasonWords(error)}`;
    return { problem: slackRefusal(error) === 'channel_not_found' ? inviteMe : problem };
  }
}

const inviteMe = 'I am not in this channel, so I hear nothing here. Invite me with `/invite @Muster` and try again.';

/** Says that a channel follows an incident already, in mrkdwn. */
export function followsAlready(incidentID: string, channelId: string): string {
  return `<#${channelId}> follows ${incidentLabel(incidentID)} already.`;
}

function later(error: unknown): RetryLater {
  return new RetryLater(laterWords(error, 'link the channel'));
}
