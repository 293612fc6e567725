import { z } from 'zod';
import { isNotFound, RpcError } from '../../../contract/errors.ts';
import { maxTaskText, type TaskList } from '../../../contract/tasks.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import {
  type AfterDoneResult,
  defineIntent,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import { Claimed, claimNotes } from '../../incident/notes/claim.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import type { FollowUp } from '../../journal/intent.ts';
import { sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { secondsAfter } from '../../text/times.ts';
import { cap } from '../../text/words.ts';
import { Assignee, bringIn, forWhom } from './assignee.ts';
import { toNumbered } from './intents.ts';
import { listFace, Numbered, quoted } from './row.ts';

const Wish = z.object({
  text: z.string(),
  assignee: Assignee.nullable(),
  claimed: Claimed.optional(),
  /** Why nobody is assigned although a person was named, as a sentence of mrkdwn; `""` for nothing. */
  notice: z.string(),
});
/** A task that somebody asks for. */
export type TaskPayload = z.output<typeof Wish>;

const Added = z.object({ added: z.array(Numbered) });
type Added = z.output<typeof Added>;

/** Adds several tasks, in their order. An attempt goes on where an earlier one stopped. */
export const addTasks = defineIntent({
  kind: 'task.addSeveral',
  payload: z.object({ incidentID: z.string(), tasks: z.array(Wish) }),
  result: Added,
  run: async (context, { incidentID, tasks }) => {
    const { api, call, deps } = context;
    const there = await findThere(context, incidentID, tasks);
    let list: TaskList | undefined;
    const ids: string[] = [];
    for (const [at, { text, assignee }] of tasks.entries()) {
      const known = there[at];
      if (known !== undefined) ids.push(known);
      else {
        const assignToUserID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
        const { task, taskList } = await api.TasksService.AddTask({ incidentID, text, assignToUserID }, call);
        list = taskList;
        ids.push(task.taskID);
      }
    }
    const whole = list ?? (await api.IncidentsService.GetIncident({ incidentID }, call)).incident.taskList;
    const numbered = await toNumbered(deps, incidentID, whole);
    return { added: ids.flatMap(id => numbered.find(({ task }) => task.taskID === id) ?? []) };
  },
  mapTexts: (wish, change) => ({
    ...wish,
    tasks: wish.tasks.map(task => ({ ...task, text: cap(change(task.text), maxTaskText) })),
  }),
  undo: ({ added }, { incidentID }): Undo =>
    toUndo(
      removeTasks,
      { incidentID, tasks: added.map(({ task, number }) => ({ taskID: task.taskID, text: task.text, number })) },
      { afterwards: 'Press *Delete* in `/task list`.' },
    ),
  followUps: (_result, { incidentID, tasks }) => claimsOf(incidentID, tasks),
  describe: ({ tasks }) => `add ${tasks.length} tasks: ${tasks.map(({ text }) => `“${cap(text, 60)}”`).join(', ')}`,
  room: {
    line: (result, { tasks }, { by }) => `${signs.added} ${by} added ${tasks.length} tasks:\n${listed(result, tasks)}`,
  },
  answer: {
    receipt: (result, { incidentID, tasks }, repeated) =>
      sentence(
        repeated
          ? `Those ${tasks.length} tasks are on the list already. Nothing was added twice.`
          : `${signs.added} ${tasks.length} tasks added to ${incidentLabel(incidentID)}:\n${listed(result, tasks)}`,
      ),
    beside: (_result, { tasks }) => `${signs.added} ${tasks.length} tasks added.`,
    afterDone: async (ctx, { added }, { incidentID, tasks }): Promise<AfterDoneResult> => {
      const notes: string[] = [];
      const troubles: string[] = [];
      for (const [at, { assignee, notice, text }] of tasks.entries()) {
        const result = added[at];
        if (!result) continue;
        const about = notice === '' ? '' : `${quoted(text, 80)}: ${notice}`;
        const brought = await bringIn(ctx, incidentID, assignee, result, about);
        notes.push(...brought.notes);
        troubles.push(...brought.troubles);
      }
      return { notes, troubles, buttons: [pressable(listFace, { incidentID, page: 0 })] };
    },
  },
});

/** The tasks with their numbers, one for each line (mrkdwn). */
function listed({ added }: Added, tasks: readonly TaskPayload[]): string {
  const words = (at: number) => forWhom(tasks[at]?.assignee ?? null);
  return added.map(({ task, number }, at) => `• *${number}.* ${quoted(task.text, 100)}${words(at)}`).join('\n');
}

/** The notes about people whom nobody confirms, one for each person. */
function claimsOf(incidentID: string, tasks: readonly TaskPayload[]): readonly FollowUp[] {
  const claims = new Map(tasks.flatMap(({ claimed }) => (claimed ? [[claimed.name, claimed] as const] : [])));
  return [...claims.values()].flatMap((claimed, at) =>
    claimNotes(incidentID, claimed).map(each => ({ ...each, name: `${each.name}/${at}` })),
  );
}

/** The ids of the tasks that an earlier attempt added, by their places: of that text, and not older than the request. */
async function findThere(
  { api, call, askedAt, isRetry, siblingResults }: IntentContext,
  incidentID: string,
  tasks: readonly TaskPayload[],
): Promise<readonly (string | undefined)[]> {
  if (!isRetry) return [];
  const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
  const taken = new Set(
    (await siblingResults()).flatMap(each => Added.parse(each).added.map(({ task }) => task.taskID)),
  );
  const since = secondsAfter(askedAt, -apiClockSkew);
  return tasks.map(({ text }) => {
    const found = incident.taskList.tasks.find(
      each => each.text === text && new Date(each.createdTime) >= since && !taken.has(each.taskID),
    );
    if (found) taken.add(found.taskID);
    return found?.taskID;
  });
}

/** Takes tasks back that were added together. Fails when somebody works on one of them. */
export const removeTasks = defineIntent({
  kind: 'task.addSeveral.undo',
  payload: z.object({
    incidentID: z.string(),
    tasks: z.array(z.object({ taskID: z.string(), text: z.string(), number: z.number() })),
  }),
  result: z.object({}),
  run: async ({ api, call }, { incidentID, tasks }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    for (const { taskID, text, number } of tasks) {
      const now = incident.taskList.tasks.find(each => each.taskID === taskID);
      if (!now || (now.status === 'todo' && now.text === text)) continue;
      const why = `somebody has changed task ${number} since`;
      throw new RpcError('failed_precondition', why, { reason: changedSince, maybeApplied: false });
    }
    for (const { taskID } of tasks) {
      await api.TasksService.DeleteTask({ incidentID, taskID }, call).catch(error => {
        // Somebody deleted it, or an earlier attempt did.
        if (!isNotFound(error)) throw error;
      });
    }
    return {};
  },
  room: {
    line: (_result, { tasks }, { by }) => `${signs.removed} ${by} deleted ${tasks.length} tasks`,
  },
  describe: ({ tasks, incidentID }) => `take ${tasks.length} tasks of ${incidentName(incidentID)} back`,
  answer: {
    receipt: (_result, { tasks, incidentID }) =>
      sentence(`${signs.undone} ${tasks.length} tasks of ${incidentLabel(incidentID)} are gone again.`),
  },
});
