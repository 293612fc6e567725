import { z } from 'zod';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import { undoButton } from '../../dispatch/answers/undo.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { defineModal, fieldValue, userField } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { toOthers } from '../../people/directory.ts';
import { findMentioned, readMentions } from '../../people/mentions.ts';
import { actions, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { giveTo } from './assign.ts';
import { handOverRole } from './handover-intent.ts';
import { HandOver, handOverFace, Kept, keepFace, readHoldersOf } from './handover-question.ts';
import { type Holder, holderNames, holdersOf, isOrAre, isSame, readHolders, toHolder } from './holder.ts';
import { findRole } from './names.ts';
import { toRoleWords } from './unassign.ts';

/** Who is to hold which role, and whose it is now: the API's ids of those who lose it; absent: all who hold it. */
interface Wish {
  readonly incidentID: string;
  readonly role: string;
  readonly to: string;
  readonly from?: readonly string[];
}

/** Hands a role over to one person. When nobody else holds it, they are given it. Yields the receipt unless the person was answered. */
async function handOver(ctx: Context, { incidentID, role, to, from }: Wish): Promise<Words | undefined> {
  const { deps } = ctx;
  const key = `${ctx.key}/${handOverRole.kind}`;
  const before = ctx.mayStand ? await deps.journal.findByKey(key, toOwner(ctx.actor)) : undefined;
  if (before) return submit(ctx, handOverRole.payload.parse(before.payload));
  const found = await findMentioned(deps, [to], 'role');
  const again = actions([pressable(handOverFormButton, { incidentID, role })]);
  if ('problem' in found) return void (await ctx.reject(`${found.problem} Nothing was changed.`, [again]));
  const [person] = found.people;
  if (!person) throw new Error('Nobody was named');
  const named = await deps.people.toNamed(person);
  const receiver = toHolder(named);
  const held = holdersOf(await readHolders(deps, await readKnown(deps, incidentID)), role);
  const others = held.filter(each => !isSame(each, receiver));
  const losing = from ? others.filter(each => from.includes(each.userID)) : others;
  if (losing.length === 0 && from) return sentence(unchanged(role, held));
  if (losing.length === 0) return void (await giveTo(ctx, incidentID, role, [to]));
  const holding = held.find(each => isSame(each, receiver));
  const wish = {
    ...{ incidentID, role, from: losing, isUndo: false, ...toClaimed(named, ctx.now) },
    to: [{ ...receiver, ...(holding ? { userID: holding.userID } : {}) }],
    beside: holding ? [holding.userID] : [],
  };
  return submit(ctx, wish, toOthers([named]));
}

async function submit(ctx: Context, wish: z.output<typeof handOverRole.payload>, others = toOthers([])) {
  const outcome = await ctx.submit(handOverRole, wish, { incidentID: wish.incidentID, others });
  if (outcome.state === 'done') return afterwards(ctx, handOverRole, wish, outcome, { mayBeBrief: true });
  await ctx.answerNotDone(handOverRole, wish, outcome);
  return undefined;
}

function unchanged(role: string, holders: readonly Holder[]): string {
  const what = `*${toMrkdwn(role, 100)}*`;
  if (holders.length === 0) return `Nobody is ${what} any more. Nothing was changed.`;
  return `Nothing was changed: ${holderNames(holders)} ${isOrAre(holders)} ${what} now.`;
}

/** The same for a command or a form, with an answer. */
export async function handOverTo(ctx: Context, wish: Wish): Promise<void> {
  const words = await handOver(ctx, wish);
  if (words) await ctx.answer(words);
}

/** Takes a role from the others, where two or more hold it. */
export const handOverButton = defineButton<HandOver>({
  ...handOverFace,
  value: HandOver,
  run: async (ctx, { value }) => {
    const words = await handOver(ctx, value);
    if (words) await ctx.replace(words);
  },
});

/** Leaves a role to all who hold it. */
export const keepButton = defineButton({
  ...keepFace,
  value: Kept,
  reads: true,
  run: async (ctx, { value: { incidentID, role, intent } }) => {
    const holders = await readHoldersOf(ctx, incidentID, role).catch(() => []);
    const text =
      holders.length > 0
        ? `${holderNames(holders)} ${isOrAre(holders)} *${toMrkdwn(role, 100)}*.`
        : `Nobody loses the role *${toMrkdwn(role, 100)}*.`;
    await ctx.replace({ text, blocks: [section(text), actions([pressable(undoButton, { intent })])] });
  },
});

/** Opens the form that hands a role over. */
export const handOverFormButton = defineButton({
  id: 'role.handover.form',
  label: 'Hand over',
  value: z.object({ incidentID: z.string(), role: z.string() }),
  run: (ctx, { value: { incidentID, role } }) => openHandOver(ctx, incidentID, role),
});

/** The form that hands a role over. */
export const handOverForm = defineModal({
  id: 'role.handover',
  state: z.object({ incidentID: z.string(), role: z.string() }),
  view: ({ role }, filled) => ({
    title: 'Hand over a role',
    submit: 'Hand over',
    blocks: [
      section(`Who takes over as *${toMrkdwn(role, 100)}*? Current holders lose the role.`),
      userField({ id: 'person', label: 'Who takes over?' }, filled),
    ],
  }),
  check: filled => {
    const to = fieldValue(filled, 'person');
    return to === '' ? { problems: { person: 'Pick somebody.' } } : { value: { to } };
  },
  submit: (ctx, { to }, { incidentID, role }) => handOverTo(ctx, { incidentID, role, to }),
});

/** Opens the form. It names the person who asks, unless they hold the role. */
export async function openHandOver(ctx: Context, incidentID: string, role: string): Promise<void> {
  const holders = await readHoldersOf(ctx, incidentID, role);
  const isOwn = holders.some(each => each.slackUserID === ctx.actor.userId);
  await ctx.openForm(handOverForm, { incidentID, role }, isOwn ? {} : { person: ctx.actor.userId });
}

/** Hands the role over that was typed, or the one that leads the incident. */
export async function runHandOver(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const mentioned = readMentions(args, ctx.actor.userId);
  const typed = toRoleWords(mentioned.text);
  const { choice, match } = await findRole(ctx, typed);
  if (match && 'problem' in match) return ctx.reject(`${match.problem} Nothing was changed.`);
  const role = match?.role.name ?? choice.commander;
  if (role === '') {
    return ctx.reject('No role is set to lead incidents. Name the role to hand over: `/role handover @bob observer`.');
  }
  const [to, ...more] = mentioned.ids;
  if (mentioned.problem !== '' || more.length > 0) {
    const problem = mentioned.problem || 'One person takes over, and you named several.';
    const offer = pressable(handOverFormButton, { incidentID, role });
    return ctx.reject(`${problem} Nothing was changed.`, [actions([offer])]);
  }
  if (to === undefined) return openHandOver(ctx, incidentID, role);
  await handOverTo(ctx, { incidentID, role, to });
}
