import { RpcError } from '../../../../contract/errors.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { readLinked } from './linked.ts';

/** A dashboard by its title. */
export interface Titled {
  readonly uid: string;
  readonly title: string;
  readonly tags?: readonly string[];
}

/** Dashboards that a search gives at most. */
const mostFound = 100;

/** Dashboards by their titles. `isRefused`: the API does not let Muster search. */
interface Titles {
  readonly known: readonly Titled[];
  readonly isRefused: boolean;
}

/** The dashboards that were linked lately, and those that the API finds by a part of their title (`""`: all), each once. */
export async function readTitles(ctx: Context, part: string): Promise<Titles> {
  const [linked, found] = await Promise.all([readLinked(ctx), searchTitles(ctx, part)]);
  const all = [...linked.filter(each => each.uid !== ''), ...(found ?? [])];
  const known = all.filter((one, at) => all.findIndex(other => other.uid === one.uid) === at);
  return { known, isRefused: found === undefined };
}

/** Says that no dashboard of that title is known, and why none could be searched for, in mrkdwn. */
export function noTitle({ deps: { settings } }: Context, typed: string, isRefused: boolean): string {
  const title = toMrkdwn(typed, 100);
  return isRefused
    ? `${settings.apiName} does not let Muster search for dashboards, and none that was linked recently is “${title}”. Paste its address from the browser, or type its uid.`
    : `I know no dashboard “${title}”. ${otherWay}`;
}

/** What to do where a dashboard is not found (mrkdwn). */
export const otherWay = 'Type its title, or paste its address from the browser.';

/** The dashboards whose titles hold a text; undefined where the API refuses to search. Throws the RpcError while it is away. */
async function searchTitles({ deps: { api }, log }: Context, query: string): Promise<readonly Titled[] | undefined> {
  try {
    const hits = await api.Search.find({ query, type: 'dash-db', limit: String(mostFound) });
    return hits.filter(each => each.type === 'dash-db' && each.uid !== '');
  } catch (error) {
    if (!(error instanceof RpcError) || error.retryable) throw error;
    log.warn({ err: error }, 'dash: the API does not let Muster search for dashboards');
    return undefined;
  }
}
