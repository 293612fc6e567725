import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { definePostable, type Public, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { dataTable, type Row, tableWords } from '../../text/newer-blocks.ts';
import { taskSigns } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';
import { toKnownStatus } from './actions.ts';
import { statusNames, toNumbered } from './intents.ts';
import { type Numbered, quoted } from './row.ts';

const columns = ['Number', 'Task', 'State', 'Assignee'];

/** The tasks of an incident, for all in a channel who may see it. */
export const postedTasks = definePostable({
  id: 'task.list.post',
  part: 'tasks',
  value: z.object({ incidentID: z.string() }),
  words: publicTasks,
});

async function publicTasks(ctx: Context, { incidentID }: { incidentID: string }): Promise<Public> {
  const { deps } = ctx;
  const not = await whyNotPublic(ctx, 'posted list', incidentID);
  if (not) return { not };
  const currentID = await toCurrentID(deps, incidentID);
  if (isProvisional(currentID)) return { not: 'the incident is not registered yet.' };
  const { incident, notice } = await readSeen(deps, currentID, ctx.now);
  const { taskList } = incident;
  const all = await toNumbered(deps, incidentID, taskList);
  const title = (count: string) =>
    `*Tasks of ${incidentLabel(incident.incidentID)}* ${quoted(incident.title, 100)}: ${count}`;
  const [first, ...others] = all.map(toRow);
  const about = [currentID];
  if (!first)
    return { ...sentence([notice, title('No tasks yet. `/task add` adds one.')].filter(Boolean).join('\n')), about };
  const count = `${taskList.todoCount} open, ${taskList.doneCount} done`;
  const table = dataTable(`Tasks of incident ${incident.incidentID}: ${count}`, columns, [first, ...others]);
  return { ...tableWords(table, { title: title(count), notice, total: all.length, command: '`/task list`' }), about };
}

function toRow({ task, number }: Numbered): Row {
  const known = toKnownStatus(task.status);
  const state = known ? `${taskSigns[known]} ${statusNames[known]}` : task.status;
  const assignee = task.assignedUser ? task.assignedUser.name || task.assignedUser.userID : 'nobody';
  const text = toOneLine(task.text);
  return {
    cells: [{ value: number, text: String(number) }, text, state, assignee],
    line: `*${number}.* ${toMrkdwn(text, 300)} · ${toMrkdwn(state, 40)} · ${toMrkdwn(assignee, 80)}`,
  };
}
