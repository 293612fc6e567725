import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import { unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { asksForOwn } from '../../people/mentions.ts';
import { actions, context, section } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { addButton, listButton, queuedTasks, showList, slackIdOf, taskRow } from './buttons.ts';
import { toNumbered } from './intents.ts';
import { quoted } from './numbered.ts';
import { postedTasks } from './posted.ts';
import { alone } from './row.ts';

/** Shows all tasks, by mention to everybody, or with `me` the person's own. */
export async function runList(ctx: Context, { sentence }: Args, incidentID: string): Promise<void> {
  if (asksForOwn(sentence)) await showOwn(ctx, incidentID);
  else if (!(await postedTasks.answerMention(ctx, { incidentID }))) await showList(ctx, incidentID);
}

/** Shows a person the tasks that are theirs, each as if it were alone. */
async function showOwn(ctx: Context, asked: string): Promise<void> {
  const { deps, actor, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return ctx.answer(await unregisteredList(deps, incidentID, queuedTasks, now));
  const { incident, notice } = await readSeen(deps, incidentID, now);
  const all = await toNumbered(deps, incidentID, incident.taskList);
  const holders = await Promise.all(all.map(({ task }) => slackIdOf(deps, task)));
  const own = all.filter((_each, at) => holders[at] === actor.userId);
  const rows = await Promise.all(
    own.map(each => taskRow(deps, each, { ...alone(ctx, incidentID, each.task), isOneOfSeveral: true })),
  );
  const end = toPages(rows.map(row => JSON.stringify(row).length))[1] ?? rows.length;
  const open = own.filter(({ task }) => task.status !== 'done').length;
  const count = own.length === 0 ? 'none' : `${open} open, ${own.length - open} done`;
  const title = `*Your tasks of ${incidentLabel(incidentID)}* ${quoted(incident.title, 100)}: ${count}`;
  await ctx.answer({
    text: title,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(title),
      ...rows.slice(0, end).flat(),
      ...(end < rows.length ? [context(`And ${rows.length - end} more: *Tasks* shows all.`)] : []),
      actions([pressable(listButton, { incidentID, page: 0 }), pressable(addButton, { incidentID })]),
    ],
  });
}
