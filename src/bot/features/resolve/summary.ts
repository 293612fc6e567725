import type { Context } from '../../dispatch/feature/context.ts';
import { type Note, wordsOf } from '../../incident/notes/notes.ts';
import { slackLimits } from '../../slack/limits.ts';

/** Says that words about an end or a reopening are too long. */
export function tooLong(summary: string): string {
  return `A summary has at most ${slackLimits.inputText} characters, and this one has ${summary.length}. Put the rest in a note.`;
}

/** Words about the status as a note. */
export function toSummary(ctx: Context, incidentID: string, text: string, source: string): Note {
  return { incidentID, text, eventTime: ctx.now.toISOString(), ...wordsOf(ctx.actor), source };
}
