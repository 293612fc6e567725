import { RpcError } from '../../../contract/errors.ts';
import { readTypedTime, type TypedTime, wasAsked } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';
import { leadingTime, trailingTime } from '../../text/times-in-text.ts';

/** How long before its incident began a note may lie without a word on it, in seconds. */
const usualLead = 3600;

/** The time of a note. Without one it is now; `notice` says in mrkdwn what the person did not type; `problem` that it cannot be read. */
export type NoteTime = { readonly time: TypedTime | undefined; readonly notice: string } | { readonly problem: string };

/** Reads the time of a note: the one after `--at`, else one that its text begins or ends with. The text keeps its words. */
export function readNoteTime(ctx: Context, now: Date, typed: string | undefined, text: string): NoteTime {
  const isKnown = wasAsked(ctx);
  const reading = { now, timeZone: ctx.actor.timeZone };
  const lead = typed === undefined && !isKnown ? leadingTime(text, reading) : undefined;
  const tail = typed === undefined && !isKnown && !lead ? trailingTime(text, reading) : undefined;
  const found = lead ?? tail;
  const words = typed ?? found?.typed;
  const shown = `“${toMrkdwn(words ?? '', 80)}”`;
  if (found?.isNot === 'ahead') return { time: undefined, notice: `Its time is now: ${shown} is still to come.` };
  if (found?.isNot === 'zoneless')
    return { time: undefined, notice: `Its time is now: I do not know in which time zone ${shown} is.` };
  if (words === undefined && !isKnown) return { time: undefined, notice: '' };
  const time = readTypedTime(ctx, 'at', words ?? '', { now });
  if ('problem' in time) return { problem: `Nothing was added: ${time.problem}` };
  const doubt = [time.doubt, found?.doubt].filter(Boolean).join(' ');
  const mayBeNone = tail !== undefined || (lead !== undefined && lead.doubt !== '');
  return { time: { ...time, doubt, mayBeNone }, notice: words === undefined ? '' : `I took the time from ${shown}.` };
}

/** Says that a time lies long before its incident began; `""` when it does not, or nobody knows. */
export async function beforeStart(ctx: Context, incidentID: string, at: Date): Promise<string> {
  if (isProvisional(incidentID)) return '';
  try {
    const { incidentStart } = await readKnown(ctx.deps, incidentID);
    const lead = (Date.parse(incidentStart) - at.getTime()) / 1000;
    if (!(lead > usualLead)) return '';
    return `That is ${formatDuration(lead)} before the incident began (${toSlackDate(new Date(incidentStart))}).`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return '';
  }
}
