import { html } from 'hono/html';
import type { UserPreview } from '../../contract/fields.ts';
import { defaultLabelKey, type IncidentLabel } from '../../contract/labels.ts';
import { isMistake, type MaybeMistake } from '../../contract/mistakes.ts';
import { defaultRoles } from '../../contract/roles.ts';
import type { ServiceOptions, Severity } from '../call/options.ts';
import { subPath } from '../dashboards/address.ts';
import { fold } from '../store/tables.ts';
import { type Html, inlineText, toOneLine } from './escape.ts';
import { toTerm } from './filters.ts';

/** Orders names of severities from the worst to the mildest, unknown ones last. */
export function byRank(severities: readonly Severity[]): (one: string, other: string) => number {
  return (one, other) => (toRank(one, severities) || 9) - (toRank(other, severities) || 9);
}

/** The rank of a severity: 1 is the worst, 4 the mildest, 0 is not known or not among these. */
export function toRank(severity: string, severities: readonly Severity[]): number {
  const folded = fold(severity);
  const found = severities.find(each => fold(each.label) === folded);
  if (!found || found.level < 0) return 0;
  const levels = [...new Set(severities.map(each => each.level).filter(level => level >= 0))].sort((a, b) => a - b);
  return Math.min(4, levels.indexOf(found.level) + 1);
}

/** Whether a role is the one that leads an incident. */
export function isLead({ name }: { readonly name: string }): boolean {
  return fold(name) === defaultRoles[0].name;
}

/** The heading of a page about something that people named. */
export function heading(title: string): Html {
  const shown = toOneLine(title);
  return html`<h1${shown.length > 120 ? html` class="long"` : ''} dir="auto">${shown}</h1>`;
}

/** The status in one word, and whether it is a drill; or that it was declared by mistake. */
export function stateMarks(incident: MaybeMistake): Html {
  if (isMistake(incident)) return html`<span class="mark status mistake">declared by mistake</span>`;
  const status = html`<span class="mark status ${incident.status === 'resolved' ? 'done' : 'active'}">${toOneLine(incident.status, 40)}</span>`;
  return html`${status}${incident.isDrill ? html`<span class="mark drill">drill</span>` : ''}`;
}

/** The severity; graver ones have warmer colours. */
export function severityMark(severity: string, severities: readonly Severity[]): Html {
  return html`<span class="mark sev${toRank(severity, severities)}">${inlineText(severity, 60)}</span>`;
}

/** Words that lead to the incidents that a query finds; without options or query, the words alone. */
function leading(words: Html, query: string | undefined, options?: ServiceOptions): Html {
  if (!options || query === undefined) return words;
  return html`<a href="${subPath(options)}/incidents?${new URLSearchParams({ q: query })}">${words}</a>`;
}

/** Labels in their colours; with options, each leads to the incidents that have it. */
export function labelMarks(labels: readonly IncidentLabel[], options?: ServiceOptions): Html | string {
  if (labels.length === 0) return '';
  const marks = labels.map(({ key, label, description, colorHex }) => {
    const group = isBare(key) ? '' : html`<span class="quiet">${inlineText(key, 60)}:</span> `;
    const words = leading(html`${group}${inlineText(label, 100)}`, toLabelTerm(key, label), options);
    return html`<li title="${toOneLine(description, 200)}">${colourDot(colorHex)}${words}</li>`;
  });
  return html`<ul class="labels">${marks}</ul>`;
}

/** Whether a label has no key of its own. */
function isBare(key: string): boolean {
  return key === '' || key === defaultLabelKey;
}

/** A label in plain words, under its key: `service:api`. */
export function toLabelWords(key: string, label: string): string {
  return isBare(key) ? label : `${key}:${label}`;
}

/** The query for a label, under its key; undefined for one that cannot be typed. */
export function toLabelTerm(key: string, label: string): string | undefined {
  if (isBare(key)) return toTerm('label', label);
  const named = toTerm('field', key);
  const value = toTerm('', label);
  return named === undefined || value === undefined ? undefined : `${named}${value}`;
}

function colourDot(colour: string): Html | string {
  if (!/^#[0-9a-f]{3}(?:[0-9a-f]{3})?$/i.test(colour)) return '';
  return html`<svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="${colour}"/></svg>`;
}

/** A person by initials and name; with options, the name leads to the incidents in which they have a part. */
export function person({ userID, name }: UserPreview, options?: ServiceOptions): Html {
  const shown = toOneLine(name, 100) || toOneLine(userID, 100);
  const words = leading(inlineText(shown), toTerm('person', shown), options);
  return html`<span class="person"><span class="initials tint${toTint(fold(shown))}" aria-hidden="true">${toInitials(shown)}</span>${words}</span>`;
}

function toInitials(name: string): string {
  const words = name.split(/[\s._:@/-]+/).filter(word => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.map(word => Array.from(word)[0] ?? '');
  return letters
    .filter((_, index) => index === 0 || index === letters.length - 1)
    .join('')
    .toUpperCase();
}

function toTint(text: string): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % 6;
}
