import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import { readHeadline } from '../../incident/acts/read-incident.ts';
import { groupsOf } from '../../incident/state/call-chains.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { slackLimits } from '../../slack/limits.ts';
import { context, section } from '../../text/blocks.ts';
import { makeCall } from './intents.ts';
import { type Target, whyNotCall } from './targets.ts';

/** Calls people in the name of the person who asks. */
export async function callAs(ctx: Context, incidentID: string, targets: readonly Target[], why: string): Promise<void> {
  const problem = await whyNotCall(ctx);
  if (problem !== undefined) return ctx.reject(`${problem} Nobody was called.`);
  if (await isOver(ctx, incidentID)) {
    const name = incidentLabel(incidentID, 'Incident');
    return ctx.reject(`${name} is resolved, so nobody was called. \`/incident reopen\` opens it again.`);
  }
  const wish = { incidentID, targets: [...targets], why, caller: ctx.actor.userId };
  await ctx.carryOut(makeCall, wish, { incidentID });
}

/** Whether an incident is known to be over. Throws, as for an unknown number, when the person may not see it. */
async function isOver({ deps }: Context, incidentID: string): Promise<boolean> {
  const incident = await readHeadline(deps, incidentID).catch(error => {
    if (!(error instanceof RpcError)) throw error;
  });
  return incident?.status === 'resolved';
}

/** The form that calls a group, a person, or both. */
export const form = defineModal({
  id: 'call.make',
  /** `notice`: why it offers no groups, or not all, as mrkdwn; `""` when it offers all. */
  state: z.object({ incidentID: z.string(), notice: z.string() }),
  view: ({ incidentID, notice }, filled, { offered }) => {
    const groups = offered?.group ?? [];
    return {
      title: 'Call people',
      submit: 'Call',
      blocks: [
        section(`The people you call are invited to ${incidentLabel(incidentID)}, and each is asked directly.`),
        ...(groups.length === 0
          ? []
          : [choiceField({ id: 'group', label: 'Which group?', options: groups, optional: true }, filled)]),
        ...(notice === '' ? [] : [context(notice)]),
        userField({ id: 'person', label: 'Who?', optional: true }, filled),
        textField({ id: 'why', label: 'Why?', optional: true }, filled),
      ],
    };
  },
  check: filled => {
    const [group, person] = [fieldValue(filled, 'group'), fieldValue(filled, 'person')];
    if (group === '' && person === '') return { problems: { person: 'Pick a group or a person.' } };
    return { value: { group, person, why: fieldValue(filled, 'why').trim() } };
  },
  submit: async (ctx, { group, person, why }, { incidentID }) => {
    const targets: Target[] = [
      ...(group === '' ? [] : [await toGroup(ctx, group)]),
      ...(person === '' ? [] : [{ kind: 'person' as const, id: person, name: '' }]),
    ];
    await callAs(ctx, incidentID, targets, why);
  },
});

async function toGroup({ deps }: Context, id: string): Promise<Target> {
  const group = await deps.slack.groups.find(id).catch(() => undefined);
  return { kind: 'group', id, name: group?.handle ?? id };
}

/** Opens the form; `why` is filled in. */
export async function openForm(ctx: Context, incidentID: string, why: string): Promise<void> {
  // Slack gives three seconds to open a form.
  const [problem, { options, notice }] = await Promise.all([whyNotCall(ctx), readOptions(ctx)]);
  if (problem !== undefined) return ctx.reject(problem);
  await ctx.openForm(form, { incidentID, notice }, { why }, { group: options });
}

/** The groups that the form offers: those of the setting CALL first. */
async function readOptions({ deps: { slack, settings } }: Context) {
  try {
    const handles = new Set([...groupsOf(settings.callChains)].map(each => each.toLowerCase()));
    const groups = (await slack.groups.all()).toSorted((one, other) => (one.handle < other.handle ? -1 : 1));
    const first = groups.filter(each => handles.has(each.handle.toLowerCase()));
    const all = [...first, ...groups.filter(each => !handles.has(each.handle.toLowerCase()))].slice(
      0,
      slackLimits.options,
    );
    const options = all.map(({ id, handle }) => ({ value: id, label: `@${handle}` }));
    const rest = `These are ${all.length} of ${groups.length} groups. \`/incident call @group\` calls any of them.`;
    const notice = groups.length === 0 ? 'This workspace has no groups.' : all.length < groups.length ? rest : '';
    return { options, notice };
  } catch (error) {
    return { options: [], notice: `I cannot offer groups: ${reasonWords(error)}` };
  }
}

/** Opens the form. */
export const callButton = defineButton({
  id: 'call.form',
  label: 'Call',
  value: OnIncident,
  run: (ctx, { value }) => openForm(ctx, value.incidentID, ''),
});
