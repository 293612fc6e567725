import type { Context } from '../../dispatch/feature/context.ts';
import type { Verb } from '../../dispatch/feature/feature.ts';
import { type CallChain, type CallTarget, chainName, groupsOf } from '../../incident/state/call-chains.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { namesOf } from '../../people/directory.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, sentence, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { andMore, cutMrkdwn, restRow } from '../../text/words.ts';

/** Groups, and people of one group, that the answer names; the others are counted. */
const mostGroups = 10;
const mostNamed = 10;

/** Who is in the groups of the chains now. Nobody is mentioned: a look wakes nobody. */
async function runOnCall(ctx: Context): Promise<void> {
  const { callChains } = ctx.deps.settings;
  if (callChains.length === 0) {
    const text = 'Muster calls no group on its own: the setting `CALL` names none. `/incident call @group` calls one.';
    return ctx.answer(sentence(text));
  }
  const called = callChains.flatMap(each => each.targets);
  const handles = [...groupsOf(callChains)];
  const pagers = [...new Set(called.flatMap(each => (each.kind === 'pager' ? [each.name] : [])))];
  const rows: string[] = [];
  for (const handle of handles.slice(0, mostGroups)) rows.push(await groupRow(ctx, handle, callChains));
  const more = restRow(handles.length, mostGroups);
  const paged = pagers.slice(0, mostGroups).map(name => pagerRow(name, callChains));
  const text = cutMrkdwn(
    [`${signs.call} *Who is called now*`, ...rows, ...more, ...paged].join('\n'),
    slackLimits.sectionText - 100,
  );
  await ctx.answer({ text, blocks: [section(text)] });
}

/** When a target is called, in brackets (mrkdwn). */
function useWords(chains: readonly CallChain[], isIt: (target: CallTarget) => boolean): string {
  const uses = chains.filter(each => each.targets.some(isIt)).map(each => toMrkdwn(chainName(each), 100));
  return ` (${andMore(uses, 3)})`;
}

/** The pager knows whom it wakes. */
function pagerRow(name: string, chains: readonly CallChain[]): string {
  return `*pager ${toMrkdwn(name, 40)}*${useWords(chains, each => each.kind === 'pager' && each.name === name)}`;
}

async function groupRow({ deps }: Context, handle: string, chains: readonly CallChain[]): Promise<string> {
  const name = `*@${toMrkdwn(handle, 80)}*`;
  const when = useWords(chains, each => each.kind === 'group' && each.handle === handle);
  try {
    const group = await deps.slack.groups.find(handle);
    if (group === undefined) return `${name}${when}: there is no such group in Slack, or it is disabled`;
    const ids = await deps.slack.groups.members(group);
    if (ids.length === 0) return `${name}${when}: nobody`;
    const known = await namesOf(deps.people, ids.slice(0, mostNamed));
    const names = ids.slice(0, mostNamed).map(id => toMrkdwn(known.get(id) ?? 'somebody', 80));
    return `${name}${when}: ${andMore(names, mostNamed, { total: ids.length })}`;
  } catch (error) {
    return `${name}${when}: ${reasonWords(error)}`;
  }
}

/** `/incident oncall`: who would be called. Slack's groups are the roster. */
export const onCall: Verb = {
  noun: 'incident',
  verb: 'oncall',
  aliases: ['whoisoncall', 'schedule', 'schedules', 'rota'],
  begins: 'nothing',
  usage: '',
  summary: 'Show who is in the groups that Muster calls, now.',
  about: 'anything',
  reads: true,
  run: runOnCall,
};
