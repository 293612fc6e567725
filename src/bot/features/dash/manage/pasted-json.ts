import type { KnownBlock } from '@slack/types';
import type { Context } from '../../../dispatch/feature/context.ts';
import type { Shortcut } from '../../../dispatch/feature/feature.ts';
import { pressable } from '../../../dispatch/feature/feature.ts';
import { resumeButton } from '../../../dispatch/feature/resume.ts';
import { reasonWords } from '../../../incident/state/refusal-words.ts';
import { missingScope, slackReason } from '../../../slack/clients.ts';
import type { FileProblem } from '../../../slack/files.ts';
import type { SourceMessage } from '../../../slack/source-message.ts';
import { actions, section, toMrkdwn } from '../../../text/blocks.ts';
import { readSlackText } from '../../../text/words.ts';
import { type GivenDashboard, maxJson, readModel } from './model.ts';

/** The id of the shortcut, and of its drafts. */
const saveShortcut = 'save_dashboard';

/** Where a message has the JSON of a dashboard: in a file, or in its words. */
type Posted = { readonly file: string; readonly name: string } | { readonly code: string };

/** The JSON in a message: its one file, else its block of code, else its words when they are JSON. `problem` is mrkdwn. */
function findPosted({ files, text }: SourceMessage): Posted | { readonly problem: string } {
  const named = files.filter(file => /\.json$/i.test(file.name));
  const [file, another] = named.length > 0 ? named : files;
  if (another) return { problem: 'That message has more than one file. Post the one to be saved alone.' };
  if (file && file.id !== '') return { file: file.id, name: file.name };
  const code = /```(?:json\b)?\s*([\s\S]*?)```/.exec(toTyped(text))?.[1] ?? toTyped(text).trim();
  if (code.startsWith('{')) return { code };
  return {
    problem:
      'That message has no dashboard: post its JSON as a .json file or between two lines of three backticks, and use the shortcut on that message. Or paste it with `/dash save`.',
  };
}

/** What a person typed, where Slack made links and mentions of it. */
function toTyped(slackText: string): string {
  const parts = [...readSlackText(slackText)].map(token => {
    if (token.kind === 'text') return token.text;
    if (token.kind === 'link') return token.label || token.url;
    return `${token.kind === 'channel' ? '#' : '@'}${token.label || token.id}`;
  });
  return parts.join('');
}

/** The dashboard in the message of a draft; undefined after the person was told why there is none. */
export async function readPosted(ctx: Context, draftId: string): Promise<GivenDashboard | undefined> {
  const draft = await ctx.deps.drafts.find(ctx.actor, draftId, ctx.now);
  const posted = draft?.kind === 'message' ? findPosted(draft.message) : undefined;
  if (!posted || 'problem' in posted) {
    await ctx.reject(
      posted?.problem ?? 'I no longer have that message: I keep one for a week. Use the shortcut on it again.',
    );
    return undefined;
  }
  const read = 'code' in posted ? { text: posted.code } : await readFile(ctx, posted.file);
  const model = 'problem' in read ? read : readModel(read.text);
  if (!('problem' in model)) return model;
  const why = 'problem' in read ? read.problem : toMrkdwn(model.problem, 1000);
  await ctx.reject(`Nothing was saved. ${why}`, await offerForm(ctx));
  return undefined;
}

/** A button for the form in which the JSON can be pasted. */
async function offerForm(ctx: Context): Promise<readonly KnownBlock[]> {
  const form = { kind: 'form' as const, modal: 'dash.save', state: { draft: '', source: '' } };
  const filled = ctx.draft?.kind === 'form' ? ctx.draft.filled : {};
  const kept = await ctx.deps.drafts.keep(ctx.actor, { ...form, filled }, ctx.key, ctx.now);
  return [actions([pressable(resumeButton, { draft: kept, incidentID: '' }, { label: 'Paste it into a form' })])];
}

const problems: Readonly<Record<FileProblem, string>> = {
  'too large': `That file has more than ${maxJson / 1_000_000} MB, which is the most I take. Import it in the browser.`,
  elsewhere: 'That file is not kept by Slack, and I read files from nowhere else. Upload the file itself.',
  'not given': 'Slack did not give me that file. Try again in a moment.',
  'not text': 'That file is not UTF-8 text.',
};

async function readFile(ctx: Context, id: string): Promise<{ text: string } | { problem: string }> {
  try {
    const read = await ctx.deps.slack.readFile(id, maxJson);
    return 'problem' in read ? { problem: problems[read.problem] } : read;
  } catch (error) {
    const scope = missingScope(error);
    if (scope !== '')
      return { problem: `I could not read the file: ${reasonWords(error)} Or paste a short one into the form.` };
    const reason = slackReason(error);
    ctx.log.info({ reason }, 'dash: Slack did not give a file');
    return reason === 'file_not_found'
      ? {
          problem:
            'I do not see that file: I am not in its channel, or it was deleted. `/invite @Muster` there, then try again.',
        }
      : { problem: `I could not read the file: ${reasonWords(error)}` };
  }
}

/** The shortcut on a message; `open` opens the form. */
export function toShortcut(open: (ctx: Context, draft: string, source: string) => Promise<void>): Shortcut {
  return {
    kind: 'message',
    id: saveShortcut,
    name: 'Save as dashboard',
    description: 'Save the JSON in this message, or in its file, as a dashboard',
    run: async (ctx, message) => {
      const posted = findPosted(message);
      if ('problem' in posted) {
        await ctx.answer({ text: posted.problem, blocks: [section(posted.problem), ...(await offerForm(ctx))] });
        return;
      }
      const draft = { kind: 'message' as const, shortcut: saveShortcut, message };
      const kept = await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
      await open(ctx, kept, 'file' in posted ? posted.name : 'The JSON in that message');
    },
  };
}
