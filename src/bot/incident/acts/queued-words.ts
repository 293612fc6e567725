import type { KnownBlock } from '@slack/types';
import { registrationOf } from '../../journal/provisional-id.ts';
import type { Intent } from '../../journal/rows.ts';
import { section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';
import { cutMrkdwn, restRow } from '../../text/words.ts';
import { aimOf } from '../lines/did.ts';
import type { IncidentDeps, IntentKind } from './intent-kind.ts';

/** Changes shown at most. */
const maxShown = 10;

function line(each: Intent<IntentKind>, now: Date): string {
  const age = (now.getTime() - each.askedAt.getTime()) / 1000;
  const tries = each.attempts === 1 ? 'tried once' : `tried ${each.attempts} times`;
  const how = [`saved ${formatDuration(age)} ago`, ...(each.attempts > 0 ? [tries] : [])].join(', ');
  const state = each.state === 'running' ? ', being tried now' : '';
  return `${incidentSigns.waiting} ${cutMrkdwn(aimOf(each.kind, each.payload), 200)} · ${how}${state}`;
}

/** The queued changes of an incident, in order; no blocks when there are none. */
export function queuedBlocks(queued: readonly Intent<IntentKind>[], now: Date): KnownBlock[] {
  if (queued.length === 0) return [];
  const shown = queued.slice(0, maxShown).map(each => line(each, now));
  const more = restRow(queued.length, maxShown);
  const tried = queued.find(each => each.attempts > 0);
  // Each reader sees the times of an error as their own.
  const error = toMrkdwn(tried?.error.message ?? '', 300).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, when);
  const because = tried ? [`The last try said: “${error}”`] : [];
  const head = `*Saved: ${queued.length === 1 ? '1 change' : `${queued.length} changes`}, made in this order*`;
  return [section([head, ...shown, ...more, ...because].join('\n'))];
}

/** A list of an incident: its name, and how the kinds of its changes begin. */
export interface QueuedSort {
  readonly name: 'tasks' | 'roles' | 'timeline';
  readonly kinds: readonly string[];
}

/** The queued changes of one sort, for a list that was read from memory or of an incident that is not registered yet. */
export async function queuedOf(
  { journal }: IncidentDeps,
  incidentID: string,
  { kinds }: QueuedSort,
  now: Date,
): Promise<readonly KnownBlock[]> {
  const all = await journal.unfinished(incidentID);
  return queuedBlocks(
    all.filter(({ kind }) => kinds.some(each => kind.kind.startsWith(each))),
    now,
  );
}

/** A list of an incident that is not registered yet. */
export async function unregisteredList(
  deps: IncidentDeps,
  incidentID: string,
  sort: QueuedSort,
  now: Date,
): Promise<Words> {
  const queued = await queuedOf(deps, incidentID, sort, now);
  const none = queued.length === 0 ? ` Nothing is saved for its ${sort.name}.` : '';
  const text = `${incidentSigns.waiting} This incident is not registered yet.${none}`;
  return { text, blocks: [section(text), ...queued] };
}

/** An incident that the API has not registered yet: its declaration, and the changes queued behind it. */
export function unregisteredWords(
  incidentID: string,
  queued: readonly Intent<IntentKind>[],
  more: readonly KnownBlock[],
  now: Date,
): Words {
  const declaration = queued.find(each => each.id === registrationOf(incidentID));
  const wanted = declaration
    ? ` It was asked for ${when(declaration.askedAt.toISOString())}: ${cutMrkdwn(aimOf(declaration.kind, declaration.payload), 300)}.`
    : '';
  const text = `${incidentSigns.waiting} This incident is not registered yet.${wanted}`;
  return { text, blocks: [section(text), ...queuedBlocks(queued, now), ...more] };
}
