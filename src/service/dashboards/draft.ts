import type { z } from 'zod';
import { type Dashboards, findExportProblem } from '../../contract/dashboards.ts';
import { RpcError } from '../../contract/errors.ts';
import { parseInterval } from '../../contract/interval.ts';
import { nestsDeeper } from '../call/json-depth.ts';
import { toStorableText } from '../store/storable-text.ts';
import { findUidProblem } from './uid.ts';

/** A request to save a dashboard, read as docs/api-rules.md C2 step 4 says. */
export interface DashboardDraft {
  /** The model as it will be stored, but for its id, uid and version. */
  readonly model: Readonly<Record<string, unknown>>;
  /** 0 when none is given. */
  readonly id: number;
  /** Empty when none is given. */
  readonly uid: string;
  /** The version that the caller saw last; undefined when the request names none, or no dashboard. */
  readonly version: number | undefined;
  readonly title: string;
  readonly tags: readonly string[];
  readonly message: string;
  readonly overwrite: boolean;
  /** 0 when none is given. */
  readonly folderId: number;
  /** Empty when none is given; wins over {@link folderId}. */
  readonly folderUid: string;
}

/** The body of `POST /api/dashboards/db`. */
export type SaveRequest = z.output<typeof Dashboards.save.input>;

/** The most characters of a title (docs/api-rules.md C2, step 6). */
const maxDashboardTitle = 5000;
/** The most characters of a version's message (docs/api-rules.md C2, step 6). */
const maxVersionMessage = 500;
/** The most tags of a dashboard. Grafana has no limit; here each tag is a row. */
const maxTags = 1000;

/** Reads a request and makes the checks that need nothing else: steps 2 to 7 of docs/api-rules.md C2. */
export function toDraft(request: SaveRequest, minRefresh: string): DashboardDraft {
  if (request.isFolder) throw new RpcError('invalid_argument', 'Use folders endpoint for saving folders.');
  if (nestsDeeper(request.dashboard)) refuse('bad request data');
  const problem = findExportProblem(request.dashboard);
  if (problem !== undefined) refuse(problem);
  const draft = readModel(request, minRefresh);
  for (const check of draftChecks) check(draft);
  return draft;
}

/** Steps 4 and 5. */
function readModel(request: SaveRequest, minRefresh: string): DashboardDraft {
  const { dashboard } = request;
  const id = typeof dashboard.id === 'number' ? Math.max(0, Math.trunc(dashboard.id)) : 0;
  const uid = readUid(dashboard.uid);
  const named = id > 0 || uid !== '';
  const title = typeof dashboard.title === 'string' ? toStorableText(dashboard.title).trim() : '';
  const model: Record<string, unknown> = { ...dashboard, title };
  if ('refresh' in model) model.refresh = toRefresh(model.refresh, minRefresh);
  return {
    model,
    id,
    uid,
    version: named && typeof dashboard.version === 'number' ? Math.trunc(dashboard.version) : undefined,
    title,
    tags: readTags(dashboard.tags),
    message: toStorableText(request.message),
    overwrite: request.overwrite,
    folderId: Math.max(0, request.folderId),
    folderUid: request.folderUid.trim(),
  };
}

/** A uid that is no text is refused: read as none, it would leave the id alone to say which dashboard is meant. */
function readUid(uid: unknown): string {
  if (uid !== undefined && uid !== null && typeof uid !== 'string') refuse('bad request data');
  return uid?.trim() ?? '';
}

function readTags(tags: unknown): readonly string[] {
  if (!Array.isArray(tags)) return [];
  const terms = tags.filter((tag): tag is string => typeof tag === 'string').map(toStorableText);
  return [...new Set(terms)].filter(term => term !== '');
}

/** Steps 6 and 7, in their order. */
const draftChecks: readonly ((draft: DashboardDraft) => void)[] = [
  function titleIsThere({ title }) {
    if (title === '') refuse('Dashboard title cannot be empty', 'empty-name');
  },
  function titleIsShort({ title }) {
    if (lengthOf(title) > maxDashboardTitle) {
      refuse('Dashboard title cannot contain more than 5 000 characters', 'title-too-long');
    }
  },
  function messageIsShort({ message }) {
    if (lengthOf(message) > maxVersionMessage) refuse('message too long, max 500 characters');
  },
  function tagsAreFew({ tags }) {
    if (tags.length > maxTags) refuse(`too many tags, max ${maxTags}`);
  },
  function uidIsLegal({ uid }) {
    const problem = findUidProblem(uid);
    if (problem !== undefined) refuse(problem);
  },
];

function refuse(message: string, reason?: string): never {
  throw new RpcError('invalid_argument', message, reason === undefined ? {} : { reason });
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/**
 * The refresh to store: `minimum` in place of a shorter or malformed interval. An empty one, `auto` and any value that is no
 * string stay (docs/api-rules.md C2, step 5).
 */
function toRefresh(refresh: unknown, minimum: string): unknown {
  if (typeof refresh !== 'string' || refresh === '' || refresh === 'auto') return refresh;
  const least = parseInterval(minimum) ?? 0;
  return (parseInterval(refresh) ?? -Infinity) < least ? minimum : refresh;
}
