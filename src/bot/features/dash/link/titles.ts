import { RpcError } from '../../../../contract/errors.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { readLinked } from './linked.ts';

/** A dashboard by its title. */
export interface Titled {
  readonly uid: string;
  readonly title: string;
  readonly tags?: readonly string[];
}

/** Dashboards that a search gives at most. */
const mostFound = 100;

/** The dashboards that were linked lately, and those that the API finds by a part of their title (`""`: all), each once. */
export async function readTitles(ctx: Context, part: string): Promise<readonly Titled[]> {
  const [linked, found] = await Promise.all([readLinked(ctx), searchTitles(ctx, part)]);
  const all = [...linked.filter(each => each.uid !== ''), ...found];
  return all.filter((one, at) => all.findIndex(other => other.uid === one.uid) === at);
}

/** The dashboards whose titles hold a text; none where the API refuses to search. Throws the RpcError while it is away. */
async function searchTitles({ deps: { api } }: Context, query: string): Promise<readonly Titled[]> {
  try {
    const hits = await api.Search.find({ query, type: 'dash-db', limit: String(mostFound) });
    return hits.filter(each => each.type === 'dash-db' && each.uid !== '');
  } catch (error) {
    const isRefused = error instanceof RpcError && !error.retryable;
    if (isRefused) return [];
    throw error;
  }
}
