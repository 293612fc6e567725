import { parseExact } from '../../../../contract/exact-json.ts';
import type { Save } from './save-payload.ts';

type Change = (text: string) => string;

/**
 * A save with each text of its dashboard as `change` makes it. The JSON keeps its members, their order and its numbers, so it stays a
 * dashboard. A model without a change stays as it was given.
 */
export function mapSave(save: Save, change: Change): Save {
  let isChanged = false;
  const noting: Change = text => {
    const changed = change(text);
    isChanged ||= changed !== text;
    return changed;
  };
  const json = JSON.stringify(mapValue(parseExact(save.json), '', noting));
  const texts = { title: change(save.title), message: change(save.message) };
  return { ...save, ...texts, json: isChanged ? json : save.json };
}

/** A value of JSON with its texts changed. Numbers that are kept as text have no members of their own (`exact-json.ts`). */
function mapValue(value: unknown, name: string, change: Change): unknown {
  if (typeof value === 'string') return mapNamed(value, name, change);
  if (Array.isArray(value)) return value.map(each => mapValue(each, '', change));
  if (typeof value !== 'object' || value === null || isRaw(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapValue(each, key, change)]));
}

/** A text together with its name, which tells a password from a word. */
function mapNamed(text: string, name: string, change: Change): string {
  const begin = name === '' ? '' : `${name}: `;
  const changed = change(begin + text);
  return changed.startsWith(begin) ? changed.slice(begin.length) : change(text);
}

function isRaw(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}
