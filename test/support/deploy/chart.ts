import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { filesBelow, read } from '../docs/files.ts';
import { renderTemplates } from './go-template.ts';

/** Values of a chart. */
export type Values = Readonly<Record<string, unknown>>;

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [member: string]: unknown;
}

const folder = 'deploy/chart';

/** The chart's values, as they stand in its file. */
export const defaults: Values = parse(read(join(folder, 'values.yaml')));

/** What `helm template` makes of the chart as a release. Values that are given replace those of the chart, as far as they go. */
export function renderChart(given: Values = {}, release = 'muster'): string {
  const paths = filesBelow(join(folder, 'templates'), /\.(yaml|tpl)$/);
  const rendered = renderTemplates(paths.map(read), { Values: merge(defaults, given), Release: { Name: release } });
  return rendered
    .filter((_, at) => paths[at]?.endsWith('.yaml'))
    .map(text => text.trim())
    .join('\n---\n');
}

/** As Helm does it: maps are merged, everything else is replaced. */
function merge(values: Values, given: Values): Values {
  const merged: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(given)) {
    const before = values[name];
    merged[name] = isMap(before) && isMap(value) ? merge(before, value) : value;
  }
  return merged;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a file with several documents, read as Kubernetes reads it: as YAML 1.1. Throws when one is no YAML. */
export function toManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map(document => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  });
}
