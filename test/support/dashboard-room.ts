import { readFixture } from './dashboards.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';

/** A receipt without the addresses of dashboards: it has none where no page opens. */
export function withoutAddresses(receipt: string): string {
  return receipt.replaceAll(/ \(http[^)]*\)/g, '');
}

/** An incident beside two dashboards, `nginx` and `4GFbkOsZk`, with pages that show them; `says` is what alice reads after a line in its room. */
export async function openDashboards(options: IncidentOptions = {}) {
  const { GRAFANA_URL } = options.settings ?? {};
  const pages = GRAFANA_URL === undefined ? { PAGES: 'open' } : {};
  const opened = await openIncident({ ...options, settings: { ...pages, ...options.settings } });
  for (const name of ['nginx-ingress-controller', 'request-handling-performance'] as const) {
    await opened.api.Dashboards.save({ dashboard: { ...readFixture(name), id: null }, overwrite: true });
  }
  return { ...opened, room: opened.home, says: (line: string) => opened.type(line) };
}
