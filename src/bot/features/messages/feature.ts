import { z } from 'zod';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { withoutSecrets } from '../../dispatch/answers/receipts.ts';
import { Unanswered } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import type { Button, Feature, MessageChange } from '../../dispatch/feature/feature.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { joinKept, MessageNote, messageText, withKept } from '../../incident/notes/message-note.ts';
import { findNote, isImportant, markSince, maxNote, rewriteBody, withImportance } from '../../incident/notes/notes.ts';
import { isGivenUp } from '../../incident/state/message-notes.ts';
import { whyNot } from '../../people/reach.ts';
import { isPassing, slackReason } from '../../slack/clients.ts';
import { readMessageAt } from '../../slack/read-message.ts';
import { cap } from '../../text/words.ts';
import { addMessage, addShortcuts, pickForm, reactions, threadButton, undoThreadButton, wordedForm } from './add.ts';

/**
 * Brings the note of a message up to date that its author edited or a person deleted. `note` is the intent that adds it: it may still
 * be queued, and runs first then, in the same lane.
 */
const followNote = defineIntent({
  kind: 'timeline.follow',
  payload: z.object({
    incidentID: z.string(),
    note: z.string(),
    how: z.enum(['edited', 'deleted']),
    /** The words of the message before and after; undefined when the note keeps its own. */
    words: z.object({ was: z.string(), is: z.string() }).optional(),
    /** Name of the author who edited it; `""` for a deletion. */
    editor: z.string(),
  }),
  result: z.object({ isChanged: z.boolean() }),
  run: async ({ api, call, deps }, { incidentID, note, how, words, editor }) => {
    const activityItemID = await deps.messageNotes.itemOf(note);
    const item = await findNote(api, incidentID, each => each.activityItemID === activityItemID, call);
    if (!item) return { isChanged: false };
    const { text } = splitNoteBody(item.body);
    // A person who changed the note chose its words, so it keeps them.
    const isOwn = words !== undefined && withImportance(text, false) === words.was;
    const body = isOwn
      ? rewriteBody(item.body, withImportance(words.is, isImportant(item)), editor)
      : markSince(item.body, how);
    if (body === item.body) return { isChanged: false };
    await api.ActivityService.UpdateActivityBody({ incidentID, activityItemID, body }, call);
    return { isChanged: true };
  },
  did: ({ how }, { incident }) => ({
    ...{ verb: 'note', room: [] },
    what: `on the timeline of ${incident} that a message was ${how}`,
  }),
  links: ({ note, words }) => ({ message: words && { as: 'followed_by', note } }),
});

/** Brings the notes of a message up to date after it was edited or deleted. Sends no receipts, since people did not ask for it. */
async function followMessage(deps: Deps, { message, how, userId, key }: MessageChange): Promise<void> {
  const noted = (await deps.messageNotes.of(addMessage.kind, message)).filter(each => !isGivenUp(each));
  if (noted.length === 0) return;
  const text = how === 'edited' ? await readText(deps, message) : '';
  if (text === undefined) return;
  const author = how === 'edited' ? await deps.people.find(userId) : undefined;
  // When the author may not change incidents, the note keeps its words.
  const mayChange = author !== undefined && whyNot(author) === undefined;
  for (const { id, owner, origin, subject, payload: stored, followed } of noted) {
    const first = MessageNote.parse(stored);
    const { incidentID, isWorded, kept } = first;
    const is = joinKept(text, kept);
    const before = followed && followNote.payload.parse(followed.payload).words;
    // A change that could not be followed changed nothing.
    const known = isGivenUp(followed) ? before?.was : before?.is;
    const was = known ?? withImportance(withKept(first).text, false);
    if (how === 'edited' && was === is) continue;
    const words = mayChange && !isWorded ? { words: { was, is } } : {};
    const payload = { incidentID, note: id, how, ...words, editor: author?.name ?? '' };
    const submission = { key: `${id}/follow/${key}`, renews: false, payload, subject, owner, origin, caller: '' };
    const outcome = await deps.journal.submit(followNote, submission);
    if (outcome.state === 'failed')
      deps.log.warn({ err: outcome.error }, 'timeline: a note could not follow its message');
    if (outcome.state !== 'queued') await deps.journal.told([outcome.id]);
  }
}

/** The words that a message has now; undefined when it is gone, or Slack does not show it. */
async function readText(deps: Deps, message: MessageChange['message']): Promise<string | undefined> {
  try {
    const standing = await readMessageAt(deps.slack.web, message);
    // Muster does not ask the author about an edit, so it redacts a secret at once.
    return standing && (await withoutSecrets(deps, cap(await messageText(deps, standing.message), maxNote)));
  } catch (error) {
    if (isPassing(error)) throw new Unanswered('Slack does not show a message', { cause: error });
    deps.log.warn({ reason: slackReason(error) }, 'timeline: Slack does not show an edited message');
    return undefined;
  }
}

/** Adding messages and threads to a timeline as notes, each once, with its own time, author and address. */
export const timeline: Feature = {
  verbs: [],
  modals: [pickForm, wordedForm],
  buttons: [threadButton, undoThreadButton] as Button[],
  shortcuts: addShortcuts,
  intents: [addMessage, followNote],
  reactions,
  onChange: followMessage,
};
