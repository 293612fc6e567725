import { dutyNames } from '../../duties/words.ts';
import type { Duty, Reminded } from '../../incident/state/duties.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import type { ReminderMode } from '../../incident/state/room-store.ts';
import { mention } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, toSlackDate } from '../../text/times.ts';

/** What each mode means, at the end of a sentence. */
export const meanings: Readonly<Record<ReminderMode, string>> = {
  on: 'the person who owes something is reminded in private first, and the channel once it is due',
  owner: 'the person who owes something is reminded in private, and the channel never is',
  off: 'nobody is reminded',
};

/** Says that a reminder is put off, or stopped. */
export function putOffSentence({ kind, incidentID }: Reminded, until: Date | undefined): string {
  const what = `${dutyNames[kind]} of ${incidentLabel(incidentID)}`;
  return until === undefined
    ? `${signs.muted} Stopped: nothing more reminds of ${what}.`
    : `${signs.muted} Snoozed until ${toSlackDate(until, 'time')}: ${what}.`;
}

/** One thing that is owed, as the list has it. */
export function owedLine({ kind, due, audience, user_id, state, look_at, said }: Duty, now: Date): string {
  const whom = audience === 'room' ? 'this channel' : `${mention(user_id)} alone`;
  const what = `${dutyNames[kind]}, due ${toSlackTime(new Date(due), now)}`;
  if (state === 'stopped') return `• ${what}: the reminder to ${whom} is stopped`;
  if (look_at === 0)
    return `• ${what}: ${whom} ${said === 0 ? 'was not reminded, since this channel was' : 'was reminded'}`;
  const isThen = Math.floor(look_at / 60_000) === Math.floor(due / 60_000);
  return `• ${what}: reminds ${whom} ${isThen ? 'then' : `in ${formatDuration((look_at - now.getTime()) / 1000)}`}`;
}
