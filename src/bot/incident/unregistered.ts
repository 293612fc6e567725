import { isProvisional, provisionalID, registrationOf } from '../journal/provisional-id.ts';
import { slackReason } from '../slack/clients.ts';
import { postOnce } from '../slack/post-once.ts';
import { mention, section, toMrkdwn } from '../text/blocks.ts';
import type { IncidentDeps, ReceiptContext } from './intent-kind.ts';

/** Why nothing can be done with an incident that the API does not know yet. `mrkdwn` is for whoever wanted it. */
export class NotRegistered extends Error {
  readonly mrkdwn: string;
  /** It will be registered by itself, so that the same can be tried again later. */
  readonly isPending: boolean;

  constructor(mrkdwn: string, isPending: boolean) {
    super('the incident is not registered');
    this.name = 'NotRegistered';
    this.mrkdwn = mrkdwn;
    this.isPending = isPending;
  }
}

/** What cannot be done before the API has registered the incident. */
export function notYet(): NotRegistered {
  return new NotRegistered(
    ':hourglass_flowing_sand: This works only when the incident API has registered the incident, and it has not yet. Nothing was changed. ' +
      'I will say so in this channel: try again then. ' +
      '`/note add`, `/task add`, `/role assign` and `/incident severity` work already. `/incident status` shows what is queued.',
    true,
  );
}

/**
 * The id under which an incident is known now. Throws {@link NotRegistered} for one whose declaration was given up, so that
 * nothing waits behind it for ever.
 */
export async function settleIncident(deps: IncidentDeps, incidentID: string): Promise<string> {
  if (!isProvisional(incidentID)) return incidentID;
  const waiting = await deps.journal.unfinished(incidentID);
  const room = await deps.rooms.ofIncident(incidentID);
  if (room && !isProvisional(room.incidentID)) return room.incidentID;
  if (waiting.some(each => each.id === registrationOf(incidentID))) return incidentID;
  throw new NotRegistered(
    'This incident was never registered: its declaration failed or was discarded, so nothing can be added to it. ' +
      'Declare it again with `/incident declare`. If it failed, *Try again* under that message works too.',
    false,
  );
}

/** What waits behind a declaration and is given up with it: each as it was wanted, plain text. */
export async function waitingBehind(deps: IncidentDeps, intentID: string): Promise<readonly string[]> {
  const all = await deps.journal.unfinished(provisionalID(intentID));
  return all.filter(each => each.id !== intentID).map(each => each.kind.describe(each.payload));
}

/** Most of them that are told one by one. */
const maxListed = 10;

/** What is given up, as lines of mrkdwn; `""` for nothing. */
export function givenUpWords(aims: readonly string[]): string {
  if (aims.length === 0) return '';
  const lines = aims.slice(0, maxListed).map(describe => `• ${toMrkdwn(describe, 300)}`);
  const more = aims.length > maxListed ? [`… and ${aims.length - maxListed} more`] : [];
  return ['These were queued behind it and are discarded too:', ...lines, ...more].join('\n');
}

/** Tells everybody in the place of an incident that it will not be registered, and shows so on its card. */
export async function tellGivenUp(
  receipt: ReceiptContext,
  intentID: string,
  describe: string,
  aims: readonly string[],
): Promise<void> {
  const { deps, actor, now: since, log } = receipt;
  const room = await deps.rooms.ofIncident(provisionalID(intentID));
  if (!room || !isProvisional(room.incidentID)) return;
  const who = mention(actor.userId);
  const text = `:wastebasket: ${who} discarded this incident before it reached the incident API. I will not ${toMrkdwn(describe, 700)}. \`/incident declare\` declares it again.`;
  const blocks = [section(text)];
  const line = [text, givenUpWords(aims)].filter(part => part !== '').join('\n');
  const words = { text: line, blocks: [section(line)] };
  const places = [
    { channel: room.channelId, ts: room.cardTs },
    { channel: room.announcementChannelId, ts: room.announcementTs },
  ].filter(each => each.channel !== '' && each.ts !== '');
  const acts = [
    ...places.map(place => deps.slack.web.chat.update({ ...place, text, blocks })),
    ...(room.channelName === ''
      ? []
      : [
          postOnce(deps.slack, {
            channel: room.channelId,
            words,
            intent: intentID,
            part: 'discarded',
            mayStand: false,
            since,
          }),
        ]),
  ];
  for (const done of await Promise.allSettled(acts)) {
    if (done.status === 'rejected')
      log.warn({ reason: slackReason(done.reason) }, 'that an incident was discarded could not be told');
  }
}

/** Tells everybody in the place of an incident that the API refused to register it, once. `why` is mrkdwn. */
export async function tellRefused(receipt: ReceiptContext, intentID: string, why: string, since: Date): Promise<void> {
  const { deps, actor, log } = receipt;
  const room = await deps.rooms.ofIncident(provisionalID(intentID));
  if (!room || !isProvisional(room.incidentID) || room.channelName === '') return;
  const text = `:warning: This incident could not be registered. ${why} ${mention(actor.userId)} declared it and can try again or discard it. Until then, changes made here stay queued.`;
  const words = { text, blocks: [section(text)] };
  try {
    await postOnce(deps.slack, {
      channel: room.channelId,
      words,
      intent: intentID,
      part: 'refused',
      mayStand: true,
      since,
    });
  } catch (error) {
    log.warn({ reason: slackReason(error) }, 'that an incident was refused could not be told');
  }
}
