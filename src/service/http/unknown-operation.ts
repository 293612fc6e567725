import { distance, plainName } from '../../contract/distance.ts';
import { RpcError } from '../../contract/errors.ts';
import { quote } from '../call/errors.ts';

/** The error for an operation that does not exist, or is not called with POST. It says which one may be meant, or which there are. */
export function unknownOperation(name: string, method: string, operations: readonly string[]): RpcError {
  const told = /^[\w./-]{1,100}$/.test(name) ? name : quote(name);
  return new RpcError('not_found', toSentence(name, told, method, operations), { reason: 'common.not_found' });
}

function toSentence(name: string, told: string, method: string, operations: readonly string[]): string {
  if (operations.includes(name)) return `${told} is called with POST, and this request is ${method}.`;
  const none = name === '' ? 'The address names no operation' : `There is no operation ${told}`;
  const near = findNear(name.slice(0, 100), operations);
  if (near !== undefined) return `${none}. Did you mean ${near}?`;
  const [service] = name.split('.');
  const siblings = operations.filter(each => each.startsWith(`${service}.`)).map(each => each.split('.')[1]);
  if (siblings.length > 0) return `${none}. ${service} has ${siblings.join(', ')}.`;
  return `${none}. The services are ${[...new Set(operations.map(each => each.split('.')[0]))].join(', ')}.`;
}

/** The operation of the same name in another service, else the one with the fewest slips, at most one in four letters. */
function findNear(name: string, operations: readonly string[]): string | undefined {
  const wanted = plain(name);
  const last = wanted.slice(wanted.lastIndexOf('.') + 1);
  const same = operations.find(each => plain(each).endsWith(`.${last}`));
  if (same !== undefined) return same;
  const slips = new Map(operations.map(each => [each, distance(wanted, plain(each))]));
  const [near] = [...operations].sort((one, other) => (slips.get(one) ?? 0) - (slips.get(other) ?? 0));
  return near !== undefined && (slips.get(near) ?? 0) <= wanted.length / 4 ? near : undefined;
}

function plain(name: string): string {
  return plainName(name).replaceAll('/', '.');
}
