import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { inviteFace, invitePickFace, joinFace } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Feature, intentButton, pressable } from '../../dispatch/feature/feature.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import type { Args } from '../../grammar/grammar.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { inviteToRoom, isShutOut } from '../../incident/room/invite.ts';
import { fitnessOf, followsAlready, linkRoom, partRoom, unlinkRoom } from '../../incident/room/link.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { toFoundPlan } from '../../incident/room/plan.ts';
import { homeMention, incidentLabel, isClosed } from '../../incident/state/incident-name.ts';
import { byNumber, reasonWords } from '../../incident/state/refusal-words.ts';
import { findMode, type ReceiptMode, receiptModes } from '../../incident/state/room-store.ts';
import { RetryLater } from '../../journal/intent.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible } from '../../people/visibility.ts';
import { isSlackError } from '../../slack/clients.ts';
import { actions, confirmation, confirmLoss, mention, sentence, toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';

/** Takes the person who presses it into the incident's channel. */
const joinButton = incidentButton({ ...joinFace, reads: true }, async (ctx, incidentID) => {
  try {
    await joinRoom(ctx, incidentID);
  } catch (error) {
    if (!isSlackError(error)) throw error;
    ctx.log.warn({ err: error }, 'join: Slack does not say who is in a channel');
    await ctx.reject(
      `I could not see who is in the channel of ${incidentLabel(incidentID)}: ${reasonWords(error)} Press the button again in a moment.`,
    );
  }
}) as Button;

async function joinRoom(ctx: Context, incidentID: string): Promise<void> {
  const { deps, actor, location, log } = ctx;
  const room = await deps.rooms.ofIncident(incidentID);
  const shutOut = room !== undefined && (await isShutOut(ctx, room));
  // Throws, as for an unknown number, when the person may not see the incident.
  if (!shutOut && !isProvisional(incidentID)) await readKnown(deps, incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${incidentLabel(incidentID, 'Incident')} has no channel.`);
  const { trouble, invited } = await inviteToRoom(
    { deps, actor, location, log, isLate: false, isShutOut: shutOut },
    room,
    { slackUserID: actor.userId, words: mention(actor.userId) },
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
const inviteButton = defineButton({
  ...inviteFace,
  value: z.object({ incidentID: z.string(), users: z.array(z.string()) }),
  run: (ctx, { value: { incidentID, users } }) => inviteAll(ctx, incidentID, users),
}) as Button;

/** Invites the person who is picked. */
const inviteMenu = defineButton({
  ...invitePickFace,
  value: z.object({ incidentID: z.string() }),
  run: (ctx, { value: { incidentID }, picked }) => inviteAll(ctx, incidentID, [picked]),
}) as Button;

async function inviteAll(ctx: Context, incidentID: string, users: readonly string[]): Promise<void> {
  const { deps, actor, log } = ctx;
  // The button may be anywhere: they may have left the channel since.
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

const ofIncident = ({ incidentID }: { readonly incidentID: string }) => ({ incidentID });
const linkButton = intentButton(linkRoom, { id: 'incident.link', label: 'Link it', style: 'primary' }, ofIncident);
const unlinkButton = intentButton(unlinkRoom, { id: 'incident.unlink', label: 'Unlink', style: 'danger' }, ofIncident);

async function runLink(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps, actor } = ctx;
  const { channelId } = ctx.location;
  const typed = toOneLine(args.rest);
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
  const fitness = await fitnessOf(deps, incident, channelId).catch(error => {
    // The intent waits for Slack.
    if (!(error instanceof RetryLater)) throw error;
  });
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

const openButton = incidentButton(
  { id: 'incident.open', label: 'Open a channel', style: 'primary' },
  async (ctx, incidentID) => {
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
);

async function askToUnlink(ctx: Context, incidentID: string): Promise<void> {
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

/** Which channel follows an incident, and the room of one that began outside Slack. */
export const room: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'link',
      argumentKind: 'nothing',
      needsNoun: true,
      usage: '[incident]',
      summary:
        'Make this channel follow an incident that has no channel: /incident link 7. `unlink` asks, and then ends that; the channel stays.',
      words: [{ verb: 'unlink', argumentKind: 'nothing' }],
      needsRegistered: true,
      run: (ctx, args, incidentID) =>
        args.verb === 'unlink' ? askToUnlink(ctx, incidentID) : runLink(ctx, args, incidentID),
    },
  ],
  buttons: [linkButton, unlinkButton, openButton, joinButton, inviteButton, inviteMenu] as Button[],
  intents: [linkRoom, unlinkRoom, partRoom],
  onOffer: incidentID => [
    pressable(openButton, { incidentID }, { spoken: `${openButton.label} for incident ${incidentID}` }),
  ],
};

const meanings: Readonly<Record<ReceiptMode, string>> = {
  channel: 'each change is a line in the channel',
  thread: 'each change is a line in the card’s thread',
  quiet: 'changes only update the card',
};

async function runReceipts(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const { deps } = ctx;
  // Throws, as for an unknown number, when the person may not see the incident.
  await readKnown(deps, incidentID);
  const name = incidentLabel(incidentID, 'Incident');
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return ctx.reject(`${name} has no channel. Nothing was changed.`);
  const where = homeMention(room);
  const typed = toOneLine(args.rest);
  const mode = findMode(receiptModes, typed);
  if (mode !== undefined) {
    await ctx.change(isFirst => deps.rooms.setReceipts(incidentID, mode, isFirst));
    const counts = (await deps.rooms.ofIncident(incidentID))?.receipts || mode;
    return ctx.answer(sentence(`From now on, ${meanings[counts]} in ${where}.`));
  }
  const unread = typed === '' ? '' : `“${toMrkdwn(typed, 60)}” is not one of the three ways. `;
  const current = meanings[room.receipts ?? 'channel'];
  const ways = receiptModes.map(each => `• \`/incident receipts ${each}\`: ${meanings[each]}`).join('\n');
  await ctx.reject(`${unread}In ${where} ${current}.\n${ways}`);
}

/** The choices of how a room reads of changes. */
export const receipts: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'receipts',
      argumentKind: 'words',
      usage: 'channel|thread|quiet',
      summary:
        'Say how this incident’s channel is told of changes: a line each, in its card’s thread, or on the card alone.',
      needsRegistered: true,
      run: runReceipts,
    },
  ],
};
