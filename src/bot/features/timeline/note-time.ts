import { RpcError } from '../../../contract/errors.ts';
import { readTypedTime, type TypedTime, wasAsked } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toSlackMoment } from '../../text/shown-times.ts';
import { formatDuration, leadingTime } from '../../text/times.ts';

/** How long before its incident began a note may lie without a word on it, in seconds. */
const usualLead = 3600;

/** The time of a note. Without one it is now; `notice` says in mrkdwn what the person did not type; `problem` that it cannot be read. */
export type NoteTime = { readonly time: TypedTime | undefined; readonly notice: string } | { readonly problem: string };

/** Reads the time of a note: the one after `--at`, else a clock time that its text begins with. The text keeps its words. */
export function readNoteTime(ctx: Context, now: Date, typed: string | undefined, text: string): NoteTime {
  const isKnown = wasAsked(ctx);
  const first = typed ?? (isKnown ? undefined : leadingTime(text, { now, timeZone: ctx.actor.timeZone }));
  if (first === undefined && !isKnown) return { time: undefined, notice: '' };
  const time = readTypedTime(ctx, 'at', first ?? '', now);
  if ('problem' in time) return { problem: `Nothing was added. ${time.problem}` };
  return { time, notice: typed === undefined && !isKnown ? 'I took the time from its first words.' : '' };
}

/** Says that a time lies long before its incident began; `""` when it does not, or nobody knows. */
export async function beforeStart(ctx: Context, incidentID: string, at: Date): Promise<string> {
  if (isProvisional(incidentID)) return '';
  try {
    const { incidentStart } = await readKnown(ctx.deps, incidentID);
    const lead = (Date.parse(incidentStart) - at.getTime()) / 1000;
    if (!(lead > usualLead)) return '';
    return `That is ${formatDuration(lead)} before the incident began, at ${toSlackMoment(new Date(incidentStart))}.`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return '';
  }
}
