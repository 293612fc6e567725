import { z } from 'zod';
import type { CallChain } from '../../../config/call-formats.ts';
import { RpcError } from '../../../contract/errors.ts';
import { askFirst } from '../../dispatch/command/typed-times.ts';
import type { Context, Modal } from '../../dispatch/feature/context.ts';
import { type Button, type Feature, pressable, type Verb } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, textField, userField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { holdsBack } from '../../grammar/casual.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { readHeadline } from '../../incident/acts/read-incident.ts';
import { type CallTarget, chainName, groupsOf } from '../../incident/state/call-store.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { namesReached } from '../../people/reach.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore, cutMrkdwn, restRow } from '../../text/words.ts';
import { answerButtons } from './answer.ts';
import { callDue, callIntents, callNext, makeCall } from './intents.ts';
import { callLimits, readTargets, type Target, whyNotCall } from './targets.ts';

/** Calls people in the name of the person who asks. */
async function callAs(ctx: Context, incidentID: string, targets: readonly Target[], why: string): Promise<void> {
  const problem = await whyNotCall(ctx);
  if (problem !== undefined) return ctx.reject(`${problem} Nobody was called.`);
  // Throws, as for an unknown number, when the person may not see it.
  const incident = await readHeadline(ctx.deps, incidentID).catch(error => {
    if (!(error instanceof RpcError)) throw error;
  });
  if (incident?.status === 'resolved') {
    const name = incidentLabel(incidentID, 'Incident');
    return ctx.reject(`${name} is resolved, so nobody was called. \`/incident reopen\` opens it again.`);
  }
  const wish = { incidentID, targets: [...targets], why, caller: ctx.actor.userId };
  await ctx.carryOut(makeCall, wish, { incidentID });
}

/** The form that calls a group, a person, or both. */
const form = defineModal({
  id: 'call.make',
  isUrgent: true,
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
    const found = group === '' ? undefined : await ctx.deps.slack.groups.find(group).catch(() => undefined);
    const targets: Target[] = [
      ...(group === '' ? [] : [{ kind: 'group' as const, id: group, name: found?.handle ?? group }]),
      ...(person === '' ? [] : [{ kind: 'person' as const, id: person, name: '' }]),
    ];
    await callAs(ctx, incidentID, targets, why);
  },
});

/** Opens the form; `why` is filled in. */
async function openForm(ctx: Context, incidentID: string, why: string): Promise<void> {
  // Slack gives three seconds to open a form.
  const [problem, { options, notice }] = await Promise.all([whyNotCall(ctx), readOptions(ctx)]);
  if (problem !== undefined) return ctx.reject(problem);
  await ctx.openForm(form, { incidentID, notice }, { why }, { group: options });
}

/** The groups that the form offers: those of the setting CALL first. */
async function readOptions({ deps: { slack, settings } }: Context) {
  try {
    const handles = new Set([...groupsOf(settings.call)].map(each => each.toLowerCase()));
    const groups = (await slack.groups.all()).toSorted((one, other) => (one.handle < other.handle ? -1 : 1));
    const first = groups.filter(each => handles.has(each.handle.toLowerCase()));
    const others = groups.filter(each => !first.includes(each));
    const all = [...first, ...others].slice(0, slackLimits.options);
    const options = all.map(({ id, handle }) => ({ value: id, label: `@${handle}` }));
    const rest = `These are ${all.length} of ${groups.length} groups. \`/incident call @group\` calls any of them.`;
    const notice = groups.length === 0 ? 'This workspace has no groups.' : all.length < groups.length ? rest : '';
    return { options, notice };
  } catch (error) {
    return { options: [], notice: `I cannot offer groups: ${reasonWords(error)}` };
  }
}

const callButton = incidentButton({ id: 'call.form', label: 'Call', isUrgent: true }, (ctx, incidentID) =>
  openForm(ctx, incidentID, ''),
);

/** Groups, and people of one group, that the answer names; the others are counted. */
const mostGroups = 10;
const mostNamed = 10;

/** When a target is called, in brackets (mrkdwn). */
function useWords(chains: readonly CallChain[], isIt: (target: CallTarget) => boolean): string {
  const uses = chains.filter(each => each.targets.some(isIt)).map(each => toMrkdwn(chainName(each), 100));
  return ` (${andMore(uses, 3)})`;
}

