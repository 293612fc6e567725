import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { trimEnd } from '../../../trim-end.ts';
import { whyNotMember } from '../../dispatch/answers/kept-for-group.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IncidentDeps, IntentContext } from '../../incident/acts/intent-kind.ts';
import type { NewCalled } from '../../incident/lines/calls.ts';
import { outsideAge } from '../../incident/state/channels.ts';
import { laterWords, reasonWords } from '../../incident/state/refusal-words.ts';
import type { Room } from '../../incident/state/room-store.ts';
import { RetryLater } from '../../journal/intent.ts';
import { unknownName } from '../../people/mentions.ts';
import { whyNotCalled } from '../../people/reach.ts';
import { isPassing, retryAfter } from '../../slack/clients.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';

/** Whom a call names: a group of Slack's with its handle, or a person. */
export const Target = z.object({ kind: z.enum(['group', 'person']), id: z.string(), name: z.string() });
export type Target = z.output<typeof Target>;

/** Groups and people that one call names, at most. */
const mostTargets = 10;

/** What a command names: its targets and the reason, or a sentence of mrkdwn on what is wrong. */
type Named = { readonly targets: readonly Target[]; readonly why: string } | { readonly problem: string };

/** Words between names, and between the names and the reason. */
const between = /^(?:(?:and|&|[,.;:!]|-|–|—|because)(?:\s+|$))+/i;

/** Reads whom a command calls: mentions, and groups by their handles where Slack made no mention of them. */
export async function readTargets(ctx: Context, args: Args): Promise<Named> {
  const { mentioned, words, why } = cutNames(args);
  const groups: Target[] = [];
  for (const [named, label] of [
    ...mentioned.filter(each => each.kind === 'group').map(each => [each.id, each.shown]),
    ...words.map(each => [each, each]),
  ]) {
    const found = await findGroup(ctx, named ?? '', label ?? '');
    if ('problem' in found) return found;
    groups.push(found.target);
  }
  const people = mentioned.flatMap(({ kind, id, shown }): Target[] =>
    kind === 'user' ? [{ kind: 'person', id, name: shown.replace(/^@/, '') }] : [],
  );
  const all = [...new Map([...groups, ...people].map(each => [each.id, each])).values()];
  if (all.length > mostTargets)
    return { problem: `A call names at most ${mostTargets} groups and people. Make a group of Slack’s of them.` };
  return { targets: all, why };
}

/** The names in front of the reason: mentions, and handles as words. The names behind them belong to the reason. */
function cutNames({ text: typed, mentions }: Args): {
  readonly mentioned: Args['mentions'];
  readonly words: readonly string[];
  readonly why: string;
} {
  const mentioned: Args['mentions'][number][] = [];
  const words: string[] = [];
  const longestFirst = mentions.toSorted((one, other) => other.shown.length - one.shown.length);
  let rest = typed.trim();
  for (;;) {
    rest = rest.replace(between, '');
    const mention = longestFirst.find(
      ({ shown }) => rest.startsWith(shown) && !/^[\p{L}\p{N}]/u.test(rest.slice(shown.length)),
    );
    const [word = ''] = /^\S+/.exec(rest) ?? [];
    if (mention) mentioned.push(mention);
    else if (/^@[\p{L}\p{N}]/u.test(word)) words.push(trimEnd(word, /[,.;:!?]/));
    else return { mentioned, words, why: rest };
    rest = rest.slice(mention ? mention.shown.length : word.length).trimStart();
  }
}

