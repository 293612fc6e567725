import type { Context } from '../call/context.ts';
import { lastNumber } from '../store/counters.ts';
import { type Figures, readFigures, type Step } from './figures.ts';
import { type Filters, findTyped, toChosen } from './filters.ts';

/** The most figures in the cache: each person has their own. */
const cacheSize = 100;

/** The cache of each service, by its options. */
const caches = new WeakMap<Context['options'], Map<string, Promise<Figures>>>();

/**
 * The figures of what the filters find, counted once for all readers, because a large installation takes a second for them.
 * They are counted again as soon as an incident has changed, and every minute, because a new week may have begun, and because a
 * query may ask for people, who change without an incident. Throws `invalid_argument`.
 */
export async function recallFigures(context: Context, step: Step, filters: Filters): Promise<Figures> {
  const minute = Math.floor(context.now.getTime() / 60_000);
  const { role, userID, reader } = context.caller;
  const caller = [role, userID, reader?.sight.mark];
  const key = JSON.stringify([await lastNumber(context.db, 'homescreen'), minute, step, filters, caller]);
  const cache = caches.get(context.options) ?? new Map<string, Promise<Figures>>();
  caches.set(context.options, cache);
  const known = cache.get(key);
  if (known) return await known;
  const chosen = toChosen(context, { ...filters, drills: 'none' }, 'worst');
  const counting = findTyped(context, filters).then(typed => readFigures(context, step, typed, chosen));
  cache.set(key, counting);
  for (const oldest of [...cache.keys()].slice(0, Math.max(0, cache.size - cacheSize))) cache.delete(oldest);
  try {
    return await counting;
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}