async function groupRow({ deps }: Context, handle: string, chains: readonly CallChain[]): Promise<string> {
  const name = `*@${toMrkdwn(handle, 80)}*`;
  const when = useWords(chains, each => each.kind === 'group' && each.handle === handle);
  try {
    const group = await deps.slack.groups.find(handle);
    if (group === undefined) return `${name}${when}: there is no such group in Slack, or it is disabled`;
    const ids = (await deps.slack.groups.members(group)).filter(id => id !== deps.slack.identity.botUserId);
    if (ids.length > callLimits.members)
      return `${name}${when}: nobody, since they are ${ids.length} and a call looks through ${callLimits.members}`;
    const names = await namesReached(deps.people, ids);
    if (names.length > callLimits.asked)
      return `${name}${when}: nobody, since ${names.length} can be called and a call reaches ${callLimits.asked}`;
    return `${name}${when}: ${names.length === 0 ? 'nobody' : andMore(names, mostNamed)}`;
  } catch (error) {
    return `${name}${when}: ${reasonWords(error)}`;
  }
}

/** `/incident oncall`: who would be called. Slack's groups are the roster. */
const onCall: Verb = {
  noun: 'incident',
  verb: 'oncall',
  aliases: ['whoisoncall', 'schedule', 'schedules', 'rota'],
  argumentKind: 'nothing',
  summary: 'Show whom Muster would call now: the people in its groups who can be called.',
  about: 'anything',
  reads: true,
  // None of them is mentioned: a look wakes nobody.
  run: async ctx => {
    const { call: callChains } = ctx.deps.settings;
    if (callChains.length === 0) {
      const text =
        'Muster calls no group on its own: the setting `CALL` names none. `/incident call @group` calls one.';
      return ctx.answer(sentence(text));
    }
    const called = callChains.flatMap(each => each.targets);
    const handles = [...groupsOf(callChains)];
    const pagers = [...new Set(called.flatMap(each => (each.kind === 'pager' ? [each.name] : [])))];
    const rows: string[] = [];
    for (const handle of handles.slice(0, mostGroups)) rows.push(await groupRow(ctx, handle, callChains));
    const more = restRow(handles.length, mostGroups);
    const paged = pagers.slice(0, mostGroups).map(name => {
      const when = useWords(callChains, each => each.kind === 'pager' && each.name === name);
      return `*pager ${toMrkdwn(name, 40)}*${when}`;
    });
    const text = cutMrkdwn(
      [`${signs.call} *Who is called now*`, ...rows, ...more, ...paged].join('\n'),
      slackLimits.sectionText - 100,
    );
    await ctx.answer({ text, blocks: [section(text)] });
  },
};

/** The people whom a call to these targets reaches, with their local time, as a sentence of mrkdwn. */
async function reachedWords({ deps: { slack, people }, now }: Context, targets: readonly Target[]): Promise<string> {
  const ids = targets.map(async ({ kind, id }) => {
    const group = kind === 'group' ? await slack.groups.find(id) : undefined;
    return kind === 'person' ? [id] : group ? slack.groups.members(group) : [];
  });
  const all = [...new Set((await Promise.all(ids)).flat())].slice(0, callLimits.members);
  return `The call reaches ${andMore(await namesReached(people, all, now), mostNamed)}.`;
}

/** Calling people to an incident: a group of Slack's or single people, and the chains of the settings. */
export const call: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'call',
      example: '`/incident call @bob` asks people to come',
      grave: true,
      aliases: ['wake'],
      argumentKind: 'words',
      plainly: words => words.startsWith('@'),
      usage: '[@group | @person …] [why]',
      summary: 'Call people: Muster invites them, asks each directly, and shows who comes. Without a name, in a form.',
      run: async (ctx, args, incidentID) => {
        const named = await readTargets(ctx, args);
        if ('problem' in named) {
          const offer = actions([pressable(callButton, { incidentID })]);
          return ctx.reject(`${named.problem} Nobody was called.`, [offer]);
        }
        if (named.targets.length === 0) return openForm(ctx, incidentID, named.why);
        if (holdsBack(named.why)) {
          const asks = `*Nobody was called yet.* You say “${toMrkdwn(named.why, 200)}”: do you want to call now?`;
          const choice = { label: 'Call now', incidentID, wakes: () => reachedWords(ctx, named.targets) };
          if (await askFirst(ctx, asks, choice)) return;
        }
        await callAs(ctx, incidentID, named.targets, named.why);
      },
      wakes: async (ctx, args) => {
        const named = await readTargets(ctx, args);
        return 'problem' in named || named.targets.length === 0 ? '' : reachedWords(ctx, named.targets);
      },
    },
    onCall,
  ],
  modals: [form] as Modal[],
  buttons: [callButton as Button, ...answerButtons],
  intents: [...callIntents, callNext] as IntentKind[],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('call', callButton, { incidentID })]),
  onDeclared: incidentID => [pressable(callButton, { incidentID })],
  onReminder: ({ kind, incidentID }) =>
    kind === 'call' ? [pressable(callButton, { incidentID }, { label: 'Call others' })] : [],
  onTick: callDue,
};
