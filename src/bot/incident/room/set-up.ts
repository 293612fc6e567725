import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { isPassing, slackRefusal } from '../../slack/clients.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { defineIntent, type IncidentDeps, type IntentContext } from '../acts/intent-kind.ts';
import { postBoard } from '../board/messages.ts';
import { refusedPart } from '../state/digests.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import { otherWorkspaceWords } from '../state/refusal-words.ts';
import type { Room } from '../state/room-store.ts';
import { postedDigest, RoomPlan, readPlanned, toEmptyRoom } from './plan.ts';
import { RoomSteps } from './steps.ts';

/**
 * Furnishes an incident's room, which has its card: invitations, announcement, pin, bookmark. No person waits for it. Each step checks
 * whether its effect exists, so a retry continues where the last attempt stopped. Its owner hears of what Slack refused.
 */
export const setUpRoom = defineIntent({
  kind: 'room.furnish',
  payload: RoomPlan,
  /** `uninvited`: why the person for whom it was made was not invited, as mrkdwn; `""` when they were. */
  result: z.object({
    troubles: z.array(z.string()),
    uninvited: z.string().default(''),
    /** It has a channel of its own. */
    hasChannel: z.boolean().default(true),
  }),
  run: async (context, plan) => {
    const { deps } = context;
    const room = (await deps.rooms.ofIncident(plan.incidentID)) ?? toEmptyRoom(plan);
    const incident = await readPlanned(context, plan);
    const steps = new RoomSteps(context.log);
    const invitation = new RoomSteps(context.log);
    if (room.channelName !== '') {
      await invitation.run('invite you', () => invite(deps, room.channelId, plan.invite));
    }
    const elsewhere = otherWorkspaceWords(deps.slack.workspaces);
    if (invitation.troubles.length > 0 && elsewhere !== '') invitation.troubles.push(elsewhere);
    await announce(context, plan, { room, incident, steps });
    if (room.cardTs !== '') await steps.run('pin the card', () => pin(deps, room));
    if (incident) await steps.run('bookmark the incident’s page', () => bookmark(deps, room, incident));
    invitation.throwDelayed();
    steps.throwDelayed();
    return { troubles: steps.troubles, uninvited: invitation.troubles.join(' '), hasChannel: room.channelName !== '' };
  },
  did: ({ incidentID, declared }, { result }) => {
    if (!result) return { verb: 'finish', what: `the channel of “${toMrkdwn(declared.title)}”`, room: [] };
    if (!result.hasChannel) return { fact: `${incidentLabel(incidentID, 'Incident')} has no channel of its own.` };
    const lacks = result.uninvited === '' ? '' : ', but you are not in it';
    return { fact: `The channel of ${incidentLabel(incidentID)} is ready${lacks}.` };
  },
  isTold: ({ troubles, uninvited }) => troubles.length > 0 || uninvited !== '',
  links: (_plan, furnished) => ({ uninvited: furnished?.uninvited ?? '' }),
  afterDone: async ({ deps }, { troubles }, { incidentID }) => {
    const where = roomMention(await deps.rooms.ofIncident(incidentID));
    return { notes: where ? [`It is ${where}.`] : [], troubles };
  },
});

/** Posts the announcement, unless it is there. A private incident has none. */
async function announce(
  context: IntentContext,
  plan: RoomPlan,
  { room, incident, steps }: { room: Room; incident: Incident | undefined; steps: RoomSteps },
): Promise<void> {
  const { deps } = context;
  const channel = deps.settings.announceChannel;
  if (channel === '' || channel === room.channelId || room.announcementTs !== '' || room.burst) return;
  const linked = room.channelName === '' ? '' : room.channelId;
  const full = incident
    ? await deps.cards.announcement(incident, room)
    : deps.cards.declared(plan.declared, false, linked);
  await steps.run(`announce it in <#${channel}>`, async () => {
    const subject = incident ?? { incidentID: plan.incidentID, incidentType: '' };
    const share = await deps.visibility.share('announcement', subject, channel);
    if (share === 'nothing') return;
    const words = share === 'all' ? full : deps.cards.stub(plan.incidentID);
    // What is done from here on has its line below it.
    await deps.rooms.keep({
      ...((await deps.rooms.ofIncident(plan.incidentID)) ?? room),
      announcementChannelId: channel,
    });
    const { id: intent, isRetry: mayAlreadyExist, askedAt: since } = context;
    const post = { channel, words, intent, part: 'announcement', mayAlreadyExist, since };
    const ts = await postBoard(deps.slack, post).catch(async error => {
      // It is announced once the channel opens.
      if (!isPassing(error)) await deps.rooms.show(plan.incidentID, { announcement: refusedPart });
      throw error;
    });
    const known = (await deps.rooms.ofIncident(plan.incidentID)) ?? room;
    const announced = { ...known, announcementChannelId: channel, announcementTs: ts };
    await deps.rooms.keep(announced, { announcement: postedDigest(context, words) });
  });
}

async function invite({ slack }: IncidentDeps, channel: string, users: readonly string[]): Promise<void> {
  if (users.length === 0) return;
  try {
    await slack.web.conversations.invite({ channel, users: [...new Set(users)].join(','), force: true });
  } catch (error) {
    if (slackRefusal(error) !== 'already_in_channel') throw error;
  }
}

/** Bookmarks the incident's page in its channel, once, also when it was renamed since. Throws Slack's refusals. */
async function bookmark(deps: IncidentDeps, room: Room, incident: Incident): Promise<void> {
  const link = await deps.cards.overview(incident);
  if (link === '' || room.channelName === '' || room.isLinked) return;
  const { bookmarks } = await deps.slack.web.bookmarks.list({ channel_id: room.channelId });
  if (bookmarks?.some(each => withoutSlug(each.link ?? '') === withoutSlug(link))) return;
  await deps.slack.once.bookmarks.add({ channel_id: room.channelId, title: 'Incident', type: 'link', link });
}

/** The address of an incident's page without its slug, which follows the title (docs/api-rules.md A2). */
function withoutSlug(link: string): string {
  return link.replace(/(?<=\/incidents\/[^/]+\/)[^/]*$/, '');
}

async function pin({ slack }: IncidentDeps, room: Room): Promise<void> {
  try {
    await slack.once.pins.add({ channel: room.channelId, timestamp: room.cardTs });
  } catch (error) {
    if (slackRefusal(error) !== 'already_pinned') throw error;
  }
}
