import type { Logger } from 'pino';
import type { Incident } from '../../../contract/incidents.ts';
import type { Deadlines } from '../../../deadlines.ts';
import { type Settings, toWebUrl } from '../state/settings.ts';

/** How long it is remembered whether a page opens, in milliseconds. */
const remembered = 10 * 60_000;
/** Pages that are remembered. */
const maxKnown = 1000;

interface OverviewDeps {
  readonly settings: Settings;
  /** Whether another server has the pages, which may have none; else all of them open. */
  readonly isElsewhere: boolean;
  /** The pages know who reads, so those of private incidents open for their people; else they do not open. */
  readonly knowsReaders: boolean;
  readonly deadlines: Deadlines;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow: () => number;
  readonly log: Logger;
}

/** The address of an incident's page; `""` when it opens nowhere. */
export type OverviewOf = (incident: Pick<Incident, 'overviewURL' | 'incidentType'>) => Promise<string>;

/**
 * Finds the pages of incidents. An API whose server has no pages gives addresses too, so each page is asked for once in ten minutes,
 * under whatever title: one that is not found is not linked. A page that asks for a login opens, and one that does not answer may.
 */
export function openOverviews(deps: OverviewDeps): OverviewOf {
  const { settings, isElsewhere, knowsReaders, monotonicNow } = deps;
  const known = new Map<string, { readonly opens: Promise<boolean>; readonly until: number }>();
  return async ({ overviewURL, incidentType }) => {
    const url = toWebUrl(settings, overviewURL);
    if (url === '') return '';
    if (!isElsewhere) return incidentType === 'private' && !knowsReaders ? '' : url;
    const place = url.slice(0, url.lastIndexOf('/') + 1);
    let page = known.get(place);
    if (!page || page.until <= monotonicNow()) {
      if (known.size >= maxKnown) known.clear();
      page = { opens: opens(url, deps), until: monotonicNow() + remembered };
      known.set(place, page);
    }
    return (await page.opens) ? url : '';
  };
}

async function opens(url: string, { deadlines, log }: OverviewDeps): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(deadlines.page) });
    await answer.body?.cancel();
    // A proxy in front hides itself behind a page of its own.
    return answer.status !== 404 || !/json/.test(answer.headers.get('content-type') ?? '');
  } catch (error) {
    log.debug({ reason: String(error) }, 'overview: the page of an incident did not answer');
    return true;
  }
}
