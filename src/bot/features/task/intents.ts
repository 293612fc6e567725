import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Api } from '../../../contract/contract.ts';
import type { CallOptions, KnownPerson } from '../../../contract/define.ts';
import { isNotFound, RpcError } from '../../../contract/errors.ts';
import { maxTaskText, Task, type TaskList, taskStatuses } from '../../../contract/tasks.ts';
import { inviteAllowed } from '../../dispatch/answers/receipts.ts';
import { menuBlockId, pressable, userMenu } from '../../dispatch/feature/feature.ts';
import {
  type AfterDoneContext,
  type AfterDoneResult,
  defineIntent,
  type IncidentDeps,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { changedSince, onlyFrom, refuseUnless } from '../../incident/acts/only-from.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import { Claimed, claimNotes } from '../../incident/notes/claim.ts';
import { tellDirectly } from '../../incident/room/invite.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, mention, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs, taskSigns } from '../../text/signs.ts';
import { secondsAfter } from '../../text/times.ts';
import { cap, stripControls, toOneLine } from '../../text/words.ts';

/** A task and its number (`incident/state/task-numbers.ts`). */
export const Numbered = z.object({ task: Task, number: z.number() });
export type Numbered = z.output<typeof Numbered>;

/** A task's text in a sentence: one line, short, escaped. */
export function quoted(text: string, max = 150): string {
  return `“${toMrkdwn(toOneLine(text), max)}”`;
}

/** The name of a status in a sentence about one task. */
export const statusNames = { todo: 'to do', progress: 'in progress', done: 'done' } as const;
/** A status that this version knows. */
export type Status = keyof typeof statusNames;

/** The status, when this version knows it. */
export function toKnownStatus(status: string): Status | undefined {
  return status in statusNames ? (status as Status) : undefined;
}

/** Sign and word of a task's state (mrkdwn). */
export function stateOf({ status }: Task): readonly [sign: string, word: string] {
  const known = toKnownStatus(status);
  return known ? [taskSigns[known], statusNames[known]] : [signs.unknown, toMrkdwn(status, 20)];
}

/** The Slack id of the person who does a task; `""` for none, or when it is not known. */
export async function slackIdOf({ people }: IncidentDeps, { assignedUser }: Task): Promise<string> {
  return assignedUser ? people.toSlackId(assignedUser.userID) : '';
}

/**
 * The task of a button, and the page of the list that shows it (`null`: the task is shown alone). `at` is when it was shown, in
 * epoch milliseconds: a changed message needs new block ids (docs/slack.md 5).
 */
export const Target = z.object({
  ...{ incidentID: z.string(), taskID: z.string() },
  ...{ page: z.number().nullable(), at: z.number() },
});
export type Target = z.output<typeof Target>;

/** The target of a task that is shown alone. */
export function alone(
  { now }: { readonly now: Date },
  incidentID: string,
  { taskID }: { readonly taskID: string },
): Target {
  return { incidentID, taskID, page: null, at: now.getTime() };
}

/** The buttons of tasks, as they look. */
export const faces = {
  start: { id: 'task.start', label: 'Start' },
  done: { id: 'task.done', label: 'Done', style: 'primary' },
  reopen: { id: 'task.reopen', label: 'Reopen' },
  assign: { id: 'task.assign', label: 'Assign' },
  nobody: { id: 'task.nobody', label: 'Unassign' },
  notMe: { id: 'task.notMe', label: 'Not me' },
  delete: { id: 'task.delete', label: 'Delete' },
  list: { id: 'task.list', label: 'Tasks' },
  add: { id: 'task.add', label: 'Add task' },
} as const;

/** The button that lists all tasks of an incident. */
export function toList(incidentID: string): ActionsBlockElement {
  return pressable(faces.list, { incidentID, page: 0 });
}

/** Most characters of a task's text in what a screen reader says of its buttons: a message holds only so many. */
const maxSpoken = 40;

/** A task in a message. Of several tasks, none has a button to the list. */
export type RowTarget = Target & { readonly isOneOfSeveral?: boolean };

/** The buttons of a task, in one row. `assignee` is the Slack id of its assignee. */
export function buttonRow({ task, number }: Numbered, beside: RowTarget, assignee = ''): KnownBlock[] {
  const { isOneOfSeveral = false, ...target } = beside;
  const isOpen = task.status !== 'done';
  const blockId = menuBlockId(faces.assign, target);
  // Once for the row where it fits: a message holds only so many characters.
  const isInRow = blockId.length <= slackLimits.blockId;
  const press = (face: (typeof faces)[keyof typeof faces]) =>
    pressable(face, isInRow ? undefined : target, {
      spoken: `${face.label} task ${number}, ${cap(task.text, maxSpoken)}`,
    });
  const elements: ActionsBlockElement[] = [
    ...(task.status === 'todo' ? [press(faces.start)] : []),
    press(isOpen ? faces.done : faces.reopen),
    ...(isOpen && isInRow ? [userMenu(faces.assign, assignee)] : []),
    ...(isOpen && task.assignedUser?.userID ? [press(faces.nobody)] : []),
    ...(target.page !== null ? [press(faces.delete)] : isOneOfSeveral ? [] : [toList(target.incidentID)]),
  ];
  return [actions(elements, isInRow ? blockId : undefined)];
}

/** A task's text as it is stored, or a sentence of plain text on what is wrong with it (docs/api-rules.md A9). */
export function checkTaskText(typed: string): { readonly text: string } | { readonly problem: string } {
  const text = stripControls(typed).trim();
  if (!/[^\s\p{Cf}]/u.test(text)) return { problem: 'Describe the task.' };
  if (text.length <= maxTaskText) return { text };
  return {
    problem: `A task has at most ${maxTaskText} characters, and this one has ${text.length}. Shorten it, and put the rest on the timeline.`,
  };
}

/** A task's assignee: their id in the API and in Slack. */
const Assignee = z.object({
  ...{ userID: z.string(), slackUserID: z.string() },
  /** `""` in what an older version stored. */
  slackTeamID: z.string().default(''),
});
/** A task's assignee; null for nobody. */
export type Assignee = z.output<typeof Assignee> | null;

/** A person as the assignee of a task. */
export function toAssignee({ userID, slackUserID = '', slackTeamID = '' }: KnownPerson): NonNullable<Assignee> {
  return { userID, slackUserID, slackTeamID };
}

/** The end of a receipt that names the assignee. */
function forWhom(assignee: Assignee): string {
  return assignee ? `, for ${mention(assignee.slackUserID)}` : '';
}

/** Invites the assignee of a task and tells them. `notice` is a further sentence, or `""`. */
async function notifyAssignee(
  ctx: AfterDoneContext,
  incidentID: string,
  assignee: Assignee,
  { task, number }: Numbered,
  notice = '',
): Promise<AfterDoneResult> {
  const slackUserID = assignee?.slackUserID ?? '';
  const who = mention(slackUserID);
  const entry = await inviteAllowed(ctx, incidentID, [{ slackUserID, words: who }]);
  const target = alone(ctx, incidentID, task);
  const untold = await tellDirectly(ctx, incidentID, slackUserID, {
    text: `${mention(ctx.actor.userId)} gave you a task: ${quoted(task.text, 500)}`,
    part: `Task ${number}`,
    buttons: [faces.start, faces.done, faces.notMe].map(face => pressable(face, target)),
  });
  // A guest does the work, and a member ticks it off (docs/decisions.md, Guests and strangers).
  const person = slackUserID === '' ? undefined : await ctx.deps.people.find(slackUserID).catch(() => undefined);
  const limits = person?.isGuest ? [`${who} is a guest and cannot mark the task as done here. Do it for them.`] : [];
  const troubles = [notice, ...entry.troubles, untold].filter(each => each !== '');
  return { ...entry, notes: [...entry.notes, ...limits], troubles };
}

/** Tells a person that a task is not theirs any more, and whose it is; `deleted`: nobody's. */
async function tellFormer(
  ctx: AfterDoneContext,
  incidentID: string,
  former: Assignee | undefined,
  { text, number, now }: { readonly text: string; readonly number: number; readonly now: Assignee | 'deleted' },
): Promise<void> {
  const isKept = now !== 'deleted' && now?.slackUserID === former?.slackUserID;
  if (!former || isKept) return;
  const what =
    now === 'deleted'
      ? 'deleted your task'
      : now === null
        ? 'took a task from you, and nobody has it now'
        : now.slackUserID === ctx.actor.userId
          ? 'took over your task'
          : `gave your task to ${mention(now.slackUserID)}`;
  await tellDirectly(ctx, incidentID, former.slackUserID, {
    text: `${mention(ctx.actor.userId)} ${what}: ${quoted(text, 500)}`,
    ...(number > 0 ? { part: `Task ${number}` } : {}),
    buttons: [],
  });
}

/** The tasks of an incident with their numbers. */
export async function toNumbered(
  { taskNumbers }: FindContext['deps'],
  incidentID: string,
  { tasks }: TaskList,
): Promise<readonly Numbered[]> {
  const numbers = await taskNumbers.of(incidentID, tasks);
  return tasks.map(task => ({ task, number: numbers.get(task.taskID) ?? 0 }));
}

/** The result of a write of one task. */
async function toResult(
  { deps }: IntentContext,
  incidentID: string,
  { task, taskList }: { readonly task: Task; readonly taskList: TaskList },
): Promise<Numbered> {
  const numbered = await toNumbered(deps, incidentID, taskList);
  return { task, number: numbered.find(each => each.task.taskID === task.taskID)?.number ?? 0 };
}

async function readList({ api, call }: FindContext, incidentID: string): Promise<TaskList> {
  return (await api.IncidentsService.GetIncident({ incidentID }, call)).incident.taskList;
}

/** Adds one task; the API's answer. */
async function add(
  context: IntentContext,
  incidentID: string,
  { text, assignee }: { text: string; assignee: Assignee },
) {
  const { api, call, deps } = context;
  const assignToUserID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
  const answer = await api.TasksService.AddTask({ incidentID, text, assignToUserID }, call);
  await deps.people.learnAnswered(assignToUserID, answer.task.assignedUser?.userID ?? '');
  return answer;
}

/** The parts of a context that finding an added task needs. */
interface FindContext {
  readonly api: Api;
  readonly call: CallOptions;
  readonly askedAt: Date;
  siblingResults(): Promise<readonly unknown[]>;
  readonly deps: { readonly taskNumbers: IncidentDeps['taskNumbers'] };
}

/**
 * The tasks of an earlier attempt whose answer was lost, by the places of their texts: of that text, not older than the request, and no
 * other intent's.
 */
async function findEach(
  context: FindContext,
  incidentID: string,
  texts: readonly string[],
): Promise<readonly (Numbered | undefined)[]> {
  const list = await readList(context, incidentID);
  const results = z.array(z.union([AddedTasks, Numbered.transform(each => ({ added: [each] }))]));
  const siblings = results.parse(await context.siblingResults()).flatMap(each => each.added);
  const taken = new Set(siblings.map(({ task }) => task.taskID));
  const since = secondsAfter(context.askedAt, -apiClockSkew);
  const all = await toNumbered(context.deps, incidentID, list);
  return texts.map(text => {
    const found = all.find(
      ({ task }) => task.text === text && new Date(task.createdTime) >= since && !taken.has(task.taskID),
    );
    if (found) taken.add(found.task.taskID);
    return found;
  });
}

/** The task of an earlier attempt whose answer was lost, or undefined. */
export async function findAdded(
  context: FindContext,
  { incidentID, text }: { readonly incidentID: string; readonly text: string },
): Promise<Numbered | undefined> {
  return (await findEach(context, incidentID, [text]))[0];
}

const TaskRequest = z.object({
  text: z.string(),
  assignee: Assignee.nullable(),
  claimed: Claimed.optional(),
  /** Why nobody is assigned although a person was named, as a sentence of mrkdwn; `""` for nothing. */
  notice: z.string(),
});
export type TaskRequest = z.output<typeof TaskRequest>;

const incidentID = { incidentID: z.string() };

const mapText = <T extends { text: string }>(task: T, change: (text: string) => string): T => ({
  ...task,
  text: cap(change(task.text), maxTaskText),
});

/** Adds a task. */
export const addTask = defineIntent({
  kind: 'task.add',
  payload: TaskRequest.extend(incidentID),
  result: Numbered,
  run: async (context, wish) => toResult(context, wish.incidentID, await add(context, wish.incidentID, wish)),
  reconcile: (context, wish) => findAdded(context, wish),
  findTwin: async (context, wish, added) => {
    const siblingResults = async () => [...(await context.siblingResults()), added];
    const twin = await findAdded({ ...context, siblingResults }, wish);
    return (
      twin &&
      `The task ${quoted(wish.text)} is there twice, since an answer came late. \`/task delete ${twin.number}\` takes one off.`
    );
  },
  did: ({ text, assignee }, { result }) => ({
    sign: signs.added,
    verb: 'add',
    what: result
      ? `task ${result.number}: ${quoted(result.task.text)}${forWhom(assignee)}`
      : `the task ${quoted(text, 200)}`,
  }),
  consequences: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
  mapTexts: (task, change) => mapText(task, change),
  afterDone: async (ctx, result, { incidentID, assignee, notice }) => {
    const told = await notifyAssignee(ctx, incidentID, assignee, result, notice);
    if (ctx.isLate) return told;
    const target = alone(ctx, incidentID, result.task);
    return { ...told, rows: buttonRow(result, target, await slackIdOf(ctx.deps, result.task)) };
  },
});

const AddedTasks = z.object({ added: z.array(Numbered) });

/** Adds several tasks, in their order. An attempt goes on where an earlier one stopped. */
export const addTasks = defineIntent({
  kind: 'task.addSeveral',
  payload: z.object({ ...incidentID, tasks: z.array(TaskRequest) }),
  result: AddedTasks,
  run: async (context, { incidentID, tasks }) => {
    const texts = tasks.map(each => each.text);
    const there = context.isRetry ? await findEach(context, incidentID, texts) : [];
    const ids: string[] = [];
    let list: TaskList | undefined;
    for (const [at, wish] of tasks.entries()) {
      const answer = there[at] ? undefined : await add(context, incidentID, wish);
      list = answer?.taskList ?? list;
      ids.push((answer ?? there[at])?.task.taskID ?? '');
    }
    const numbered = await toNumbered(context.deps, incidentID, list ?? (await readList(context, incidentID)));
    return { added: ids.flatMap(id => numbered.find(({ task }) => task.taskID === id) ?? []) };
  },
  did: ({ tasks }, { result, incident }) => ({
    sign: signs.added,
    verb: 'add',
    what: result
      ? `${tasks.length} tasks to ${incident}:\n${result.added.map(({ task, number }, at) => `• *${number}.* ${quoted(task.text, 100)}${forWhom(tasks[at]?.assignee ?? null)}`).join('\n')}`
      : `${tasks.length} tasks: ${tasks.map(({ text }) => quoted(text, 60)).join(', ')}`,
  }),
  mapTexts: (wish, change) => ({ ...wish, tasks: wish.tasks.map(each => mapText(each, change)) }),
  undo: ({ added }, { incidentID }): Undo => {
    const tasks = added.map(({ task, number }) => ({ taskID: task.taskID, text: task.text, number }));
    return toUndo(removeTasks, { incidentID, tasks }, { afterwards: 'Press *Delete* in `/task list`.' });
  },
  consequences: (_result, { incidentID, tasks }) => {
    // One for each person whom nobody confirms.
    const claims = new Map(tasks.flatMap(({ claimed }) => (claimed ? [[claimed.name, claimed] as const] : [])));
    return [...claims.values()].flatMap((claimed, at) =>
      claimNotes(incidentID, claimed).map(each => ({ ...each, name: `${each.name}/${at}` })),
    );
  },
  afterDone: async (ctx, { added }, { incidentID, tasks }) => {
    const all: AfterDoneResult[] = [];
    for (const [at, { assignee, notice, text }] of tasks.entries()) {
      const [result, about] = [added[at], notice && `${quoted(text, 80)}: ${notice}`];
      if (result) all.push(await notifyAssignee(ctx, incidentID, assignee, result, about));
    }
    const [notes, troubles] = [all.flatMap(each => each.notes), all.flatMap(each => each.troubles)];
    return { notes, troubles, buttons: [toList(incidentID)] };
  },
});

/** Takes tasks back that were added together. Fails when a person works on one of them. */
export const removeTasks = defineIntent({
  kind: 'task.addSeveral.undo',
  payload: z.object({
    ...incidentID,
    tasks: z.array(z.object({ taskID: z.string(), text: z.string(), number: z.number() })),
  }),
  result: z.object({}),
  run: async (context, { incidentID, tasks }) => {
    const { api, call } = context;
    const list = await readList(context, incidentID);
    for (const { taskID, text, number } of tasks) {
      const now = list.tasks.find(each => each.taskID === taskID);
      if (!now || (now.status === 'todo' && now.text === text)) continue;
      const why = `somebody has changed task ${number} since`;
      throw new RpcError('failed_precondition', why, { reason: changedSince, maybeApplied: false });
    }
    for (const { taskID } of tasks) {
      await api.TasksService.DeleteTask({ incidentID, taskID }, call).catch(error => {
        // A person deleted it, or an earlier attempt did.
        if (!isNotFound(error)) throw error;
      });
    }
    return {};
  },
  did: ({ tasks }, { incident }) => ({
    ...{ sign: signs.undone, verb: 'take' },
    what: `${tasks.length} tasks of ${incident} back`,
  }),
});

/** The members that name a task in a payload; `text` is its own, for receipts. */
const address = { ...incidentID, taskID: z.string(), text: z.string() };
/** A change of a task that may undo another one: `only` is the value that must be current. */
const change = { ...address, only: onlyFrom };

/** Refuses to undo a change of a task after a later one, with an RpcError. */
async function refuseChanged(
  context: IntentContext,
  { incidentID, taskID, only }: z.output<z.ZodObject<typeof change>>,
  wanted: string,
  toValue: (task: Task) => readonly [value: string, shown: string],
): Promise<void> {
  if (only === undefined) return;
  const { incident } = await context.api.IncidentsService.GetIncident({ incidentID }, context.call);
  const task = incident.taskList.tasks.find(each => each.taskID === taskID);
  if (!task) throw new RpcError('not_found', 'the task was deleted', { maybeApplied: false });
  const [value, shown] = toValue(task);
  // An earlier attempt whose answer was lost has made the change.
  if (context.isAmbiguous && value === wanted) return;
  refuseUnless(value, only, shown);
}

const statusWords = {
  todo: { sign: incidentSigns.reopened, verb: 'reopen' },
  progress: { sign: taskSigns.progress, verb: 'start' },
  done: { sign: taskSigns.done, verb: 'finish' },
} as const;

/** Marks a task as to do, in progress or done. */
export const setTaskStatus = defineIntent({
  kind: 'task.status',
  payload: z.object({ ...change, status: z.enum(taskStatuses), was: z.enum(taskStatuses).optional() }),
  result: Numbered,
  run: async (context, wish) => {
    const { incidentID, taskID, status } = wish;
    const toValue = ({ status }: Task) => [status, statusNames[status as keyof typeof statusNames] ?? status] as const;
    await refuseChanged(context, wish, status, toValue);
    const { api, call } = context;
    return toResult(context, incidentID, await api.TasksService.UpdateTaskStatus({ incidentID, taskID, status }, call));
  },
  did: ({ text, status, was }, { result }) => {
    if (!result) return { ...statusWords[status], what: `the task ${quoted(text, 200)}` };
    const what = `task ${result.number}: ${quoted(result.task.text)}`;
    if (status === was) return { fact: `Task ${result.number} is ${statusNames[status]} already.`, isUnchanged: true };
    return { ...statusWords[status], what };
  },
  undo: (_result, { incidentID, taskID, text, status, was }): Undo | undefined =>
    was && toUndo(setTaskStatus, { incidentID, taskID, text, status: was, only: status }),
});

/** Assigns a task to a person; `null` unassigns it. */
export const assignTask = defineIntent({
  kind: 'task.assign',
  payload: z.object({
    ...change,
    assignee: Assignee.nullable(),
    was: Assignee.nullable().optional(),
    /** In an undo: the person to whom it was given. */
    takenFrom: Assignee.nullable().optional(),
    claimed: Claimed.optional(),
  }),
  result: Numbered,
  run: async (context, wish) => {
    const { api, call, deps } = context;
    const { incidentID, taskID, assignee } = wish;
    const userID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
    const toValue = ({ assignedUser: user }: Task) =>
      [user?.userID ?? '', user?.name || user?.userID || 'nobody'] as const;
    await refuseChanged(context, wish, userID, toValue);
    const answer = await api.TasksService.UpdateTaskUser({ incidentID, taskID, userID }, call);
    await deps.people.learnAnswered(userID, answer.task.assignedUser?.userID ?? '');
    return toResult(context, incidentID, answer);
  },
  did: ({ text, assignee, was }, { result, userId }) => {
    const sign = signs.person;
    const what = result ? `task ${result.number}: ${quoted(result.task.text)}` : `the task ${quoted(text, 200)}`;
    if (!result) return { sign, verb: assignee ? 'assign' : 'unassign', what };
    const is = `Task ${result.number} is`;
    if (assignee === null) {
      if (was === null) return { fact: `${is} unassigned already.`, isUnchanged: true };
      if (was?.slackUserID !== userId) return { sign, verb: 'unassign', what };
      return { sign, verb: 'give', what: `back ${what}. Nobody has it now` };
    }
    const who = mention(assignee.slackUserID);
    if (was?.userID === assignee.userID) return { fact: `${is} for ${who} already.`, isUnchanged: true };
    return assignee.slackUserID === userId
      ? { sign, verb: 'take', what }
      : { sign, verb: 'give', what: `${who} ${what}` };
  },
  consequences: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
  undo: ({ task }, { incidentID, taskID, text, assignee, was }): Undo | undefined =>
    was === undefined
      ? undefined
      : toUndo(assignTask, {
          ...{ incidentID, taskID, text, assignee: was, takenFrom: assignee },
          only: task.assignedUser?.userID ?? '',
        }),
  afterDone: async (ctx, result, { incidentID, assignee, was, takenFrom }) => {
    const { task, number } = result;
    await tellFormer(ctx, incidentID, was ?? takenFrom, { text: task.text, number, now: assignee });
    return notifyAssignee(ctx, incidentID, assignee, result);
  },
});

/** Replaces a task's text; `text` is the one it had. */
export const editTask = defineIntent({
  kind: 'task.edit',
  payload: z.object({ ...change, newText: z.string() }),
  result: Numbered,
  run: async (context, wish) => {
    const { incidentID, taskID, newText: text } = wish;
    await refuseChanged(context, wish, text, task => [task.text, cap(task.text, 100)]);
    const { api, call } = context;
    return toResult(context, incidentID, await api.TasksService.UpdateTaskText({ incidentID, taskID, text }, call));
  },
  did: ({ text }, { result }) => ({
    sign: signs.changed,
    verb: 'change',
    what: result ? `task ${result.number}: ${quoted(result.task.text, 500)}` : `the task ${quoted(text, 200)}`,
  }),
  undo: (_result, { incidentID, taskID, text, newText, only }): Undo | undefined =>
    only === undefined
      ? toUndo(editTask, { incidentID, taskID, text: newText, newText: text, only: newText })
      : undefined,
  mapTexts: (task, change) => ({ ...task, newText: cap(change(task.newText), maxTaskText) }),
});

/** A deleted task as it was. The defaults are those of a payload without them. */
const deleted = {
  number: z.number().default(0),
  status: z.enum(taskStatuses).default('todo'),
  assignee: Assignee.nullable().default(null),
};
const DeletedTask = z.object({ ...incidentID, text: z.string(), ...deleted });

/** Adds a deleted task again, under its number: the API knows no way back. */
export const restoreTask = defineIntent({
  kind: 'task.restore',
  payload: DeletedTask,
  result: Numbered,
  run: async (context, wish) => finish(context, wish, (await add(context, wish.incidentID, wish)).task.taskID),
  reconcile: async (context, wish) => {
    const added = await findAdded(context, wish);
    return added && finish(context, wish, added.task.taskID);
  },
  did: ({ text, assignee }, { result }) => ({
    sign: signs.undone,
    verb: 'restore',
    what: result
      ? `task ${result.number}: ${quoted(result.task.text)}${forWhom(assignee)}`
      : `the task ${quoted(text, 200)}`,
  }),
  afterDone: async (ctx, result, { incidentID, assignee, status }) =>
    status === 'done' ? { notes: [], troubles: [] } : notifyAssignee(ctx, incidentID, assignee, result),
});

/** Gives the added task the number and the status of the deleted one. Safe to do again. */
async function finish(
  { api, call, deps }: IntentContext,
  { incidentID, number, status }: z.output<typeof DeletedTask>,
  taskID: string,
): Promise<Numbered> {
  if (number > 0) await deps.taskNumbers.inherit(incidentID, taskID, number);
  const { task } = await api.TasksService.UpdateTaskStatus({ incidentID, taskID, status }, call);
  return { task, number };
}

/** Removes a task. */
export const deleteTask = defineIntent({
  kind: 'task.delete',
  payload: z.object({ ...address, ...deleted }),
  result: z.object({ left: z.number() }),
  run: async (context, { incidentID, taskID }) => {
    const { api, call, isAmbiguous } = context;
    const left = await api.TasksService.DeleteTask({ incidentID, taskID }, call)
      .then(({ taskList }) => taskList)
      .catch(error => {
        // An earlier attempt whose answer was lost has deleted it.
        if (isAmbiguous && isNotFound(error)) return readList(context, incidentID);
        throw error;
      });
    return { left: left.tasks.length };
  },
  did: ({ number, text }) => ({
    sign: signs.removed,
    verb: 'delete',
    what: `${number > 0 ? `task ${number}` : 'the task'}: ${quoted(text)}`,
  }),
  undo: (_result, { incidentID, text, number, status, assignee }): Undo =>
    toUndo(restoreTask, { incidentID, text, number, status, assignee }),
  afterDone: async (ctx, _result, { incidentID, text, number, status, assignee }) => {
    if (status !== 'done') await tellFormer(ctx, incidentID, assignee, { text, number, now: 'deleted' });
    return { notes: [], troubles: [] };
  },
});
