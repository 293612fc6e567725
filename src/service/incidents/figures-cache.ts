import type { Expression, SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import { recall } from '../call/recall.ts';
import { lastNumber } from '../store/counters.ts';
import { type Chosen, type Figures, readFigures, type Step } from './figures.ts';

/**
 * The figures of what a query finds, counted once for all readers, because a large installation takes a second for them.
 * They are counted again as soon as an incident has changed, and every minute, because a new week may have begun, and because a
 * query may ask for people, who change without an incident. Throws what `find` throws.
 */
export async function recallFigures(
  context: Context,
  step: Step,
  { text, status, severity }: Chosen & { readonly text: string },
  find: () => Promise<Expression<SqlBool>>,
): Promise<Figures> {
  const { role, userID, reader } = context.caller;
  const key = JSON.stringify(['figures', step, text, status, severity, role, userID, reader?.sight.mark]);
  const mark = `${await lastNumber(context.db, 'homescreen')} ${Math.floor(context.now.getTime() / 60_000)}`;
  return await recall(
    context.options,
    { key, mark },
    async () => await readFigures(context, step, await find(), { status, severity }),
    figures => JSON.stringify(figures).length,
  );
}
