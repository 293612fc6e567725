import { z } from 'zod';
import type { Role } from '../../../contract/roles.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { definePostable, type Public, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { chooseRoles } from '../../incident/state/roles.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { dataTable, type Row, tableWords } from '../../text/newer-blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';
import type { Holder } from './holder.ts';
import { holdersOf, listRoles, readHolders } from './holder.ts';

const columns = ['Role', 'Held by', 'What it does'];

/** The roles of an incident and who holds them, for all in a channel who may see it. */
export const postedRoles = definePostable({
  id: 'role.list.post',
  part: 'roles',
  value: z.object({ incidentID: z.string() }),
  words: publicRoles,
});

async function publicRoles(ctx: Context, { incidentID }: { incidentID: string }): Promise<Public> {
  const { deps, now } = ctx;
  const not = await whyNotPublic(ctx, 'posted list', incidentID);
  if (not) return { not };
  const currentID = await toCurrentID(deps, incidentID);
  if (isProvisional(currentID)) return { not: 'the incident is not registered yet.' };
  const { incident, notice } = await readSeen(deps, currentID, ctx.now);
  const roles = listRoles((await chooseRoles(deps, now)).roles, incident);
  const held = await readHolders(deps, incident);
  const [first, ...others] = roles.map(role => toRow(role, holdersOf(held, role.name)));
  if (!first) return { not: 'there are no roles yet.' };
  const table = dataTable(`Roles of incident ${incident.incidentID}`, columns, [first, ...others]);
  const title = `*Roles of ${incidentLabel(incident.incidentID)}* “${toMrkdwn(incident.title, 100)}”`;
  const words = tableWords(table, { title, notice, total: roles.length, command: '`/role list`' });
  return { ...words, about: [currentID] };
}

function toRow({ name, description, archived }: Role, holders: readonly Holder[]): Row {
  const who = holders.map(each => each.name || each.userID).join(', ') || 'nobody';
  const what = cap(toOneLine(description), 150);
  const mark = archived ? ' (archived)' : '';
  return {
    cells: [`${name}${mark}`, who, what],
    line: `*${toMrkdwn(toOneLine(name), 100)}*${mark}: ${toMrkdwn(who, 500)}${what === '' ? '' : ` · ${toMrkdwn(what, 150)}`}`,
  };
}
