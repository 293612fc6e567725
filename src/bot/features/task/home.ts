import type { KnownBlock } from '@slack/types';
import type { Incident } from '../../../contract/incidents.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import { incidentOfRow } from '../../dispatch/surfaces/home-input.ts';
import { actions, context, section, toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';
import { toNumbered } from './intents.ts';
import { stateOf } from './list.ts';
import { doneFace, type Numbered, startFace, type Target } from './row.ts';

/** Tasks on the home tab at most. */
const mostShown = 10;

/** The person's own open tasks, on the home tab: those of all active incidents. */
export async function tasksPart(ctx: Context, { whole, isOwn }: HomeInput): Promise<readonly HomePart[]> {
  const lists = await Promise.all(
    whole.map(async incident => {
      const all = await toNumbered(ctx.deps, incident.incidentID, incident.taskList);
      return all
        .filter(({ task }) => isOpen(task) && isOwn(task.assignedUser?.userID ?? ''))
        .map(each => ({ incident, each }));
    }),
  );
  const own = lists.flat();
  const shown = own.slice(0, mostShown);
  const rows = await Promise.all(shown.map(({ incident, each }) => taskRow(ctx, incident, each)));
  const rest = own.length - shown.length;
  const title = own.length === 0 ? '*Your tasks*: none is open.' : `*Your tasks* (${own.length})`;
  const more =
    rest > 0 ? [context(`And ${rest} more: \`/task list me\` in the channel of an incident shows them.`)] : [];
  return [{ place: 'tasks', blocks: [section(title), ...rows.flat(), ...more] }];
}

function isOpen({ status, immutable }: Numbered['task']): boolean {
  return status !== 'done' && !immutable;
}

async function taskRow(ctx: Context, incident: Incident, { task, number }: Numbered): Promise<KnownBlock[]> {
  const [sign, state] = stateOf(task);
  const line = `${sign} *${number}.* ${toMrkdwn(toOneLine(task.text), 300)} · ${state}`;
  const row = section(`${line}\n${await incidentOfRow(ctx, incident)}`);
  if (ctx.actor.isGuest) return [row];
  // The tab is compared with the one before, so a row is the same at each time.
  const target: Target = { incidentID: incident.incidentID, taskID: task.taskID, page: null, at: 0 };
  const faces = task.status === 'todo' ? [startFace, doneFace] : [doneFace];
  const spoken = (label: string) => `${label} task ${number} of ${incident.title}`;
  return [row, actions(faces.map(face => pressable(face, target, { spoken: spoken(face.label) })))];
}
