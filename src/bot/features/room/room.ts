import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, type Feature, intentButton, pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { fitnessOf, followsAlready, linkRoom, partRoom, unlinkRoom } from '../../incident/room/link.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { toFoundPlan } from '../../incident/room/plan.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { homeMention } from '../../incident/state/room-mention.ts';
import { RetryLater } from '../../journal/intent.ts';
import { actions, confirmation, confirmLoss, toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';

const ofIncident = ({ incidentID }: { readonly incidentID: string }) => ({ incidentID });
const linkButton = intentButton(linkRoom, { id: 'incident.link', label: 'Link it', style: 'primary' }, ofIncident);
const unlinkButton = intentButton(unlinkRoom, { id: 'incident.unlink', label: 'Unlink', style: 'danger' }, ofIncident);

async function runLink(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps, actor } = ctx;
  const { channelId } = ctx.location;
  const typed = toOneLine(args.text);
  if (typed !== '') {
    return ctx.reject(
      `“${toMrkdwn(typed, 60)}” is not an incident. Type \`/incident link 7\`, or \`/dash link …\` for a dashboard or another page.`,
    );
  }
  const incident = await readKnown(deps, incidentID);
  const room = await deps.rooms.ofIncident(incidentID);
  if (room && room.channelId === channelId) {
    return ctx.reject(`${followsAlready(incidentID, channelId)} Nothing was changed.`);
  }
  const fitness = await fitnessOf(deps, incident, channelId).catch(unlessLater);
  if (fitness && 'problem' in fitness) return ctx.reject(`${fitness.problem} Nothing was changed.`);
  const link = { incidentID, teamId: actor.teamId, channelId, by: actor.userId };
  if (!fitness?.channel.isPrivate) {
    await ctx.carryOut(linkRoom, link, { incidentID });
    return;
  }
  const name = incidentLabel(incidentID, 'Incident');
  const confirm = confirmation({
    title: 'Link this private channel?',
    text: `${name} becomes private: only the members of this channel see it.`,
    confirm: 'Link it',
    deny: 'Cancel',
    dangerous: false,
  });
  await ctx.reject(
    `This channel is private: once it follows ${incidentLabel(incidentID)}, only its members see the incident. Nothing was changed yet.`,
    [actions([{ ...pressable(linkButton, link), confirm }])],
  );
}

/** Passes over Slack's silence: the intent waits for Slack. */
function unlessLater(error: unknown): undefined {
  if (!(error instanceof RetryLater)) throw error;
}

async function runUnlink(ctx: Context, _args: Args, incidentID: string): Promise<void> {
  const { deps, actor } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, incidentID);
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${name} has no channel. Nothing was changed.`);
  const { channelId } = room;
  const unlink = { incidentID, teamId: actor.teamId, channelId, by: actor.userId };
  const text = `Notes and commands typed there no longer act on ${incidentLabel(incidentID)}. The channel stays.`;
  const confirm = confirmLoss('Unlink this channel?', text, 'Unlink');
  await ctx.reject(
    `Stop ${homeMention(room)} from following ${incidentLabel(incidentID)}? The channel and its messages stay.`,
    [actions([{ ...pressable(unlinkButton, unlink), confirm }])],
  );
}

const openButton = defineButton({
  id: 'incident.open',
  label: 'Open a channel',
  style: 'primary',
  value: z.object({ incidentID: z.string() }),
  run: async (ctx, { value: { incidentID } }) => {
    const { actor, location } = ctx;
    const incident = await readKnown(ctx.deps, incidentID);
    if (incident.status === 'resolved') {
      const name = incidentLabel(incidentID, 'Incident');
      return ctx.reject(
        `${name} is resolved, so it needs no channel. \`/incident reopen ${toMrkdwn(incidentID, 40)}\` opens it again.`,
      );
    }
    const { workspaceId = '' } = location;
    const where = { teamId: actor.teamId, workspaceId, channelId: '', makeChannel: true, invite: [actor.userId] };
    // Presses run one after the other, so a second press finds the room that the first one made.
    await ctx.carryOut(makeRoom, toFoundPlan(incident, where), { incidentID });
  },
});

/** Which channel follows an incident, and the room of one that began outside Slack. */
export const room: Feature = {
  name: 'room',
  verbs: [
    {
      noun: 'incident',
      verb: 'link',
      begins: 'nothing',
      needsNoun: true,
      usage: '[incident]',
      summary: 'Make this channel follow an incident that has no channel: /incident link 7.',
      about: 'incident',
      needsRegistered: true,
      run: runLink,
    },
    {
      noun: 'incident',
      verb: 'unlink',
      begins: 'nothing',
      usage: '',
      summary: 'Ask, and then stop the channel from following the incident; the channel stays.',
      about: 'incident',
      needsRegistered: true,
      run: runUnlink,
    },
  ],
  buttons: [linkButton, unlinkButton, openButton] as Button[],
  intents: [linkRoom, unlinkRoom, partRoom],
  onOffer: ({ incidentID }) => [
    pressable(openButton, { incidentID }, { spoken: `${openButton.label} for incident ${incidentID}` }),
  ],
};
