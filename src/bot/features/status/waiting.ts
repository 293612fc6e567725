import type { KnownBlock } from '@slack/types';
import { when } from '../../incident/card-view.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import type { Entry } from '../../journal/entry.ts';
import { registrationOf } from '../../journal/provisional-id.ts';
import { said, section, type Words } from '../../text/blocks.ts';
import { formatDuration } from '../../text/times.ts';

/** How many are shown. */
const maxShown = 10;

function line(each: Entry<IntentKind>, now: Date): string {
  const age = (now.getTime() - each.askedAt.getTime()) / 1000;
  const tries = each.attempts === 1 ? 'tried once' : `tried ${each.attempts} times`;
  const how = [`queued for ${formatDuration(age)}`, ...(each.attempts > 0 ? [tries] : [])].join(', ');
  const state = each.state === 'running' ? ', being tried now' : '';
  return `:hourglass_flowing_sand: ${said(each.kind.describe(each.payload), 200)} · since ${when(each.askedAt.toISOString())} (${how}${state})`;
}

/** What waits for an incident, in the order in which it will be done; nothing when nothing does. */
export function waitingBlocks(waiting: readonly Entry<IntentKind>[], now: Date): KnownBlock[] {
  if (waiting.length === 0) return [];
  const shown = waiting.slice(0, maxShown).map(each => line(each, now));
  const more = waiting.length > maxShown ? [`… and ${waiting.length - maxShown} more`] : [];
  const tried = waiting.find(each => each.attempts > 0);
  const because = tried ? [`The last try said: “${said(tried.error.message, 300)}”`] : [];
  const head = `*Queued: ${waiting.length === 1 ? '1 change' : `${waiting.length} changes`}, applied automatically in this order*`;
  return [section([head, ...shown, ...more, ...because].join('\n'))];
}

/** What is known of an incident that the API has no number for yet: what was declared, and what waits behind it. */
export function unregisteredWords(
  incidentID: string,
  waiting: readonly Entry<IntentKind>[],
  more: readonly KnownBlock[],
  now: Date,
): Words {
  const declaration = waiting.find(each => each.id === registrationOf(incidentID));
  const wanted = declaration
    ? ` Somebody asked ${when(declaration.askedAt.toISOString())} to ${said(declaration.kind.describe(declaration.payload), 300)}.`
    : '';
  const text = `:hourglass_flowing_sand: This incident is not yet registered with the incident API.${wanted} I register it automatically, then send everything queued behind it, and say so here.`;
  return { text, blocks: [section(text), ...waitingBlocks(waiting, now), ...more] };
}
