import { html } from 'hono/html';
import type { ActivityItem } from '../../contract/activity.ts';
import { externalLink, type Html, inlineText, richText, toHref, toOneLine, toVisibleText } from './escape.ts';
import { person } from './marks.ts';
import { timeTag, toMoment, writeClock, writeDay, writeMoment } from './moments.ts';

/** The most characters of a note that are shown; the rest is folded. */
const mostOpen = 1500;

/** Timeline items in the order of their time, by day. Links that a note of the same list contains are left out. */
export function timelineList(items: readonly ActivityItem[]): Html {
  let day = '';
  const notes = new Set(items.filter(isNote).map(item => item.activityItemID));
  const entries = items
    .filter(item => !notes.has(String(item.fieldValues.activityItemID)))
    .map(item => {
      const moment = new Date(item.eventTime);
      const today = writeDay(moment);
      const heading = today === day ? '' : html`<li class="day"><h3>${today}</h3></li>`;
      day = today;
      return html`${heading}${isNote(item) ? note(item, moment) : change(item, moment)}`;
    });
  return html`<ol class="timeline">${entries}</ol>`;
}

function isNote({ activityKind }: ActivityItem): boolean {
  return activityKind === 'userNote';
}

function note(item: ActivityItem, moment: Date): Html {
  const { text, source } = toParts(item);
  return html`<li class="note${isImportant(item)}" id="${item.activityItemID}">
<span class="when">${timeTag(moment, writeClock(moment))}</span>
<div class="what"><p class="who">${source}${lateMark(item, moment)}</p>${body(text)}</div></li>`;
}

function body(text: string): Html {
  const letters = text.length > mostOpen ? Array.from(text) : [];
  if (letters.length <= mostOpen) return richText(text);
  const beginning = letters.slice(0, 300).join('');
  return html`<details class="long"><summary><span class="prose" dir="auto">${toVisibleText(beginning)}…</span> <span class="more">all ${letters.length} characters</span></summary>${richText(text)}</details>`;
}

function change(item: ActivityItem, moment: Date): Html {
  const name = toOneLine(item.user.name, 100);
  const by =
    name === '' || toOneLine(item.body, 5000).includes(name)
      ? ''
      : html` <span class="quiet">by ${inlineText(name)}</span>`;
  return html`<li class="change kind-${toKind(item.activityKind)}${isImportant(item)}" id="${item.activityItemID}">
<span class="when">${timeTag(moment, writeClock(moment))}</span>
<div class="what"><p dir="auto">${words(item)}${by}${lateMark(item, moment)}</p></div></li>`;
}

function words({ activityKind, body: text, url, subjectUser }: ActivityItem): Html {
  if (activityKind === 'contextAttached') return html`Link attached: ${externalLink(url || text, text || url)}`;
  if (activityKind === 'incidentStart') return html`The incident started`;
  if (activityKind === 'incidentEnd') return html`The incident ended`;
  const subject = toOneLine(subjectUser.name, 100);
  const isTask = activityKind.startsWith('task') && subject !== '';
  return html`${inlineText(text, 2000)}${isTask ? html` <span class="quiet">for ${inlineText(subject)}</span>` : ''}`;
}

function toKind(kind: string): string {
  return /^[a-z]+/.exec(kind)?.[0] ?? 'other';
}

function isImportant({ tags }: ActivityItem): string {
  return tags.includes('important') ? ' important' : '';
}

/** Says when an item was written, if that was not when it happened. */
function lateMark({ createdTime }: ActivityItem, moment: Date): Html | string {
  const written = toMoment(createdTime);
  if (!written || Math.abs(written.getTime() - moment.getTime()) < 60_000) return '';
  return html` <span class="quiet late">written down ${timeTag(written, sameDay(written, moment))}</span>`;
}

function sameDay(one: Date, other: Date): string {
  return writeDay(one) === writeDay(other) ? writeClock(one) : writeMoment(one);
}

/**
 * The text and author of a note. Notes from Slack name their speaker, writer and place in `fieldValues`, and again in their
 * last paragraph, for readers that know only bodies. That paragraph is left out when the page shows the same beside the note.
 */
function toParts({ body: text, user, fieldValues }: ActivityItem): { text: string; source: Html } {
  const read = (member: string) => {
    const value = fieldValues[member];
    return typeof value === 'string' ? toOneLine(value, 100) : '';
  };
  const saidBy = read('saidBy');
  const addedBy = read('addedBy') || toOneLine(user.name, 100);
  const address = fieldValues.permalink;
  const link =
    typeof address === 'string' && toHref(address) !== undefined
      ? html` · ${externalLink(address, 'the message')}`
      : '';
  const speaker =
    saidBy === ''
      ? { userID: user.userID, name: addedBy, photoURL: '' }
      : { userID: saidBy, name: saidBy, photoURL: '' };
  const added =
    saidBy === '' || saidBy === addedBy ? '' : html` <span class="quiet">added by ${inlineText(addedBy)}</span>`;
  const foot = text.lastIndexOf('\n\n— ');
  const isRepeated =
    foot > 0 && read('source') !== '' && / in Slack\b/.test(text.slice(foot)) && !text.slice(foot + 2).includes('\n');
  return { text: isRepeated ? text.slice(0, foot) : text, source: html`${person(speaker)}${added}${link}` };
}
