import { z } from 'zod';
import { isNotFound } from '../../../contract/errors.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineIntent, type IncidentDeps, toOwner } from '../../incident/acts/intent-kind.ts';
import { removedWords, unmarkIfOver } from '../../incident/notes/intents.ts';
import { findNote, Written } from '../../incident/notes/notes.ts';
import { MessageNote, messageKey, messageKind } from '../../incident/notes/of-message.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { splitNoteBody } from '../../incident/state/note-body.ts';
import { countOthers, type Reaction } from '../../slack/read-message.ts';
import { MessageAddress } from '../../slack/source-message.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** The most characters of a note that words about its removal quote. */
const maxQuote = 300;

/**
 * Takes the note of a message off the timeline. `note` is the intent that adds it: it may still be queued, and runs first then, in the
 * same lane.
 */
export const takeOff = defineIntent({
  kind: 'timeline.takeOff',
  payload: z.object({
    incidentID: z.string(),
    note: z.string(),
    owner: z.string(),
    text: z.string(),
    mark: MessageAddress,
    /** Name of the person who added the note, when somebody else removes it: the line in the room says whose it was. */
    whose: z.string().optional(),
  }),
  result: z.object({
    activityItemID: z.string(),
    /** The words that the note had. */
    text: z.string(),
    /** False when the note was not there any more, or was never added. */
    isRemoved: z.boolean(),
  }),
  run: async ({ api, call, deps, isAmbiguous }, { incidentID, note, owner, text }) => {
    const added = await deps.journal.find(note, owner);
    if (added?.outcome?.state !== 'done') return { activityItemID: '', text, isRemoved: false };
    const { activityItemID } = Written.parse(added.outcome.result);
    const item = await findNote(api, incidentID, each => each.activityItemID === activityItemID, call);
    // An earlier attempt whose answer was lost has removed it.
    if (!item) return { activityItemID, text, isRemoved: isAmbiguous };
    const words = cap(splitNoteBody(item.body).text, maxQuote);
    try {
      await api.ActivityService.RemoveActivity({ incidentID, activityItemID }, call);
      return { activityItemID, text: words, isRemoved: true };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return { activityItemID, text: words, isRemoved: isAmbiguous };
    }
  },
  room: {
    update: ({ activityItemID, isRemoved }) => (isRemoved ? { kind: 'removed', activityItemID } : undefined),
    line: ({ text, isRemoved }, { whose }, { by }) => (isRemoved ? removedWords(by, whose, text) : undefined),
  },
  describe: ({ text, incidentID }) => `remove “${cap(text, 200)}” from the timeline of ${incidentName(incidentID)}`,
  answer: {
    receipt: ({ text, isRemoved }, { incidentID }) => {
      const quote = `“${toMrkdwn(toOneLine(text), maxQuote)}”`;
      return sentence(
        isRemoved
          ? `Removed from the timeline of ${incidentLabel(incidentID)}: ${quote}.`
          : `Nothing was removed: ${quote} is not on the timeline of ${incidentLabel(incidentID)}.`,
      );
    },
    afterDone: async ({ deps, repeated }, _result, { mark }) => ({
      notes: [],
      troubles: repeated ? [] : await unmarkIfOver(deps, mark),
    }),
  },
});

/** The key of a removal: each note is taken off once. */
function takeOffKey(note: string): string {
  return `${note}/off`;
}

/** Whether the note that an intent adds is taken off, or will be. */
export async function isTakenOff({ journal }: Pick<IncidentDeps, 'journal'>, note: string): Promise<boolean> {
  const [removal] = await journal.findLike(takeOff.kind, takeOffKey(note));
  return removal !== undefined && removal.state !== 'failed' && removal.state !== 'discarded';
}

/**
 * Removes the note that a reaction added, once the last person has taken the reaction back. A note that somebody added from the menu
 * stays, because they asked for it explicitly.
 */
export async function takeOffUnwanted(
  ctx: Context,
  incidentID: string,
  message: MessageAddress,
  reactions: readonly Reaction[],
): Promise<void> {
  const { deps, actor } = ctx;
  const meant = [...deps.settings.timelineEmoji].flatMap(([name, means]) => (means === 'task' ? [] : [name]));
  if (countOthers(reactions, new Set(meant), deps.slack.identity.botUserId) > 0) return;
  const all = await deps.journal.findLike(messageKind, `${messageKey(incidentID, actor.teamId, message)}%`);
  const unwanted: { readonly id: string; readonly owner: string; readonly note: MessageNote }[] = [];
  for (const { id, owner, state, payload } of all) {
    const note = MessageNote.parse(payload);
    if (state === 'failed' || state === 'discarded' || !note.delivery.startsWith('reaction/')) continue;
    if (await isTakenOff(deps, id)) continue;
    // A note that no attempt can have written is forgotten; any other one is removed behind it.
    if (!(await deps.journal.discard(id, owner, { onlyUntried: true }))) unwanted.push({ id, owner, note });
  }
  for (const { id: intent, owner, note } of unwanted) {
    const whose = owner === toOwner(actor) ? {} : { whose: note.addedBy };
    const about = { incidentID, note: intent, owner, text: cap(note.text, maxQuote), mark: message, ...whose };
    const hasMore = intent !== unwanted.at(-1)?.id;
    const outcome = await ctx.submit(takeOff, about, { incidentID, key: takeOffKey(intent), hasMore });
    if (outcome.state !== 'done') await ctx.answerNotDone(takeOff, about, outcome);
    else if (outcome.result.isRemoved) await ctx.answer(await afterwards(ctx, takeOff, about, outcome));
  }
}
