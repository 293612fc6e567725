import { z } from 'zod';
import type { Context } from '../../dispatch/context.ts';
import type { Feature } from '../../dispatch/feature.ts';
import { choiceField, defineModal, fieldValue } from '../../dispatch/modal.ts';
import { incidentsHere } from '../../incident/incidents-here.ts';
import { hasContent } from '../../incident/message-note.ts';
import { readRecent } from '../../incident/read-incident.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { cap, toOneLine, toPlainText } from '../../text/words.ts';
import { addMessage, addToTimeline, comesFromPrivate, threadButton } from './message.ts';

/** Most incidents a menu can offer (docs/slack.md 5). */
const maxOffered = 100;
/** How much of the message a form shows, in characters. */
const maxExcerpt = 150;

/** The form's state: the draft that holds the message, how the message begins, and whether its channel is private. */
const PickState = z.object({ draft: z.string(), excerpt: z.string(), isPrivate: z.boolean() });

const pick = defineModal({
  id: 'timeline.pick',
  state: PickState,
  view: ({ excerpt, isPrivate }, filled, { offered }) => ({
    title: 'Add to timeline',
    submit: 'Add',
    blocks: [
      ...(excerpt ? [section(`> ${toMrkdwn(excerpt)}`)] : []),
      choiceField({ id: 'incident', label: 'Which incident?', options: offered?.incident ?? [] }, filled),
      ...(isPrivate
        ? [
            section(
              ':lock: This message is from a private channel. Everybody who can read the incident will be able to read it. Cancel if they should not.',
            ),
          ]
        : []),
    ],
  }),
  check: filled => {
    const incidentID = fieldValue(filled, 'incident');
    return incidentID ? { value: incidentID } : { problems: { incident: 'Choose the incident it belongs to.' } };
  },
  submit: async (ctx, incidentID, { draft: id }) => {
    const draft = await ctx.deps.drafts.find(ctx.actor, id, ctx.now);
    if (draft?.kind === 'message') await addToTimeline(ctx, draft.message, incidentID);
    else
      await ctx.answer(
        sentence('That message is no longer saved: I keep it for a week. Use the shortcut on it again.'),
      );
  },
});

/** Outside incidents' channels: asks which recent incident the message belongs to. */
async function offerIncidents(ctx: Context, message: SourceMessage): Promise<void> {
  const { deps } = ctx;
  const [incidentPreviews, isPrivate, draft] = await Promise.all([
    readRecent(deps, maxOffered, 'createdTime'),
    comesFromPrivate(deps, message.channelId),
    deps.drafts.keep(ctx.actor, { kind: 'message', shortcut: shortcutId, message }, ctx.key, ctx.now),
  ]);
  if (incidentPreviews.length === 0)
    return ctx.answer(sentence('There is no incident yet. Declare one with `/incident declare`.'));
  const options = incidentPreviews.slice(0, maxOffered).map(each => ({
    value: each.incidentID,
    label: `#${each.incidentID} ${each.status === 'resolved' ? '✓ ' : ''}${each.isDrill ? '[Drill] ' : ''}${each.title}`,
  }));
  const excerpt = cap(toOneLine(toPlainText(message.text)), maxExcerpt);
  const only = options.length === 1 ? options[0]?.value : undefined;
  await ctx.openForm(pick, { draft, excerpt, isPrivate }, only ? { incident: only } : {}, { incident: options });
}

const shortcutId = 'add_timeline';

/** Adding messages and threads to a timeline as notes, each once, with its own time, author and address. */
export const timeline: Feature = {
  name: 'timeline',
  verbs: [],
  modals: [pick],
  buttons: [threadButton],
  shortcuts: [
    {
      kind: 'message',
      id: shortcutId,
      name: 'Add to timeline',
      description: 'Record this message on an incident’s timeline',
      run: async (ctx, message) => {
        if (!hasContent(message)) {
          await ctx.answer(
            sentence(
              'There is nothing to add: that message has no words and no files. Write your own note with `/note add …`.',
            ),
          );
          return;
        }
        const place = { teamId: ctx.actor.teamId, channelId: message.channelId };
        const [here, another] = await incidentsHere(ctx.deps, place, ctx.now);
        if (here && !another) await addToTimeline(ctx, message, here.incidentID);
        else await offerIncidents(ctx, message);
      },
    },
  ],
  intents: [addMessage],
  operations: {
    'ActivityService.AddActivity': ['shortcut add_timeline', 'form timeline.pick', 'button timeline.thread'],
  },
};
