import type { Logger } from 'pino';
import { sendDirectly } from '../../slack/answer.ts';
import { isPerson } from '../../slack/channel-ids.ts';
import { refusalLevel, type Slack, slackReason } from '../../slack/clients.ts';
import type { Lines } from '../lines/store.ts';
import type { Channels } from '../state/channels.ts';
import { incidentLabel } from '../state/incident-name.ts';
import type { Room, Rooms } from '../state/room-store.ts';

/*
 * Muster leaves a room of an incident and comes back: Slack takes an app out of a channel that is archived, and so may a person (docs/slack.md
 * 7). It then hears nobody in it. In a public channel it may post all the same, and says there how it comes back.
 */

interface ComeBackDeps {
  readonly slack: Slack;
  readonly rooms: Rooms;
  readonly channels: Channels;
  readonly lines: Lines;
  readonly clock: () => Date;
  readonly log: Logger;
  refresh(incidentID: string): void;
}

const outMark = 'out/';
const outWords =
  'I am not in this channel any more. Commands work, but I hear no mention and no reaction, and I do not see who comes. Type `/invite @Muster` here.';
const backWords = 'I am in this channel again, and hear mentions and reactions.';

/** Brings Muster back into a public room that is back from the archive. Where Slack refuses that, the room reads how to invite it. Never throws. */
export async function comeBack(deps: ComeBackDeps, channelId: string): Promise<void> {
  await quietly(deps, channelId, async room => {
    if (await deps.channels.isKnownPrivate(channelId)) return;
    try {
      await deps.slack.once.conversations.join({ channel: channelId });
    } catch (error) {
      deps.log[refusalLevel(error)]({ reason: slackReason(error), channel: channelId }, 'room: could not come back');
      await sayOut(deps, room);
    }
  });
}

/**
 * Tells a room that Muster was taken out of it. A private one reads nothing any more, so the person who did it (`by`, a Slack id) reads it.
 * Slack takes Muster out of an archived one by itself. Never throws.
 */
export async function tellOut(deps: ComeBackDeps, channelId: string, by: string): Promise<void> {
  await quietly(deps, channelId, async room => {
    if (room.refusal === 'is_archived') return;
    if (!(await deps.channels.isKnownPrivate(channelId))) return sayOut(deps, room);
    if (!isPerson(by)) return;
    const what = `its people read nothing more of ${incidentLabel(room.incidentID)} there`;
    await sendDirectly(
      deps.slack,
      by,
      `I am no longer in <#${channelId}>, so ${what}. Type \`/invite @Muster\` in it.`,
    );
  });
}

/** Muster is in a room again: what it said when it left is no longer so. Never throws. */
export async function tellBack(deps: ComeBackDeps, channelId: string): Promise<void> {
  await quietly(deps, channelId, async ({ incidentID }) => {
    const last = (await deps.lines.newest(incidentID, 50)).find(each => each.id.startsWith(outMark));
    if (last === undefined || last.words === backWords) return;
    await deps.lines.reword(last, backWords);
    deps.refresh(incidentID);
  });
}

async function sayOut({ lines, clock, refresh }: ComeBackDeps, { incidentID }: Room): Promise<void> {
  const now = clock();
  const line = { id: `${outMark}${incidentID}/${now.getTime()}`, incidentID, actor: '', askedAt: now, doneAt: now };
  await lines.add([{ ...line, words: outWords, isOwnMessage: true, audience: 'channel' }]);
  refresh(incidentID);
}

/** Does something about the newest incident of a channel, if it is a room. */
async function quietly(
  { slack, rooms, clock, log }: ComeBackDeps,
  channelId: string,
  work: (room: Room) => Promise<unknown>,
): Promise<void> {
  try {
    const [room] = await rooms.allOfChannel(slack.identity.teamId, channelId, clock());
    if (room) await work(room);
  } catch (error) {
    log.warn({ reason: slackReason(error), channel: channelId }, 'room: could not say whether Muster is in it');
  }
}
