import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { toOwner } from '../../incident/acts/intent-kind.ts';
import type { NewLine } from '../../incident/lines/outbox.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import type { Stage } from '../../people/visibility.ts';
import { answerOpenly } from '../../slack/answer.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, sections, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { withSpokenText } from '../../text/spoken.ts';
import type { Context } from '../feature/context.ts';
import { type Button, defineButton, pressable } from '../feature/feature.ts';

/**
 * Words about the incidents `about` for all in a channel, with an `aside` for the person who posts it; or why they are not, as the
 * rest of a sentence that begins with “I did not post it:” (both mrkdwn).
 */
export type Public =
  | (Words & { readonly about: readonly string[]; readonly aside?: string })
  | { readonly not: string };

/** Whether something was posted, and the answer to the person who asked for it (mrkdwn). */
interface Outcome {
  readonly isPosted: boolean;
  readonly mrkdwn: string;
}

/** A press of the button under one answer posts once, however often it comes. */
const PostRequest = z.object({ asked: z.string(), at: z.number() });
/** Posts that are remembered. */
const mostKnown = 1000;
/** Characters of the text that goes with the blocks. It may be longer than that of an update, since nothing posted here is updated. */
const maxText = 16_000;

/** Makes what one person sees something that can be posted where everybody reads it, by the button `id`. `part` names the message among those of one act; `words` makes it again at each press. */
export function definePostable<V extends object>(what: {
  readonly id: string;
  readonly part: string;
  readonly value: z.ZodType<V>;
  words(ctx: Context, value: V): Promise<Public>;
}) {
  const post = async (ctx: Context, value: V, how: How): Promise<Outcome> => {
    const made = await what.words(ctx, value);
    if ('not' in made) return { isPosted: false, mrkdwn: `I did not post it: ${made.not}` };
    const { aside = '', about, ...words } = made;
    const problem = await postWords(ctx, words, { part: what.part, about, ...how });
    if (problem !== '') return { isPosted: false, mrkdwn: problem };
    return { isPosted: true, mrkdwn: `Posted for everybody in this channel. ${aside}`.trim() };
  };
  /** Recent posts, by their answers: a channel that the bot is not in cannot be searched for it. */
  const known = new Map<string, Outcome>();
  const button = defineButton<V & z.output<typeof PostRequest>>({
    id: what.id,
    label: 'Post to channel',
    value: z.intersection(what.value, PostRequest),
    run: async (ctx, { value }) => {
      const { threadTs } = ctx.location;
      const how = { threadTs, intent: value.asked, mayAlreadyExist: true, since: new Date(value.at) };
      const outcome = known.get(value.asked) ?? (await post(ctx, value, how));
      if (known.size >= mostKnown) known.clear();
      if (outcome.isPosted) known.set(value.asked, outcome);
      await ctx.answer(sentence(outcome.mrkdwn));
    },
  });
  return {
    /** The feature lists it among its buttons. */
    button: button as Button,
    /** The button below an answer; none where no other person reads it, or the person may not post. */
    offer: (ctx: Context, value: V): readonly ActionsBlockElement[] => {
      const { actor, location, key, now } = ctx;
      const pressed = { ...value, asked: key, at: now.getTime() };
      const isOffered = !actor.isGuest && !isDirectMessage(location.channelId);
      return isOffered && JSON.stringify(pressed).length <= slackLimits.buttonValue ? [pressable(button, pressed)] : [];
    },
    /** Answers a mention in its thread, for all. False when it was none, or could not be: then the person is answered alone. */
    answerMention: async (ctx: Context, value: V) => {
      const { draft, location, key: intent, mayAlreadyExist, now: since } = ctx;
      if (draft?.kind !== 'command' || draft.root !== 'mention' || isDirectMessage(location.channelId)) return false;
      const threadTs = location.threadTs || (draft.message?.split('/').at(-1) ?? '');
      return (await post(ctx, value, { threadTs, intent, mayAlreadyExist, since })).isPosted;
    },
    /** Posts it where the person asked for it, once, and tells them. */
    post: async (ctx: Context, value: V) => {
      const { location, key: intent, mayAlreadyExist, now: since } = ctx;
      const { mrkdwn } = await post(ctx, value, { threadTs: location.threadTs, intent, mayAlreadyExist, since });
      await ctx.answer(sentence(mrkdwn));
    },
  };
}

