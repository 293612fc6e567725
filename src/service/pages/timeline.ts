import { html } from 'hono/html';
import type { ActivityItem } from '../../contract/activity.ts';
import { importantSign, noteSigns, readFoot, splitNoteBody } from '../../contract/note-forms.ts';
import { toMoment } from '../store/time.ts';
import { externalLink, type Html, inlineText, richText, toHref, toOneLine, toVisibleText } from './escape.ts';
import { person } from './marks.ts';
import { timeTag, writeClock, writeDay, writeMoment } from './moments.ts';

/** The most characters of a note that are shown; the rest is folded. */
const mostOpen = 1500;

/** What a timeline needs in addition to its items. */
interface TimelineView {
  /** The ids of the items that set start and end last. */
  readonly standing: ReadonlySet<string>;
  /** The address of an item. */
  readonly toItem: (id: string) => string;
}

/** Timeline items in their order, by day, after the item `before`. */
export function timelineEntries(items: readonly ActivityItem[], view: TimelineView, before?: ActivityItem): Html {
  let day = before ? writeDay(new Date(before.eventTime)) : '';
  const entries = items.map(item => {
    const moment = new Date(item.eventTime);
    const today = writeDay(moment);
    const heading = today === day ? '' : html`<li class="day"><h3>${today}</h3></li>`;
    day = today;
    return html`${heading}${entry(item, moment, view)}`;
  });
  return html`${entries}`;
}

/** The most characters of a note in a list of moments. */
const mostBrief = 200;

/** The key moments in a line or two each, for paper: a screen has a link to them. */
export function keyMoments(items: readonly ActivityItem[], standing: TimelineView['standing']): Html | string {
  if (items.length === 0) return '';
  const rows = items.map(item => {
    const { kind, words } = toKind(item, toParts(item).text);
    const isNote = item.activityKind === 'userNote';
    const what = isNote ? richText(toOneLine(words, mostBrief)) : changeWords(item, isPast(item, standing));
    return html`<div><dt>${timeTag(new Date(item.eventTime))} ${kind && kindWords[kind]}</dt><dd>${what}</dd></div>`;
  });
  return html`<section class="key-moments"><h3>Key moments</h3><dl class="times">${rows}</dl></section>`;
}

/** Whether a later item set the same end of the incident again. */
function isPast({ activityKind, activityItemID }: ActivityItem, standing: TimelineView['standing']): boolean {
  return ['incidentStart', 'incidentEnd'].includes(activityKind) && !standing.has(activityItemID);
}

/** The mark next to the time of an item, and the classes of its row. */
interface ItemView {
  readonly kinds: readonly string[];
  readonly what: Html;
}

function entry(item: ActivityItem, moment: Date, { standing, toItem }: TimelineView): Html {
  const { activityItemID: id, activityKind } = item;
  const late = lateMark(item, moment);
  const { kinds, what } = activityKind === 'userNote' ? note(item, late) : change(item, isPast(item, standing), late);
  return html`<li class="${kinds.filter(kind => kind !== '').join(' ')}" id="${id}">
<span class="when"><a href="${toItem(id)}">${timeTag(moment, writeClock(moment))}</a></span>
<div class="what">${what}</div></li>`;
}

function note(item: ActivityItem, late: Html | string): ItemView {
  const { text, source } = toParts(item);
  const { kind, words } = toKind(item, text);
  const isMarked = words.startsWith(`${importantSign} `);
  const importance = isMarked || item.tags.includes('important') ? 'important' : '';
  const mark = kind && html`<span class="tag ${kind}">${kindWords[kind]}</span>`;
  const important = importance && html`<span class="tag important">${importantSign} Important</span>`;
  const bare = isMarked ? words.slice(importantSign.length + 1) : words;
  const what = html`<p class="who">${mark}${important}${source}${late}</p>${body(bare)}`;
  return { kinds: ['note', kind, importance], what };
}

const kindWords = { update: 'Update', summary: 'Summary', outcome: 'Outcome', dashboard: 'Dashboard' } as const;

