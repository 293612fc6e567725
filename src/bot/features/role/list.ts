import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Role } from '../../../contract/roles.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/surfaces/pager.ts';
import { withButtons } from '../../dispatch/surfaces/post-to-channel.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { homeElsewhere } from '../../incident/room/bring-in.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { chooseRoles } from '../../incident/state/roles.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { actions, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { signs } from '../../text/signs.ts';
import { cutMrkdwn, toOneLine } from '../../text/words.ts';
import { formButton } from './assign.ts';
import { handOverFormButton } from './handover.ts';
import { type Holder, holderName, holdersOf, listRoles, readHolders } from './holder.ts';
import { postedRoles } from './posted.ts';

/** The button that takes a free role, as it looks. */
export const takeFace = { id: 'role.take', label: 'Take', style: 'primary' } as const;
/** The button that takes a role from its holder. */
export const removeFace = { id: 'role.remove', label: 'Remove' } as const;

/** Turns the pages of the list of roles. */
export const rolePager = definePager({
  id: 'role.list',
  value: z.object({ incidentID: z.string() }),
  show: async (ctx, { incidentID }, page) => ctx.replace(await roleListWords(ctx, incidentID, page)),
});

/** The queued changes of roles. */
const queuedRoles: QueuedSort = { name: 'roles', kinds: ['role.'] };

/** Characters of the notice above the roles of a page. */
const maxNotice = 1200;

/** A page of the list of roles and their holders, under a notice. Throws an RpcError when it cannot be read. */
export async function roleListWords(ctx: Context, asked: string, wanted = 0, notice?: Words): Promise<Words> {
  const { deps, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return unregisteredList(deps, incidentID, queuedRoles, now);
  const { incident, notice: aged } = await readSeen(deps, incidentID, now);
  const queued = aged === '' ? [] : await queuedOf(deps, incidentID, queuedRoles, now);
  const roles = listRoles((await chooseRoles(deps, now)).roles, incident);
  const held = await readHolders(deps, incident);
  const where = await homeElsewhere(ctx, incidentID);
  const title = `*Roles of ${incidentLabel(incidentID)}* “${toMrkdwn(incident.title, 100)}”${where}`;
  const toRow = (role: Role, page: number) => roleRow(incidentID, role, holdersOf(held, role.name), page);
  const pages = toPages(roles.map(role => JSON.stringify(toRow(role, 0)).length));
  const turned = toTurned(wanted, pages.length);
  const rows = roles.slice(pages[turned.page], pages[turned.page + 1]).flatMap(role => toRow(role, turned.page));
  const words = {
    text: notice?.text ?? title,
    blocks: [
      ...(aged ? [section(aged)] : []),
      ...(notice ? [section(cutMrkdwn(notice.text, maxNotice)), ...actionsOf(notice)] : []),
      section(title),
      ...rows,
      ...pageLine(turned),
      ...queued,
      ...(roles.length === 0
        ? [section('There are no roles yet. An administrator of this workspace can add one with `/role create`.')]
        : []),
      actions([...rolePager.turns({ incidentID }, turned), pressable(formButton, { incidentID, role: '', ids: [] })]),
    ],
  };
  return roles.length === 0 ? words : withButtons(words, postedRoles.offer(ctx, { incidentID }));
}

/** The buttons of a notice, such as Undo. */
function actionsOf({ blocks = [] }: Words): readonly KnownBlock[] {
  return blocks.filter(block => block.type === 'actions');
}

/** The roles of an incident that a person holds. */
export async function ownRolesWords({ deps, actor, now }: Context, asked: string): Promise<Words> {
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return unregisteredList(deps, incidentID, queuedRoles, now);
  const { incident, notice } = await readSeen(deps, incidentID, now);
  const held = await readHolders(deps, incident);
  const names = held.filter(({ holder }) => holder.slackUserID === actor.userId).map(each => toMrkdwn(each.role, 100));
  const count = names.length === 0 ? 'none' : names.join(', ');
  const text = `*Your roles in ${incidentLabel(incidentID)}* “${toMrkdwn(incident.title, 100)}”: ${count}`;
  const assign = actions([pressable(formButton, { incidentID, role: '', ids: [] })]);
  return { text, blocks: [...(notice ? [section(notice)] : []), section(text), assign] };
}

/** A role with its holders, and what can be done: a free one is taken, another one handed over or taken away. */
function roleRow(incidentID: string, role: Role, holders: readonly Holder[], page: number): KnownBlock[] {
  const { name, archived: isOld } = role;
  const matters = role.mandatory || role.important;
  const who = holders.length > 0 ? holders.map(holderName).join(', ') : matters ? `${signs.warning} nobody` : 'nobody';
  const what = role.description ? `\n${toMrkdwn(toOneLine(role.description), 150)}` : '';
  const line = `*${toMrkdwn(name, 100)}*${isOld ? ' (archived)' : ''}: ${who}${what}`;
  if (holders.length === 0) {
    const take = { incidentID, role: name, inList: true, page };
    return [section(line, isOld ? undefined : pressable(takeFace, take, { spoken: `Take the role ${name}` }))];
  }
  const handOver = pressable(handOverFormButton, { incidentID, role: name }, { spoken: `Hand over the role ${name}` });
  const remove = pressable(removeFace, { incidentID, role: name, page }, { spoken: `Remove the role ${name}` });
  return [section(line), actions([...(isOld ? [] : [handOver]), remove])];
}
