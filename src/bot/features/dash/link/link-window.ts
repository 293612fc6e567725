import { askWhich, type Choice } from '../../../dispatch/command/ask-which.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { toSlackWindow } from '../../../text/shown-times.ts';
import type { Span } from './incident-window.ts';

/** The windows that are offered: the value of `--window`, and the words on its button. */
const offeredWindows = [
  { value: 'around', label: 'Around the incident' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '3h', label: 'Last 3 hours' },
  { value: 'pasted', label: 'As pasted' },
] as const;
/** The value of `--window` of one that is offered. */
export type OfferedWindow = (typeof offeredWindows)[number]['value'];

/**
 * Asks which time the link is to show, before anything is posted. The answer runs the same line with `--window`. False when the line
 * cannot carry the flag, or the windows are all the same.
 */
export async function askWindow(
  ctx: Context,
  incidentID: string,
  title: string,
  windows: Readonly<Record<OfferedWindow, Span>>,
): Promise<boolean> {
  const { draft } = ctx;
  // Behind `--` everything is text.
  if (draft?.kind !== 'command' || /(^|\s)(--|—|–)(\s|$)/.test(draft.text)) return false;
  const offered = offeredWindows.filter(
    ({ value }, at) => offeredWindows.findIndex(other => isSame(windows[other.value], windows[value])) === at,
  );
  if (offered.length < 2) return false;
  const lines = offered.map(({ value, label }) => {
    const { from, to } = windows[value];
    return `• ${label}: ${toSlackWindow(new Date(from), new Date(to))}`;
  });
  const choices: Choice[] = offered.map(({ value, label }) => ({
    label,
    draft: { ...draft, text: `${draft.text} --window ${value}` },
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
