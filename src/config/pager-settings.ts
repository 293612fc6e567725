import { z } from 'zod';
import { findAddressProblem } from '../contract/webhook-address.ts';
import { shortestToken, splitList, webAddress } from './formats.ts';
import type { SettingTable } from './setting.ts';

/** How a pager is reached, as PAGERS has it. */
export type PagerSetting = { readonly name: string } & (
  | {
      readonly kind: 'pagerduty';
      /** Where its Events API is, without a slash at the end. */
      readonly url: string;
      /** The integration key of a service there. */
      readonly routingKey: string;
      /** Signs the webhooks that PagerDuty sends to Muster; `""` where it sends none. */
      readonly secret: string;
    }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }
);

/** Where PagerDuty's Events API is, unless an entry says otherwise. */
const pagerDuty = 'https://events.pagerduty.com';

/** Most pagers: each is a button of one row. */
const maxPagers = 20;

/**
 * `name=kind:…` pairs, separated by commas: `sre=pagerduty:<integration key>` with `@<address>` where PagerDuty is elsewhere
 * and `|<signing secret>` where it answers, and `db=webhook:<address>|<secret>`. A complaint names the place of the wrong pair.
 */
const pagers = z.string().transform((value, context): readonly PagerSetting[] => {
  const all = splitList(value).flatMap((pair, index): readonly PagerSetting[] => {
    const read = readPager(pair);
    if (typeof read !== 'string') return [read];
    context.addIssue(`pager ${index + 1} ${read}`);
    return [];
  });
  for (const [index, { name }] of all.entries())
    if (all.findIndex(each => each.name === name) < index) context.addIssue(`pager ${index + 1} is named twice`);
  if (all.length > maxPagers) context.addIssue(`must name at most ${maxPagers} pagers`);
  return all;
});

/** A pager, or the problem of its pair. */
function readPager(pair: string): PagerSetting | string {
  const [, name = '', kind = '', rest = ''] = /^([^=]*)=(pagerduty|webhook):(.*)$/s.exec(pair) ?? [];
  if (kind === '') return 'must be name=pagerduty:… or name=webhook:…, such as sre=pagerduty:0123…';
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    return 'must have a name of at most 40 lower-case letters, digits or hyphens, without a hyphen at its beginning';
  const end = rest.lastIndexOf('|');
  const [first, secret] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end + 1)];
  if (secret !== '' && !/^[\x21-\x7e]+$/.test(secret))
    return 'must have a secret without spaces or letters outside ASCII';
  const isShort = secret.length < shortestToken;
  if (kind === 'pagerduty') {
    const [, routingKey = '', url = pagerDuty] = /^([A-Za-z0-9]{32})(?:@(.*))?$/s.exec(first) ?? [];
    if (routingKey === '') return 'must have an integration key of 32 letters and digits, as PagerDuty shows it';
    const read = webAddress.safeParse(url);
    if (!read.success || read.data === '')
      return 'must have a web address behind @, such as https://events.eu.pagerduty.com';
    if (isShort && end >= 0) return `must have a signing secret of at least ${shortestToken} characters, or none`;
    return { name, kind, url: read.data, routingKey, secret };
  }
  const problem = findAddressProblem(first);
  if (problem !== undefined) return `has an address that ${problem}`;
  if (isShort)
    return `must have a secret of at least ${shortestToken} characters behind |: make one with openssl rand -hex 20`;
  return { name, kind: 'webhook', url: first, secret };
}

const needsPagers = [{ of: 'PAGERS', must: 'be set', otherwise: 'warn', why: 'there is no pager' }] as const;

/** The settings of the team's pagers, in the order of docs/settings.md. */
export const pagerSettings = {
  PAGERS: {
    default: '',
    meaning:
      'the pagers that `/incident page` reaches, separated by commas: `name=pagerduty:<integration key>`, with `@https://events.eu.pagerduty.com` behind it in the EU, or `name=webhook:<address>`, each with its secret at the end (docs/pager.md)',
    example: 'sre=pagerduty:0123…',
    isSecret: true,
    isList: true,
    source: 'PagerDuty: a service, Integrations, Events API V2. The secret of a webhook: openssl rand -hex 20',
    format: pagers,
  },
  PAGER_GROUP: {
    default: '',
    meaning: 'the Slack group whose members alone may page, by its handle or its id; empty for every member',
    example: '@responders',
    worksOnly: needsPagers,
    format: z
      .string()
      .regex(/^(@?[\p{L}\p{N}._-]{1,100})?$/u, 'must be the handle of a Slack group, such as @responders, or its id')
      .transform(value => value.replace(/^@/, '')),
  },
} as const satisfies SettingTable;
