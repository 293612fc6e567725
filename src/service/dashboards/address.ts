import { trimEnd } from '../../trim-end.ts';
import type { Context } from '../call/context.ts';

/** The in-service path of a dashboard, below the path of the root URL: `/d/<uid>/<slug>` (docs/api-rules.md C2, Slug). */
export function dashboardPath(options: Context['options'], dashboard: { uid: string; slug: string }): string {
  return `${subPath(options)}/d/${dashboard.uid}/${dashboard.slug}`;
}

/** The in-service path of a folder (docs/api-rules.md C3, meta). */
export function folderPath(options: Context['options'], folder: { uid: string; slug: string }): string {
  return `${subPath(options)}/dashboards/f/${folder.uid}/${folder.slug}`;
}

/** The path of the root URL without a trailing slash, the beginning of every in-service path; `""` at the top of a host. */
export function subPath(options: Context['options']): string {
  return trimEnd(new URL(options.rootUrl).pathname, /\//);
}
