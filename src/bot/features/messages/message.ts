import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context, PendingConfirmation } from '../../dispatch/feature/context.ts';
import { defineIntent, type IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { undoNote, unmarkIfOver } from '../../incident/notes/intents.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { findTwinNote, findWritten, maxNote, Written, writeNote } from '../../incident/notes/notes.ts';
import {
  isGone,
  MessageNote,
  mapNoteTexts,
  messageKey,
  messageKind,
  toMessagePayload,
  withKept,
} from '../../incident/notes/of-message.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import type { MessageAddition } from '../../incident/state/message-notes.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import type { Outcome } from '../../journal/intent.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { confirmation, plain, sentence, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { whenAndAge } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { cap, toLines } from '../../text/words.ts';

/** Puts a message on an incident's timeline and marks it. */
export const addMessage = defineIntent({
  kind: messageKind,
  payload: MessageNote,
  result: Written,
  run: (context, note) => writeNote(context, withKept(note)),
  reconcile: (context, note) => findWritten(context, withKept(note)),
  findTwin: (context, note, written) => findTwinNote(context, withKept(note), written),
  mapTexts: mapNoteTexts,
  ofMessage: ({ channelId, ts }) => ({ channelId, ts }),
  describe: note =>
    `add “${cap(note.text, 200)}”${note.kept ? ' and what its file says' : ''} to the timeline of ${incidentName(note.incidentID)}`,
  answer: {
    receipt: (_item, note, repeated) => {
      const incident = toMrkdwn(note.incidentID, 40);
      const time = note.isTimed ? ` for ${whenAndAge(note.eventTime)}` : '';
      return sentence(
        repeated
          ? `That message is on the timeline of incident ${incident} already: “${toMrkdwn(toLines(note.text), 120)}”. Nothing was added twice.`
          : `${signs.note} Added to the timeline of incident ${incident}${time}: “${toMrkdwn(toLines(note.text), 120)}”${note.saidBy ? `, said by ${toMrkdwn(note.saidBy, 80)}` : ''}.`,
      );
    },
    afterDone: async ({ deps, location, id }, _item, note) => {
      const trouble = await markAdded(deps, id, note);
      const thread = { incidentID: note.incidentID, channelId: note.channelId, threadTs: note.threadTs };
      return {
        buttons: note.threadTs ? [toThreadButton(thread, note.isFromPrivate)] : [],
        notes: [
          ...(await wayTo(deps, note.incidentID, location.channelId)),
          ...(note.isCut
            ? [
                `It has more than ${maxNote} characters, so the note ends early. The link in it leads to the whole message.`,
              ]
            : []),
        ],
        troubles: [
          ...(trouble === '' ? [] : [trouble]),
          ...(note.permalink ? [] : ['Slack gave me no link to the message, so the note has no link.']),
        ],
      };
    },
  },
  room: {
    line: (_item, { isFromElsewhere, permalink, text }, { by }) => {
      if (!isFromElsewhere) return undefined;
      const words = 'a message from another channel';
      const message = permalink === '' ? words : `<${toSafeUrl(permalink)}|${words}>`;
      return `${signs.note} ${by} added ${message} to the timeline: “${toMrkdwn(toLines(text), 300)}”`;
    },
  },
  undo: ({ activityItemID }, { incidentID, text, channelId, ts }) =>
    undoNote({ incidentID, activityItemID }, text, { channelId, ts }),
});

/**
 * Marks a message that the intent `id` has noted, unless the note was removed while Slack took its time. Returns a sentence of mrkdwn
 * when that failed.
 */
export async function markAdded(deps: IncidentDeps, id: string, message: MessageAddress): Promise<string> {
  const trouble = await markMessage(deps, message);
  const added = await deps.messageNotes.of(messageKind, message);
  if (added.some(each => each.id === id && each.isRemoved)) await unmarkIfOver(deps, message);
  return trouble;
}

/** The incident's name and channel, for a person in another channel. */
async function wayTo(deps: IncidentDeps, incidentID: string, channelId: string): Promise<readonly string[]> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (room?.channelId === channelId) return [];
  const known = await deps.api.IncidentsService.GetIncident({ incidentID }).catch(() => undefined);
  const url = known ? await deps.cards.overview(known.incident) : '';
  const label = incidentLabel(incidentID, 'Incident');
  const name = `${url ? `<${url}|${label}>` : label}${known ? `, “${toMrkdwn(known.incident.title, 200)}”` : ''}`;
  const where = roomMention(room);
  return [where ? `${name}, is handled in ${where}.` : `${name}.`];
}

