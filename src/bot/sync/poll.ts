import type { Api } from '../../contract/contract.ts';
import { RpcError } from '../../contract/errors.ts';
import type { IncidentPreview } from '../../contract/incidents.ts';
import type { Deadlines } from '../../deadlines.ts';
import { apiClockSkew } from '../incident/api/clock.ts';
import { secondsAfter } from '../text/times.ts';
import { type NoticeDeps, notice } from './notice.ts';
import type { PollStore } from './poll-store.ts';

/** Incidents of one page, and pages of one poll. */
const pageSize = 100;
const maxPages = 20;
/** How much older a change may be than the newest one that was seen, in seconds: not all changes show in the order of their times. */
const overlap = 10;
/** Incidents whose last change is remembered. */
const maxHandled = 5000;

/** The parts of Muster that a poll uses. */
export interface PollDeps extends NoticeDeps {
  readonly api: {
    readonly IncidentsService: Pick<
      Api['IncidentsService'],
      'GetHomescreenVersion' | 'QueryIncidentPreviews' | 'GetIncident'
    >;
  };
  readonly store: PollStore;
  readonly deadlines: Deadlines;
}

/**
 * Polls the API for changes: one call tells whether anything changed, and one more which incidents. Both are cheap however many
 * incidents there are. Several processes may poll at once; each change is brought over once or more often.
 */
export class Poll {
  readonly #deps: PollDeps;
  /** The last change of each incident that was brought over. */
  readonly #handled = new Map<string, string>();
  /** The API has no version of the home screen. */
  #isUncounted = false;

  constructor(deps: PollDeps) {
    this.#deps = deps;
  }

  /** Brings over what changed since the last poll. Throws the RpcError. */
  async run(): Promise<void> {
    const { store } = this.#deps;
    const before = await store.read();
    const version = await this.#readVersion();
    if (version === before.version) return;
    const from = before.modified_time || secondsAfter(new Date(before.since), -apiClockSkew).toISOString();
    const changed = await this.#findChanged(from);
    let newest = from;
    const heard = changed.toReversed().map(({ incidentID, createdTime }) => ({
      incidentID,
      isHistory: Date.parse(createdTime) < Date.parse(before.since),
    }));
    const again = await notice(this.#deps, heard);
    for (const each of changed) {
      if (Date.parse(each.modifiedTime) > Date.parse(newest)) newest = each.modifiedTime;
      if (this.#handled.size >= maxHandled) this.#handled.clear();
      if (!again.has(each.incidentID)) this.#handled.set(each.incidentID, markOf(each));
    }
    // The next poll decides about the rest.
    if (again.size > 0) return;
    const isChanged = changed.length > 0 || version !== undefined;
    // Without a change there was nothing for webhooks to report.
    if (!isChanged) return;
    const is_rare = before.heard > before.heard_before ? 1 : 0;
    await store.end({ version: version ?? -1, modified_time: newest, heard_before: before.heard, is_rare });
  }

  /** The home screen's version; undefined when the API counts none (docs/api-rules.md A10), so that its list is read each time. */
  async #readVersion(): Promise<number | undefined> {
    if (this.#isUncounted) return undefined;
    const { api, deadlines } = this.#deps;
    try {
      return (await api.IncidentsService.GetHomescreenVersion({}, { budget: deadlines.poll })).version;
    } catch (error) {
      if (!(error instanceof RpcError && error.code === 'not_found')) throw error;
      this.#isUncounted = true;
      return undefined;
    }
  }

  /** The incidents that changed since `from` and were not handled since, newest change first. */
  async #findChanged(from: string): Promise<readonly IncidentPreview[]> {
    const { api, deadlines } = this.#deps;
    const since = Date.parse(from) - overlap * 1000;
    const found: IncidentPreview[] = [];
    const query = { limit: pageSize, orderField: 'modifiedTime', orderDirection: 'DESC' } as const;
    let cursor = { nextValue: '', hasMore: false };
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await api.IncidentsService.QueryIncidentPreviews({ query, cursor }, { budget: deadlines.poll });
      const isNew = (each: IncidentPreview) => Date.parse(each.modifiedTime) >= since;
      // An API that does not note the time of each change still counts the version.
      const isKnown = (each: IncidentPreview) => this.#handled.has(each.incidentID);
      found.push(...answer.incidentPreviews.filter(each => isNew(each) || isKnown(each)));
      const last = answer.incidentPreviews.at(-1);
      if (!answer.cursor.hasMore || !last || !isNew(last)) break;
      cursor = answer.cursor;
    }
    return found.filter(each => this.#handled.get(each.incidentID) !== markOf(each));
  }
}

function markOf({ version, modifiedTime }: IncidentPreview): string {
  return `${version} ${modifiedTime}`;
}
