import { z } from 'zod';
import { callAfter, callChains, groupHandle } from './call-formats.ts';
import {
  archiveDays,
  channelID,
  commandRoot,
  severities,
  severityMeanings,
  someSeverities,
  timelineEmoji,
} from './formats.ts';
import type { SettingTable } from './setting.ts';

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

/** `30,60`: minutes for the highest severity and for the others; `off` for never. */
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

/**
 * The settings of how a team runs its incidents in Slack, in the order of docs/settings.md. Each feature of the bot gets all their values
 * (`Settings` in bot/incident/state/settings.ts).
 */
export const teamSettings = {
  COMMAND_ROOT: {
    default: 'muster',
    meaning: 'the slash command that carries every verb, without its slash',
    example: 'ir',
    option: '--root <name>',
    format: commandRoot,
  },
  SEVERITIES: {
    default: 'pending,minor,major,critical',
    meaning: 'names of severities from mild to grave, separated by commas; the first means “not yet known”',
    example: 'unknown,sev3,sev2,sev1',
    option: '--severities <names>',
    format: severities,
  },
  SEVERITY_MEANINGS: {
    default: '',
    meaning: 'what each severity means, for the forms: `name: meaning` pairs, separated by semicolons',
    example: 'minor: few notice; major: many customers cannot pay; critical: nothing works',
    format: severityMeanings,
  },
  CHANNEL_PREFIX: {
    default: 'inc-',
    meaning: 'the beginning of the names of incident channels',
    example: 'incident-',
    format: z.string().regex(/^[a-z0-9_-]{0,20}$/, 'must be at most 20 lower-case letters, digits, - or _'),
  },
  COMMANDER_ROLE: {
    default: 'commander',
    meaning:
      'the name of the role that leads an incident: *Take command* and `--commander` give it, and `/role lead` means it. Where no role has that name, the first mandatory or important one leads',
    example: 'incident lead',
    format: z.string().max(100, 'must be at most 100 characters'),
  },
  TIMELINE_EMOJI: {
    default: 'memo:note,pushpin:note',
    meaning:
      'what a reaction to a message in an incident’s channel does, as `emoji:meaning` pairs separated by commas: `note` puts the message on the timeline, `update` does so and marks it as important, `task` makes a task of it; `off` for nothing. Unless set, 📝 and 📌 make notes: Muster marks notes with 📝 itself, and 📌 does it in most other bots. Nothing else does anything, since people react with everything',
    example: 'memo:note,mega:update,ballot_box_with_check:task',
    isList: true,
    format: timelineEmoji,
  },
  ANNOUNCE_CHANNEL: {
    default: '',
    meaning: 'the id of the channel in which Muster announces incidents; empty for none',
    example: 'C0123ABCD',
    source: 'Slack, the channel’s details, at the very bottom: Channel ID',
    format: channelID,
  },
  ROOMS_FOR: {
    default: '',
    meaning:
      'the severities, separated by commas, whose incidents get a channel at once when they began outside Slack, as from an alert; of others a button in `ANNOUNCE_CHANNEL` offers one. Leave it empty where Grafana’s own Slack app makes channels',
    example: 'major,critical',
    isList: true,
    format: someSeverities,
  },
  ARCHIVE_AFTER_DAYS: {
    default: '0',
    meaning:
      'the days after which the channel of an incident that is over is archived; 0 for never. The channel reads it at once and a day before, and each of its members can keep it open or choose another day. Muster archives only channels that it made',
    example: '7',
    format: archiveDays,
  },
  CALL: {
    default: '',
    meaning:
      'the user groups of Slack that are called to an incident without being asked for: `severity:@group` and `label name:@group`, separated by semicolons. Behind `>` stands the group that is called when nobody of the one before it comes, or `pager:` with the name of a pager that is paged then. It begins when the incident is declared, by an alert too, when its severity is raised to that one, or when it gets the label; never for a drill or a private incident',
    example: 'critical:@sre>@sre-leads>pager:sre; major:@checkout; label payments:@payments',
    format: callChains,
  },
  CALL_AFTER: {
    default: '5',
    meaning: 'the minutes after which the next group or pager of `CALL` is called when nobody comes',
    example: '10',
    worksOnly: [{ of: 'CALL', must: 'be set', otherwise: 'warn', why: 'no group is called after another one' }],
    format: callAfter,
  },
  CALLERS: {
    default: '',
    meaning: 'the user group of Slack whose members may call people; empty for every member of the workspace',
    example: '@incident-leads',
    format: groupHandle,
  },
  GUESTS: {
    default: 'rooms',
    meaning:
      'the incidents that guests see: `rooms` for those whose channel they are in, `all` for all that are not private. With `rooms`, other channels in which a guest is show the number alone, and name no alert',
    example: 'all',
    format: z.enum(['rooms', 'all'], 'must be rooms or all'),
  },
  SHARED_CHANNELS: {
    default: 'number',
    meaning:
      'the part of an incident that channels of several organisations (Slack Connect) show: `number` or `all`. With `number` they name no alert either',
    example: 'all',
    format: z.enum(['number', 'all'], 'must be number or all'),
  },
  SECRETS_GUARD: {
    default: 'on',
    meaning:
      '`on`: a text that looks as if it held a token, key, password, card number or IBAN is stored only once its author has chosen to keep, redact or drop it (docs/secrets-guard.md)',
    example: 'off',
    format: z.enum(['on', 'off'], 'must be on or off'),
  },
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
} as const satisfies SettingTable;

/** The pace of people and channels, alike for every team. */
export interface Pace {
  /** The messages about changes that a channel gets within an hour; further changes join the last one. */
  readonly linesPerHour: number;
  /** The hours after which the person who has a task is reminded of it when it does not move; 0 for never. */
  readonly taskAfter: number;
  /** The minutes after the end of an alert within which it is the same incident when it fires again. */
  readonly alertsAgain: number;
  /** One source sends more than `more` new alerts within `within` milliseconds: they become one offer. Undefined: they never do. */
  readonly alertsStorm: { readonly more: number; readonly within: number } | undefined;
}

/** The pace that Muster keeps. */
export const usualPace: Pace = {
  ...{ linesPerHour: 30, taskAfter: 4 },
  ...{ alertsAgain: 30, alertsStorm: { more: 5, within: 10 * 60_000 } },
};
