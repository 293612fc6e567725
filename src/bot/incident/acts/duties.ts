import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import type { IsFirst } from '../../schema/deliveries.ts';
import { type DutyTable, dutyKinds } from '../../schema/duties.ts';

/** A duty as it is stored. */
export type Duty = DutyTable;

/** The duty of a reminder, as its buttons name it. */
export const ReminderTarget = z.object({
  incidentID: z.string(),
  kind: z.enum(dutyKinds),
  /** The note of the update, the call, or the task; `""` for the incident itself, and in the room. */
  about: z.string(),
  audience: z.enum(['owner', 'room']),
});
export type ReminderTarget = z.output<typeof ReminderTarget>;

/** The duties of incidents, for features and for the board. */
export interface Duties {
  /** The duties of an incident, also those whose reminders are stopped, in the order of the next look. */
  ofIncident(incidentID: string): Promise<readonly Duty[]>;
  /**
   * Puts the reminders of a duty off, or stops them. Yields until when they rest now (undefined: for good); undefined when the duty is owed no
   * more, or is not theirs.
   */
  putOff(change: {
    readonly of: ReminderTarget;
    /** The Slack id of the person who does it. Where only the owner is told, that is the owner. */
    readonly by: string;
    /** Until when; undefined: for good. */
    readonly until: Date | undefined;
    readonly isFirst: IsFirst;
  }): Promise<{ readonly until: Date | undefined } | undefined>;
  /** Sends the reminder of a duty to the person who owes it. Throws `RetryLater` while Slack is away. */
  send(
    duty: string,
    attempt: { readonly id: string; readonly askedAt: Date; readonly isRetry: boolean },
  ): Promise<boolean>;
  /** People talked in a channel: that ends a silence, and puts off the archiving of a room. */
  hear(channelId: string): void;
  /** Slack may take posts in a channel again: its room is reminded of what it could not read. */
  reopened(channelId: string): void;
  /** The buttons below a reminder. */
  buttonsOf(reminded: ReminderTarget): Promise<readonly ActionsBlockElement[]>;
}
