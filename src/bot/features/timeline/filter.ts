import { z } from 'zod';
import type { ActivityItem, ActivityKind } from '../../../contract/activity.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Args } from '../../grammar/grammar.ts';
import { isImportant } from '../../incident/notes/notes.ts';
import { readMentions } from '../../people/mentions.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { parseTime, toSlackDate } from '../../text/times.ts';

/** Which items of a timeline somebody wants to see. It travels with buttons (docs/slack.md 5: at most 2,000 characters). */
export const Filter = z.object({
  only: z.enum(['all', 'notes', 'changes']),
  important: z.boolean(),
  /** Slack ids: items by or about one of them. */
  people: z.array(z.string()),
  /** Epoch milliseconds; 0 for the whole timeline. */
  since: z.number(),
});
/** Which items of a timeline somebody wants to see. */
export type Filter = z.output<typeof Filter>;

/** Most people that a filter names: they ride in a button's value. */
const maxPeople = 10;

const words = new Map<string, Partial<Filter>>([
  ...['note', 'notes'].map(word => [word, { only: 'notes' }] as const),
  ...['change', 'changes', 'events'].map(word => [word, { only: 'changes' }] as const),
  ...['important', 'starred'].map(word => [word, { important: true }] as const),
  ['all', {}],
  ['everything', {}],
]);

/** Reads `notes @bob since 20m ago`; otherwise the words that are no filter, or a sentence of mrkdwn. */
export function readFilter(
  ctx: Context,
  args: Args,
): Filter | { readonly problem: string } | { readonly unknown: string } {
  const mentioned = readMentions(args, ctx.actor.userId);
  if (mentioned.problem !== '') return { problem: mentioned.problem };
  const [, before = '', since = ''] = /^(.*?)(?:(?:^|\s)(?:since|from|after)\s+(.+))?$/is.exec(mentioned.text) ?? [];
  const mine = /\bmine\b/i.test(before) ? [ctx.actor.userId] : [];
  const typed = before.split(/\s+/).filter(word => word !== '' && !/^(?:mine|by|of|and)$/i.test(word));
  if (typed.some(word => !words.has(word.toLowerCase()))) return { unknown: mentioned.text };
  const at = since === '' ? undefined : parseTime(since, { now: ctx.now, timeZone: ctx.actor.timeZone });
  if (at && 'problem' in at) return { problem: toMrkdwn(at.problem) };
  const chosen = Object.assign({}, ...typed.map(word => words.get(word.toLowerCase())));
  return {
    only: 'all',
    important: false,
    people: [...mentioned.ids, ...mine].slice(0, maxPeople),
    since: at ? at.at.getTime() : 0,
    ...chosen,
  };
}

/** The kinds to ask the API for; undefined for all. */
export function kindsOf({ only }: Filter): readonly ActivityKind[] | undefined {
  return only === 'notes' ? ['userNote'] : undefined;
}

/** Decides about one item. `users` are the ids under which the API knows the people of the filter. */
export function fits(item: ActivityItem, filter: Filter, users: ReadonlySet<string>): boolean {
  const isNote = item.activityKind === 'userNote';
  if (filter.only === 'changes' && isNote) return false;
  if (filter.important && !isImportant(item)) return false;
  const { addedByUser } = item.fieldValues;
  return (
    filter.people.length === 0 ||
    [item.user.userID, item.subjectUser.userID].some(id => users.has(id)) ||
    (typeof addedByUser === 'string' && filter.people.includes(addedByUser))
  );
}

/** The filter as the end of a headline, in mrkdwn: `, notes only, by @bob`. */
export function filterWords({ only, important, people, since }: Filter): string {
  const parts = [
    ...(only === 'all' ? [] : [`${only} only`]),
    ...(important ? ['important ones'] : []),
    ...(people.length > 0 ? [`by or about ${people.map(mention).join(', ')}`] : []),
    ...(since > 0 ? [`since ${toSlackDate(new Date(since))}`] : []),
  ];
  return parts.map(part => `, ${part}`).join('');
}
