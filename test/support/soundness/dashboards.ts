import { toSlug } from '../../../src/service/store/slug.ts';
import type { Rule } from './rules.ts';

function toTerms(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  const terms = tags.filter(each => typeof each === 'string').map(each => each.replaceAll('\0', '').toWellFormed());
  return [...new Set(terms)].filter(each => each !== '').toSorted();
}

/** What is so of dashboards, folders and short URLs. */
export const dashboardRules = {
  *'every version of a dashboard is kept'({ dashboards, dashboardVersions }) {
    const kept = Map.groupBy(dashboardVersions, each => each.dashboard_id);
    for (const { id, version, model } of dashboards) {
      const versions = kept.get(id) ?? [];
      const whole = versions.every((each, index) => each.version === index + 1 && each.parent_version === index);
      if (!whole || versions.length !== version)
        yield `dashboard ${id} has version ${version} and ${versions.length} kept`;
      if (versions.at(-1)?.model !== model) yield `dashboard ${id} is not its last version`;
    }
  },
  *'a dashboard names itself as it is stored'({ dashboards }) {
    for (const { id, uid, version, title, slug, model } of dashboards) {
      const said = JSON.parse(model);
      const same = said.id === id && said.uid === uid && said.version === version && said.title === title;
      if (!same || slug !== toSlug(title)) yield `dashboard ${id}`;
    }
  },
  *'a dashboard is found by its tags'({ dashboards, dashboardTags }) {
    const stored = Map.groupBy(dashboardTags, each => each.dashboard_id);
    for (const { id, model } of dashboards) {
      const found = (stored.get(id) ?? []).map(each => each.term).toSorted();
      if (JSON.stringify(found) !== JSON.stringify(toTerms(JSON.parse(model).tags))) yield `dashboard ${id}: ${found}`;
    }
  },
  *'nothing is without its dashboard'({ dashboards, dashboardVersions, dashboardTags }) {
    const ids = new Set(dashboards.map(each => each.id));
    for (const { dashboard_id } of [...dashboardVersions, ...dashboardTags]) {
      if (!ids.has(dashboard_id)) yield `dashboard ${dashboard_id}`;
    }
  },
  *'a live dashboard is in a folder that is there'({ dashboards, folders }) {
    const ids = new Set([0, ...folders.map(each => each.id)]);
    const live = dashboards.filter(each => each.deleted_at === null);
    for (const { id, folder_id } of live) if (!ids.has(folder_id)) yield `dashboard ${id} in ${folder_id}`;
  },
  *'ids and uids of dashboards and folders are given once'({ dashboards, folders, counters }) {
    const all = [...dashboards, ...folders];
    if (new Set(all.map(each => each.id)).size !== all.length) yield 'two have the same id';
    if (new Set(all.map(each => each.uid)).size !== all.length) yield 'two have the same uid';
    if (dashboards.some(each => each.id > (counters.get('dashboard') ?? -1))) yield 'one is beyond the counter';
  },
  *'live dashboards of a folder have titles of their own'({ dashboards }) {
    const live = dashboards.filter(each => each.deleted_at === null);
    const names = live.map(each => JSON.stringify([each.folder_id, each.title]));
    if (new Set(names).size !== names.length) yield `${names.filter((each, index) => names.indexOf(each) !== index)}`;
  },
  *'a short address leads somewhere'({ shortUrls }) {
    for (const { uid, path } of shortUrls) if (path.trim() === '') yield uid;
  },
} satisfies Record<string, Rule>;