/** A group by its id or handle. Slack may not answer: then an id from a mention counts. */
async function findGroup(
  { deps: { slack } }: Context,
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

/** Why a person may not call people, as a sentence for them; undefined when they may (the setting CALLERS). */
export async function whyNotCall(ctx: Context): Promise<string | undefined> {
  return await whyNotMember(ctx, { group: ctx.deps.settings.callers, act: 'call others' });
}

/**
 * Limits of a call: people whom it asks, and members of its groups among whom they are looked for, since Slack is asked for each of them who
 * they are.
 */
export const callLimits = { asked: 30, members: 100 } as const;

/** Whom a call reaches. */
export interface Roster {
  readonly people: readonly NewCalled[];
  /** Sentences of mrkdwn on people whom it does not reach. */
  readonly left: readonly string[];
  /** Sentences of mrkdwn on groups without people: unknown, unread or empty. */
  readonly troubles: readonly string[];
}

/** What decides whom a call reaches. */
interface Calling {
  readonly incidentID: string;
  readonly room: Room | undefined;
  /** Slack id of the caller, who is not called; `""` for Muster. */
  readonly caller: string;
  /** A chain calls: a person who cannot come is not asked again. */
  readonly isChain: boolean;
  /** People whom an earlier call asked so lately, in milliseconds, are not asked again. */
  readonly lately: number;
}

/**
 * The people behind targets as they are now: members of the workspace who are not there yet. Who is in the incident's own channel is there,
 * unless a call brought them in. Throws RetryLater where Slack does not answer, and an RpcError where they are too many.
 */
export async function readRoster(
  { deps, askedAt }: IntentContext,
  targets: readonly Target[],
  calling: Calling,
): Promise<Roster> {
  const { room, isChain, lately } = calling;
  const named = await readNamed(deps, targets);
  const nobody = [calling.caller, deps.slack.identity.botUserId];
  const all = [...named.users].filter(([id]) => !nobody.includes(id));
  const groups = targets.flatMap(each => (each.kind === 'group' ? [`@${each.name}`] : []));
  const who = groups.length === 0 ? 'these' : groups.join(', ');
  if (all.length > callLimits.members)
    throw tooMany(`looks through at most ${callLimits.members} people, and ${who} are ${all.length}`);
  const before = await deps.calls.ofIncident(calling.incidentID);
  const people: NewCalled[] = [];
  const left: string[] = [];
  const reasons = await Promise.all(all.map(([id]) => whyLeft(deps, id)));
  for (const [at, [id, target]] of all.entries()) {
    const why = reasons[at];
    const theirs = before.filter(call => call.people.some(each => each.user_id === id));
    // The answer to the last call that was not taken back, unless the incident was over since.
    const calls = theirs.filter(each => each.state !== 'withdrawn');
    const last = calls.flatMap(each => each.people).findLast(each => each.user_id === id && each.is_over === 0);
    const isPending = last?.answer === 'none' && askedAt.getTime() - last.asked_at < lately;
    const comes = last?.answer === 'coming' || last?.answer === 'there';
    if (why !== undefined) left.push(why);
    else if (last && isChain && (last.answer !== 'none' || isPending))
      people.push({ user_id: id, target, answer: last.answer, minutes: last.minutes, isAsked: false });
    else if (comes) left.push(`${mention(id)} ${last.answer === 'there' ? 'is there' : 'comes'} already.`);
    else if (isPending) left.push(`${mention(id)} is asked already.`);
    else {
      const mayBeThere = theirs.length === 0 && room !== undefined && isOwnRoom(room);
      const isThere = mayBeThere && (await deps.channels.isMember(room.channelId, id, outsideAge));
      people.push({ user_id: id, target, answer: isThere ? 'there' : 'none', minutes: 0, isAsked: !isThere });
    }
  }
  const asked = people.filter(each => each.isAsked).length;
  if (asked > callLimits.asked)
    throw tooMany(`reaches at most ${callLimits.asked} people, and of ${who} it would ask ${asked}`);
  return { people, left, troubles: named.troubles };
}

function tooMany(why: string): RpcError {
  const message = `a call ${why}. Call a smaller group, or people by name`;
  return new RpcError('failed_precondition', message, { maybeApplied: false });
}

/** The Slack ids behind targets, each once, with the name of its group, `""` for none. */
async function readNamed(deps: IncidentDeps, targets: readonly Target[]) {
  const users = new Map<string, string>();
  const troubles: string[] = [];
  for (const { kind, id, name } of targets) {
    if (kind === 'person') {
      if (!users.has(id)) users.set(id, '');
      continue;
    }
    const shown = `@${toMrkdwn(name, 80)}`;
    const members = await askSlack(`see who is in ${shown}`, async () => {
      const group = await deps.slack.groups.find(id);
      return group && (await deps.slack.groups.members(group));
    });
    if (members === undefined) troubles.push(`There is no group ${shown} in Slack, or it is disabled.`);
    else if (typeof members === 'string') troubles.push(members);
    else if (members.length === 0) troubles.push(`Nobody is in ${shown}.`);
    else for (const user of members) if (!users.has(user)) users.set(user, `@${name}`);
  }
  return { users, troubles };
}

/** Slack's answer; a sentence of mrkdwn where it refuses. Throws RetryLater where it does not answer. */
export async function askSlack<T>(what: string, ask: () => Promise<T>): Promise<T | string> {
  try {
    return await ask();
  } catch (error) {
    if (isPassing(error)) throw new RetryLater(laterWords(error, what), retryAfter(error));
    return `I could not ${what}: ${reasonWords(error)}`;
  }
}

async function whyLeft({ people }: IncidentDeps, id: string): Promise<string | undefined> {
  const found = await askSlack('see who is called', async () => ({ person: await people.find(id) }));
  if (typeof found === 'string') return found;
  return whyNotCalled(found.person, mention(id));
}

/** Whether a room is the incident's alone: in any other channel, people are for other reasons. */
export function isOwnRoom({ channelName, isLinked }: Room): boolean {
  return channelName !== '' && !isLinked;
}
