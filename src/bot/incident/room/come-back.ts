import { sendDirectly } from '../../slack/answer.ts';
import { isPerson } from '../../slack/channel-ids.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { incidentLabel } from '../state/incident-name.ts';
import type { Room } from '../state/room-store.ts';

const outMark = 'out/';
const outWords =
  'I am not in this channel any more: commands work, but I hear no mention and no reaction here. Type `/invite @Muster` to bring me back.';
const backWords = 'I am in this channel again, and hear mentions and reactions.';

/**
 * Follows whether Muster is in the rooms of incidents. Slack takes an app out of a channel that is archived, and so may a person (docs/slack.md
 * 7). It then hears nobody in it. In a public channel it may post all the same, and says there how it comes back. No method ever throws.
 */
export class Presence {
  readonly #deps: () => IncidentDeps;
  readonly #clock: () => Date;

  /** `deps` are there once the bot has started. */
  constructor(deps: () => IncidentDeps, clock: () => Date) {
    this.#deps = deps;
    this.#clock = clock;
  }

  /** Comes back into a public room that is back from the archive. Where Slack refuses that, the room reads how to invite Muster. */
  comeBack(channelId: string): Promise<void> {
    return this.#inRoom(channelId, async room => {
      const { channels, slack, log } = this.#deps();
      if (await channels.isKnownPrivate(channelId)) return;
      try {
        await slack.once.conversations.join({ channel: channelId });
      } catch (error) {
        log[refusalLevel(error)]({ reason: slackReason(error), channel: channelId }, 'room: could not come back');
        await this.#sayOut(room);
      }
    });
  }

  /**
   * Tells a room that Muster was taken out of it. A private one reads nothing any more, so the person who did it (`by`, a Slack id) reads it.
   * Nothing is told of an archived channel: Slack takes Muster out of it.
   */
  tellOut(channelId: string, by: string): Promise<void> {
    return this.#inRoom(channelId, async room => {
      const { channels, slack } = this.#deps();
      if (room.refusal === 'is_archived') return;
      if (!(await channels.isKnownPrivate(channelId))) return this.#sayOut(room);
      if (!isPerson(by)) return;
      const what = `its people read nothing more of ${incidentLabel(room.incidentID)} there`;
      await sendDirectly(slack, by, `I am no longer in <#${channelId}>, so ${what}. Type \`/invite @Muster\` in it.`);
    });
  }

  /** Muster is in a room again: what it said when it left is no longer so. */
  tellBack(channelId: string): Promise<void> {
    return this.#inRoom(channelId, async ({ incidentID }) => {
      const { lines, cards } = this.#deps();
      const last = (await lines.newest(incidentID, 50)).find(each => each.id.startsWith(outMark));
      if (last === undefined || last.words === backWords) return;
      await lines.reword(last, backWords);
      cards.refresh(incidentID, true);
    });
  }

  async #sayOut({ incidentID }: Room): Promise<void> {
    const { lines, cards } = this.#deps();
    const now = this.#clock();
    const line = { id: `${outMark}${incidentID}/${now.getTime()}`, incidentID, actor: '', askedAt: now, doneAt: now };
    await lines.add([{ ...line, words: outWords, isOwnMessage: true, audience: 'channel' }]);
    cards.refresh(incidentID, true);
  }

  /** Does something about the newest incident of a channel, if it is a room. */
  async #inRoom(channelId: string, work: (room: Room) => Promise<unknown>): Promise<void> {
    const { slack, rooms, log } = this.#deps();
    try {
      const [room] = await rooms.allOfChannel(slack.identity.teamId, channelId, this.#clock());
      if (room) await work(room);
    } catch (error) {
      log.warn({ reason: slackReason(error), channel: channelId }, 'room: could not say whether Muster is in it');
    }
  }
}
