import { z } from 'zod';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, userField } from '../../dispatch/forms/modal.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { chooseRoles, fold, forgetRoles, type RoleChoice } from '../../incident/state/roles.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, mention, section, type Words } from '../../text/blocks.ts';
import { toHolder } from './holder.ts';
import { assignRole } from './intents.ts';

/** `ids` are Slack ids of the people named so far. */
const Gift = z.object({ incidentID: z.string(), role: z.string(), ids: z.array(z.string()) });
type Gift = z.output<typeof Gift>;

/** Does what a mistyped command may have meant. Its label names the role. */
export const giveButton = defineButton<Gift>({
  id: 'role.give',
  label: 'Assign',
  value: Gift,
  run: (ctx, { value: { incidentID, role, ids } }) => giveTo(ctx, incidentID, role, ids),
});

/** Opens the form; `role` may be `""`. */
export const formButton = defineButton<Gift>({
  id: 'role.form',
  label: 'Assign role',
  value: Gift,
  run: (ctx, { value: { incidentID, role, ids } }) => openForm(ctx, incidentID, role, ids),
});

/** All of the buttons. */
export const roleButtons: readonly Button[] = [giveButton, formButton] as Button[];

/** The form that assigns a role. `ids` are Slack ids of several people whom the command named. */
export const form = defineModal({
  id: 'role.assign',
  state: z.object({ incidentID: z.string(), ids: z.array(z.string()) }),
  view: ({ ids }, filled, { offered }) => ({
    title: 'Assign a role',
    submit: 'Assign',
    blocks: [
      ids.length > 0
        ? section(`For ${ids.map(mention).join(', ')}`)
        : userField({ id: 'person', label: 'Who?' }, filled),
      choiceField({ id: 'role', label: 'Which role?', options: offered?.role ?? [] }, filled),
    ],
  }),
  check: (filled, { ids }) => {
    const person = fieldValue(filled, 'person');
    const role = fieldValue(filled, 'role');
    if (role === '') return { problems: { role: 'Pick a role.' } };
    if (ids.length === 0 && person === '') return { problems: { person: 'Pick somebody.' } };
    return { value: { name: role, ids: ids.length > 0 ? ids : [person] } };
  },
  submit: async (ctx, { name, ids }, { incidentID }) => {
    const { roles } = await chooseRoles(ctx.deps, ctx.now);
    const role = roles.find(each => each.name === name);
    if (role) await giveTo(ctx, incidentID, role.name, ids);
    else await ctx.reject('That role is gone, so nobody was assigned. `/role list` shows the roles there are.');
  },
});

/** Opens the form. When nobody was named, it names the person who asks. `choice` are the roles, where they have been read. */
export async function openForm(
  ctx: Context,
  incidentID: string,
  role: string,
  ids: readonly string[],
  choice?: RoleChoice,
): Promise<void> {
  const all = choice ?? (await chooseRoles(ctx.deps, ctx.now));
  const roles = all.roles.filter(each => !each.archived).slice(0, slackLimits.options);
  if (roles.length === 0) {
    return ctx.reject(
      'There are no roles to assign. An administrator of this workspace can add one with `/role create`.',
    );
  }
  const chosen = roles.find(each => fold(each.name) === fold(role));
  const several = ids.length > 1 ? [...ids] : [];
  const filled = { person: ids[0] ?? ctx.actor.userId, ...(chosen ? { role: chosen.name } : {}) };
  await ctx.openForm(form, { incidentID, ids: several }, filled, {
    role: roles.map(each => ({ value: each.name, label: each.name })),
  });
}

/** People named at once, at most. */
export const maxPeople = 10;

/** Assigns a role to the people of these Slack ids; when one of them cannot be named, to none. */
export async function giveTo(ctx: Context, incidentID: string, role: string, ids: readonly string[]): Promise<void> {
  const again = actions([pressable(formButton, { incidentID, role, ids: [] })]);
  if (ids.length > maxPeople) {
    return ctx.reject(`At most ${maxPeople} people at once, and you named ${ids.length}. Nobody was assigned.`);
  }
  const found = await findMentioned(ctx.deps, ids, 'role');
  if ('problem' in found) return ctx.reject(`${found.problem} Nobody was assigned.`, [again]);
  const words = await assign(ctx, incidentID, role, found.people, found.people.length === 1);
  if (words) await ctx.answer(words);
}

/**
 * Assigns one person after the other. Answers at once for those not done, and returns the receipts of the others, which are brief where
 * they `mayBeBrief`.
 */
export async function assign(
  ctx: Context,
  incidentID: string,
  role: string,
  people: readonly Person[],
  mayBeBrief = false,
): Promise<Words | undefined> {
  const all: Words[] = [];
  for (const person of people) {
    const named = await ctx.deps.people.toNamed(person);
    const payload = { incidentID, role, holder: toHolder(named), ...toClaimed(named, ctx.now) };
    const hasMore = person !== people.at(-1);
    const outcome = await ctx.submit(assignRole, payload, {
      incidentID,
      step: person.userId,
      others: toOthers([named]),
      hasMore,
    });
    if (outcome.state === 'done') all.push(await afterwards(ctx, assignRole, payload, outcome, { mayBeBrief }));
    else {
      if (outcome.state === 'failed') forgetRoles(ctx.deps.api);
      await ctx.answerNotDone(assignRole, payload, outcome);
    }
  }
  return all.length === 0 ? undefined : together(all);
}

/** Several receipts as one answer. */
export function together(all: readonly Words[]): Words {
  const [only, ...others] = all;
  if (only && others.length === 0) return only;
  return {
    text: all.map(each => each.text).join('\n'),
    blocks: all.flatMap(each => each.blocks ?? [section(each.text)]),
  };
}
