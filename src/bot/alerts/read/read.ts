import type { AlertMapping, AlertPath } from '../../../config/alert-sources.ts';
import { compileMemberPath, type MemberPath, toValueText } from '../../../contract/json-path.ts';
import { type AlertGroup, type AlertLink, alertLengths as lengths } from '../../incident/state/alert-group.ts';
import { readAlertmanager } from './alertmanager.ts';
import { isOfWeb, toKey, toLabels, toMoment, toSummary, toText } from './clean.ts';
import { UnreadableAlert } from './unreadable.ts';

/** Most levels of objects and lists in a body. The tools have up to ten. */
export const maxDepth = 20;

/** Reads a body that a source sent, as JSON.parse made it. Throws an {@link UnreadableAlert}, and nothing else. */
export function readAlert(mapping: AlertMapping | undefined, body: unknown): AlertGroup {
  refuseDeep(body);
  refuseSubscription(body);
  if (mapping === undefined) return readAlertmanager(body);
  if (mapping.inside === undefined) return readMapped(mapping, body);
  const inside = parse(memberOf(body, mapping.inside, 'the alert'));
  refuseDeep(inside);
  return readMapped(mapping, inside);
}

function parse({ value, name }: { readonly value: unknown; readonly name: string }): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new UnreadableAlert(`${name} is not JSON.`);
  }
}

function refuseDeep(body: unknown): void {
  let level = [body].filter(isNested);
  for (let depth = 0; depth < maxDepth; depth += 1) {
    level = level.flatMap(each => Object.values(each).filter(isNested));
    if (level.length === 0) return;
  }
  throw new UnreadableAlert(`The body is nested more than ${maxDepth} deep.`);
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Amazon’s SNS sends alerts to an address only after a person has opened the address that its first body names. Muster fetches nothing. */
function refuseSubscription(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('Type' in body) || body.Type !== 'SubscriptionConfirmation')
    return;
  const url = 'SubscribeURL' in body && typeof body.SubscribeURL === 'string' ? URL.parse(body.SubscribeURL) : null;
  if (url?.protocol !== 'https:' || !/\.amazonaws\.com(\.cn)?$/.test(url.hostname))
    throw new UnreadableAlert(`SubscribeURL is not at Amazon, but at ${url?.hostname || 'no host'}: do not open it.`);
  throw new UnreadableAlert(
    `Amazon SNS asks to confirm the subscription. Open its SubscribeURL, which is at ${url.hostname}, in a browser: ${url.href}`,
  );
}

/**
 * Reads a body of any tool by a mapping: one alert, which is a group of its own. Throws an {@link UnreadableAlert} where the key, the title or
 * the state has no value. Other members are left out where they have none of their kind.
 */
function readMapped(mapping: AlertMapping, body: unknown): AlertGroup {
  const key = textOf(body, mapping.key, 'the key, which tells one alert from another');
  const title = toText(textOf(body, mapping.title, 'the title'), lengths.title);
  const said = textOf(body, mapping.state, 'the state').trim().toLowerCase();
  const isOver = mapping.ended.some(each => each.toLowerCase() === said);
  const state = isOver ? 'resolved' : 'firing';
  const changes = String(mapping.startedAt) === String(mapping.endedAt);
  const startedAt = isOver && changes ? '' : toMoment(find(body, mapping.startedAt));
  const summary = toValueText(find(body, mapping.summary)) ?? '';
  const severity = toValueText(find(body, mapping.severity)) ?? '';
  return {
    key: toKey(key),
    state,
    title,
    // A tool that says the severity as its state says none at the end.
    severity: isOver && severity.trim().toLowerCase() === said ? '' : toText(severity, lengths.severity),
    summary: toSummary([summary]),
    startedAt,
    newestStartAt: startedAt,
    endedAt: isOver ? toMoment(find(body, mapping.endedAt)) : '',
    labels: toLabels(readLabels(find(body, mapping.labels))),
    links: readLinks(mapping.links ?? {}, body),
    alerts: [{ name: toText(title, lengths.name), state, startedAt, value: '' }],
    firing: isOver ? 0 : 1,
    resolved: isOver ? 1 : 0,
    ...{ prints: [], endedPrints: [] },
  };
}

/** The value of a member that must be there, and its path in words. `role` says why. Throws an {@link UnreadableAlert}. */
function memberOf(body: unknown, path: AlertPath, role: string): { readonly value: unknown; readonly name: string } {
  const name = [path].flat().join(' or ');
  const value = find(body, path);
  if (value === undefined) throw new UnreadableAlert(`${name} is missing: it is ${role}.`);
  return { value, name };
}

function textOf(body: unknown, path: AlertPath, role: string): string {
  const { value, name } = memberOf(body, path, role);
  const text = toValueText(value);
  if (text === undefined) throw new UnreadableAlert(`${name} is no text: it is ${role}.`);
  if (toText(text, lengths.key) === '') throw new UnreadableAlert(`${name} is empty: it is ${role}.`);
  return text;
}

/** The first value at one of the paths; null and an empty text are none where another path follows. */
function find(body: unknown, path: AlertPath | undefined): unknown {
  const values = (path === undefined ? [] : [path].flat()).map(each => compiled(each)(body));
  return values.find(each => each !== undefined && each !== null && each !== '') ?? values.find(each => each === '');
}

/** Paths come from the settings alone, so they are few. */
const known = new Map<string, MemberPath>();

function compiled(path: string): MemberPath {
  const before = known.get(path);
  if (before) return before;
  const made = compileMemberPath(path);
  if ('problem' in made) throw new Error(`${path}: ${made.problem}`);
  known.set(path, made);
  return made;
}

/** Labels in the ways in which tools write them. */
function readLabels(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return value.split(',').flatMap(toTag);
  if (Array.isArray(value)) return value.flatMap(toLabel);
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(toPair) : [];
}

function toLabel(each: unknown): readonly (readonly [string, string])[] {
  if (typeof each === 'string') return toTag(each);
  if (Array.isArray(each)) return toPair([each[0], each[1]]);
  if (typeof each !== 'object' || each === null) return [];
  const of = new Map<string, unknown>(Object.entries(each));
  return toPair([of.get('name') ?? of.get('key'), of.get('value')]);
}

function toPair([name, value]: readonly [unknown, unknown]): readonly (readonly [string, string])[] {
  const text = toValueText(value);
  return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
}

/** A tag, as in `env:prod`. One without a value names nothing that a label could be. */
function toTag(tag: string): readonly (readonly [string, string])[] {
  const colon = tag.indexOf(':');
  return colon > 0 ? [[tag.slice(0, colon), tag.slice(colon + 1)]] : [];
}

function readLinks(links: NonNullable<AlertMapping['links']>, body: unknown): AlertLink[] {
  const kinds = Object.keys(links) as AlertLink['what'][];
  return kinds.flatMap(what => {
    const url = find(body, links[what]);
    return typeof url === 'string' && isOfWeb(url) ? [{ what, url }] : [];
  });
}
