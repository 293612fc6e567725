import { z } from 'zod';
import type { Context } from '../../../dispatch/feature/context.ts';
import type { Verb } from '../../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, textField } from '../../../dispatch/forms/modal.ts';
import type { Args } from '../../../grammar/grammar.ts';
import { slackLimits } from '../../../slack/limits.ts';
import { section, toMrkdwn } from '../../../text/blocks.ts';
import { signs } from '../../../text/signs.ts';
import { type GivenDashboard, readModel } from './model.ts';
import { readPosted, toShortcut } from './pasted-json.ts';
import { folderField, messageField, readPlace } from './save-fields.ts';
import { saveDashboard } from './save-intent.ts';

/** What the form adds to a dashboard. */
interface Place {
  readonly folderUid: string;
  readonly message: string;
}

/** The form's state: the draft that holds the message with the JSON, and what it is called; both `""` where it is pasted. */
const SaveState = z.object({ draft: z.string(), source: z.string() });

/** The form that saves a dashboard, from JSON that is pasted into it or that stands in a message. */
export const saveForm = defineModal({
  id: 'dash.save',
  state: SaveState,
  view: ({ draft, source }, filled) => ({
    title: 'Save a dashboard',
    submit: 'Save',
    blocks: [
      draft === ''
        ? textField(
            {
              id: 'json',
              label: 'JSON of the dashboard',
              hint: `Slack takes ${slackLimits.inputText} characters here. Post a longer one as a .json file, and use “Save as dashboard” on that message.`,
              multiline: true,
              placeholder: '{ "title": "Checkout", "panels": [ … ] }',
            },
            filled,
          )
        : section(`${signs.dashboard} ${toMrkdwn(source, 150)}`),
      folderField(filled),
      messageField(filled),
    ],
  }),
  check: (filled, { draft }) => {
    const place = readPlace(filled);
    const given = draft === '' ? readModel(fieldValue(filled, 'json')) : undefined;
    const json = given && 'problem' in given ? { json: given.problem.slice(0, 1000) } : {};
    const problems = { ...json, ...('problems' in place ? place.problems : {}) };
    if ('problems' in place || (given && 'problem' in given)) return { problems };
    return { value: { given, place } };
  },
  submit: async (ctx, { given, place }, { draft }) => {
    const model = given ?? (await readPosted(ctx, draft));
    if (model) await save(ctx, model, place);
  },
});

async function save(ctx: Context, given: GivenDashboard, { folderUid, message }: Place): Promise<void> {
  const payload = { ...given, folderUid: folderUid || given.folderUid, message: message || given.message };
  await ctx.carryOut(saveDashboard, payload);
}

/** The shortcut that saves the dashboard in a message. */
export const saveMessage = toShortcut((ctx, draft, source) => ctx.openForm(saveForm, { draft, source }));

/** The command that saves a dashboard. */
export const saveVerbs: readonly Verb[] = [
  {
    noun: 'dash',
    verb: 'save',
    aliases: ['import', 'upload', 'create', 'new'],
    needsNoun: true,
    about: 'anything',
    begins: 'text',
    usage: '[JSON]',
    summary: 'Save a dashboard from its JSON, in a form. For a file, use “Save as dashboard” on its message.',
    run: (ctx: Context, { raw }: Args) => ctx.openForm(saveForm, { draft: '', source: '' }, { json: raw }),
  },
];
