import { defaultLabelKey, type IncidentLabel, type LabelInput, maxLabels } from '../../contract/labels.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { raiseDirectory } from '../store/counters.ts';
import { insertLabels } from '../store/incident-labels.ts';
import { findIncident, readIncident } from './find.ts';
import { recordEvent } from './record-event.ts';

/** The most characters of a label and of its key. An index of Postgres takes 2.7 kB and holds both. */
export const maxLabel = 300;
const color = /^(#([0-9a-f]{3}|[0-9a-f]{6}))?$/i;

/** Puts labels on an incident. A description or colour that is not empty replaces the one that the organisation has. */
export async function putLabels(context: Context, incidentID: number, labels: readonly IncidentLabel[]): Promise<void> {
  if (labels.length === 0) return;
  const { db } = context;
  await insertLabels(db, incidentID, labels);
  for (const { key, label, description, colorHex } of labels) {
    const news = {
      ...(description === '' ? {} : { description }),
      ...(colorHex === '' ? {} : { color_hex: colorHex }),
    };
    if (Object.keys(news).length === 0) continue;
    await db.updateTable('org_label').set(news).where('key', '=', key).where('label', '=', label).execute();
  }
  if (labels.some(each => each.description !== '' || each.colorHex !== '')) await raiseDirectory(db);
}

/** The labels of CreateIncident. Empty ones and repetitions are left out (docs/api-rules.md A6). */
export function toNewLabels(labels: readonly LabelInput[]): IncidentLabel[] {
  const read = labels.flatMap((each, index) =>
    Object.values(each).every(text => !text?.trim()) ? [] : [readLabel(`labels.${index}`, each)],
  );
  const distinct = new Map(read.map(each => [JSON.stringify([each.key, each.label]), each]));
  if (distinct.size > maxLabels) throw invalidArgument(`labels must be at most ${maxLabels}`);
  return [...distinct.values()];
}

/** A label of a request; `at` is its place in the request, for the error. */
function readLabel(at: string, { key, label, value, description, colorHex }: LabelInput): IncidentLabel {
  const [text, other] = [label.trim(), value.trim()];
  if (text !== '' && other !== '' && text !== other)
    throw invalidArgument(`${at}.label and ${at}.value differ, and mean the same: give one of them`);
  if (!color.test(colorHex)) throw invalidArgument(`${at}.colorHex must be # with 3 or 6 hex digits, like #ff8800`);
  return {
    key: readText(`${at}.key`, key.trim() || defaultLabelKey, maxLabel),
    label: readText(`${at}.label`, text || other, maxLabel),
    description,
    colorHex,
  };
}

/** IncidentsService.AddLabel. */
export async function addLabel(context: Context, input: { incidentID: string; label: LabelInput }) {
  const incident = await findIncident(context, input.incidentID);
  const added = readLabel('label', input.label);
  const { key, label } = added;
  const present = await context.db
    .selectFrom('incident_label')
    .select(['key', 'label'])
    .where('incident_id', '=', incident.id)
    .execute();
  if (!present.some(each => each.key === key && each.label === label)) {
    // Each answer holds all of them.
    if (present.length >= maxLabels)
      throw invalidArgument(`incident ${incident.id} has ${maxLabels} labels, which is the most. Remove one first`);
    await putLabels(context, incident.id, [added]);
    await recordEvent(context, incident.id, {
      items: [{ kind: 'labelAdded', body: `Label ${label} added`, fieldValues: { label } }],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}

/** IncidentsService.RemoveLabel: removes the label under every key. */
export async function removeLabel(context: Context, input: { incidentID: string; label: string }) {
  const incident = await findIncident(context, input.incidentID);
  const label = input.label.trim();
  const { numDeletedRows } = await context.db
    .deleteFrom('incident_label')
    .where('incident_id', '=', incident.id)
    .where('label', '=', label)
    .executeTakeFirst();
  if (numDeletedRows > 0n) {
    await recordEvent(context, incident.id, {
      items: [{ kind: 'labelRemoved', body: `Label ${label} removed`, fieldValues: { label } }],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}
