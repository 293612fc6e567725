import type { KnownBlock } from '@slack/types';
import { when } from '../../incident/card-view.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import type { Entry } from '../../journal/entry.ts';
import { registrationOf } from '../../journal/provisional-id.ts';
import { section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';

/** Changes shown at most. */
const maxShown = 10;

function line(each: Entry<IntentKind>, now: Date): string {
  const age = (now.getTime() - each.askedAt.getTime()) / 1000;
  const tries = each.attempts === 1 ? 'tried once' : `tried ${each.attempts} times`;
  const how = [`queued for ${formatDuration(age)}`, ...(each.attempts > 0 ? [tries] : [])].join(', ');
  const state = each.state === 'running' ? ', being tried now' : '';
  return `${incidentSigns.waiting} ${toMrkdwn(each.kind.describe(each.payload), 200)} · since ${when(each.askedAt.toISOString())} (${how}${state})`;
}

/** The queued changes of an incident, in order; no blocks when there are none. */
export function queuedBlocks(queued: readonly Entry<IntentKind>[], now: Date): KnownBlock[] {
  if (queued.length === 0) return [];
  const shown = queued.slice(0, maxShown).map(each => line(each, now));
  const more = queued.length > maxShown ? [`… and ${queued.length - maxShown} more`] : [];
  const tried = queued.find(each => each.attempts > 0);
  const because = tried ? [`The last try said: “${toMrkdwn(tried.error.message, 300)}”`] : [];
  const head = `*Queued: ${queued.length === 1 ? '1 change' : `${queued.length} changes`}, made in this order*`;
  return [section([head, ...shown, ...more, ...because].join('\n'))];
}

/** An incident that the API has not registered yet: its declaration, and the changes queued behind it. */
export function unregisteredWords(
  incidentID: string,
  queued: readonly Entry<IntentKind>[],
  more: readonly KnownBlock[],
  now: Date,
): Words {
  const declaration = queued.find(each => each.id === registrationOf(incidentID));
  const wanted = declaration
    ? ` It was asked for ${when(declaration.askedAt.toISOString())}: ${toMrkdwn(declaration.kind.describe(declaration.payload), 300)}.`
    : '';
  const text = `${incidentSigns.waiting} This incident is not registered yet: the incident API does not know it.${wanted} I register it as soon as the API is back, then send everything queued behind it, and say so here.`;
  return { text, blocks: [section(text), ...queuedBlocks(queued, now), ...more] };
}