/**
 * Adds a message once. A message on the timeline is not added again. One that was removed since is, because the person asks for it
 * now. The key is found before anything is submitted, so a change of the message that comes meanwhile waits.
 */
export async function addOnce(ctx: Context, note: MessageNote): Promise<Outcome<Written> | PendingConfirmation> {
  const key = await keyOf(ctx, note, last => isGone(ctx.deps, last));
  return ctx.submit(addMessage, note, { incidentID: note.incidentID, key });
}

/** The key under which a message is added: that of its last note, or a new one when that note `isOver`. */
export async function keyOf(
  ctx: Context,
  note: MessageNote,
  isOver: (last: MessageAddition) => Promise<boolean>,
): Promise<string> {
  const before = await additionsOf(ctx, note.incidentID, note);
  // This delivery is handled a second time: it added the note before, whatever became of that since.
  const mine = before.find(each => each.state !== 'discarded' && MessageNote.parse(each.payload).delivery === ctx.key);
  if (mine) return mine.key;
  const [first, last] = [messageKey(note.incidentID, ctx.actor.teamId, note), before.at(-1)];
  if (!last) return first;
  return (await isOver(last)) ? `${first}/after/${last.id}` : last.key;
}

/** The intents of a person's workspace that put a message on the timeline of an incident, oldest first. */
export async function additionsOf({ deps, actor }: Context, incidentID: string, message: MessageAddress) {
  const subject = await deps.rooms.currentID(incidentID);
  const all = await deps.messageNotes.of(messageKind, message);
  return all.filter(each => each.subject === subject && each.teamId === actor.teamId);
}

/** A thread, and the incident to which it is added. */
export const ThreadAddress = z.object({ incidentID: z.string(), channelId: z.string(), threadTs: z.string() });
/** A thread, and the incident to which it is added. */
export type ThreadAddress = z.output<typeof ThreadAddress>;

/** The button that adds a whole thread, as it looks. */
export const threadFace = { id: 'timeline.thread', label: 'Add the whole thread' } as const;

/** The button, which asks first when words from a private channel would be read by others. */
function toThreadButton(thread: ThreadAddress, isFromPrivate: boolean): ActionsBlockElement {
  const { id, label } = threadFace;
  const button = {
    type: 'button' as const,
    action_id: id,
    text: plain(label, slackLimits.buttonText),
    value: JSON.stringify(thread),
  };
  if (!isFromPrivate) return button;
  const confirm = confirmation({
    title: 'Add a private thread?',
    text: 'The thread is from a private channel. Everybody who sees the incident will read it.',
    confirm: 'Add it',
    deny: 'Keep it private',
    dangerous: false,
  });
  return { ...button, confirm };
}

/** Adds a message and answers. `isOutdated`: it was edited since, and keeps the words it has here. */
export async function addToTimeline(
  ctx: Context,
  message: SourceMessage,
  incidentID: string,
  isOutdated = false,
): Promise<void> {
  const note = await toMessagePayload(ctx.deps, message, ctx.actor, incidentID, ctx.key);
  await addAndAnswer(ctx, isOutdated ? { ...note, isOutdated } : note);
}

/** Adds the note of a message, and answers. */
export async function addAndAnswer(ctx: Context, note: MessageNote): Promise<void> {
  const outcome = await addOnce(ctx, note);
  if (outcome.state !== 'done') await ctx.answerNotDone(addMessage, note, outcome);
  else await ctx.answer(await afterwards(ctx, addMessage, note, outcome));
}
