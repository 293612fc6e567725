import { isNotFound } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Known } from '../../../db/known.ts';
import { isProvisional, registrationOf } from '../../journal/provisional-id.ts';
import type { Guests } from '../../people/guests.ts';
import { NotVisible, type PrivacyReader, type Subject, type Viewer } from '../../people/visibility.ts';
import { outsideAge, sightAge } from '../state/channels.ts';
import { type IncidentDeps, toOwner } from './intent-kind.ts';

/**
 * The facts for the rule of sight: from rooms, channels, the API, and its snapshots while it is away. With `known`, the type of an incident is
 * asked once between two changes of Muster's own.
 */
export function createPrivacyReader(deps: () => IncidentDeps, guests: Guests, known?: Known): PrivacyReader {
  const typeOf = async (subject: Subject) => {
    const [key, tables] = [`type ${subject.incidentID}`, ['bot_room']];
    if (subject.incidentType === undefined && known) return known.once(key, tables, () => readType(deps(), subject));
    const type = await readType(deps(), subject);
    known?.keep(key, tables, type);
    return type;
  };
  return {
    roomOf: async incidentID => (await deps().rooms.ofIncident(incidentID))?.channelId ?? '',
    privacyOf: async ({ incidentID, incidentType: known }, isClose) => {
      const { rooms, channels } = deps();
      const subject = {
        incidentID: await rooms.currentID(incidentID),
        ...(known === undefined ? {} : { incidentType: known }),
      };
      // Asked first, so that an incident that is hidden takes as long as one that does not exist.
      const incidentType = await typeOf(subject);
      const room = await rooms.ofIncident(subject.incidentID);
      if (!room && isProvisional(subject.incidentID)) return { roomId: '', isPrivate: true };
      if (!room || room.channelId === '')
        return { roomId: '', isPrivate: room?.isPrivate === true || incidentType === 'private' };
      const channel = await channels.look(room.channelId, isClose ? outsideAge : sightAge);
      const isPrivate = incidentType === 'private' || (channel?.isPrivate ?? true);
      return { roomId: room.channelId, isPrivate };
    },
    isMember: (channelId, userId, isClose) =>
      deps().channels.isMember(channelId, userId, isClose ? outsideAge : sightAge),
    isInvolved: async (viewer, incidentID) => isInvolved(deps(), viewer, await deps().rooms.currentID(incidentID)),
    isClosed: async (channelId, isClose) =>
      (await deps().channels.look(channelId, isClose ? outsideAge : sightAge))?.isPrivate ?? false,
    isShared: async (channelId, isClose) => {
      if (hasOneReader(channelId)) return false;
      return (await deps().channels.look(channelId, isClose ? outsideAge : sightAge))?.isShared;
    },
    hasGuests: async (channelId, isClose) => {
      if (hasOneReader(channelId)) return false;
      const areKnown = await guests.areKnown();
      if (areKnown) return deps().channels.hasGuests(channelId, isClose ? outsideAge : sightAge);
      return areKnown === false || (await deps().channels.hasKnownGuests(channelId)) || undefined;
    },
  };
}

/** A direct message with Muster. */
function hasOneReader(channelId: string): boolean {
  return channelId.startsWith('D');
}

/** The incident's type as the API gives it; as it gave it last while it is away, or refuses to tell. */
async function readType(
  { api, snapshots, deadlines }: IncidentDeps,
  { incidentID, incidentType }: Subject,
): Promise<string> {
  if (incidentType !== undefined) return incidentType;
  if (isProvisional(incidentID)) return '';
  const recent = snapshots.typeOf(incidentID);
  if (recent !== undefined) return recent;
  try {
    return (await api.IncidentsService.GetIncident({ incidentID }, { budget: deadlines.reads.aside })).incident
      .incidentType;
  } catch (error) {
    if (isNotFound(error)) throw new NotVisible(incidentID);
    const snapshot = await snapshots.get(incidentID);
    if (!snapshot) throw error;
    return snapshot.summary.incidentType;
  }
}

async function isInvolved(deps: IncidentDeps, viewer: Viewer, incidentID: string): Promise<boolean> {
  if (isProvisional(incidentID))
    return (await deps.journal.find(registrationOf(incidentID), toOwner(viewer))) !== undefined;
  const room = await deps.rooms.ofIncident(incidentID);
  if (room?.declaredBy === viewer.userId) return true;
  const incident = await readWhole(deps, incidentID);
  const users = incident
    ? [incident.createdByUser, ...incident.incidentMembership.assignments.map(each => each.user)]
    : [];
  for (const { userID } of users) if ((await deps.people.toSlackId(userID)) === viewer.userId) return true;
  return false;
}

async function readWhole(
  { api, snapshots, deadlines }: IncidentDeps,
  incidentID: string,
): Promise<Incident | undefined> {
  try {
    return (await api.IncidentsService.GetIncident({ incidentID }, { budget: deadlines.reads.aside })).incident;
  } catch {
    return (await snapshots.get(incidentID))?.whole?.incident;
  }
}
