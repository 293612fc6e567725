import type { Channel } from '../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { readFixture } from './dashboards.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';
import { openVerbs, type VerbOptions } from './verbs.ts';

/** A receipt without the addresses of dashboards: it has none where no page opens. */
export function withoutAddresses(receipt: string): string {
  return receipt.replaceAll(/ \(http[^)]*\)/g, '');
}

/** An incident beside two dashboards, `nginx` and `4GFbkOsZk`, with pages that show them; `says` is what alice reads after a line in its room. */
export async function openDashboards(options: IncidentOptions = {}) {
  return withDashboards(await openIncident(withPages(options)));
}

/** Those of {@link openDashboards} where verbs are tried. */
export async function openDashboardVerbs(options: VerbOptions = {}) {
  return withDashboards(await openVerbs(withPages(options)));
}

/** A Grafana has its own pages. */
function withPages<O extends Pick<IncidentOptions, 'settings'>>(options: O): O {
  const pages = options.settings?.GRAFANA_URL === undefined ? { PAGES: 'open' } : {};
  return { ...options, settings: { ...pages, ...options.settings } };
}

async function withDashboards<
  R extends { readonly api: ApiClient; readonly home: Channel; type(line: string): Promise<string> },
>(opened: R) {
  await addDashboards(opened.api);
  return { ...opened, room: opened.home, says: (line: string) => opened.type(line) };
}

/** Saves the dashboards `nginx` and `4GFbkOsZk`. */
export async function addDashboards(api: ApiClient): Promise<void> {
  for (const name of ['nginx-ingress-controller', 'request-handling-performance'] as const) {
    await api.Dashboards.save({ dashboard: { ...readFixture(name), id: null }, overwrite: true });
  }
}
