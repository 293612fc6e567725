import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import {
  AboutMessage,
  checkIncident,
  incidentField,
  incidentOf,
  onMessage,
  privateNotice,
  readKept,
  readNewest,
  toMessageForm,
} from '../../dispatch/forms/about-message.ts';
import { defineModal } from '../../dispatch/forms/modal.ts';
import { messageText } from '../../incident/notes/of-message.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { section, toMrkdwn } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';
import { addMessage, addToTimeline, instead, reactions, wordedForm, wordedShortcut } from './add.ts';
import { followMessage, followNote } from './follow.ts';
import { addThread, threadButton, threadOf, undoThreadButton } from './thread.ts';

/** How much of the message a form shows, in characters. */
const maxExcerpt = 150;

/** The form that asks to which incident a message or its thread belongs. */
const pickForm = defineModal({
  id: 'timeline.pick',
  /** `excerpt` is how the message begins; `isWhole`: its whole thread is added. */
  state: AboutMessage.extend({ excerpt: z.string(), isWhole: z.boolean().default(false) }),
  view: (state, filled, { offered }) => ({
    title: state.isWhole ? 'Add thread to timeline' : 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...(state.excerpt ? [section(`> ${toMrkdwn(state.excerpt)}`)] : []),
      ...incidentField(state, filled, offered),
      ...privateNotice(state),
    ],
  }),
  check: (filled, state) => {
    const { incidentID, problems } = checkIncident(filled, state);
    return incidentID === '' ? { problems } : { value: incidentID };
  },
  submit: async (ctx, incidentID, { draft, isWhole }) => {
    if (isWhole) {
      const kept = await readKept(ctx, draft);
      if (kept) await addThread(ctx, threadOf(kept, incidentID));
      return;
    }
    const newest = await readNewest(ctx, draft);
    if (newest) await addToTimeline(ctx, newest.message, incidentID, newest.isOutdated);
  },
});

/** Adds at once what was said where an incident is handled; elsewhere asks which one it belongs to. */
async function addOrAsk(ctx: Context, message: SourceMessage, isWhole: boolean): Promise<void> {
  const here = await incidentOf(ctx, message);
  if (here !== '') return isWhole ? addThread(ctx, threadOf(message, here)) : addToTimeline(ctx, message, here);
  const form = await toMessageForm(ctx, isWhole ? threadId : shortcutId, message, here);
  if (!form) return;
  const excerpt = cap(toOneLine(await messageText(ctx.deps, message)), maxExcerpt);
  await ctx.openForm(pickForm, { ...form.state, excerpt, isWhole }, form.filled, form.offered);
}

const shortcutId = 'add_timeline';
const threadId = 'add_thread';

/** Adding messages and threads to a timeline as notes, each once, with its own time, author and address. */
export const timeline: Feature = {
  name: 'timeline',
  verbs: [],
  modals: [pickForm, wordedForm],
  buttons: [threadButton, undoThreadButton] as Button[],
  shortcuts: [
    onMessage({
      id: shortcutId,
      name: 'Add to timeline',
      description: 'Record this message on an incident’s timeline',
      instead,
      run: (ctx, message) => addOrAsk(ctx, message, false),
    }),
    {
      kind: 'message',
      id: threadId,
      name: 'Add thread to timeline',
      description: 'Record this message’s whole thread on an incident’s timeline, each message once',
      run: (ctx, message) => addOrAsk(ctx, message, true),
    },
    wordedShortcut,
  ],
  intents: [addMessage, followNote],
  reactions,
  onChange: followMessage,
  operations: {
    'ActivityService.AddActivity': [
      'shortcut add_timeline',
      'shortcut add_thread',
      'shortcut add_worded',
      'form timeline.pick',
      'form timeline.worded',
      'button timeline.thread',
    ],
    'ActivityService.RemoveActivity': ['button timeline.thread.undo'],
  },
};