/** What a note is, and its words without the sign that says so. */
function toKind(
  { fieldValues: { source } }: ActivityItem,
  text: string,
): { kind: keyof typeof kindWords | ''; words: string } {
  for (const kind of ['update', 'summary'] as const)
    if (text.startsWith(`${noteSigns[kind]} `)) return { kind, words: text.slice(noteSigns[kind].length + 1) };
  return { kind: source === 'resolution' ? 'outcome' : source === 'dashboard' ? 'dashboard' : '', words: text };
}

function body(text: string): Html {
  const letters = text.length > mostOpen ? Array.from(text) : [];
  if (letters.length <= mostOpen) return richText(text);
  const beginning = letters.slice(0, 300).join('');
  return html`<details class="long"><summary><span class="prose" dir="auto">${toVisibleText(beginning)}…</span> <span class="more">all ${letters.length} characters</span></summary>${richText(text)}</details>`;
}

function change(item: ActivityItem, isOld: boolean, late: Html | string): ItemView {
  const { activityKind, tags, user } = item;
  const name = toOneLine(user.name, 100);
  const isNamed = name === '' || (activityKind.startsWith('role') && toOneLine(item.body, 5000).includes(name));
  const by = isNamed ? '' : html` <span class="quiet">by ${inlineText(name)}</span>`;
  const kinds = ['change', tags.includes('important') ? 'important' : '', isOld ? 'past' : ''];
  return { kinds, what: html`<p dir="ltr">${changeWords(item, isOld)}${by}${late}</p>` };
}

/** Says when an item was written, if that was not when it happened. */
function lateMark({ createdTime }: ActivityItem, moment: Date): Html | string {
  const written = toMoment(createdTime);
  if (!written || Math.abs(written.getTime() - moment.getTime()) < 60_000) return '';
  const words = writeDay(written) === writeDay(moment) ? writeClock(written) : writeMoment(written);
  return html` <span class="quiet late">written down ${timeTag(written, words)}</span>`;
}

/**
 * The text and author of a note. Notes from Slack name their speaker, writer and place in `fieldValues`, and again in their last paragraph,
 * for readers that know only bodies. The page shows all that this paragraph says next to the note, and leaves it out.
 */
function toParts({ body: whole, user, fieldValues }: ActivityItem): { text: string; source: Html } {
  const read = (member: string) => {
    const value = fieldValues[member];
    return typeof value === 'string' ? toOneLine(value, 100) : '';
  };
  const saidBy = read('saidBy');
  const addedBy = read('addedBy') || user.name;
  const address = String(fieldValues.permalink ?? '');
  const link = toHref(address) === undefined ? '' : html` · ${externalLink(address, 'the message')}`;
  const speaker = { userID: saidBy || user.userID, name: saidBy || addedBy, photoURL: '' };
  const isOther = saidBy !== '' && saidBy !== addedBy;
  const added = isOther ? html` <span class="quiet">added by ${inlineText(addedBy)}</span>` : '';
  const parts = splitNoteBody(whole);
  const { who, editor, since } = readFoot(parts.foot);
  // A person's own last line may look like a foot. It is one when it names the people whom the page names.
  const isFoot = parts.foot !== '' && (who === '' || toOneLine(who, 1000).includes(saidBy || read('addedBy') || '\n'));
  const edited = editor === '' ? '' : html` <span class="since">edited by ${inlineText(editor, 100)}</span>`;
  const marks = since.map(how => html` <span class="since">${how} in Slack since</span>`);
  const source = html`${person(speaker)}${added}${isFoot ? [edited, ...marks] : ''}${link}`;
  return { text: isFoot ? parts.text : whole, source };
}

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

/** A change of a task: the API has one sentence for all of them, and its fields tell which it was. */
function taskWords({ fieldValues: { status, userID }, subjectUser }: ActivityItem): Html {
  if (status === 'progress') return html`started`;
  if (status === 'todo') return html`reopened`;
  if (userID === '') return html`given to nobody`;
  if (typeof userID === 'string') return html`assigned to ${inlineText(subjectUser.name || userID, 100)}`;
  return html`reworded`;
}

/** A sentence of the service with words of people, which keep their direction and do not change that of the sentence. */
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
