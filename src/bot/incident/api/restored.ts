import type { Api } from '../../../contract/contract.ts';
import { RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { wrapCalls } from './calls.ts';

/** The reason of a change that is refused because a restored backup is older than the incident. */
export const restoredReason = 'restored';

interface SetCall {
  readonly incidentID?: string;
  readonly taskID?: string;
  readonly userID?: string;
  readonly role?: string;
  readonly status?: string;
  readonly text?: string;
  readonly activityItemKind?: string;
  readonly eventTime?: string;
}

const taskOf = ({ taskList }: Incident, { taskID }: SetCall) => taskList.tasks.find(each => each.taskID === taskID);
const holds = ({ incidentMembership }: Incident, { userID, role }: SetCall) =>
  incidentMembership.assignments.some(each => each.user.userID === userID && each.role.name === role);

/** Whether an incident already is as a call would set it. What is not here is asked for only when it is not so already. */
const isSo: Readonly<Record<string, (incident: Incident, wish: SetCall) => boolean>> = {
  AssignRole: holds,
  UnassignRole: (incident, wish) => !holds(incident, wish),
  UpdateTaskStatus: (incident, wish) => taskOf(incident, wish)?.status === wish.status,
  UpdateTaskText: (incident, wish) => taskOf(incident, wish)?.text === wish.text,
  UpdateTaskUser: (incident, wish) => (taskOf(incident, wish)?.assignedUser?.userID ?? '') === (wish.userID ?? ''),
  UpdateIncidentEventTime: (incident, { activityItemKind, eventTime = '' }) => {
    const moment = activityItemKind === 'incidentStart' ? incident.incidentStart : incident.incidentEnd;
    return Date.parse(moment) === Date.parse(eventTime);
  },
};

/**
 * The API for an intent that was open in a backup. It may have taken effect since, and a person may have changed the value again:
 * what sets something is done only where it changes nothing, and refused otherwise, so that its person decides. What adds something
 * has a way to find whether it is there.
 */
export function refuseNewSettings(api: Api): Api {
  return wrapCalls(api, async ({ method, effect, input, options, run }) => {
    const find = isSo[method];
    if (effect !== 'set') return await run();
    const { incidentID = '' } = input;
    const now = find && (await api.IncidentsService.GetIncident({ incidentID }, options));
    if (now && find(now.incident, input)) return await run();
    throw new RpcError('failed_precondition', 'a backup was restored in which this was open', {
      reason: restoredReason,
      retryable: true,
      maybeApplied: false,
    });
  });
}
