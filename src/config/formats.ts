import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { type AccessRole, accessRoles } from '../contract/define.ts';
import { findAddressProblem } from '../contract/webhook-address.ts';
import { trimEnd } from '../trim-end.ts';

/*
 * The formats of the settings' values: the text that an operator writes in, the checked value out. A complaint is the end of a
 * sentence that begins with the setting's name, and never repeats the value, which may be a secret.
 */

/** A token that may call the embedded API over HTTP, and its role. */
interface TokenSetting {
  readonly token: string;
  readonly role: AccessRole;
}

/** Any text. */
export const text = z.string();

/** An `http:` or `https:` address without its last slashes; `""` for none. */
export const webAddress = z
  .string()
  .refine(
    value => value === '' || (/^https?:\/\/[^\s/]/.test(value) && URL.canParse(value)),
    'must be an address that begins with http:// or https://',
  )
  .refine(value => !/^https?:\/\/[^/]*@/.test(value), 'must not carry a user or password')
  .transform(value => trimEnd(value, /\//));

/** Text that goes into a header of each request. */
export const headerText = z.string().regex(/^[\x21-\x7e]*$/, 'must not have spaces or letters outside ASCII');

/** A token of Slack, which begins with `prefix`; `""` for none. */
export function slackToken(prefix: string) {
  return headerText.refine(value => value === '' || value.startsWith(prefix), `must begin with ${prefix}`);
}

/** Where the database is. */
export const databaseUrl = z
  .string()
  .regex(/^(sqlite:|postgres(ql)?:\/\/).+/, 'must be sqlite: and a file, or postgres://user:password@host/database');

/** After how many days a channel is archived; 0 for never. */
export const archiveDays = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(365, 'must be at most 365');

/** For how many days something is kept; 0: without an end. */
export const retentionDays = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(36_500, 'must be at most 36500');

/** A TCP port; 0 for a free one. */
export const port = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(65_535, 'must be at most 65535');

/** A TCP port; `""` for none. */
export const optionalPort = z.preprocess(value => (value === '' ? undefined : value), port.optional());

/** How many connections to Postgres a process opens for its work. */
export const poolSize = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(2, 'must be at least 2')
  .max(200, 'must be at most 200');

/** An address or name of this machine; `""` for all addresses. */
export const listenAddress = z
  .string()
  .regex(/^[a-z0-9.:_-]{0,253}$/i, 'must be an address or name of this machine, such as 127.0.0.1, without a port')
  .refine(value => isIPv6(value) || !value.includes(':'), 'must not carry a port or brackets');

/** The name of a slash command, without its slash. */
export const commandRoot = z
  .string()
  .regex(/^[a-z0-9_-]{1,31}$/, 'must be at most 31 lower-case letters, digits, - or _, without a slash');

/** Id of a workspace; `""` for none. */
export const workspaceID = z
  .string()
  .regex(
    /^(T[A-Z0-9]+)?$/,
    'must be a workspace’s id such as T0123ABCD, not its name (in Slack in a browser: the address has it behind /client/)',
  );

/** Id of a channel; `""` for none. */
export const channelID = z
  .string()
  .regex(
    /^([CG][A-Z0-9]+)?$/,
    'must be a channel’s id such as C0123ABCD, not its name (in Slack: open the channel’s details, at the very bottom)',
  );

/** Names of severities from mild to grave, separated by commas. */
export const severities = z
  .string()
  .transform(splitList)
  .refine(all => all.length >= 2, 'must name at least two severities: the first means “not yet known”')
  .refine(all => all.length <= 20, 'must name at most 20 severities')
  .refine(all => all.every(each => each.length <= 60), 'must not have a name of more than 60 characters')
  .refine(all => new Set(all.map(each => each.toLowerCase())).size === all.length, 'must not name one twice');

/** The most characters of what a severity means: what an option of a menu shows (docs/slack.md 5). */
const maxMeaning = 75;

/** `severity: meaning` pairs, separated by semicolons; empty for none. Names are as they were typed. */
export const severityMeanings = z.string().transform((value, context): ReadonlyMap<string, string> => {
  const meanings = new Map<string, string>();
  const pairs = value.split(';').map(each => each.trim());
  for (const [index, pair] of pairs.filter(each => each !== '').entries()) {
    const [, name = '', meaning = ''] = /^([^:]+):(.+)$/s.exec(pair)?.map(each => each.trim()) ?? [];
    const place = `severity ${index + 1}`;
    if (name === '') context.addIssue(`${place} must be name: meaning, such as major: many customers cannot pay`);
    else if (meaning.length > maxMeaning)
      context.addIssue(`${place} must have a meaning of at most ${maxMeaning} characters`);
    else if (meanings.has(name.toLowerCase())) context.addIssue(`${place} is named twice`);
    else meanings.set(name.toLowerCase(), meaning);
  }
  return meanings;
});

/** What a reaction can do with its message. */
const emojiMeanings = ['note', 'task', 'update'] as const;
/** What a reaction does with its message. */
export type EmojiMeaning = (typeof emojiMeanings)[number];

/** Other names of emoji, and the ones that Slack gives in its events. */
const slackEmoji: Readonly<Record<string, string>> = {
  ...{ thumbsup: '+1', thumbsdown: '-1', pencil: 'memo', collision: 'boom', satisfied: 'laughing', poop: 'hankey' },
  ...{
    running: 'runner',
    honeybee: 'bee',
    telephone: 'phone',
    envelope: 'email',
    raised_hand: 'hand',
    punch: 'facepunch',
  },
  ...{ exclamation: 'heavy_exclamation_mark', squirrel: 'shipit', red_car: 'car', waning_gibbous_moon: 'moon' },
};

/** `emoji:meaning` pairs, separated by commas; an emoji may have colons around it. `off` for none. */
export const timelineEmoji = z.string().transform((value, context): ReadonlyMap<string, EmojiMeaning> => {
  const meanings = new Map<string, EmojiMeaning>();
  if (value === 'off') return meanings;
  for (const [index, pair] of splitList(value).entries()) {
    const [, typed = '', word = ''] = /^:?([a-z0-9_+'-]{1,100}):{1,2}([a-z]+)$/.exec(pair) ?? [];
    const name = slackEmoji[typed] ?? typed;
    const meaning = emojiMeanings.find(each => each === word);
    const place = `emoji ${index + 1}`;
    if (!meaning)
      context.addIssue(`${place} must be name:meaning, such as memo:note, and mean ${emojiMeanings.join(', ')}`);
    else if (meanings.has(name)) context.addIssue(`${place} is named twice`);
    else meanings.set(name, meaning);
  }
  return meanings;
});

/** Some of those names, separated by commas; empty for none. */
export const someSeverities = z.string().transform(splitList);

/** The fewest characters of a token. A shorter one can be guessed. */
export const shortestToken = 20;

/** `token:Role` pairs, separated by commas. A complaint names the place of the wrong pair. */
export const tokens = z.string().transform((value, context): readonly TokenSetting[] =>
  splitList(value).flatMap((pair, index) => {
    const colon = pair.lastIndexOf(':');
    const role = accessRoles.find(each => each === pair.slice(colon + 1));
    const place = `token ${index + 1}`;
    if (colon <= 0 || !role) context.addIssue(`${place} must be token:Role, with a role of ${accessRoles.join(', ')}`);
    else if (colon < shortestToken)
      context.addIssue(`${place} must have at least ${shortestToken} characters: make one with openssl rand -hex 20`);
    else return [{ token: pair.slice(0, colon), role }];
    return [];
  }),
);

/** Addresses of webhook receivers, separated by commas, each once. A complaint names the place of the wrong address. */
export const webhookUrls = z.string().transform((value, context): readonly string[] => {
  const urls = splitList(value);
  for (const [index, url] of urls.entries()) {
    const problem = findAddressProblem(url);
    if (problem !== undefined) context.addIssue(`address ${index + 1} ${problem}`);
  }
  return [...new Set(urls)];
});

/** The members of a list that commas separate, without empty ones. */
export function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '');
}
