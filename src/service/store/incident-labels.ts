import type { IncidentLabel } from '../../contract/incidents.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Db } from './tables.ts';

const readRows = definePrepared((db: Db, value: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom('incident_label')
    .leftJoin('org_label', join =>
      join.onRef('org_label.key', '=', 'incident_label.key').onRef('org_label.label', '=', 'incident_label.label'),
    )
    .select(['incident_label.incident_id', 'incident_label.key', 'incident_label.label'])
    .select(['org_label.description', 'org_label.color_hex'])
    .where('incident_label.incident_id', 'in', value.ids)
    .orderBy('incident_label.incident_id')
    .orderBy('incident_label.position'),
);

/** The labels of each of the incidents in the order they were added; an incident without labels is not in the map. */
export async function findLabels(db: Db, incidentIDs: readonly number[]): Promise<Map<number, IncidentLabel[]>> {
  const found = new Map<number, IncidentLabel[]>();
  if (incidentIDs.length === 0) return found;
  for (const { incident_id, key, label, description, color_hex } of await readRows(db, { ids: incidentIDs })) {
    const labels = found.get(incident_id) ?? [];
    labels.push({ key, label, description: description ?? '', colorHex: color_hex ?? '' });
    found.set(incident_id, labels);
  }
  return found;
}
