import type { Reading } from '../../grammar/verb.ts';
import type { IncidentHere } from '../../incident/acts/incidents-here.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { whyNot } from '../../people/reach.ts';
import { actions, section } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { typedBack } from '../answers/typed-back.ts';
import type { Context } from '../feature/context.ts';
import type { Draft } from '../feature/drafts.ts';
import { pressable } from '../feature/feature.ts';
import { resumeButton, wakeButton } from '../feature/resume.ts';

/** Answers of one kind that are offered at most: more would fill a phone. */
export const mostChoices = 6;

/** One answer to a question on what was meant: what a press takes up, a command or a form, and the incident it is about. */
export interface Choice {
  readonly label: string;
  readonly draft: Extract<Draft, { kind: 'command' | 'form' }>;
  /** `""` where the channel decides. */
  readonly incidentID?: string;
  /** The people whom it wakes, in mrkdwn; `""` for none. */
  readonly wakes?: (ctx: Context) => Promise<string>;
}

/** Asks which command was meant, under a sentence of mrkdwn. Nothing is done before a press, and two presses do it once. */
export async function askWhich(ctx: Context, mrkdwn: string, choices: readonly Choice[]): Promise<void> {
  const rows = await Promise.all(
    choices.map(async ({ label, draft, incidentID = '', wakes }) => {
      const kept = await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
      return actions([pressable(wakes ? wakeButton : resumeButton, { draft: kept, incidentID }, { label })]);
    }),
  );
  // A guest wakes nobody. While Slack does not tell, the buttons alone name them.
  const isGuest = whyNot(ctx.actor) !== undefined;
  const woken = await Promise.all(choices.map(each => (isGuest ? '' : each.wakes?.(ctx).catch(() => ''))));
  const text = [mrkdwn, ...woken].filter(Boolean).join('\n');
  await ctx.answer({ text, blocks: [section(text), ...rows, ...typedBack(ctx.draft)] });
}

/** The button of an incident among several. */
export function incidentOption({ incidentID, title }: IncidentHere): string {
  return isProvisional(incidentID) ? title : `#${incidentID} ${title}`;
}

/** The button of a reading; `raw` is what it takes as its arguments. */
export function readingLabel({ noun, verb }: Reading, raw: string): string {
  const words = toOneLine(raw);
  if (noun === 'task' && verb === 'add') return `Add it as a task: ${words}`;
  if (noun === 'note' && verb === 'add') return `Add it as a note: ${words}`;
  if (noun === 'incident' && verb === 'declare') return words === '' ? 'Declare an incident' : `Declare “${words}”`;
  return `/${noun} ${verb} ${words}`.trimEnd();
}
