import type { JsonObject } from '../../json-object.ts';
import { listPanels } from './model.ts';

/** Members that hold panels, or that every save changes. */
const notSettings = new Set(['panels', 'rows', 'elements', 'version', 'id', 'uid', 'iteration']);

/**
 * Compares two versions of a model. Panels are matched by title, equal titles in their order. A panel that only moved has not
 * changed.
 */
export function compareModels(before: JsonObject, after: JsonObject) {
  const [old, now] = [byTitle(before), byTitle(after)];
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return {
    added: titlesOf(now, key => !old.has(key)),
    removed: titlesOf(old, key => !now.has(key)),
    changed: titlesOf(now, (key, text) => old.has(key) && old.get(key)?.text !== text),
    /** Members of the model other than its panels, such as `time` or `templating`. */
    settings: [...members].filter(
      name => !notSettings.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    ),
  };
}

type Panels = ReadonlyMap<string, { readonly title: string; readonly text: string }>;

function byTitle(model: JsonObject): Panels {
  const found = new Map<string, { title: string; text: string }>();
  const counts = new Map<string, number>();
  for (const { gridPos, id, ...panel } of listPanels(model)) {
    const title = typeof panel.title === 'string' ? panel.title : '';
    const count = (counts.get(title) ?? 0) + 1;
    counts.set(title, count);
    found.set(`${count} ${title}`, { title, text: JSON.stringify(panel) });
  }
  return found;
}

function titlesOf(panels: Panels, holds: (key: string, text: string) => boolean): string[] {
  return [...panels].filter(([key, { text }]) => holds(key, text)).map(([, { title }]) => title);
}
