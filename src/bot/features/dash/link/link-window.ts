import { askWhich, type Choice } from '../../../dispatch/command/ask-which.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { toSlackWindow } from '../../../text/shown-times.ts';

/** The windows that a person may choose for a dashboard whose time moves with the clock. */
export const windowChoices = ['incident', 'hour', 'pasted'] as const;
/** One of {@link windowChoices}. */
export type WindowChoice = (typeof windowChoices)[number];

/** The choice as it was typed; undefined when it is none. */
export function readWindowChoice(typed: string): WindowChoice | undefined {
  return windowChoices.find(each => each === typed.trim().toLowerCase());
}

const labels: Readonly<Record<WindowChoice, string>> = {
  incident: 'Around the incident',
  hour: 'Last hour',
  pasted: 'As pasted',
};

/** A window in epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Asks which time the link is to show, before anything is posted. The answer runs the same line with `--window`. False when the line
 * cannot carry the flag, or the windows are all the same.
 */
export async function askWindow(
  ctx: Context,
  incidentID: string,
  title: string,
  windows: Readonly<Record<WindowChoice, Span>>,
): Promise<boolean> {
  const { draft } = ctx;
  // Behind `--` everything is text.
  if (draft?.kind !== 'command' || /(^|\s)(--|—|–)(\s|$)/.test(draft.text)) return false;
  const offered = windowChoices.filter(
    (choice, at) => windowChoices.findIndex(other => isSame(windows[other], windows[choice])) === at,
  );
  if (offered.length < 2) return false;
  const lines = offered.map(choice => {
    const { from, to } = windows[choice];
    return `• ${labels[choice]}: ${toSlackWindow(new Date(from), new Date(to))}`;
  });
  const choices: Choice[] = offered.map(choice => ({
    label: labels[choice],
    draft: { ...draft, text: `${draft.text} --window ${choice}` },
    incidentID,
  }));
  await askWhich(
    ctx,
    [`Which time should the link to “${toMrkdwn(title, 100)}” show? Nothing is posted yet.`, ...lines].join('\n'),
    choices,
  );
  return true;
}

function isSame(one: Span, other: Span): boolean {
  return one.from === other.from && one.to === other.to;
}
