import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import type { Words } from '../../text/blocks.ts';
import type { IntentContext } from '../acts/intent-kind.ts';
import { DeclaredIncident } from '../state/declared-incident.ts';
import { digest } from '../state/digests.ts';
import { noSources, type Room } from '../state/room-store.ts';

/** The plan of an incident's room in Slack. */
export const RoomPlan = z.object({
  incidentID: z.string(),
  declared: DeclaredIncident,
  /** Makes a channel; otherwise the incident stays where it was declared. */
  makeChannel: z.boolean(),
  isPrivate: z.boolean(),
  teamId: z.string(),
  /** The workspace in which a channel is made; `""` for the usual one. */
  workspaceId: z.string().default(''),
  /** Where it was declared; `""` for nowhere in particular. */
  channelId: z.string(),
  /** Slack ids of those to invite, of that workspace. */
  invite: z.array(z.string()),
});
export type RoomPlan = z.output<typeof RoomPlan>;

/** The queue of everything that makes or changes an incident's room: one after the other, and Slack holds up no write to the API. */
export function roomLane({ incidentID }: { readonly incidentID: string }): string {
  return `room/${incidentID}`;
}

/** The plan for an incident that exists and was not declared through Muster. */
export function toFoundPlan(
  { incidentID, title, severity, isDrill, incidentType, labels, createdTime }: Incident,
  where: Pick<RoomPlan, 'makeChannel' | 'teamId' | 'workspaceId' | 'channelId' | 'invite'>,
): RoomPlan {
  const names = labels.map(each => each.label);
  const declared: DeclaredIncident = {
    incidentID,
    title,
    severity,
    isDrill,
    labels: names,
    declaredAt: createdTime,
    declaredBy: '',
    summary: '',
    sources: noSources,
  };
  return { incidentID, declared, isPrivate: incidentType === 'private', ...where };
}

/** The room of a plan while nothing of it is made. */
export function toEmptyRoom(plan: RoomPlan): Room {
  return {
    incidentID: plan.incidentID,
    teamId: plan.teamId,
    channelId: '',
    channelName: '',
    isLinked: false,
    isPrivate: plan.isPrivate,
    cardTs: '',
    announcementChannelId: '',
    announcementTs: '',
    declaredBy: plan.declared.declaredBy,
    sources: plan.declared.sources,
  };
}

/** The incident from the API; undefined while it is not registered or cannot be read. Its card is completed later. */
export async function readPlanned(
  { api, call, deps }: IntentContext,
  { incidentID }: RoomPlan,
): Promise<Incident | undefined> {
  if (isProvisional(incidentID)) return undefined;
  const declared = deps.snapshots.takeAnswer(incidentID);
  if (declared) return declared;
  const known = await api.IncidentsService.GetIncident({ incidentID }, call).catch(() => undefined);
  return known?.incident;
}

/** The digest of what was posted; `""` when Slack may show the message of an earlier attempt, which may say something else. */
export function postedDigest({ isRetry }: IntentContext, words: Words): string {
  return isRetry ? '' : digest(words);
}
