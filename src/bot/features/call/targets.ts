import { z } from 'zod';
import { whyNotMember } from '../../dispatch/answers/kept-for-group.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Args } from '../../grammar/grammar.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { unknownName } from '../../people/mentions.ts';
import { isPassing } from '../../slack/clients.ts';
import { toMrkdwn } from '../../text/blocks.ts';

/** Whom a call names: a group of Slack's with its handle, or a person. */
export const Target = z.object({ kind: z.enum(['group', 'person']), id: z.string(), name: z.string() });
/** Whom a call names. */
export type Target = z.output<typeof Target>;

/** Groups and people that one call names, at most. */
const mostTargets = 10;

/** What a command names: its targets and the reason, or a sentence of mrkdwn on what is wrong. */
type Named = { readonly targets: readonly Target[]; readonly why: string } | { readonly problem: string };

/** Words between names, and between the names and the reason. */
const between = /^(?:(?:and|&|,|:|-|–|—|because)(?:\s+|$))+/i;

/** Reads whom a command calls: mentions, and groups by their handles where Slack made no mention of them. */
export async function readTargets(ctx: Context, args: Args): Promise<Named> {
  const { mentioned, words, why } = cutNames(args);
  const groups: Target[] = [];
  for (const [named, label] of [
    ...args.groups.map(each => [each.id, each.label]),
    ...mentioned.filter(each => each.kind === 'group').map(each => [each.id, each.shown]),
    ...words.map(each => [each, each]),
  ]) {
    const found = await findGroup(ctx, named ?? '', label ?? '');
    if ('problem' in found) return found;
    groups.push(found.target);
  }
  const people = [
    ...args.users.map(({ id, label }): Target => ({ kind: 'person', id, name: label })),
    ...mentioned.flatMap(({ kind, id, shown }): Target[] =>
      kind === 'user' ? [{ kind: 'person', id, name: shown }] : [],
    ),
  ];
  const all = [...new Map([...groups, ...people].map(each => [each.id, each])).values()];
  if (all.length > mostTargets)
    return { problem: `A call names at most ${mostTargets} groups and people. Make a group of Slack’s of them.` };
  return { targets: all, why };
}

/** What stands in front of the reason: mentions behind a word such as “and”, and handles as words. */
function cutNames({ text, unresolved, mentions }: Args): {
  readonly mentioned: Args['mentions'];
  readonly words: readonly string[];
  readonly why: string;
} {
  const mentioned: Args['mentions'][number][] = [];
  const words: string[] = [];
  const longestFirst = mentions.toSorted((one, other) => other.shown.length - one.shown.length);
  let rest = text.trim();
  for (;;) {
    rest = rest.replace(between, '');
    const mention = longestFirst.find(
      ({ shown }) => rest.startsWith(shown) && !/^[\p{L}\p{N}]/u.test(rest.slice(shown.length)),
    );
    const [word = ''] = /^\S+/.exec(rest) ?? [];
    if (mention) mentioned.push(mention);
    else if (unresolved.includes(word)) words.push(word.replace(/[,.;:!?]+$/, ''));
    else return { mentioned, words, why: rest };
    rest = rest.slice(mention ? mention.shown.length : word.length).trimStart();
  }
}

/** A group by its id or handle. Slack may not answer: then an id from a mention counts. */
async function findGroup(
  { deps: { slack } }: Pick<Context, 'deps'>,
  named: string,
  label: string,
): Promise<{ readonly target: Target } | { readonly problem: string }> {
  const shown = `@${toMrkdwn(label.replace(/^@/, ''), 80)}`;
  try {
    const group = await slack.groups.find(named);
    if (group) return { target: { kind: 'group', id: group.id, name: group.handle } };
    const isMention = !named.startsWith('@');
    const problem = isMention ? `There is no group ${shown} in Slack, or it is disabled.` : unknownName(shown);
    return { problem };
  } catch (error) {
    if (isPassing(error) && !named.startsWith('@'))
      return { target: { kind: 'group', id: named, name: label.replace(/^@/, '') } };
    return { problem: `I could not look up the group ${shown}: ${reasonWords(error)} People can be called by name.` };
  }
}

/** Why somebody may not call people, as a sentence for them; undefined when they may (the setting CALLERS). */
export async function whyNotCall(ctx: Pick<Context, 'deps' | 'actor' | 'log'>): Promise<string | undefined> {
  return await whyNotMember(ctx, { group: ctx.deps.settings.callers, act: 'call others' });
}
