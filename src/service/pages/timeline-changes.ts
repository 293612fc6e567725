import { html } from 'hono/html';
import type { ActivityItem } from '../../contract/activity.ts';
import { externalLink, type Html, inlineText, toOneLine } from './escape.ts';
import { writeMoment } from './moments.ts';

/** The most characters of people's words in the line of a change. */
const mostWords = 2000;

/** What an item that is no note says, in words that say as much as its fields tell. `isPast` says that a later item corrected it. */
export function changeWords(item: ActivityItem, isPast: boolean): Html {
  const { activityKind, body, url, eventTime, fieldValues, subjectUser } = item;
  const read = (member: string) => (typeof fieldValues[member] === 'string' ? fieldValues[member] : '');
  const [from, to] = [read('previousSeverity'), read('severity')];
  switch (activityKind) {
    case 'contextAttached':
      return html`Link attached: ${externalLink(url || body, body || url)}`;
    case 'incidentCreated':
      return html`The incident was declared`;
    case 'incidentStart':
      return isPast ? html`Start was set to ${writeMoment(new Date(eventTime))}` : html`The incident started`;
    case 'incidentEnd':
      return isPast ? html`End was set to ${writeMoment(new Date(eventTime))}` : html`The incident ended`;
    case 'incidentStatusChanged':
      if (read('status') === 'resolved') return html`Resolved`;
      if (read('status') === 'active' && read('previousStatus') !== '') return html`Reopened`;
      break;
    case 'incidentSeverityChanged':
      if (from !== '' && to !== '') return html`Severity: ${inlineText(from, 60)} → ${inlineText(to, 60)}`;
      break;
    case 'roleAssigned':
    case 'roleUnassigned':
      return isolate(body, [subjectUser.name, read('role')]);
    case 'taskUpdated':
      return html`Task ${taskWords(item)}: ${inlineText(read('text') || body.replace(/^Task updated: /, ''), mostWords)}`;
    case 'taskAdded':
      if (subjectUser.name !== '' && read('text') !== '')
        return html`Task added for ${inlineText(subjectUser.name, 100)}: ${inlineText(read('text'), mostWords)}`;
      break;
  }
  return isolate(body, [read('text'), read('title'), read('label'), to, subjectUser.name]);
}

/** What became of a task: the API has one sentence for each of these changes, and its fields tell which it was. */
function taskWords({ fieldValues: { status, userID }, subjectUser }: ActivityItem): Html {
  if (status === 'progress') return html`started`;
  if (status === 'todo') return html`reopened`;
  if (userID === '') return html`given to nobody`;
  if (typeof userID === 'string') return html`assigned to ${inlineText(subjectUser.name || userID, 100)}`;
  return html`reworded`;
}

/** A sentence of the service's in which the words of people keep their direction, and leave that of the sentence alone. */
function isolate(sentence: string, names: readonly string[]): Html {
  let rest = toOneLine(sentence, mostWords);
  const pieces: (Html | string)[] = [];
  for (const name of names.map(each => toOneLine(each, mostWords))) {
    const at = name === '' ? -1 : rest.indexOf(name);
    if (at < 0) continue;
    pieces.push(rest.slice(0, at), inlineText(name));
    rest = rest.slice(at + name.length);
  }
  return html`${pieces}${rest}`;
}
