import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/context.ts';
import { readKnown } from '../../incident/read-incident.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackMoment } from '../../text/shown-times.ts';
import { formatDuration, isDayBefore, leadingTime, parseTime, type TimeReading } from '../../text/times.ts';

/** How long before its incident began a note may lie without a word on it, in seconds. */
const usualLead = 3600;

/** The time of a note. Without `at` it is now; `notice` says in mrkdwn what the person did not type; `problem` that it cannot be read. */
export type NoteTime = { readonly at: Date | undefined; readonly notice: string } | { readonly problem: string };

/** Reads the time of a note: the one after `--at`, else a clock time that its text begins with. The text keeps its words. */
export function readNoteTime(reading: TimeReading, typed: string | undefined, text: string): NoteTime {
  if (typed === undefined) {
    const at = leadingTime(text, reading);
    return { at, notice: at ? 'I took the time from its first words.' : '' };
  }
  const read = parseTime(typed, reading);
  if ('problem' in read) return { problem: `Nothing was added. ${toMrkdwn(read.problem)}` };
  const isEarlier = isDayBefore(typed, read.at, reading);
  return {
    at: read.at,
    notice: isEarlier ? 'Where you are, that time is still ahead today, so I took yesterday.' : '',
  };
}

/** Says that a time lies long before its incident began; `""` when it does not, or nobody knows. */
export async function beforeStart(ctx: Context, incidentID: string, at: Date): Promise<string> {
  if (isProvisional(incidentID)) return '';
  try {
    const { incidentStart } = await readKnown(ctx.deps, incidentID);
    const lead = (Date.parse(incidentStart) - at.getTime()) / 1000;
    if (!(lead > usualLead)) return '';
    return `That is ${formatDuration(lead)} before the incident began (${toSlackMoment(new Date(incidentStart))}).`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return '';
  }
}
