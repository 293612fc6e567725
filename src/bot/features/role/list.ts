import type { KnownBlock } from '@slack/types';
import type { Role } from '../../../contract/roles.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import type { HomeInput, HomePart } from '../../dispatch/feature/home-part.ts';
import { incidentOfRow } from '../../dispatch/surfaces/home.ts';
import { homePart, IncidentList, listTitle } from '../../dispatch/surfaces/incident-list.ts';
import { chooseRoles } from '../../incident/state/roles.ts';
import { type Absence, leftBehind } from '../../people/reach.ts';
import { actions, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap, toOneLine } from '../../text/words.ts';
import { type Holder, holderName, holdersOf, listRoles, readHolders } from './holder.ts';

/** The buttons of roles, as they look. */
export const faces = {
  take: { id: 'role.take', label: 'Take', style: 'primary' },
  remove: { id: 'role.remove', label: 'Remove' },
  form: { id: 'role.form', label: 'Assign role' },
  handOverForm: { id: 'role.handover.form', label: 'Hand over' },
} as const;

interface RoleRow {
  readonly role: Role;
  readonly holders: readonly Holder[];
  /** Users of the API who hold roles and cannot act. */
  readonly absent: ReadonlyMap<string, Absence>;
}

const formOf = (incidentID: string) => pressable(faces.form, { incidentID, role: '', ids: [] });

/** The list of an incident's roles and their holders: for a person, with buttons, and for a channel. */
export const roles = new IncidentList<RoleRow>({
  name: 'roles',
  ids: { pager: 'role.list', post: 'role.list' },
  kinds: ['role.'],
  read: async ({ deps, now }, incident) => {
    const listed = listRoles((await chooseRoles(deps, now)).roles, incident);
    const held = await readHolders(deps, incident);
    const absent = await deps.people.absentUsers(held.map(each => each.holder));
    return listed.map(role => ({ role, holders: holdersOf(held, role.name), absent }));
  },
  count: () => '',
  none: {
    below: 'There are no roles yet. An administrator of this workspace can add one with `/role create`.',
    why: 'there are no roles yet.',
  },
  row: async (_ctx, incidentID, row, page) => roleRow(incidentID, row, page),
  buttons: incidentID => [formOf(incidentID)],
  line: ({ role: { name, description, archived }, holders, absent }) => {
    const names = holders.map(each => `${each.name || each.userID}${leftBehind(absent, each.userID)}`);
    const who = names.join(', ') || 'nobody';
    const what = cap(toOneLine(description), 150);
    const mark = archived ? ' (archived)' : '';
    const behind = what === '' ? '' : ` · ${toMrkdwn(what, 150)}`;
    return `*${toMrkdwn(toOneLine(name), 100)}*${mark}: ${toMrkdwn(who, 500)}${behind}`;
  },
});

/** A role with its holders, and what can be done: a free one is taken, another one handed over or taken away. */
function roleRow(incidentID: string, { role, holders, absent }: RoleRow, page: number): KnownBlock[] {
  const { name, archived: isOld } = role;
  const nobody = role.mandatory || role.important ? `${signs.warning} nobody` : 'nobody';
  const who = holders.map(each => `${holderName(each)}${leftBehind(absent, each.userID)}`).join(', ') || nobody;
  const what = role.description ? `\n${toMrkdwn(toOneLine(role.description), 150)}` : '';
  const line = `*${toMrkdwn(name, 100)}*${isOld ? ' (archived)' : ''}: ${who}${what}`;
  if (holders.length === 0) {
    const take = { incidentID, role: name, inList: true, page };
    return [section(line, isOld ? undefined : pressable(faces.take, take, { spoken: `Take the role ${name}` }))];
  }
  const spoken = { spoken: `Hand over the role ${name}` };
  const handOver = isOld ? [] : [pressable(faces.handOverForm, { incidentID, role: name }, spoken)];
  const remove = pressable(faces.remove, { incidentID, role: name, page }, { spoken: `Remove the role ${name}` });
  return [section(line), actions([...handOver, remove])];
}

/** The roles of an incident that a person holds. */
export async function ownRolesWords(ctx: Context, asked: string): Promise<Words> {
  const seen = await roles.readOne(ctx, asked);
  if ('unregistered' in seen) return seen.unregistered;
  const { incident, incidentID, all, aged } = seen;
  const own = all.filter(({ holders }) => holders.some(each => each.slackUserID === ctx.actor.userId));
  const names = own.map(each => toMrkdwn(each.role.name, 100)).join(', ') || 'none';
  const text = `${listTitle('Your roles in', { ...incident, incidentID })}: ${names}`;
  return { text, blocks: [...(aged ? [section(aged)] : []), section(text), actions([formOf(incidentID)])] };
}

/** The roles that the person holds in active incidents, on the home tab. */
export async function rolesPart(ctx: Context, { whole, isOwn }: HomeInput): Promise<readonly HomePart[]> {
  const own = whole.flatMap(incident =>
    incident.incidentMembership.assignments
      .filter(({ user }) => isOwn(user.userID))
      .map(({ role }) => ({ incident, role: role.name })),
  );
  return homePart('roles', { none: 'none.', own }, async ({ incident, role }) => {
    const { incidentID, title } = incident;
    const spoken = { spoken: `Hand over ${role} of ${title}` };
    const button = ctx.actor.isGuest ? undefined : pressable(faces.handOverForm, { incidentID, role }, spoken);
    return [section(`*${toMrkdwn(role, 100)}* · ${await incidentOfRow(ctx, incident)}`, button)];
  });
}
