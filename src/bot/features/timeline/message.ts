import { z } from 'zod';
import { ActivityItem } from '../../../contract/activity.ts';
import type { Context } from '../../dispatch/context.ts';
import { type ButtonFace, pressable } from '../../dispatch/feature.ts';
import { afterwards } from '../../dispatch/receipts.ts';
import { toWebUrl } from '../../incident/house-rules.ts';
import { incidentName } from '../../incident/incident-name.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../../incident/intent-kind.ts';
import { messageKey, toMessageNote } from '../../incident/message-note.ts';
import { findNote, findWritten, maxNote, Note, writeNote } from '../../incident/notes.ts';
import { roomMention } from '../../incident/room.ts';
import type { Outcome } from '../../journal/intent.ts';
import { slackReason, slackRefusal } from '../../slack/clients.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { actions, said, section } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** A note that stands for a message. */
export const MessageNote = Note.extend({
  channelId: z.string(),
  ts: z.string(),
  /** The first message of its thread; `""` when it is in none. */
  threadTs: z.string(),
  isCut: z.boolean(),
  /** What the person did to have it added; `""` when that is not known. */
  delivery: z.string().default(''),
});
/** A note that stands for a message. */
export type MessageNote = z.output<typeof MessageNote>;

/** The button that adds the rest of a message's thread. */
export const wholeThread: ButtonFace<{ incidentID: string; channelId: string; threadTs: string }> = {
  id: 'timeline.thread',
  value: z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() }),
};

/** Puts a message on an incident's timeline and marks it. */
export const addMessage = defineIntent({
  kind: 'timeline.add',
  payload: MessageNote,
  result: ActivityItem,
  run: (effects, note) => writeNote(effects, note),
  reconcile: (effects, note) => findWritten(effects, note),
  describe: note => `add “${cap(note.text, 200)}” to the timeline of ${incidentName(note.incidentID)}`,
  receipt: (_item, note, repeated) => {
    const incident = said(note.incidentID, 40);
    const text = repeated
      ? `That message is on the timeline of incident ${incident} already: “${said(toOneLine(note.text), 120)}”. Nothing was added twice.`
      : `:memo: Added to the timeline of incident ${incident}: “${said(toOneLine(note.text), 120)}”${note.saidBy ? `, said by ${said(note.saidBy, 80)}` : ''}.`;
    const thread = { incidentID: note.incidentID, channelId: note.channelId, threadTs: note.threadTs };
    return {
      text,
      blocks: [
        section(text),
        ...(note.threadTs ? [actions([pressable(wholeThread, 'Add the whole thread', thread)])] : []),
      ],
    };
  },
  afterDone: async ({ deps, location }, _item, note) => {
    const trouble = await mark(deps, note);
    return {
      notes: [
        ...(await wayTo(deps, note.incidentID, location.channelId)),
        ...(note.isCut
          ? [
              `It has more than ${maxNote} characters, so the note ends early. The link in it leads to the whole message.`,
            ]
          : []),
      ],
      troubles: [
        ...(trouble ? [trouble] : []),
        ...(note.permalink ? [] : ['Slack gave me no link to the message, so the note has no link.']),
      ],
    };
  },
});

/** The receipt that everybody sees: a reaction. Yields why there is none, as a sentence. */
export async function mark(
  deps: IncidentDeps,
  message: { channelId: string; ts: string },
): Promise<string | undefined> {
  try {
    await deps.slack.web.reactions.add({ channel: message.channelId, timestamp: message.ts, name: 'memo' });
    return undefined;
  } catch (error) {
    const reason = slackRefusal(error) ?? slackReason(error);
    if (reason === 'already_reacted') return undefined;
    return ['not_in_channel', 'channel_not_found'].includes(reason)
      ? 'I am not in that channel, so the message itself shows no :memo:. `/invite @Muster` lets me mark it.'
      : `I could not mark the message itself: Slack said \`${reason.replaceAll('`', "'")}\`.`;
  }
}

/** Where the incident is to be found, for somebody who is elsewhere. */
async function wayTo(deps: IncidentDeps, incidentID: string, channelId: string): Promise<readonly string[]> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (room?.channelId === channelId) return [];
  const known = await deps.api.IncidentsService.GetIncident({ incidentID }).catch(() => undefined);
  const url = known ? toWebUrl(deps.house, known.incident.overviewURL) : '';
  const label = `Incident ${said(incidentID, 40)}`;
  const name = `${url ? `<${url}|${label}>` : label}${known ? `, “${said(known.incident.title, 200)}”` : ''}`;
  const where = roomMention(room);
  return [where ? `${name}, is handled in ${where}.` : `${name}.`];
}

/**
 * Adds a message once. What is there already is not added again; what somebody removed since then is, because they are
 * asking for it now.
 */
async function addOnce(ctx: Context, note: MessageNote): Promise<Outcome<ActivityItem>> {
  const { incidentID } = note;
  const first = messageKey(incidentID, note);
  for (let key = first; ; ) {
    const outcome = await ctx.submit(addMessage, note, { incidentID, key });
    if (outcome.state !== 'done' || !outcome.repeated) return outcome;
    // Carried out again, it was added for this very act, and was removed since.
    const known = await ctx.deps.journal.find(outcome.id, toOwner(ctx.actor));
    if (known && MessageNote.parse(known.payload).delivery === ctx.key) return outcome;
    const { activityItemID } = outcome.result;
    if (await findNote(ctx.deps.api, incidentID, item => item.activityItemID === activityItemID)) return outcome;
    key = `${first}/after/${outcome.id}`;
  }
}

/** What the intent of adding a message carries. */
export async function toMessagePayload(ctx: Context, message: SourceMessage, incidentID: string): Promise<MessageNote> {
  const { note, isCut } = await toMessageNote(ctx.deps, message, ctx.actor, incidentID);
  const threadTs = message.threadTs || (message.isThreaded ? message.ts : '');
  return { ...note, channelId: message.channelId, ts: message.ts, threadTs, isCut, delivery: ctx.key };
}

/** Adds a message and answers. */
export async function addToTimeline(ctx: Context, message: SourceMessage, incidentID: string): Promise<void> {
  const note = await toMessagePayload(ctx, message, incidentID);
  const outcome = await addOnce(ctx, note);
  if (outcome.state !== 'done') await ctx.answerNotDone(addMessage, note, outcome);
  else await ctx.answer(await afterwards(ctx, addMessage, note, outcome));
}
