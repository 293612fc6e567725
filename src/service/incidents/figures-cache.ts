import type { Expression, SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import { lastNumber } from '../store/counters.ts';
import { type Chosen, type Figures, readFigures, type Step } from './figures.ts';

/** The most figures in the cache: each person has their own. */
const cacheSize = 100;

/** The cache of each service, by its options. */
const caches = new WeakMap<Context['options'], Map<string, Promise<Figures>>>();

/** What is counted: a query as it was typed, which `find` makes a condition of, and what is chosen beside it. */
interface Counted extends Chosen {
  readonly text: string;
}

/**
 * The figures of what a query finds, counted once for all readers, because a large installation takes a second for them.
 * They are counted again as soon as an incident has changed, and every minute, because a new week may have begun, and because a
 * query may ask for people, who change without an incident. Throws what `find` throws.
 */
export async function recallFigures(
  context: Context,
  step: Step,
  { text, status, severity }: Counted,
  find: () => Promise<Expression<SqlBool>>,
): Promise<Figures> {
  const minute = Math.floor(context.now.getTime() / 60_000);
  const { role, userID, reader } = context.caller;
  const caller = [role, userID, reader?.sight.mark];
  const key = JSON.stringify([
    await lastNumber(context.db, 'homescreen'),
    minute,
    step,
    text,
    status,
    severity,
    caller,
  ]);
  const cache = caches.get(context.options) ?? new Map<string, Promise<Figures>>();
  caches.set(context.options, cache);
  const known = cache.get(key);
  if (known) return await known;
  const counting = find().then(condition => readFigures(context, step, condition, { status, severity }));
  cache.set(key, counting);
  for (const oldest of [...cache.keys()].slice(0, Math.max(0, cache.size - cacheSize))) cache.delete(oldest);
  try {
    return await counting;
  } catch (error) {
    cache.delete(key);
    throw error;
  }
}
