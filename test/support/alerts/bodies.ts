import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AlertMapping } from '../../../src/config/alert-sources.ts';

const folder = join(import.meta.dirname, 'bodies');

/** The names of all bodies, such as `grafana-12-firing`: each is written after its tool's documentation. */
export const bodyNames: readonly string[] = readdirSync(folder).map(each => each.replace(/\.json$/, ''));

/** A body that a tool sends, by its name. */
export function readBody(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
}

/** The ready mappings, by the tool that they are for: files of deploy/alerts. */
export const mappedTools = ['any', 'cloudwatch', 'datadog', 'gatus', 'sentry', 'uptime-kuma'] as const;

/** The mapping of deploy/alerts for a tool; undefined for Alertmanager and Grafana, which need none. */
export function mappingOf(tool: string): AlertMapping | undefined {
  const name = mappedTools.find(each => tool.startsWith(each));
  return name && JSON.parse(readFileSync(`deploy/alerts/${name}.json`, 'utf8')).paths;
}
