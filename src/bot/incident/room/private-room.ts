import type { Api } from '../../../contract/contract.ts';
import type { CallOptions } from '../../../contract/define.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { wrapCalls } from '../api/calls.ts';
import { sightAge } from '../state/channels.ts';

/*
 * An incident is as private as its room. The incident API knows only what it is told (docs/api-rules.md A6, Private incidents), so it
 * is told when the room is made private later: with every change from then on, and at once by a call that changes nothing else.
 */

/** Whether an incident's room is a private channel. Slack is asked when what is known is older than `maxAge` milliseconds. */
export async function hasPrivateRoom(
  { rooms, channels }: IncidentDeps,
  incidentID: string,
  maxAge: number,
): Promise<boolean> {
  const room = await rooms.ofIncident(incidentID);
  if (!room || room.channelId === '') return room?.isPrivate === true;
  return (await channels.look(room.channelId, maxAge))?.isPrivate === true;
}

/** Options of a call that also makes its incident private. Its budget is read now: an object's getters are not copied. */
export function asPrivate(call: CallOptions = {}): CallOptions {
  const { budget } = call;
  return { ...call, ...(budget === undefined ? {} : { budget }), incidentType: 'private' };
}

/** Gives an API whose changes of an incident with a private room make it private too, so that no webhook tells of them. */
export function withRoomPrivacy(api: Api, facts: () => IncidentDeps): Api {
  const { IncidentsService } = wrapCalls(api, async ({ effect, input: { incidentID = '' }, options, run }) => {
    const isPrivate = effect === 'set' && (await hasPrivateRoom(facts(), incidentID, anyAge));
    return await run(isPrivate ? asPrivate(options) : options);
  });
  return { ...api, IncidentsService };
}

/** No change waits for Slack when anything is known of its room. */
const anyAge = Number.POSITIVE_INFINITY;

/** A label that no incident has: removing it changes nothing, so the call carries the type alone. */
const noLabel = 'muster: its room is private';

/** Makes an incident private in the API if its room is. Throws the RpcError. */
export async function followRoomPrivacy(deps: IncidentDeps, { incidentID, incidentType }: Incident): Promise<void> {
  if (incidentType === 'private' || !(await hasPrivateRoom(deps, incidentID, sightAge))) return;
  const call = asPrivate();
  await deps.api.IncidentsService.RemoveLabel({ incidentID, label: noLabel }, call);
}
