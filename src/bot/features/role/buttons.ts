import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { afterwards } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, type CardButton, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue } from '../../dispatch/forms/modal.ts';
import { OnIncident, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { usersHolding } from '../../incident/state/roles.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { assign } from './assign.ts';
import { readHoldersOf } from './handover-question.ts';
import { type Holder, holderNames, holdersOf, isOrAre, readHolders } from './holder.ts';
import { unassignRole } from './intents.ts';
import { removeFace, roleListWords, takeFace } from './list.ts';
import { rolesFace } from './notify-holder.ts';
import { postedRoles } from './posted.ts';

/** Takes a free role. When it has a holder already, says who. */
const takeButton = defineButton({
  ...takeFace,
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
        : await assign(ctx, incidentID, role, [ctx.actor], !inList);
    if (!words) return;
    await ctx.replace(inList ? await roleListWords(ctx, incidentID, page, words) : words);
    if (holders.length > 0) deps.cards.refresh(incidentID);
  },
});

/** A role of the list. */
const Row = z.object({ incidentID: z.string(), role: z.string(), page: z.number() });

/** Takes a role from the one who holds it. Of several who hold it, a form asks which one. */
const removeButton = defineButton<z.output<typeof Row>>({
  ...removeFace,
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

/** What the roles put under a reminder that nobody leads. */
export const reminderButtons: NonNullable<Feature['onReminder']> = ({ kind, incidentID, commander }) =>
  kind === 'lead' && commander !== ''
    ? [pressable(takeButton, { incidentID, role: commander, inList: false, page: 0 }, { label: 'Take command' })]
    : [];

/** What the roles put on an incident's card. */
export function cardButtons(incident: Incident, commander: string): readonly CardButton[] {
  const { incidentID, status } = incident;
  const isLed = usersHolding(incident, commander).length > 0;
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
