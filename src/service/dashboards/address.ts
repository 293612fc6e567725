import type { Context } from '../context.ts';

/** The in-service path of a dashboard, below the path of the root URL: `/d/<uid>/<slug>` (api-behaviour.md C2, Slug). */
export function dashboardPath(options: Context['options'], dashboard: { uid: string; slug: string }): string {
  return `${subPath(options)}/d/${dashboard.uid}/${dashboard.slug}`;
}

/** The in-service path of a folder (api-behaviour.md C3, meta). */
export function folderPath(options: Context['options'], folder: { uid: string; slug: string }): string {
  return `${subPath(options)}/dashboards/f/${folder.uid}/${folder.slug}`;
}

function subPath(options: Context['options']): string {
  return new URL(options.rootUrl).pathname.replace(/\/+$/, '');
}
