import { z } from 'zod';
import { alertAgain, alertStorm, alertTokens } from './alert-formats.ts';
import { someSeverities, text } from './formats.ts';
import type { Setting } from './setting.ts';

/** Without a source no alert comes in. */
const needsSources = (otherwise: 'refuse' | 'warn') =>
  [{ of: 'ALERTS', must: 'be set', otherwise, why: 'no tool may send alerts' }] as const;

/** The settings of the alerts that monitoring sends, in the order of docs/settings.md. */
export const alertSettings = {
  ALERTS: {
    default: '',
    meaning:
      'the tools that may send alerts to `/hooks/alerts/<name>`: `name=token` pairs, separated by commas, each token of 20 characters or more. The same name twice gives a source two tokens, while they are changed',
    example: 'prometheus=4f1c…,grafana=9a0e…',
    isSecret: true,
    isList: true,
    source: 'Choose a name; make the token: openssl rand -hex 20',
    format: alertTokens,
  },
  ALERTS_SOURCES: {
    default: '',
    meaning: 'a JSON file with what a team decides of single sources (see docs/settings.md)',
    example: './alert-sources.json',
    worksOnly: needsSources('refuse'),
    format: text,
  },
  ALERTS_DECLARE: {
    default: '',
    meaning:
      'the severities, separated by commas, whose alerts declare an incident at once; empty for none: all others are offered in the channel',
    example: 'critical',
    isList: true,
    worksOnly: needsSources('refuse'),
    format: someSeverities,
  },
  ALERTS_END: {
    default: 'ask',
    meaning:
      'the end of an alert: `ask` leaves the incident to people, with a button; `auto` resolves an incident in which nobody ever acted',
    example: 'auto',
    worksOnly: needsSources('warn'),
    format: z.enum(['ask', 'auto'], 'must be ask or auto'),
  },
  ALERTS_AGAIN: {
    default: '30',
    meaning: 'the minutes after the end of an alert within which it is the same incident when it fires again',
    example: '60',
    worksOnly: needsSources('warn'),
    format: alertAgain,
  },
  ALERTS_STORM: {
    default: '5/10m',
    meaning:
      'the number and the time of a storm: more new alerts than `5` of one source within `10m` become one offer; `off` for none',
    example: '10/1h',
    worksOnly: needsSources('warn'),
    format: alertStorm,
  },
} as const satisfies Readonly<Record<string, Setting>>;
