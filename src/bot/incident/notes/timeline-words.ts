import type { ActivityItem } from '../../../contract/activity.ts';
import { namesOfNote, splitNoteBody } from '../../../contract/note-forms.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { addressesIn, toOneLine } from '../../text/words.ts';

/**
 * Whether an item is a link that the API attached because a note has it: the note shows it. A Grafana does not name the note, which is
 * among `items` then, and was written in the same moment.
 */
export function isOfNote(
  { activityKind, fieldValues, url, body, createdTime }: ActivityItem,
  items: readonly ActivityItem[],
): boolean {
  if (activityKind !== 'contextAttached') return false;
  if (typeof fieldValues.activityItemID === 'string') return true;
  const [address = ''] = addressesIn(url || body);
  const isBeside = (each: ActivityItem) => Math.abs(Date.parse(each.createdTime) - Date.parse(createdTime)) <= 1000;
  return items.some(
    each => each.activityKind === 'userNote' && isBeside(each) && addressesIn(each.body).includes(address),
  );
}

/**
 * The words of an item, as plain text. The embedded service has one sentence for each change of a task, and its fields say which
 * (docs/api-rules.md A4): who changes a task three times reads three sentences.
 */
export function itemText({ activityKind, body, fieldValues, subjectUser }: ActivityItem): string {
  const { text } = splitNoteBody(body);
  const { status, userID, text: task } = fieldValues;
  if (activityKind !== 'taskUpdated' || typeof task !== 'string') return text;
  if (status === 'progress') return `Task started: ${task}`;
  if (status === 'todo') return `Task opened again: ${task}`;
  if (userID === '') return `Task unassigned: ${task}`;
  if (typeof userID === 'string') return `Task given to ${subjectUser.name || userID}: ${task}`;
  return `Task reworded: ${task}`;
}

/** One line of mrkdwn about a timeline item. A note names its author, not the account that added it. */
export function itemWords(item: ActivityItem): string {
  const { foot } = splitNoteBody(item.body);
  const editor = /, edited by ([^:]+?)(?=, since |: http|$)/.exec(foot)?.[1];
  const since = /, (since (?:edited|deleted) in Slack)/.exec(foot)?.[1];
  const who = [namesOfNote(item)[0] ?? item.user.name, editor && `edited by ${editor}`, since].filter(
    part => typeof part === 'string' && part !== '',
  );
  const sign = item.activityKind === 'userNote' ? `${signs.note} ` : '';
  const words = toMrkdwn(toOneLine(itemText(item)) || item.activityKind, 200);
  return [`${when(item.eventTime)} ${sign}${words}`, ...who.map(part => toMrkdwn(toOneLine(String(part)), 80))].join(
    ' · ',
  );
}
