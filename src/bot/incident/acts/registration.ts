import { isProvisional, provisionalID, registrationOf } from '../../journal/provisional-id.ts';
import { slackReason } from '../../slack/clients.ts';
import { mention, sentence } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { cutMrkdwn, restRow } from '../../text/words.ts';
import { editBoard } from '../board/messages.ts';
import { aimOf } from '../lines/did.ts';
import { type IncidentDeps, type IntentKind, type ReceiptContext, toOwner } from './intent-kind.ts';

/** An incident is not registered with the API, so the act is impossible. `mrkdwn` explains that to the person. */
export class NotRegistered extends Error {
  readonly mrkdwn: string;
  /** Its registration is queued, so the same can be tried again later. */
  readonly isPending: boolean;

  constructor(mrkdwn: string, isPending: boolean) {
    super('the incident is not registered');
    this.name = 'NotRegistered';
    this.mrkdwn = mrkdwn;
    this.isPending = isPending;
  }
}

/** The error of an act that needs a registered incident. */
export function notYet(): NotRegistered {
  return new NotRegistered(
    `${incidentSigns.waiting} This works once the incident is registered, and I say so in this channel. Nothing was changed.`,
    true,
  );
}

/**
 * The current id of an incident. Throws {@link NotRegistered} when its declaration was discarded, so that nothing is queued behind it
 * for good.
 */
export async function toCurrentID(deps: IncidentDeps, incidentID: string): Promise<string> {
  if (!isProvisional(incidentID)) return incidentID;
  const waiting = await deps.journal.unfinished(incidentID);
  const current = await deps.rooms.currentID(incidentID);
  if (!isProvisional(current)) return current;
  if (waiting.some(each => each.id === registrationOf(incidentID))) return incidentID;
  throw new NotRegistered(
    'This incident was never registered: its declaration failed or was discarded. Declare it again with `/incident declare`.',
    false,
  );
}

/**
 * The state of a form or the value of a button, about the incident as it is known now: it may have been made before the incident
 * was registered. Throws NotRegistered when the incident never was.
 */
export async function withCurrentID<T>(deps: IncidentDeps, state: T): Promise<T> {
  if (typeof state !== 'object' || state === null) return state;
  const incidentID: unknown = Reflect.get(state, 'incidentID');
  if (typeof incidentID !== 'string' || !isProvisional(incidentID)) return state;
  return { ...state, incidentID: await toCurrentID(deps, incidentID) };
}

/** Records that a person acts in an incident by an intent: in that of its `subject`, or in the incident that it declares. */
export function noteAct(
  { deps, actor, now }: ReceiptContext,
  { declares }: IntentKind,
  subject: string,
  intentID: string,
): void {
  deps.visits.record(subject || (declares ? provisionalID(intentID) : ''), actor.userId, now);
  if (subject !== '') deps.calls.noteThere(actor.userId, { incidentID: subject });
}

/** The intents queued behind a declaration, each as mrkdwn. They are discarded with it. */
export async function queuedBehind(deps: IncidentDeps, intentID: string): Promise<readonly string[]> {
  const all = await deps.journal.unfinished(provisionalID(intentID));
  return all.filter(each => each.id !== intentID).map(each => aimOf(each.kind, each.payload));
}

/** Discarded intents listed one by one. */
const maxListed = 10;

/** The discarded intents as lines of mrkdwn; `""` for none. */
export function discardedLines(aims: readonly string[]): string {
  if (aims.length === 0) return '';
  const lines = aims.slice(0, maxListed).map(aim => `• ${cutMrkdwn(aim, 300)}`);
  return ['These were saved behind it and are discarded too:', ...lines, ...restRow(aims.length, maxListed)].join('\n');
}

/** The words for discarded changes, as mrkdwn: they say whether one may have happened all the same, and which ones went with it. */
interface Discarded {
  readonly aim: string;
  readonly isUnsure: boolean;
  readonly behind: readonly string[];
}

/** Says that something was given up, and that it may have happened, as mrkdwn. `command` shows whether it did. */
export function givenUpWords({ aim, isUnsure }: Discarded, command: string): string {
  const what = cutMrkdwn(aim, 700);
  return isUnsure
    ? `I will not try again to ${what}. It may have happened, since an answer was lost: look at \`${command}\`.`
    : `I will not ${what}.`;
}

/** Tells an incident's channel that it will not be registered, and replaces its card. */
export async function tellDiscarded(receipt: ReceiptContext, intentID: string, discarded: Discarded): Promise<void> {
  const { deps, actor, log } = receipt;
  const room = await deps.rooms.ofIncident(provisionalID(intentID));
  if (!room || !isProvisional(room.incidentID)) return;
  const { incidentID } = room;
  const givenUp = givenUpWords(discarded, '/incident list');
  const text = `${signs.removed} ${mention(actor.userId)} discarded this incident before it was registered: ${givenUp}`;
  const line = [text, discardedLines(discarded.behind)].filter(part => part !== '').join('\n');
  if (room.channelName !== '') await tellChannel(receipt, incidentID, `${intentID}/discarded`, line);
  const places = [
    { stage: 'card' as const, channel: room.channelId, ts: room.cardTs },
    { stage: 'announcement' as const, channel: room.announcementChannelId, ts: room.announcementTs },
  ].filter(each => each.channel !== '' && each.ts !== '');
  const edits = places.map(async ({ stage, ...place }) => {
    const isShown = (await deps.visibility.share(stage, { incidentID }, place.channel)) === 'all';
    await editBoard(deps.slack, place, sentence(isShown ? text : `${signs.removed} This incident was discarded.`));
  });
  for (const done of await Promise.allSettled(edits)) {
    if (done.status === 'rejected')
      log.warn({ reason: slackReason(done.reason) }, 'room: could not tell that the incident was discarded');
  }
}

/** Tells an incident's channel, once, that the API refused to register it. `why` is mrkdwn. */
export async function tellRefused(receipt: ReceiptContext, intentID: string, why: string): Promise<void> {
  const room = await receipt.deps.rooms.ofIncident(provisionalID(intentID));
  if (!room || !isProvisional(room.incidentID) || room.channelName === '') return;
  const text = `${signs.warning} This incident could not be registered: ${why} ${mention(receipt.actor.userId)} can try again or discard it; until then, changes here are saved.`;
  await tellChannel(receipt, room.incidentID, `${intentID}/refused`, text);
}

async function tellChannel(
  { deps, actor, now }: ReceiptContext,
  incidentID: string,
  id: string,
  words: string,
): Promise<void> {
  const line = { id, incidentID, actor: toOwner(actor), words, askedAt: now, doneAt: now, isOwnMessage: true } as const;
  await deps.lines.add([{ ...line, audience: 'channel' }]);
  deps.cards.refresh(incidentID);
}
