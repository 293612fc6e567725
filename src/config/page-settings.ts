import { z } from 'zod';
import { isOwnHost } from '../contract/own-host.ts';
import { optionalPort } from './formats.ts';
import type { SettingTable, ValuesOf } from './setting.ts';

/** The settings of the pages. */
export const pageSettings = {
  PAGES_PORT: {
    default: '',
    meaning:
      'a port of their own for the pages and short links, which are then not at `PORT`; at the same address as `PORT`. Empty: they are at `PORT`; 0 for a free one',
    example: '8081',
    option: '--pages-port <port>',
    worksOnly: [{ of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'links open Grafana' }],
    format: optionalPort,
  },
  PAGES: {
    default: 'off',
    meaning:
      'who may read incidents and dashboards in a browser. `slack`: the people of the workspace, each what they see in Slack; `/muster web` gives them links, and `PUBLIC_URL` must begin with https. `open`: all who reach the HTTP server, without a login',
    example: 'slack',
    option: '--pages <off|slack|open>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'links open Grafana' },
      { of: 'PUBLIC_URL', must: 'be set', otherwise: 'warn', why: 'no link leads to the pages' },
    ],
    format: z.enum(['off', 'slack', 'open'], 'must be off, slack or open'),
  },
} as const satisfies SettingTable;

/** Who may read the pages: nobody, the people of Slack (each by a link of their own), or all who reach the service. */
export type PagesMode = ValuesOf<typeof pageSettings>['pages'];

/** What a start says about the pages: a sentence for each thing that people would not expect. */
export function findPageWarnings({
  pages,
  pagesPort,
  publicUrl,
  takesSlack,
}: ValuesOf<typeof pageSettings> & {
  readonly publicUrl: string;
  readonly takesSlack: boolean;
}): readonly string[] {
  const url = URL.parse(publicUrl);
  const isPlain = url?.protocol === 'http:' && !isOwnHost(url.hostname);
  return [
    ...(pages === 'slack' && isPlain
      ? ['PAGES=slack needs a PUBLIC_URL with https: over http, browsers keep no cookie, so nobody gets in.']
      : []),
    ...(pages === 'open' && takesSlack && pagesPort === undefined
      ? [
          'PAGES=open shows incidents to everybody who reaches PORT, and Slack must reach PORT from the internet. Set PAGES=slack, or give the pages a port of their own with PAGES_PORT.',
        ]
      : []),
  ];
}

/** Two servers cannot share a port; 0 means another free one each time. */
export function findSamePort({
  port,
  metricsPort,
  pagesPort,
}: Readonly<Record<'port' | 'metricsPort' | 'pagesPort', number | undefined>>) {
  const isSame = (one: number | undefined, other: number | undefined) =>
    one !== undefined && one !== 0 && one === other;
  return [
    ...(isSame(metricsPort, port)
      ? ['METRICS_PORT must differ from PORT. Leave it empty to have health and metrics at PORT.']
      : []),
    ...(isSame(pagesPort, port) ? ['PAGES_PORT must differ from PORT. Leave it empty to have the pages at PORT.'] : []),
    ...(isSame(pagesPort, metricsPort) ? ['PAGES_PORT must differ from METRICS_PORT.'] : []),
  ];
}
