import type { AlertMapping } from '../../../config/alert-sources.ts';
import type { AlertGroup } from '../../incident/state/alert-group.ts';
import { readAlertmanager } from './alertmanager.ts';
import { memberOf, readMapped } from './mapped.ts';
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
