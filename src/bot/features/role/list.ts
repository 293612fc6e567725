import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import type { Role } from '../../../contract/roles.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, type CardButton, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue } from '../../dispatch/forms/modal.ts';
import { OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { definePager, pageLine, toTurned } from '../../dispatch/surfaces/pager.ts';
import { withButtons } from '../../dispatch/surfaces/post-to-channel.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { readKnown, readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { chooseRoles, fold } from '../../incident/state/roles.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { signs } from '../../text/signs.ts';
import { cutMrkdwn, toOneLine } from '../../text/words.ts';
import { assign, formButton } from './assign.ts';
import { handOverFormButton } from './handover.ts';
import { readHoldersOf } from './handover-question.ts';
import { type Holder, holderName, holderNames, isOrAre } from './holder.ts';
import { holdersOf, listRoles, readHolders } from './holders.ts';
import { unassignRole } from './intents.ts';
import { rolesFace } from './notify-holder.ts';
import { postedRoles } from './posted.ts';

/** Takes a free role. When it has a holder already, says who. */
export const takeButton = defineButton({
  id: 'role.take',
  label: 'Take',
  style: 'primary',
  value: z.object({ incidentID: z.string(), role: z.string(), inList: z.boolean(), page: z.number().default(0) }),
  run: async (ctx, { value: { incidentID, role, inList, page } }) => {
    const { deps } = ctx;
    const incident = await readKnown(deps, incidentID);
    const holders = holdersOf(await readHolders(deps, incident), role);
    const words =
      holders.length > 0
        ? {
            text: `${holderNames(holders)} ${isOrAre(holders)} ${toMrkdwn(role, 100)} already. Nothing was changed.`,
          }
        : await assign(ctx, incidentID, role, [ctx.actor]);
    if (!words) return;
    await ctx.replace(inList ? await roleListWords(ctx, incidentID, page, words) : words);
    if (holders.length > 0) deps.cards.refresh(incidentID);
  },
});

/** A role of the list. */
const Row = z.object({ incidentID: z.string(), role: z.string(), page: z.number() });

/** Takes a role from the one who holds it. Of several who hold it, a form asks which one. */
const removeButton = defineButton<z.output<typeof Row>>({
  id: 'role.remove',
  label: 'Remove',
  value: Row,
  run: async (ctx, { value: { incidentID, role, page } }) => {
    const holders = await readHoldersOf(ctx, incidentID, role);
    if (holders.length > 1) return askWhom(ctx, incidentID, role, holders);
    const words = await remove(ctx, incidentID, role, all => all[0]);
    if (words) await ctx.replace(await roleListWords(ctx, incidentID, page, words));
  },
});

/** Takes a role from the holder who is chosen of all; yields the receipt unless the person was answered. */
async function remove(
  ctx: Context,
  incidentID: string,
  role: string,
  choose: (all: readonly Holder[]) => Holder | undefined,
): Promise<Words | undefined> {
  const key = `${ctx.key}/${unassignRole.kind}`;
  const before = ctx.mayStand ? await ctx.deps.journal.findByKey(key, toOwner(ctx.actor)) : undefined;
  const holders = await readHoldersOf(ctx, incidentID, role);
  const holder = before ? unassignRole.payload.parse(before.payload).holder : choose(holders);
  if (!holder) {
    const who = holders.length > 0 ? `${holderNames(holders)} ${isOrAre(holders)}` : 'Nobody is';
    return sentence(`${who} ${toMrkdwn(role, 100)} now. Nothing was changed.`);
  }
  const wish = { incidentID, role, holder };
  const outcome = await ctx.submit(unassignRole, wish, { incidentID });
  if (outcome.state === 'done') return afterwards(ctx, unassignRole, wish, outcome);
  await ctx.answerNotDone(unassignRole, wish, outcome);
  return undefined;
}

async function askWhom(ctx: Context, incidentID: string, role: string, holders: readonly Holder[]): Promise<void> {
  const named = await Promise.all(
    holders.slice(0, slackLimits.options).map(async each => {
      const person = await ctx.deps.people.find(each.slackUserID).catch(() => undefined);
      return { value: keyOf(each), label: person?.name || each.name };
    }),
  );
  const holder = named.filter(each => each.value.length <= slackLimits.optionValue);
  await ctx.openForm(removeForm, { incidentID, role }, {}, { holder });
}

function keyOf(holder: Holder): string {
  return holder.slackUserID || holder.userID;
}

/** Asks which holder loses a role. */
export const removeForm = defineModal({
  id: 'role.remove',
  state: z.object({ incidentID: z.string(), role: z.string() }),
  view: ({ role }, filled, { offered }) => ({
    title: 'Take a role away',
    submit: 'Remove',
    blocks: [
      section(`Who is no longer *${toMrkdwn(role, 100)}*?`),
      choiceField({ id: 'holder', label: 'Who?', options: offered?.holder ?? [] }, filled),
    ],
  }),
  check: filled => {
    const key = fieldValue(filled, 'holder');
    return key === '' ? { problems: { holder: 'Pick somebody.' } } : { value: { key } };
  },
  submit: async (ctx, { key }, { incidentID, role }) => {
    const words = await remove(ctx, incidentID, role, all => all.find(each => keyOf(each) === key));
    if (words) await ctx.answer(words);
  },
});

/** Lists the roles of an incident and who holds them. */
const rolesButton = defineButton({
  ...rolesFace,
  value: OnIncident,
  reads: true,
  run: async (ctx, { value: { incidentID } }) => ctx.answer(await roleListWords(ctx, incidentID)),
});

/** What the roles put on an incident's card. */
export function cardButtons(
  { incidentID, status, incidentMembership }: Incident,
  commander: string,
): readonly CardButton[] {
  const isLed = incidentMembership.assignments.some(each => fold(each.role.name) === fold(commander));
  const lead = { incidentID, role: commander, inList: false, page: 0 };
  return [
    ...(isLed || commander === '' || status === 'resolved'
      ? []
      : [onCard('lead', takeButton, lead, { label: 'Take command', style: 'primary' })]),
    onCard('menu', rolesButton, { incidentID }),
  ];
}

/** The buttons of the list and those that lead to it. */
export const listButtons: readonly Button[] = [takeButton, removeButton, rolesButton, postedRoles.button] as Button[];

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
  const title = `*Roles of ${incidentLabel(incidentID)}* “${toMrkdwn(incident.title, 100)}”`;
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
    return [section(line, isOld ? undefined : pressable(takeButton, take, { spoken: `Take the role ${name}` }))];
  }
  const handOver = pressable(handOverFormButton, { incidentID, role: name }, { spoken: `Hand over the role ${name}` });
  const remove = pressable(removeButton, { incidentID, role: name, page }, { spoken: `Remove the role ${name}` });
  return [section(line), actions([...(isOld ? [] : [handOver]), remove])];
}
