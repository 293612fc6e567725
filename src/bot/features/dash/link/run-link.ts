import { isDeepStrictEqual } from 'node:util';
import { askWhich } from '../../../dispatch/command/ask-which.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { type Args, flagOn, flagText } from '../../../grammar/grammar.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { openLinkForm } from './link-form.ts';
import { linkTargets } from './link-found.ts';
import { readTargets } from './link-targets.ts';
import { readWindow, type TypedWindow, vagueWindow } from './typed-window.ts';

/** `/dash link`. Without words it opens a form. */
export async function runLink(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const flagged = readFlagged(args);
  if (flagged && 'problem' in flagged) return ctx.reject(`I linked nothing: ${flagged.problem}`);
  if (args.words.length === 0) return openLinkForm(ctx, incidentID);
  const targets = await readTargets(ctx, args.words, flagged ? `--window "${flagged.typed}"` : '');
  if ('problem' in targets) {
    const near = (targets.near ?? []).map(each => ({ ...each, incidentID }));
    return askWhich(ctx, `I linked nothing: ${targets.problem}`, near);
  }
  const { window: said, caption } = targets;
  if (flagged && said && !isDeepStrictEqual(flagged.window, said)) {
    return ctx.reject('I linked nothing: give one window, not two.');
  }
  const vague = flagged || said ? undefined : vagueWindow(caption);
  if (vague !== undefined) {
    return ctx.reject(`I linked nothing: say how long “${toMrkdwn(vague, 60)}” is, like \`last 3h\`.`);
  }
  await linkTargets(ctx, incidentID, { ...targets, window: flagged?.window ?? said });
}

/** The window that flags name: `--window 3h`, `--last 3h`, `--around`, `--from 23:00 --to 23:20`. */
function readFlagged(args: Args): { window: TypedWindow; typed: string } | { problem: string } | undefined {
  const [window, from, to] = ['window', 'from', 'to'].map(name => flagText(args, name));
  const typed = [
    ...(window === undefined ? [] : [window]),
    ...(from === undefined ? [] : [to === undefined ? `since ${from}` : `from ${from} to ${to}`]),
    ...(flagOn(args, 'around') ? ['around'] : []),
  ];
  const [only, ...more] = typed;
  if (only === undefined && to === undefined) return undefined;
  const read = only === undefined || more.length > 0 ? undefined : readWindow(only);
  if (read) return { window: read, typed: only ?? '' };
  return { problem: `Give one window: ${windowExamples}.` };
}

const windowExamples = '`last 3h`, `from 23:00 to 23:20`, `since 22:50` or `around`';
