import type { IncidentLabel } from '../../contract/labels.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import { takeNumber } from './counters.ts';
import { type Db, fold } from './tables.ts';

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

/**
 * Puts labels on an incident, in order, and makes those known to the organisation that it does not know. A label that the
 * incident has already, and what the organisation says of a label, stay as they are.
 */
export async function insertLabels(db: Db, incidentID: number, labels: readonly IncidentLabel[]): Promise<void> {
  if (labels.length === 0) return;
  const position = await takeNumber(db, 'position', labels.length);
  const rows = labels.map(({ key, label }, index) => ({
    incident_id: incidentID,
    key,
    key_folded: fold(key),
    label,
    label_folded: fold(label),
    position: position + index,
  }));
  await db
    .insertInto('incident_label')
    .values(rows)
    .onConflict(conflict => conflict.columns(['incident_id', 'key', 'label']).doNothing())
    .execute();
  for (const { key, label, description, colorHex } of labels) {
    await db
      .insertInto('org_label')
      .values({ key, label, description, color_hex: colorHex })
      .onConflict(conflict => conflict.columns(['key', 'label']).doNothing())
      .execute();
  }
}