/** Why the readers of the channel at hand may not see an incident, as the rest of that sentence; undefined when they may. */
export async function whyNotPublic(ctx: Context, stage: Stage, incidentID: string) {
  const share = await ctx.deps.visibility.share(stage, { incidentID }, ctx.location.channelId);
  if (share === 'nothing') return 'the incident is private, and not everybody here sees it.';
  return share === 'all' ? undefined : readByOthers(ctx);
}

/** The words for a channel that shows nothing of another channel's incident. */
export async function readByOthers({ deps, location }: Context): Promise<string> {
  const outsiders = await deps.visibility.outsidersIn(location.channelId);
  if (outsiders === 'unknown')
    return 'Slack does not tell me at the moment who reads this channel. Try again in a minute.';
  return outsiders === 'guests' ? 'guests may read this channel.' : 'people of another organisation read this channel.';
}

/** The place in a channel, and the act that posts there. */
interface How {
  readonly threadTs: string;
  readonly intent: string;
  readonly mayAlreadyExist: boolean;
  readonly since: Date;
}

/**
 * Posts words with the name of the person who asked, and remembers where they show an incident: they are withdrawn when it is made private.
 * Returns a sentence when that is not possible, else `""`.
 */
async function postWords(
  ctx: Context,
  shown: Words,
  { about, ...how }: How & { readonly part: string; readonly about: readonly string[] },
): Promise<string> {
  const { deps, actor, log, location, now } = ctx;
  const { channelId: channel } = location;
  const blocks = [...(shown.blocks ?? []), context(`Asked for by @${toMrkdwn(actor.name, 80)}`)];
  const words = withSpokenText({ ...shown, blocks }, maxText);
  try {
    const ts = await answerOpenly(deps.slack, { channel, words, ...how });
    // The message shows these incidents, as the outbox knows it.
    const toLine = (incidentID: string): NewLine => ({
      ...{
        id: `${how.intent}/${how.part}/${incidentID}`,
        incidentID,
        actor: toOwner(actor),
        askedAt: now,
        doneAt: now,
      },
      ...{ place: 'posted', channel, thread: how.threadTs, audience: 'readers', words: '' },
      ...{ isOwnMessage: true, isUrgent: false, standsAt: ts },
    });
    await deps.lines.add(about.map(toLine));
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel, part: how.part }, 'post: not taken by Slack');
    return `I could not post it: ${reasonWords(error)}`;
  }
}

/** Lines of one section, so that Slack shows all of it at once. */
const linesTogether = 10;

/** The lines of a posted list (mrkdwn), as many as one message holds and at least one; `left` have no room. */
export function toListBlocks(lines: readonly string[]): {
  readonly blocks: readonly KnownBlock[];
  readonly left: number;
} {
  let size = 0;
  const end = lines.findIndex((line, at) => {
    size += JSON.stringify(line).length + 20;
    return at > 0 && size > slackLimits.messageJson;
  });
  const shown = end < 0 ? lines : lines.slice(0, end);
  const groups = Map.groupBy(shown.entries(), ([at]) => Math.floor(at / linesTogether));
  const blocks = [...groups.values()].flatMap(group => sections(group.map(([, line]) => line)));
  return { blocks, left: lines.length - shown.length };
}

/** Words with further buttons in their last row of buttons, or in a row of their own. */
export function addButtons(words: Words, more: readonly ActionsBlockElement[]): Words {
  const blocks = words.blocks ?? sentence(words.text).blocks ?? [];
  if (more.length === 0) return words;
  const last = blocks.at(-1);
  const row = last?.type === 'actions' ? last : undefined;
  const above = row ? blocks.slice(0, -1) : blocks;
  return { ...words, blocks: [...above, actions([...(row?.elements ?? []), ...more], row?.block_id)] };
}
