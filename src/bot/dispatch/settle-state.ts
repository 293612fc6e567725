import { settleIncident } from '../incident/unregistered.ts';
import { isProvisional } from '../journal/provisional-id.ts';
import type { Deps } from './deps.ts';

/**
 * The state of a form or the value of a button, about the incident as it is known now: it may have been made before the incident
 * was registered. Throws NotRegistered when the incident never was.
 */
export async function settleState<T>(deps: Deps, state: T): Promise<T> {
  if (typeof state !== 'object' || state === null) return state;
  const incidentID: unknown = Reflect.get(state, 'incidentID');
  if (typeof incidentID !== 'string' || !isProvisional(incidentID)) return state;
  return { ...state, incidentID: await settleIncident(deps, incidentID) };
}
