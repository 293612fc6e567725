import { z } from 'zod';
import { inviteFace, invitePickFace, joinFace } from '../../dispatch/answers/way-in.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton } from '../../dispatch/feature/feature.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { inviteToRoom, isShutOut } from '../../incident/room/bring-in.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { byNumber, reasonWords } from '../../incident/state/refusal-words.ts';
import { homeMention, isClosed } from '../../incident/state/room-mention.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible } from '../../people/visibility.ts';
import { isSlackError } from '../../slack/clients.ts';
import { mention, sentence } from '../../text/blocks.ts';

/** Takes the person who presses it into the incident's channel. */
export const joinButton = defineButton({
  ...joinFace,
  value: z.object({ incidentID: z.string() }),
  reads: true,
  run: async (ctx, { value: { incidentID } }) => {
    try {
      await takeIn(ctx, incidentID);
    } catch (error) {
      if (!isSlackError(error)) throw error;
      ctx.log.warn({ err: error }, 'join: Slack does not say who is in a channel');
      await ctx.reject(
        `I could not see who is in the channel of ${incidentLabel(incidentID)}: ${reasonWords(error)} Press the button again in a moment.`,
      );
    }
  },
}) as Button;

async function takeIn(ctx: Context, incidentID: string): Promise<void> {
  const { deps, actor, location, log } = ctx;
  const room = await deps.rooms.ofIncident(incidentID);
  const shutOut = room !== undefined && (await isShutOut(ctx, room));
  // Throws, as for an unknown number, when the person may not see the incident.
  if (!shutOut && !isProvisional(incidentID)) await readKnown(deps, incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${incidentLabel(incidentID, 'Incident')} has no channel.`);
  const { trouble, invited } = await inviteToRoom(
    { deps, actor, location, log, isLate: false, isShutOut: shutOut },
    room,
    {
      slackUserID: actor.userId,
      words: mention(actor.userId),
    },
  );
  if (isClosed(room)) {
    const name = incidentLabel(incidentID, 'Incident');
    return ctx.reject(`${name} was handled in ${homeMention(room)}. ${byNumber(incidentID)}`);
  }
  await (trouble === ''
    ? ctx.answer(sentence(`You are in <#${room.channelId}> ${invited ? 'now' : 'already'}.`))
    : ctx.reject(trouble));
}

/** Invites people into the incident's channel who were given something in it. */
export const inviteButton = defineButton({
  ...inviteFace,
  value: z.object({ incidentID: z.string(), users: z.array(z.string()) }),
  run: (ctx, { value: { incidentID, users } }) => inviteAll(ctx, incidentID, users),
}) as Button;

/** Invites the person who is picked. */
export const inviteMenu = defineButton({
  ...invitePickFace,
  value: z.object({ incidentID: z.string() }),
  run: (ctx, { value: { incidentID }, picked }) => inviteAll(ctx, incidentID, [picked]),
}) as Button;

async function inviteAll(ctx: Context, incidentID: string, users: readonly string[]): Promise<void> {
  const { deps, actor, log } = ctx;
  // Wherever the button stands: they may have left the channel since.
  const location = { ...ctx.location, channelId: '' };
  const viewer = { ...actor, channelId: '' };
  if (!(await deps.visibility.sees('invitation', viewer, { incidentID }))) throw new NotVisible(incidentID);
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${incidentLabel(incidentID, 'Incident')} has no channel.`);
  const troubles: string[] = [];
  for (const user of users) {
    const invitee = { slackUserID: user, words: mention(user) };
    troubles.push((await inviteToRoom({ deps, actor, location, log, isLate: false }, room, invitee)).trouble);
  }
  const failed = troubles.filter(each => each !== '');
  if (failed.length > 0) return ctx.reject(failed.join('\n'));
  const are = users.length > 1 ? 'are' : 'is';
  return ctx.answer(sentence(`${users.map(mention).join(' and ')} ${are} in <#${room.channelId}> now.`));
}
