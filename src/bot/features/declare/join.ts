import { z } from 'zod';
import { type Button, defineButton } from '../../dispatch/feature.ts';
import { incidentLabel } from '../../incident/incident-name.ts';
import { inviteToRoom } from '../../incident/invite.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { mention, sentence } from '../../text/blocks.ts';

/** The button that takes a person into an incident's channel, as it looks. */
export const joinFace = { id: 'incident.join', label: 'Join' } as const;

/** Takes the person who presses it into the incident's channel. */
export const joinButton = defineButton({
  ...joinFace,
  value: z.object({ incidentID: z.string() }),
  reads: true,
  run: async (ctx, { value: { incidentID } }) => {
    // Throws, as for an unknown number, when the person may not see the incident.
    const { deps, actor, location, log } = ctx;
    await readKnown(deps, incidentID);
    const room = await deps.rooms.ofIncident(incidentID);
    if (!room || room.channelId === '') return ctx.reject(`${incidentLabel(incidentID, 'Incident')} has no channel.`);
    const { trouble } = await inviteToRoom({ deps, actor, location, log, isLate: false }, room, {
      slackUserID: actor.userId,
      words: mention(actor.userId),
    });
    await (trouble === '' ? ctx.answer(sentence(`You are in <#${room.channelId}>.`)) : ctx.reject(trouble));
  },
}) as Button;
