import { z } from 'zod';
import type { Setting } from './setting.ts';

/** `22:00-07:00` as minutes of the day; `off` for never. */
const quietHours = z
  .string()
  .transform((value, context): { readonly from: number; readonly to: number } | undefined => {
    if (value === 'off') return undefined;
    const found = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/.exec(value);
    if (!found) {
      context.addIssue('must be two times of the day such as 22:00-07:00, or off');
      return z.NEVER;
    }
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number);
    const hours = { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
    if (hours.from === hours.to) context.addIssue('must end at another time than it begins; off for none');
    return hours;
  });

/** `30,60`: minutes for the gravest severity and for those below; `off` for never. */
const newsAfter = z
  .string()
  .transform((value, context): { readonly gravest: number; readonly below: number } | undefined => {
    if (value === 'off') return undefined;
    const [, gravest, below] = /^(\d{1,4})\s*,\s*(\d{1,4})$/.exec(value)?.map(Number) ?? [];
    if (gravest === undefined || below === undefined || gravest < 1 || below < 1) {
      context.addIssue('must be two numbers of minutes such as 30,60, or off');
      return z.NEVER;
    }
    return { gravest, below };
  });

/** After how many hours a task is reminded of; 0 for never. */
const taskAfter = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(720, 'must be at most 720');

/** The settings of reminders, in the order of docs/settings.md. */
export const reminderSettings = {
  REMINDERS: {
    default: 'on',
    meaning:
      'who is reminded of what is owed, such as a promised update: `on` for the person who owes it, alone, and then the incident’s channel; `owner` for that person alone; `off` for nobody. `/incident reminders` sets it for one incident',
    example: 'owner',
    format: z.enum(['on', 'owner', 'off'], 'must be on, owner or off'),
  },
  QUIET_HOURS: {
    default: '22:00-07:00',
    meaning:
      'the hours in which nobody gets a reminder in a direct message, by the clock of each person in Slack; it comes at their end if it is still owed. An incident of the gravest severity that goes on knows none. `off` for none',
    example: '20:00-08:00',
    format: quietHours,
  },
  NEWS_AFTER: {
    default: '30,60',
    meaning:
      'the minutes of silence after which the person who leads an incident is reminded: of the gravest severity, and of those below; the mildest has none. Talk in the channel counts, and so does any act. `off` for never',
    example: '20,120',
    format: newsAfter,
  },
  TASK_AFTER: {
    default: '4',
    meaning:
      'the hours after which the person who has a task is reminded of it when it does not move, then once a day; 0 for never',
    example: '8',
    format: taskAfter,
  },
} as const satisfies Readonly<Record<string, Setting>>;
