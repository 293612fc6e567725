import { z } from 'zod';
import { shortestToken, someSeverities, splitList, text } from './formats.ts';
import type { SettingTable } from './setting.ts';

/* The settings of alerts. Their formats are as those of formats.ts. */

/** Most tokens of a source: the second one is for the time in which they are changed. */
const maxTokens = 2;

/** `name=token` pairs, separated by commas: the tokens of each source, in their order. A complaint names the place of the wrong pair. */
const alertTokens = z.string().transform((value, context): ReadonlyMap<string, readonly string[]> => {
  const sources = new Map<string, readonly string[]>();
  for (const [index, pair] of splitList(value).entries()) {
    const [, name = '', token = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const tokens = sources.get(name) ?? [];
    const problem = findTokenProblem(name, token, tokens);
    if (problem === undefined) sources.set(name, [...tokens, token]);
    else context.addIssue(`source ${index + 1} ${problem}`);
  }
  return sources;
});

function findTokenProblem(name: string, token: string, others: readonly string[]): string | undefined {
  if (name === '' || token === '') return 'must be name=token, such as prometheus=…';
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    return 'must have a name of at most 40 lower-case letters, digits or hyphens, without a hyphen at its beginning';
  if (!/^[\x21-\x7e]+$/.test(token)) return 'must have a token without spaces or letters outside ASCII';
  if (token.length < shortestToken)
    return `must have a token of at least ${shortestToken} characters: make one with openssl rand -hex 20`;
  if (others.includes(token)) return 'is named twice';
  return others.length < maxTokens
    ? undefined
    : `must not have a third token: a source has two at most, while they are changed`;
}

/** Without a source no alert comes in. */
const needsSources = (otherwise: 'refuse' | 'warn') =>
  [{ of: 'ALERTS', must: 'be set', otherwise, why: 'no tool may send alerts' }] as const;

/** The settings of the sources of alerts, in the order of docs/settings.md. They become one list (alert-sources.ts). */
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
} as const satisfies SettingTable;

/** The choices of the team about alerts, in the order of docs/settings.md. */
export const alertRules = {
  ALERTS_END: {
    default: 'ask',
    meaning:
      'the end of an alert: `ask` leaves the incident to people, with a button; `auto` resolves an incident in which nobody ever acted',
    example: 'auto',
    worksOnly: needsSources('warn'),
    format: z.enum(['ask', 'auto'], 'must be ask or auto'),
  },
} as const satisfies SettingTable;
