import { hash } from 'node:crypto';
import { DashboardModel, findExportProblem } from '../../../contract/dashboards.ts';
import { parseExact, parseJson } from '../../../contract/exact-json.ts';
import { toOneLine } from '../../text/words.ts';

/** A dashboard as somebody gave it, to be saved. */
export interface GivenDashboard {
  /** Its model as JSON: the members, their order and their numbers as they were given. */
  readonly json: string;
  readonly title: string;
  /** `""` for none. */
  readonly uid: string;
  /** From around the model; `""`, `""` and false where it stood alone. */
  readonly folderUid: string;
  readonly message: string;
  readonly overwrite: boolean;
}

/** The most bytes of a dashboard's JSON. */
export const maxJson = 1_000_000;

type Members = Record<string, unknown>;

/** Reads a dashboard's model, alone or as `{dashboard, folderUid, message, overwrite}`. `problem` is plain text. */
export function readModel(text: string): GivenDashboard | { readonly problem: string } {
  const given = parse(text);
  if ('problem' in given) return given;
  const around = isMembers(given.value) ? given.value : {};
  const model = isMembers(around.dashboard) ? around.dashboard : around;
  const exported = findExportProblem(model);
  if (exported !== undefined) return { problem: exported };
  const title = typeof model.title === 'string' ? toOneLine(model.title) : '';
  if (title === '') {
    return {
      problem: 'That is not a dashboard: it has no “title”. Copy the whole JSON model, from its first { to its last }.',
    };
  }
  const isWrapped = model !== around;
  return {
    json: JSON.stringify(model),
    title,
    uid: typeof model.uid === 'string' ? model.uid.trim() : '',
    folderUid: isWrapped && typeof around.folderUid === 'string' ? around.folderUid.trim() : '',
    message: isWrapped && typeof around.message === 'string' ? around.message : '',
    overwrite: isWrapped && around.overwrite === true,
  };
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxJson)
    return { problem: `That JSON has ${bytes} bytes, and ${maxJson} are the most I take. Import it in the browser.` };
  try {
    // A file may begin with a byte order mark, which is no JSON.
    return { value: parseExact(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'That JSON nests too deeply for me. Import it in the browser.' };
    if (error instanceof SyntaxError) return { problem: `That is not JSON: “${error.message}”.` };
    throw error;
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The model as it is sent. The id is left to the API, since it counts in one installation only: that of another one would replace
 * a dashboard that has nothing to do with this one. A model without a uid gets one that follows from the intent, so that it is found
 * again when the answer is lost.
 */
export function toSent(json: string, intent: string): Members & { readonly uid: string } {
  const model = parseExact(json) as Members;
  const uid = (typeof model.uid === 'string' && model.uid.trim()) || `m${hash('sha256', intent, 'hex').slice(0, 24)}`;
  return { ...model, ...('id' in model ? { id: null } : {}), uid };
}

/** The model as that of a new dashboard of another title. */
export function asNew(json: string, title: string): string {
  const { uid: _uid, version: _version, ...model } = parseExact(json) as Members;
  return JSON.stringify({ ...model, title });
}

/** The model as the next version after this one. */
export function asNextOf(json: string, version: number): string {
  return JSON.stringify({ ...(parseExact(json) as Members), version });
}

/** Members that the API sets itself: they do not tell whether two models are the same. */
const setByApi = ['id', 'uid', 'version', 'refresh', 'title'];

/** Whether a stored model is the one that was sent. */
export function isSameModel(stored: Readonly<Members>, json: string): boolean {
  const plain = (model: Readonly<Members>) =>
    canonical(Object.fromEntries(Object.entries(model).filter(([name]) => !setByApi.includes(name))));
  return plain(DashboardModel.parse(stored)) === plain(DashboardModel.parse(parseJson(json)));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isMembers(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

type Change = (text: string) => string;

/**
 * The model with each of its texts as `change` makes it. The JSON keeps its members, their order and its numbers, so it stays a
 * dashboard. A model without a change stays as it was given.
 */
export function mapModelTexts(json: string, change: Change): string {
  let isChanged = false;
  const noting: Change = text => {
    const changed = change(text);
    isChanged ||= changed !== text;
    return changed;
  };
  const mapped = JSON.stringify(mapValue(parseExact(json), '', noting));
  return isChanged ? mapped : json;
}

/** A value of JSON with its texts changed. Numbers that are kept as text have no members of their own (`exact-json.ts`). */
function mapValue(value: unknown, name: string, change: Change): unknown {
  if (typeof value === 'string') return mapNamed(value, name, change);
  if (Array.isArray(value)) return value.map(each => mapValue(each, '', change));
  if (!isMembers(value) || (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapValue(each, key, change)]));
}

/** A text together with its name, which tells a password from a word. */
function mapNamed(text: string, name: string, change: Change): string {
  const begin = name === '' ? '' : `${name}: `;
  const changed = change(begin + text);
  return changed.startsWith(begin) ? changed.slice(begin.length) : change(text);
}
