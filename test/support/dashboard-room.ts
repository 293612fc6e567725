import { expect } from 'vitest';
import type { Channel, Message, Person } from '../../playground/fake-slack/fake-slack.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { readFixture } from './dashboards.ts';
import { type IncidentOptions, openIncident } from './incident-room.ts';
import { openVerbs, type VerbOptions } from './verbs.ts';
import type { Workplace } from './workplace.ts';

/** A receipt without the addresses of dashboards: it has none where no page opens. */
export function withoutAddresses(receipt: string): string {
  return receipt.replaceAll(/ \(http[^)]*\)/g, '');
}

/** An incident and two dashboards, `nginx` and `4GFbkOsZk`, with pages that show them; `says` is what alice reads after a line in its room. */
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
  R extends {
    readonly api: ApiClient;
    readonly home: Channel;
    readonly alice: Person;
    readonly place: Pick<Workplace, 'quiet'>;
    type(line: string): Promise<string>;
    reads(): string;
    submit(values: Record<string, string>): Promise<unknown>;
  },
>(opened: R) {
  await addDashboards(opened.api);
  const { alice, place, submit, reads, type } = opened;
  return {
    ...opened,
    room: opened.home,
    says: (line: string) => type(line),
    /** Uses the shortcut on a message and sends the form; yields the last text that alice reads then. */
    save: async (message: Message, values: Record<string, string> = {}) => {
      await alice.shortcut('save_dashboard', message);
      await place.quiet();
      if (alice.view) await submit(values);
      return withoutAddresses(reads());
    },
    /** Pastes JSON into the form of `/dash save`, and yields the last text that alice reads then. */
    paste: async (json: unknown, values: Record<string, string> = {}) => {
      await type('/dash save');
      expect(alice.view?.title).toBe('Save a dashboard');
      await submit({ json: typeof json === 'string' ? json : JSON.stringify(json), ...values });
      return withoutAddresses(reads());
    },
  };
}

/** Saves the dashboards `nginx` and `4GFbkOsZk`. */
export async function addDashboards(api: ApiClient): Promise<void> {
  for (const name of ['nginx-ingress-controller', 'request-handling-performance'] as const) {
    await api.Dashboards.save({ dashboard: { ...readFixture(name), id: null }, overwrite: true });
  }
}
