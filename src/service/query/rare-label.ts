import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { definePrepared, type Params } from '../../db/prepared.ts';
import { type Db, fold, type Tables } from '../store/tables.ts';
import type { Query } from './ast.ts';

const incident = expressionBuilder<Tables, 'incident'>();

/** The most incidents for which sorting them is quicker than skipping all others. */
const maxRare = 1000;

const readIDs = definePrepared((db: Db, value: Params<{ label: string; limit: number }>) =>
  db.selectFrom('incident_label').select('incident_id').where('label_folded', '=', value.label).limit(value.limit),
);

/**
 * If the query names a rare label, a condition that restricts it to the ids of that label's incidents. The planner knows only
 * how many incidents an average label has, and might look for the rare ones among all incidents in their order.
 */
export async function narrowByRareLabel(db: Db, query: Query): Promise<Expression<SqlBool> | undefined> {
  const [label] = query.items.flatMap(each =>
    (each.kind === 'exact' && each.property === 'label') || each.kind === 'field' ? [fold(each.value)] : [],
  );
  if (label === undefined) return undefined;
  const rows = await readIDs(db, { label, limit: maxRare + 1 });
  if (rows.length > maxRare) return undefined;
  const ids = [...new Set(rows.map(each => each.incident_id))];
  return ids.length === 0 ? incident.or([]) : incident('incident.id', 'in', ids);
}
