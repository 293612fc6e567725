import { z } from 'zod';
import { findAddressProblem } from '../contract/webhook-address.ts';
import { shortestToken, splitList, webAddress } from './formats.ts';
import type { SettingTable } from './setting.ts';

/** How a pager is reached, as PAGERS has it. */
export type PagerSetting = { readonly name: string } & (
  | {
      readonly kind: 'pagerduty';
      /** The integration key of a service there. */
      readonly routingKey: string;
      /** Signs the webhooks that PagerDuty sends to Muster; `""` where it sends none. */
      readonly secret: string;
    }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }
);

/** Most pagers: each is a button of one row. */
const maxPagers = 20;

/**
 * `name=kind:…` pairs, separated by commas: `sre=pagerduty:<integration key>` with `|<signing secret>` where PagerDuty answers, and
 * `db=webhook:<address>|<secret>`. A complaint names the place of the wrong pair.
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
    if (!/^[A-Za-z0-9]{32}$/.test(first))
      return 'must have an integration key of 32 letters and digits, as PagerDuty shows it';
    if (isShort && end >= 0) return `must have a signing secret of at least ${shortestToken} characters, or none`;
    return { name, kind, routingKey: first, secret };
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
      'the pagers that `/incident page` reaches, separated by commas: `name=pagerduty:<integration key>` or `name=webhook:<address>`, each with its secret behind it (docs/pager.md)',
    example: 'sre=pagerduty:0123…',
    isSecret: true,
    isList: true,
    source: 'PagerDuty: a service, Integrations, Events API V2. The secret of a webhook: openssl rand -hex 20',
    format: pagers,
  },
  PAGERDUTY_URL: {
    default: 'https://events.pagerduty.com',
    meaning: 'where PagerDuty’s Events API is',
    example: 'https://events.eu.pagerduty.com',
    worksOnly: needsPagers,
    format: webAddress.refine(value => value !== '', 'must be an address'),
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
