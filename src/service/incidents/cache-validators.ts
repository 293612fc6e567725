import { sql } from 'kysely';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Context } from '../call/context.ts';
import type { Db } from '../store/tables.ts';
import { toMicros, toSeconds } from '../store/time.ts';
import { toIncidentNumber } from './find.ts';

const readRow = definePrepared((db: Db, value: Params<{ id: number }>) =>
  db
    .selectFrom('incident')
    .leftJoin('counter', join => join.on('counter.name', '=', sql.lit('directory')))
    .selectAll('incident')
    .select('counter.value as directory')
    .where('incident.id', '=', value.id),
);

/**
 * Validators of an incident's answers (call/response-cache.ts), undefined when there is no such incident. Those of a private
 * incident are for Admins, who see every incident: an answer to one of them is never another caller's. The timeline's
 * changes with the incident's version, which the incident, its people, labels, tasks and timeline raise, and with the
 * directory's number, which names of people, roles and labels raise. The incident's also changes each second while the incident
 * lasts.
 */
export async function readValidators(
  { db, known, now, caller }: Context,
  incidentID: string,
): Promise<{ timeline: string; incident: string } | undefined> {
  const id = toIncidentNumber(incidentID);
  const [found] = id === undefined ? [] : await readRow(db, { id });
  if (!found) return undefined;
  const { directory, ...row } = found;
  known.incidents.set(row.id, { row });
  if (row.is_private === 1 && caller.role !== 'Admin') return undefined;
  const timeline = `${row.version} ${directory}`;
  return { timeline, incident: `${timeline} ${toSeconds(row.started_at, row.ended_at ?? toMicros(now))}` };
}
