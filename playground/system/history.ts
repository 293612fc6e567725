import { addMinutes } from 'date-fns/addMinutes';
import { subDays } from 'date-fns/subDays';
import type { Logger } from 'pino';
import { type ApiClient, createClient } from '../../src/client/client.ts';
import type { KnownPerson } from '../../src/contract/define.ts';
import type { Database } from '../../src/db/database.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { createService } from '../../src/service/service.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import { dashboards } from './dashboards.ts';
import { type PastIncident, pastIncidents, type Veteran } from './past-incidents.ts';

/** The people of the past incidents as the API knows them. */
export type Veterans = Readonly<Record<Veteran, KnownPerson>>;

/** What the history is written with. */
export interface HistoryDeps {
  readonly database: Database;
  readonly options: NonNullable<Parameters<typeof createService>[0]['options']>;
  readonly deadlines: Deadlines;
  readonly log: Logger;
}

/** Something that happened: the call runs when the clock shows that time. */
interface Happening {
  readonly at: Date;
  readonly call: (api: ApiClient) => Promise<unknown>;
}

/** After so many minutes an incident has its people, and after so many its severity. */
const staffed = 1;
const reconsidered = 5;
/** After so many, a dashboard is linked. */
const linked = 10;
/** Which one, by a label of the incident. */
const lookedAt: Readonly<Record<string, string>> = {
  capacity: 'checkout-overview',
  tls: 'edge-traffic',
  queue: 'database-pool',
};

/**
 * Plays the past incidents into a service that has none yet, through its own API, each call at its own time before `now` and in
 * the name of whoever made it. Webhooks tell nobody of it.
 */
export async function seedHistory(deps: HistoryDeps, veterans: Veterans, now: Date): Promise<void> {
  let time = now;
  await using service = await createService({ ...deps, clock: () => time });
  const api = createClient({ ...deps.deadlines.apiTools, transport: service.handle });
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews({ query: { limit: 1 } });
  if (incidentPreviews.length > 0) return;
  for (const dashboard of dashboards) await api.Dashboards.save({ dashboard });
  const all = pastIncidents.flatMap(past => happeningsOf(past, veterans, now));
  for (const { at, call } of all.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    time = at;
    await call(api);
  }
}

/** An incident's happenings, in order. */
function happeningsOf(past: PastIncident, veterans: Veterans, now: Date): readonly Happening[] {
  const start = new Date(`${subDays(now, past.daysAgo).toISOString().slice(0, 10)}T${past.at.padStart(5, '0')}:00Z`);
  const after = (minutes: number) => addMinutes(start, minutes);
  const by = (who: Veteran, ...others: readonly Veteran[]) => ({
    people: { actor: veterans[who], others: others.map(each => veterans[each]) },
  });
  const { commander, investigator, observer, firstSeverity, severity, minutes, tasks = [], notes, summary } = past;
  const tasksBegin = Math.min(reconsidered + 1, minutes - 2);
  const taskIDs: string[] = [];
  let incidentID = '';

  const declare: Happening = {
    at: start,
    call: async api => {
      const labels = past.labels.map(label => ({ label }));
      const { title, isDrill = false } = past;
      const fresh = { title, severity: firstSeverity ?? severity, labels, isDrill, status: 'active' as const };
      const { incident } = await api.IncidentsService.CreateIncident(fresh, by(notes[0]?.[1] ?? commander));
      incidentID = incident.incidentID;
    },
  };
  const assign = (role: string, who: Veteran | undefined): readonly Happening[] =>
    who === undefined
      ? []
      : [
          {
            at: after(staffed),
            call: api =>
              api.IncidentsService.AssignRole({ incidentID, userID: veterans[who].userID, role }, by(commander, who)),
          },
        ];
  const write = (minute: number, who: Veteran, body: string): Happening => ({
    at: after(minute),
    call: api => api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body }, by(who)),
  });
  const link = (uid: string): Happening => ({
    at: after(linked),
    call: async api => {
      const [from, to] = [start.getTime() - 15 * 60_000, after(linked).getTime()];
      const { url } = await api.ShortUrls.create({ path: `d/${uid}?from=${from}&to=${to}` });
      const { title } = dashboards.find(each => each.uid === uid) ?? dashboards[0];
      const fieldValues = { source: 'dashboard', dashboard: uid, addedBy: commander };
      const body = `Dashboard “${title}”: ${url}`;
      await api.ActivityService.AddActivity({ incidentID, activityKind: 'userNote', body, fieldValues }, by(commander));
    },
  });
  const reconsider: Happening = {
    at: after(reconsidered),
    call: api => api.IncidentsService.UpdateSeverity({ incidentID, severity }, by(commander)),
  };
  const add = ([text, who]: readonly [string, Veteran, ...unknown[]], index: number): Happening => ({
    at: after(tasksBegin),
    call: async api => {
      const assignToUserID = veterans[who].userID;
      const { task } = await api.TasksService.AddTask({ incidentID, text, assignToUserID }, by(commander, who));
      taskIDs[index] = task.taskID;
    },
  });
  const finish = (who: Veteran, index: number): Happening => ({
    at: after(Math.round(minutes * (0.6 + (0.3 * index) / tasks.length))),
    call: api => {
      const taskID = taskIDs[index] ?? '';
      return api.TasksService.UpdateTaskStatus({ incidentID, taskID, status: 'done' }, by(who));
    },
  });
  const resolve: Happening = {
    at: after(minutes),
    call: api => api.IncidentsService.UpdateStatus({ incidentID, status: 'resolved' }, by(commander)),
  };
  return [
    declare,
    ...assign('commander', commander),
    ...assign('investigator', investigator),
    ...assign('observer', observer),
    ...(firstSeverity === undefined ? [] : [reconsider]),
    ...tasks.map(add),
    ...notes.map(note => write(...note)),
    ...tasks.flatMap(([, who, state], index) => (state === 'open' ? [] : [finish(who, index)])),
    ...past.labels.flatMap(label => (label in lookedAt ? [link(lookedAt[label] ?? '')] : [])),
    write(minutes, commander, summary),
    resolve,
  ];
}

/** The people of the past incidents under the ids that the bot gives them, so that they are the same people to everybody. */
export function toVeterans(slack: FakeSlack): Veterans {
  const toKnown = (name: string): KnownPerson => {
    const { id } = slack.person(name);
    return { userID: `slack:${id}`, slackUserID: id, slackTeamID: slack.teamId, name, email: `${name}@example.com` };
  };
  return { alice: toKnown('alice'), bob: toKnown('bob'), carol: toKnown('carol') };
}
