import { z } from 'zod';
import { shortestToken, splitList } from './formats.ts';

/* The formats of the settings of alerts, in the way of formats.ts. */

/** Most tokens of a source: the second one is for the time in which they are changed. */
const maxTokens = 2;

/** `name=token` pairs, separated by commas: the tokens of each source, in their order. A complaint names the place of the wrong pair. */
export const alertTokens = z.string().transform((value, context): ReadonlyMap<string, readonly string[]> => {
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

/** Within how many minutes after its end a group that fires again is the same incident. */
export const alertAgain = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(10_080, 'must be at most 10080');

/** From how many new groups within how long on they are one offer; undefined for never. */
export interface AlertStorm {
  /** More new groups than these of one source. */
  readonly more: number;
  /** In milliseconds. */
  readonly within: number;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** `5/10m`: more than five new groups within ten minutes. `off` for never. */
export const alertStorm = z.string().transform((value, context): AlertStorm | undefined => {
  if (value === 'off') return undefined;
  const [, more = '', within = '', unit = ''] = /^(\d{1,4})\/(\d{1,4})([smh])$/.exec(value) ?? [];
  const storm = { more: Number(more), within: Number(within) * (units[unit] ?? 0) };
  if (unit === '') context.addIssue('must be a number and a time, such as 5/10m, or off');
  else if (storm.more < 1 || storm.more > 1000) context.addIssue('must have a number from 1 to 1000 before the stroke');
  else if (storm.within < 1000 || storm.within > 24 * 3_600_000)
    context.addIssue('must have a time from 1s to 24h behind the stroke');
  return storm;
});
