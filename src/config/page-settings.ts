import { z } from 'zod';
import { isOwnHost } from '../contract/own-host.ts';
import type { PagesMode } from '../service/call/options.ts';
import { optionalPort } from './formats.ts';
import type { Setting } from './setting.ts';

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
      'who may read incidents and dashboards in a browser. `slack`: the people of the workspace, each what they see in Slack; `/muster page` gives them links, and `PUBLIC_URL` must begin with https. `open`: all who reach the HTTP server, without a login',
    example: 'slack',
    option: '--pages <off|slack|open>',
    worksOnly: [
      { of: 'GRAFANA_URL', must: 'not be set', otherwise: 'refuse', why: 'links open Grafana' },
      { of: 'PUBLIC_URL', must: 'be set', otherwise: 'warn', why: 'no link leads to the pages' },
    ],
    format: z.enum(['off', 'slack', 'open'], 'must be off, slack or open'),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** What a start says about the pages: a sentence for each thing that people would not expect. */
export function findPageWarnings(pages: {
  readonly mode: PagesMode;
  readonly publicUrl: string;
  readonly takesSlack: boolean;
  readonly hasOwnPort: boolean;
}): readonly string[] {
  const url = URL.parse(pages.publicUrl);
  const isPlain = url?.protocol === 'http:' && !isOwnHost(url.hostname);
  return [
    ...(pages.mode === 'slack' && isPlain
      ? ['PAGES=slack needs a PUBLIC_URL with https: over http, browsers keep no cookie, so nobody gets in.']
      : []),
    ...(pages.mode === 'open' && pages.takesSlack && !pages.hasOwnPort
      ? [
          'PAGES=open shows incidents to everybody who reaches PORT, and Slack must reach PORT from the internet. Set PAGES=slack, or give the pages a port of their own with PAGES_PORT.',
        ]
      : []),
  ];
}

/** Two servers cannot share a port; 0 means another free one each time. */
export function findSamePort(env: Readonly<Record<'PORT' | 'METRICS_PORT' | 'PAGES_PORT', number | undefined>>) {
  const isSame = (one: number | undefined, other: number | undefined) =>
    one !== undefined && one !== 0 && one === other;
  return [
    ...(isSame(env.METRICS_PORT, env.PORT)
      ? ['METRICS_PORT must differ from PORT. Leave it empty to have health and metrics at PORT.']
      : []),
    ...(isSame(env.PAGES_PORT, env.PORT)
      ? ['PAGES_PORT must differ from PORT. Leave it empty to have the pages at PORT.']
      : []),
    ...(isSame(env.PAGES_PORT, env.METRICS_PORT) ? ['PAGES_PORT must differ from METRICS_PORT.'] : []),
  ];
}
